//! One room of one shard: what waits for its window, and the ring of frames that its viewers read at their own pace.
//!
//! Pure: records and times in, frames out. Who watches, and their sockets, are the shard's.

pub(crate) mod pending;
pub(crate) mod frame;
mod gifts;
pub(crate) mod ring;
pub(crate) mod window;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proto::{Cursor, RoomId, frame::FromServer, v1};

use crate::raw::{Body, Item, Record};
use frame::Frame;
use pending::{Kind, Missed, Pending};
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

/// The longest head start that moderators are given: everybody's frames wait on the ring for so long.
const DELAY_MAX: Duration = Duration::from_secs(6);

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
    mode: v1::Mode,
    gifts: gifts::Pace,
    /// At most what one turn of the shard brings above [`PENDING_BYTES_MAX`].
    pending: Vec<Pending>,
    pending_bytes: usize,
    /// What the last flush brought for single viewers.
    private: Vec<Private>,
    /// What the last flush brought whose trace is gone on with.
    traced: Vec<Arc<Record>>,
}

/// An item for one user, which leaves after the room's frames up to its place.
#[derive(Debug, Clone)]
pub(crate) struct Private {
    /// The number of the first frame that stands behind it.
    pub(crate) before: u64,
    /// The record it stands in …
    pub(crate) record: Arc<Record>,
    /// … and where.
    pub(crate) index: usize,
}

impl Private {
    /// The item.
    pub(crate) fn item(&self) -> &Item {
        &self.record.items[self.index]
    }
}

impl Room {
    /// A room in which nobody has said anything yet.
    pub(crate) fn new(id: RoomId, window: Window) -> Self {
        Self {
            id,
            ring: Ring::default(),
            window,
            mode: v1::Mode::default(),
            gifts: gifts::Pace::default(),
            pending: Vec::new(),
            pending_bytes: 0,
            private: Vec::new(),
            traced: Vec::new(),
        }
    }

    /// How it may be spoken in.
    pub(crate) fn mode(&self) -> v1::Mode {
        self.mode
    }

    /// It was told how it may be spoken in.
    pub(crate) fn set_mode(&mut self, mode: v1::Mode) {
        self.mode = mode;
        self.ring.keep_longer(self.delay());
    }

    /// How much later than its moderators everybody sees it.
    pub(crate) fn delay(&self) -> Duration {
        Duration::from_millis(u64::from(self.mode.delay_ms)).min(DELAY_MAX)
    }

    /// The clock by which an audience sees the room: what is younger than the delay has not been said yet for everybody, and
    /// nothing is stale for him that was not when it was said.
    pub(crate) fn clock(&self, audience: Audience, now: Instant) -> Instant {
        match audience {
            Audience::Moderators => now,
            Audience::Everyone => now.checked_sub(self.delay()).unwrap_or(now),
        }
    }

    /// Up to where an audience may read the ring; joins and cursors stop there too.
    pub(crate) fn head(&self, audience: Audience, now: Instant) -> u64 {
        match audience {
            Audience::Everyone if self.mode.delay_ms > 0 => self.ring.first_after(self.clock(audience, now)),
            Audience::Everyone | Audience::Moderators => self.ring.next(),
        }
    }

    /// The place behind the last frame: in front of the first that waits, else where the partition is.
    pub(crate) fn cursor(&self, partition: Cursor) -> Cursor {
        self.pending.first().map_or(partition, Pending::from)
    }

    /// The place in front of a frame, which may be the next one to come.
    pub(crate) fn place_of(&self, frame: u64, partition: Cursor) -> Cursor {
        self.ring.get(frame).map_or_else(|| self.cursor(partition), |frame| frame.from)
    }

    /// Whether anything was ever said here.
    pub(crate) fn has_begun(&self) -> bool {
        self.ring.next() > 0 || self.is_waiting()
    }

    /// Whether something waits.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The first record of what waits.
    pub(crate) fn first_waiting(&self) -> Option<&Arc<Record>> {
        self.pending.iter().find_map(Pending::record)
    }

    /// Whether so much waits that it should leave before its window ends.
    pub(crate) fn is_full(&self) -> bool {
        self.pending_bytes >= FRAME_BYTES
    }

    /// Whether so much waits that it must leave whatever comes of it.
    pub(crate) fn is_overfull(&self) -> bool {
        self.pending_bytes >= PENDING_BYTES_MAX
    }

    /// Takes what a record shows to everybody, and what it says to those for whom `is_here` holds. What it takes back leaves
    /// the ring at once.
    pub(crate) fn take(&mut self, record: &Arc<Record>, is_here: impl Fn(&str) -> bool) {
        if record.recall().is_some() {
            self.ring.forget_recalled();
        }
        for (index, item) in record.items.iter().enumerate() {
            if item.to_user.as_deref().is_some_and(|user| !is_here(user)) {
                continue;
            }
            if let Body::Said(shared) = &item.body
                && let Some(FromServer::Mode(mode)) = shared.said()
            {
                self.set_mode(*mode);
            }
            self.pending_bytes += item.len();
            self.pending.push(Pending::Item(record.clone(), index));
        }
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
        self.ring.begin_flush();
        while done < self.pending.len() && bytes < bytes_max {
            let (kind, run, rest) = pending::split_run(&self.pending[done..], now);
            let to = rest.first().map_or(partition, Pending::from);
            bytes += run.iter().map(Pending::bytes).sum::<usize>();
            done += run.len();
            self.traced.extend(run.iter().filter_map(Pending::traced).cloned());
            if let (Kind::Private, [Pending::Item(record, index)]) = (kind, run) {
                let private = Private { before: self.ring.next(), record: record.clone(), index: *index };
                self.private.push(private);
                continue;
            }
            let gifts = run.iter().filter_map(Pending::message).filter(|message| message.is_gift()).count();
            let folds = gifts > 0 && self.gifts.is_fast(gifts as u32, now);
            self.ring.push(Frame::of_run(kind, run, folds, to), now);
        }
        self.pending.drain(..done);
        self.pending_bytes -= bytes;
        self.window.flushed(now);
    }

    /// An item for one user as a flush handed it over, or passed it over because he was not here; `None` while it waits.
    pub(crate) fn handed_over(&self, record: &Arc<Record>, index: usize) -> Option<Private> {
        let is_it = |waiting: &Pending| matches!(waiting, Pending::Item(other, at) if Arc::ptr_eq(other, record) && *at == index);
        let private = || Private { before: self.ring.first_behind(record.at), record: record.clone(), index };
        (!self.pending.iter().any(is_it)).then(private)
    }

    /// What the last flush brought for single viewers; they are handed over before anything else happens.
    pub(crate) fn take_private(&mut self) -> Vec<Private> {
        std::mem::take(&mut self.private)
    }

    /// What the last flush brought whose trace is gone on with.
    pub(crate) fn take_traced(&mut self) -> Vec<Arc<Record>> {
        let mut traced = std::mem::take(&mut self.traced);
        // Its items follow one another.
        traced.dedup_by(|one, other| Arc::ptr_eq(one, other));
        traced
    }

    /// Tells everybody here that something may be missing and nobody knows how much; what waits goes before.
    pub(crate) fn flush_unknown(&mut self, partition: Cursor, now: Instant) {
        self.flush_all(partition, now);
        self.ring.push(Frame::unknown_gap(partition), now);
    }
}

#[cfg(test)]
mod tests;
