//! What the other threads tell a shard: its only entrance. Bounded, and nobody ever waits in front of it.
//!
//! Records: when 32,768 of them wait, the shard is seconds behind, and the oldest half of the chat becomes a number for
//! each room, told as a gap. Where no chat is left to drop, those who were to see the oldest lossless records are named,
//! and closed 4003: a resume reads those from the raw records. Arrivals: a handshake takes a place before it is
//! answered, and is refused with 503 when there is none.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use ahash::{HashMap, HashSet};
use proto::{
    Cursor, RoomId, UserId,
    v1::{Fate, Notice},
};
use tokio::sync::oneshot;

use crate::{
    arrival::Arrival,
    debug::{Found, Watched},
    raw::Record,
    relay::Acked,
    room::pending::Missed,
    socket::ready::Bell,
};

/// Three seconds of 10,000 messages a second: what waits longer would be stale. 8 B each here; the records themselves are
/// held by the raw records too.
const RECORDS_MAX: usize = 32_768;

/// Words that may wait before those that a later one says too are let go: a place of a partition that has moved on since.
/// A shard in good health has a handful. What remains is at most one place a partition besides the records, and what was
/// asked for.
const EVENTS_CROWDED: usize = 1_024;

/// Direct notices that may wait: as many as a shard hands to its viewers in a few milliseconds, 4 MiB of them. A later one
/// is let go; it lies in its mailbox, and is said or handed over again.
const NOTICES_MAX: usize = 1_024;

/// Handshakes under way for one shard. Taking one over costs it about 20 µs, so a full house of them is 20 ms of work.
const ARRIVALS_MAX: usize = 1_024;

/// A word to a shard.
#[derive(Debug)]
pub(crate) enum Event {
    /// A partition the shard asked for is read from now on, and stands here.
    Opened(Opened),
    /// A partition moved on.
    Heard(Heard),
    /// A partition has reached what there was when it was assigned; joins can be answered.
    CaughtUp(i32),
    /// A partition goes on elsewhere, and nobody knows what lies between.
    Restarted(Cursor),
    /// The high watermark that was asked for.
    High {
        /// Of this partition.
        partition: i32,
        /// One above its last record.
        offset: u64,
    },
    /// A viewer.
    Arrived(Box<Arrival>),
    /// The answer to something a viewer of this shard sent. As many as the relay holds, and it holds no more than its bounds.
    Acked(Box<Acked>),
    /// An operator asks who lags in a room.
    Look(RoomId, oneshot::Sender<Found>),
    /// An operator asks which rooms are watched.
    Watched(oneshot::Sender<Vec<Watched>>),
    /// A newer connection of this user takes the place of this one.
    Replaced {
        /// Whose.
        user: UserId,
        /// Which.
        connection: u64,
    },
    /// Direct notices for one connection.
    Notices {
        /// Whose.
        user: UserId,
        /// Which.
        connection: u64,
        /// What it is to be told.
        notices: Vec<Notice>,
    },
    /// The node leaves.
    Leave(Leaving),
}

/// The end of a node's life.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaving {
    /// When it began.
    pub(crate) start: Instant,
    /// Over how long viewers are sent away.
    pub(crate) length: Duration,
    /// How long after that those are borne who do not hang up, or take nothing.
    pub(crate) patience: Duration,
}

/// How a partition stands when a shard begins to listen to it.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The wish that this answers.
    pub(crate) wish: u32,
    /// Its place.
    pub(crate) at: Cursor,
    /// Whether joins can be answered.
    pub(crate) is_caught_up: bool,
}

/// Records of one partition, and the place behind them, which may have moved without any.
#[derive(Debug)]
pub(crate) struct Heard {
    /// The records, shared by all shards.
    pub(crate) records: Arc<[Arc<Record>]>,
    /// The place behind them.
    pub(crate) to: Cursor,
}

/// Everything that was waiting.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// In order.
    pub(crate) events: VecDeque<Event>,
    /// Chat that was dropped here, older than all events; `None` is every room of the partition.
    pub(crate) missed: HashMap<(i32, Option<RoomId>), Missed>,
    /// Who lost more than chat.
    pub(crate) fell: HashSet<Fell>,
    records: usize,
    notices: usize,
    /// Words that were left when some were last let go.
    needed: usize,
}

/// Who lost what may not be lost, and is to read it from the raw records.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Fell {
    /// Of this partition.
    pub(crate) partition: i32,
    /// Of this room; `None` is every room.
    pub(crate) room: Option<RoomId>,
    /// This user alone; `None` is everybody.
    pub(crate) user: Option<Box<str>>,
}

/// A shard's entrance.
#[derive(Debug)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    bell: Bell,
    arriving: Arc<AtomicUsize>,
    seats: AtomicUsize,
    is_closed: AtomicBool,
}

/// A place among the arrivals of a shard; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Permit(Arc<AtomicUsize>);

