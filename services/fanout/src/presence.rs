//! How many watch a room: exactly on this node, over all shards; and on the other nodes as they last said, 2 s ago, or 5 s where
//! one died.
//!
//! While nothing is known of the others, or nothing new for 5 s, a count is this node's own, and marked as approximate.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use ahash::HashMap;
use proto::RoomId;

use crate::nodes::Print;

/// The rooms that somebody watches.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    table: Mutex<Table>,
    /// Whether the other nodes are counted.
    is_whole: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    rooms: HashMap<RoomId, Weak<Count>>,
    /// What the other nodes last said, for a room that somebody begins to watch here.
    elsewhere: HashMap<Print, u32>,
}

/// The viewers of one room; every shard that keeps the room holds it.
#[derive(Debug)]
pub(crate) struct Count {
    partition: i32,
    print: Print,
    here: AtomicU32,
    elsewhere: AtomicU32,
}

impl Presence {
    /// The count of a room.
    pub(crate) fn of(&self, room: &RoomId, partition: i32) -> Arc<Count> {
        let Table { rooms, elsewhere } = &mut *self.lock();
        let entry = rooms.entry(room.clone()).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let print = Print::of(room);
            let elsewhere = AtomicU32::new(elsewhere.get(&print).copied().unwrap_or_default());
            let count = Arc::new(Count { partition, print, here: AtomicU32::new(0), elsewhere });
            *entry = Arc::downgrade(&count);
            count
        })
    }

    /// Forgets a room that this shard was the last to keep.
    pub(crate) fn release(&self, room: &RoomId, count: Arc<Count>) {
        let mut table = self.lock();
        drop(count);
        if table.rooms.get(room).is_some_and(|count| count.strong_count() == 0) {
            table.rooms.remove(room);
        }
    }

    /// How many watch a room that may not be watched here.
    pub(crate) fn watching(&self, room: &RoomId) -> u32 {
        let table = self.lock();
        let count = table.rooms.get(room).and_then(Weak::upgrade);
        count.map_or_else(|| table.elsewhere.get(&Print::of(room)).copied().unwrap_or_default(), |count| count.get())
    }

    /// Whether the other nodes are not counted.
    pub(crate) fn is_approximate(&self) -> bool {
        !self.is_whole.load(Ordering::Relaxed)
    }

    /// How many watch each room here, by partition. 10,000 rooms take a millisecond, for which a shard that begins to keep a
    /// room waits.
    pub(crate) fn here(&self) -> BTreeMap<i32, Vec<(Print, u32)>> {
        let mut here = BTreeMap::<_, Vec<_>>::new();
        for count in self.lock().rooms.values().filter_map(Weak::upgrade) {
            here.entry(count.partition).or_default().push((count.print, count.here.load(Ordering::Relaxed)));
        }
        here
    }

    /// What all other nodes say together.
    pub(crate) fn elsewhere(&self, sums: HashMap<Print, u32>) {
        let mut table = self.lock();
        for count in table.rooms.values().filter_map(Weak::upgrade) {
            count.elsewhere.store(sums.get(&count.print).copied().unwrap_or_default(), Ordering::Relaxed);
        }
        table.elsewhere = sums;
        self.is_whole.store(true, Ordering::Relaxed);
    }

    /// Nothing is known of the other nodes any more.
    pub(crate) fn forget_others(&self) {
        self.elsewhere(HashMap::default());
        self.is_whole.store(false, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Count {
    /// One more.
    pub(crate) fn enter(&self) {
        self.here.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub(crate) fn leave(&self) {
        self.here.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many there are, as far as known.
    pub(crate) fn get(&self) -> u32 {
        self.here.load(Ordering::Relaxed).saturating_add(self.elsewhere.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_a_count_and_the_last_one_forgets_the_room() {
        let presence = Presence::default();
        let room = RoomId::new("a").unwrap();
        let (one, other) = (presence.of(&room, 3), presence.of(&room, 3));
        one.enter();
        other.enter();
        assert_eq!((one.get(), other.get()), (2, 2));
        presence.release(&room, one);
        assert_eq!(presence.of(&room, 3).get(), 2);
        presence.release(&room, other);
        assert!(presence.lock().rooms.is_empty());
    }

    #[test]
    fn other_nodes_are_added_while_they_are_known() {
        let presence = Presence::default();
        let (a, b) = (RoomId::new("a").unwrap(), RoomId::new("b").unwrap());
        let count = presence.of(&a, 3);
        count.enter();
        assert!(presence.is_approximate());
        assert_eq!(presence.here(), BTreeMap::from([(3, vec![(Print::of(&a), 1)])]));
        presence.elsewhere(HashMap::from_iter([(Print::of(&a), 4), (Print::of(&b), 7)]));
        assert_eq!((count.get(), presence.watching(&a), presence.watching(&b)), (5, 5, 7));
        assert_eq!((presence.of(&b, 3).get(), presence.is_approximate()), (7, false));
        presence.forget_others();
        assert_eq!((count.get(), presence.watching(&b), presence.is_approximate()), (1, 0, true));
    }
}
