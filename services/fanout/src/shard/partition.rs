//! A partition as a shard sees it: whether it is heard, how far, and who waits for that. Its records are the rooms'.

use proto::Cursor;

use super::Shard;
use crate::{house::Moment, inbox::Opened};

/// One partition.
#[derive(Debug)]
pub(super) struct Partition {
    /// Up to where it was heard.
    pub(super) at: Cursor,
    /// The number of the last wish to hear it.
    pub(super) wish: u32,
    /// Whether that wish is fulfilled.
    pub(super) is_open: bool,
    /// Whether joins can be answered.
    pub(super) is_caught_up: bool,
    /// Whether it went on elsewhere, and the rooms are to be told once it has caught up.
    pub(super) is_cut: bool,
    /// Rooms of it that are kept here.
    pub(super) rooms: Vec<usize>,
    /// Viewers of those rooms.
    pub(super) seats: usize,
    /// Viewers whose join is not answered yet.
    pub(super) waiting: Vec<usize>,
}

impl Partition {
    /// One that is not heard.
    pub(super) fn new(generation: u32, partition: i32) -> Self {
        Self {
            at: Cursor { generation, partition, src_next: 0, next: 0 },
            wish: 0,
            is_open: false,
            is_caught_up: false,
            is_cut: false,
            rooms: Vec::new(),
            seats: 0,
            waiting: Vec::new(),
        }
    }
}

impl Shard {
    /// It is read now.
    pub(super) fn opened(&mut self, opened: &Opened, moment: Moment) {
        let partition = self.partition(opened.at.partition);
        if opened.wish == partition.wish && partition.seats > 0 {
            partition.is_open = true;
            partition.is_caught_up = opened.is_caught_up;
            partition.is_cut = false;
            partition.at = opened.at;
            self.answer_waiting(opened.at.partition, None, moment);
        }
    }

    /// The partition of that number; rooms have been given theirs by the same count.
    pub(super) fn partition(&mut self, partition: i32) -> &mut Partition {
        &mut self.partitions[partition as usize]
    }

    /// It goes on elsewhere; the rooms are told once it has caught up there.
    pub(super) fn restarted(&mut self, at: Cursor) {
        let partition = self.partition(at.partition);
        (partition.at, partition.is_caught_up, partition.is_cut) = (at, false, true);
    }
}
