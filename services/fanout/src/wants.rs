//! Which partitions each shard wants to hear: a number that stands there, not a message, so that asking can neither be lost
//! nor pile up.
//!
//! Zero is no. Each new wish has a higher number, and what answers it repeats the number: so a shard that lost interest and
//! found it again never takes the end of the old stream for the beginning of the new one.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// One wish for each shard and partition.
#[derive(Debug)]
pub(crate) struct Wants {
    shards: Vec<Vec<AtomicU32>>,
    has_changed: AtomicBool,
}

impl Wants {
    /// Nobody wants anything yet.
    pub(crate) fn new(shards: usize, partitions: usize) -> Self {
        let none = || (0..partitions).map(|_| AtomicU32::new(0)).collect();
        Self { shards: (0..shards).map(|_| none()).collect(), has_changed: AtomicBool::new(false) }
    }

    /// A shard's first viewer of a partition came (the wish is new), or its last one went (it is 0).
    pub(crate) fn set(&self, shard: usize, partition: usize, wish: u32) {
        self.shards[shard][partition].store(wish, Ordering::Release);
        self.has_changed.store(true, Ordering::Release);
    }

    /// Whether a wish may have changed since this was last asked.
    pub(crate) fn take_changed(&self) -> bool {
        self.has_changed.swap(false, Ordering::AcqRel)
    }

    /// A shard's wish for a partition.
    pub(crate) fn get(&self, shard: usize, partition: usize) -> u32 {
        self.shards[shard][partition].load(Ordering::Acquire)
    }
}