impl Inbox {
    /// An empty one that rings `bell`.
    pub(crate) fn new(bell: Bell) -> Self {
        Self {
            waiting: Mutex::default(),
            bell,
            arriving: Arc::default(),
            seats: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Adds a word; one to a shard that has failed is dropped, as nobody would ever take it.
    pub(crate) fn tell(&self, event: Event) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_closed.load(Ordering::Acquire) {
            return;
        }
        waiting.push(event);
        drop(waiting);
        self.bell.notify_one();
    }

    /// Moves everything into `taken`, which is empty.
    pub(crate) fn take(&self, taken: &mut Waiting) {
        std::mem::swap(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner), taken);
    }

    /// The shard has so many viewers.
    pub(crate) fn set_seats(&self, seats: usize) {
        self.seats.store(seats, Ordering::Relaxed);
    }

    /// How many viewers the shard has.
    pub(crate) fn seats(&self) -> usize {
        self.seats.load(Ordering::Relaxed)
    }

    /// The shard has failed: nobody is sent there any more, and what waits is let go.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_closed.store(true, Ordering::Release);
        *waiting = Waiting::default();
    }

    /// How many viewers the shard has or is about to get; as many as can be when it takes none.
    pub(crate) fn load(&self) -> usize {
        if self.is_closed.load(Ordering::Acquire) {
            return usize::MAX;
        }
        self.seats.load(Ordering::Relaxed) + self.arriving.load(Ordering::Relaxed)
    }

    /// A place for somebody who wants to come in; `None` when too many are at the door.
    pub(crate) fn permit(&self) -> Option<Permit> {
        let is_open = !self.is_closed.load(Ordering::Acquire);
        let take = |arriving| (is_open && arriving < ARRIVALS_MAX).then_some(arriving + 1);
        self.arriving.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        Some(Permit(self.arriving.clone()))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Waiting {
    /// Adds a word, and makes room if that is too much.
    fn push(&mut self, event: Event) {
        if let Event::Notices { notices, .. } = &event {
            if self.notices + notices.len() > NOTICES_MAX {
                return;
            }
            self.notices += notices.len();
        }
        if let Event::Heard(heard) = &event {
            self.records += heard.records.len();
        }
        self.events.push_back(event);
        if self.records > RECORDS_MAX {
            self.shed(|record| !record.is_lossless());
        }
        if self.records > RECORDS_MAX {
            self.shed(|_| true);
        }
        // Only once as many again have come, so that looking through all of them costs each a constant.
        if self.events.len() > EVENTS_CROWDED.max(2 * self.needed) {
            self.forget_places();
            self.needed = self.events.len();
        }
    }

    /// Lets go of places without records that a later word of the same partition moves on from.
    fn forget_places(&mut self) {
        let mut moved_on = HashSet::default();
        let mut kept = VecDeque::new();
        while let Some(event) = self.events.pop_back() {
            let needed = match &event {
                Event::Heard(heard) => moved_on.insert(heard.to.partition) || !heard.records.is_empty(),
                // What is heard before these means something else than what is heard after.
                Event::CaughtUp(partition) | Event::Opened(Opened { at: Cursor { partition, .. }, .. }) => {
                    moved_on.remove(partition);
                    true
                }
                Event::Restarted(at) => {
                    moved_on.remove(&at.partition);
                    true
                }
                Event::High { .. }
                | Event::Arrived(_)
                | Event::Replaced { .. }
                | Event::Notices { .. }
                | Event::Acked(_)
                | Event::Look(..)
                | Event::Watched(_)
                | Event::Leave(_) => true,
            };
            if needed {
                kept.push_front(event);
            }
        }
        self.events = kept;
    }

    /// Nothing waits any more; memory is kept for the next time.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.missed.clear();
        self.fell.clear();
        (self.records, self.notices, self.needed) = (0, 0, 0);
    }

    /// Drops the oldest records that may go, until half of what is allowed is left, and writes down what they were.
    fn shed(&mut self, may_go: impl Fn(&Record) -> bool) {
        for event in &mut self.events {
            let Event::Heard(heard) = event else { continue };
            if self.records <= RECORDS_MAX / 2 {
                break;
            }
            let (gone, kept): (Vec<_>, Vec<_>) = heard.records.iter().cloned().partition(|record| may_go(record));
            self.records -= gone.len();
            heard.records = kept.into();
            for record in gone {
                let (partition, room) = (record.at.partition, record.room.clone());
                for user in record.lossless_for() {
                    self.fell.insert(Fell { partition, room: room.clone(), user: user.map(Box::from) });
                }
                if record.is_lossless() || record.messages() == 0 {
                    continue;
                }
                let none = Missed { from: record.at, count: 0, last: 0 };
                let missed = self.missed.entry((partition, room)).or_insert(none);
                missed.count += record.messages() as u32;
                missed.last = record.at.src_next;
            }
        }
    }
}

impl Record {
    /// Whether something in it may not be dropped, whoever sees it.
    fn is_lossless(&self) -> bool {
        self.lossless_for().any(|user| user.is_none())
    }

    /// Who sees what may not be dropped: a user, or everybody.
    fn lossless_for(&self) -> impl Iterator<Item = Option<&str>> {
        self.items.iter().filter(|item| item.fate == Fate::Lossless).map(|item| item.to_user.as_deref())
    }
}

#[cfg(test)]
mod tests;
