//! The same message twice: a sender who did not hear our answer and sent it again under the same `client_id`.
//!
//! The first one's verdict stands, whatever it was: were a refused one judged anew, a replay that limits a little differently
//! at the start of its window could show a message twice. Who was refused sends anew under a new `client_id`.

use ahash::RandomState;
use proto::MessageId;

use crate::{heard::Heard, recent::Recent};

/// The door tells senders to retry within 50 s; ten more for the last retry to reach the log.
const WINDOW_MS: i64 = 60_000;

/// The messages of the last 60 s that carried a `client_id`.
pub(crate) struct Repeats {
    first: Recent<MessageId>,
}

impl Repeats {
    pub(crate) fn new() -> Self {
        Self { first: Recent::new(WINDOW_MS) }
    }

    /// The first one, if `heard` is a repeat; it is remembered otherwise.
    pub(crate) fn check(&mut self, keys: &RandomState, heard: &Heard, now_ms: i64) -> Option<MessageId> {
        let input = heard.input();
        if input.client_id.is_empty() {
            return None;
        }
        // What a service brings in a user's name is kept apart from what he says himself: nobody keeps a gift of his from
        // being shown by guessing the id that it will have. A client may count its ids anew in each room.
        let key = keys.hash_one((heard.say().is_some(), &input.room, input.user_id(), &input.client_id));
        if let Some(first) = self.first.get(key, now_ms) {
            return Some(*first.value);
        }
        self.first.put(key, heard.id(), now_ms);
        None
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.first.forgotten()
    }
}
