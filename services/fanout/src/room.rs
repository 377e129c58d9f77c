//! One room of one shard: what waits for its window, and the ring of frames that its viewers read at their own pace.
//!
//! Pure: records and times in, frames out. Who watches, and their sockets, are the shard's.

pub(crate) mod pending;
pub(crate) mod frame;
pub(crate) mod ring;
pub(crate) mod window;

use std::{sync::Arc, time::Instant};

use proto::{Cursor, RoomId};

use crate::raw::{Item, Record};
use frame::Frame;
use pending::{Missed, Pending};
use ring::Ring;
use window::Window;

/// A room's messages leave early once so many bytes of them wait, and a frame holds no more.
pub(crate) const FRAME_BYTES: usize = 8 * 1024;

/// So much leaves at a time: what a send buffer takes. The rest of a burst follows a few milliseconds later, so that the ring
/// drops nothing of a viewer who reads.
const FLUSH_BYTES: usize = 16 * 1024;

/// Above so much it all goes onto the ring, which drops its oldest chat: three seconds of 10,000 messages a second, which
/// would be stale by then. The bytes are the raw records' own.
const PENDING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Who looks at a room. Moderators may be given a head start over everybody else (the room's `delay_ms`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Everybody else.
    Everyone,
    /// Those who decide what everybody else will see.
    Moderators,
}

/// A room as one shard keeps it.
#[derive(Debug)]
pub(crate) struct Room {
    /// Its name.
    pub(crate) id: RoomId,
    /// The frames its viewers read.
    pub(crate) ring: Ring,
    /// When what waits leaves.
    pub(crate) window: Window,
    /// At most what one turn of the shard brings above [`PENDING_BYTES_MAX`].
    pending: Vec<Pending>,
    pending_bytes: usize,
}

impl Room {
    /// A room in which nobody has said anything yet.
    pub(crate) fn new(id: RoomId, window: Window) -> Self {
        Self { id, ring: Ring::default(), window, pending: Vec::new(), pending_bytes: 0 }
    }

    /// Up to where an audience may read the ring. With a delay set, everyone's head will be the first frame younger than it;
    /// joins and cursors stop at one's head.
    pub(crate) fn head(&self, audience: Audience) -> u64 {
        match audience {
            Audience::Everyone | Audience::Moderators => self.ring.next(),
        }
    }

    /// The place behind the last frame: in front of the first that waits, else where the partition is.
    pub(crate) fn cursor(&self, partition: Cursor) -> Cursor {
        self.pending.first().map_or(partition, Pending::from)
    }

    /// Whether something waits.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether so much waits that it should leave before its window ends.
    pub(crate) fn is_full(&self) -> bool {
        self.pending_bytes >= FRAME_BYTES
    }

    /// Whether so much waits that it must leave whatever comes of it.
    pub(crate) fn is_overfull(&self) -> bool {
        self.pending_bytes >= PENDING_BYTES_MAX
    }

    /// Takes what a record shows.
    pub(crate) fn take(&mut self, record: &Arc<Record>) {
        self.pending_bytes += record.items.iter().map(Item::len).sum::<usize>();
        self.pending.extend((0..record.items.len()).map(|index| Pending::Item(record.clone(), index)));
    }

    /// Takes the word that chat was lost on its way here.
    pub(crate) fn take_missed(&mut self, missed: Missed) {
        self.pending.push(Pending::Missed(missed));
    }

    /// Puts what waits on the ring, in order, a frame for each run of one kind; not all of a burst. `partition` is the place
    /// up to which the partition was heard.
    pub(crate) fn flush(&mut self, partition: Cursor, now: Instant) {
        let bytes_max = if self.is_overfull() { usize::MAX } else { FLUSH_BYTES };
        self.flush_some(bytes_max, partition, now);
    }

    /// As [`Room::flush`], and all of it.
    pub(crate) fn flush_all(&mut self, partition: Cursor, now: Instant) {
        self.flush_some(usize::MAX, partition, now);
    }

    fn flush_some(&mut self, bytes_max: usize, partition: Cursor, now: Instant) {
        let (mut done, mut bytes) = (0, 0);
        while done < self.pending.len() && bytes < bytes_max {
            let (kind, run, rest) = pending::split_run(&self.pending[done..], now);
            let to = rest.first().map_or(partition, Pending::from);
            bytes += run.iter().map(Pending::bytes).sum::<usize>();
            done += run.len();
            self.ring.push(Frame::of_run(kind, run, to), now);
        }
        self.pending.drain(..done);
        self.pending_bytes -= bytes;
        self.window.flushed(now);
    }

    /// Tells everybody here that something may be missing and nobody knows how much; what waits goes before.
    pub(crate) fn flush_unknown(&mut self, partition: Cursor, now: Instant) {
        self.flush_all(partition, now);
        self.ring.push(Frame::unknown_gap(partition), now);
    }
}

#[cfg(test)]
mod tests;
