//! How many watch a room on this node, over all shards. Exact for the node; other nodes are not counted here.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicU32, Ordering},
};

use ahash::HashMap;
use proto::RoomId;

/// The rooms that somebody watches.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    rooms: Mutex<HashMap<RoomId, Weak<Count>>>,
}

/// The viewers of one room; every shard that keeps the room holds it.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU32);

impl Presence {
    /// The count of a room.
    pub(crate) fn of(&self, room: &RoomId) -> Arc<Count> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = rooms.entry(room.clone()).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let count = Arc::default();
            *entry = Arc::downgrade(&count);
            count
        })
    }

    /// Forgets a room that this shard was the last to keep.
    pub(crate) fn release(&self, room: &RoomId, count: Arc<Count>) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        drop(count);
        if rooms.get(room).is_some_and(|count| count.strong_count() == 0) {
            rooms.remove(room);
        }
    }
}

impl Count {
    /// One more.
    pub(crate) fn enter(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub(crate) fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many there are.
    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_a_count_and_the_last_one_forgets_the_room() {
        let presence = Presence::default();
        let room = RoomId::new("a").unwrap();
        let (one, other) = (presence.of(&room), presence.of(&room));
        one.enter();
        other.enter();
        assert_eq!((one.get(), other.get()), (2, 2));
        presence.release(&room, one);
        assert_eq!(presence.of(&room).get(), 2);
        presence.release(&room, other);
        assert!(presence.rooms.lock().unwrap().is_empty());
    }
}
