//! Who speaks where, as the keys under which memories know it: hashed once for a record, under a key that nobody outside knows,
//! because users choose rooms, ids and texts.

use std::hash::Hash;

use ahash::RandomState;

use crate::heard::Heard;

/// A room, and a user in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Who {
    pub(crate) room: u64,
    /// The user in this room; in another one he has another key.
    pub(crate) user: u64,
}

impl Who {
    /// Who brings `heard`.
    pub(crate) fn brings(keys: &RandomState, heard: &Heard) -> Self {
        let input = heard.input();
        Self::named(keys, &input.room, input.user_id())
    }

    /// This user in this room.
    pub(crate) fn named(keys: &RandomState, room: &str, user: &str) -> Self {
        let room = keys.hash_one(room);
        Self { room, user: keys.hash_one((room, user)) }
    }

    /// Something of his, as a key.
    pub(crate) fn and(self, keys: &RandomState, what: impl Hash) -> u64 {
        keys.hash_one((self.user, what))
    }
}
