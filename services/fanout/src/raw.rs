//! What a partition said in the last 75 seconds, decoded once: whoever joins or comes back is served from here.
//!
//! Pure: no Kafka, no socket, no wire but the messages' own bytes. Who may see what, and from where, is `resume`'s.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use ahash::HashMap;
use chassis::trace::Context;
use proto::{
    Cursor, RoomId,
    frame::FromServer,
    v1::{self, Fate},
};

use crate::{
    message::{Meant, Message},
    wire::Shared,
};

/// One output record as the hall needs it: where it stands, when it was said, and what it shows.
#[derive(Debug)]
pub(crate) struct Record {
    /// The place just before it: its own offset, and its own source.
    pub(crate) at: Cursor,
    /// When the broker appended it, by the broker's clock.
    pub(crate) append_ms: i64,
    /// When it was read here.
    pub(crate) heard: Instant,
    /// When it was appended, by our clock, as near as that can be known (see `consume::hear`).
    pub(crate) said: Instant,
    /// Until when its chat may be shown as live.
    pub(crate) fresh_until: Instant,
    /// The trace that came with it, if it is to be gone on with.
    pub(crate) trace: Option<Box<Context>>,
    /// Whom it is for; `None` is every room of the partition.
    pub(crate) room: Option<RoomId>,
    /// What it shows, in order.
    pub(crate) items: Box<[Item]>,
}

/// One thing to show, to a room or to one of its viewers.
#[derive(Debug)]
pub(crate) struct Item {
    /// Whether a viewer who is too slow may miss it.
    pub(crate) fate: Fate,
    /// The only user who is to see it; `None` is everybody.
    pub(crate) to_user: Option<Box<str>>,
    /// What it is.
    pub(crate) body: Body,
}

/// What an item is.
#[derive(Debug)]
pub(crate) enum Body {
    /// A message, to be joined to others.
    Message(Arc<Message>),
    /// A frame of its own: a recall, the room's mode, a verdict, a notice.
    Said(Box<Shared>),
}

/// What a record costs besides its items: the record 120 B, its reference counts 16 B, one item 40 B, and three pointers to it
/// 24 B.
const OVERHEAD_BYTES: usize = 200;

impl Record {
    /// The place just behind it.
    pub(crate) fn after(&self) -> Cursor {
        Cursor { src_next: self.at.src_next + 1, next: self.at.next + 1, ..self.at }
    }

    /// Its offset.
    pub(crate) fn offset(&self) -> u64 {
        self.at.next
    }

    /// How many messages it shows to everybody; control frames are none.
    pub(crate) fn messages(&self) -> usize {
        self.items.iter().filter_map(Item::message).count()
    }

    /// How many of them were not recalled.
    pub(crate) fn shown(&self) -> usize {
        self.items.iter().filter_map(Item::message).filter(|message| !message.is_recalled()).count()
    }

    /// What it takes back, if it does.
    pub(crate) fn recall(&self) -> Option<&v1::Recall> {
        self.recalls().find_map(|shared| match shared.said()? {
            FromServer::Recall(recall) => Some(recall),
            _ => None,
        })
    }

    /// Its frames that take something back.
    pub(crate) fn recalls(&self) -> impl Iterator<Item = &Shared> {
        let public = self.items.iter().filter(|item| item.to_user.is_none());
        let said = public.filter_map(|item| if let Body::Said(shared) = &item.body { Some(&**shared) } else { None });
        said.filter(|shared| matches!(shared.said(), Some(FromServer::Recall(_))))
    }

    fn bytes(&self) -> usize {
        OVERHEAD_BYTES + self.items.iter().map(Item::bytes).sum::<usize>()
    }
}

impl Item {
    /// The message it shows to everybody, and which so counts in the books.
    pub(crate) fn message(&self) -> Option<&Arc<Message>> {
        match &self.body {
            Body::Message(message) if self.to_user.is_none() => Some(message),
            _ => None,
        }
    }

    /// Whether it is for this user alone.
    pub(crate) fn is_for(&self, user: &str) -> bool {
        self.to_user.as_deref() == Some(user)
    }

    /// Bytes it takes on a wire.
    pub(crate) fn len(&self) -> usize {
        match &self.body {
            Body::Message(message) => message.json().len(),
            Body::Said(shared) => shared.len(),
        }
    }

    fn bytes(&self) -> usize {
        match &self.body {
            Body::Message(message) => message.bytes(),
            Body::Said(shared) => size_of::<Shared>() + shared.len(),
        }
    }
}

/// The records of one partition, complete from [`Raw::from`] on.
#[derive(Debug)]
pub(crate) struct Raw {
    from: u64,
    order: VecDeque<Arc<Record>>,
    rooms: HashMap<RoomId, VecDeque<Arc<Record>>>,
    everywhere: VecDeque<Arc<Record>>,
    bytes: usize,
    span: Duration,
}

/// Per partition. At 700 B a record this is 48,000 records: 75 s of 640 messages a second.
const BYTES_MAX: usize = 32 * 1024 * 1024;

impl Raw {
    /// Nothing yet, to be kept for `span`.
    pub(crate) fn new(span: Duration) -> Self {
        Self { from: 0, order: VecDeque::new(), rooms: HashMap::default(), everywhere: VecDeque::new(), bytes: 0, span }
    }

    /// Forgets everything; what comes is complete from `from` on.
    pub(crate) fn restart(&mut self, from: u64) {
        *self = Self { from, ..Self::new(self.span) };
    }

    /// From which offset on nothing is missing.
    pub(crate) fn from(&self) -> u64 {
        self.from
    }

    /// The append time, by the broker's clock, of what was said so long ago. Only the newest record's age is known by ours;
    /// from there the broker's own times are compared with each other.
    pub(crate) fn appended_before(&self, now: Instant, age: Duration) -> i64 {
        let Some(newest) = self.order.back() else { return 0 };
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        newest.append_ms.saturating_add(millis(now.saturating_duration_since(newest.said))).saturating_sub(millis(age))
    }

    /// How many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the partition's next record. What it takes back is marked wherever it is kept.
    pub(crate) fn push(&mut self, record: Arc<Record>) {
        if let Some(recall) = record.recall() {
            self.recall(&record, &Meant::by(recall));
        }
        self.bytes += record.bytes();
        match &record.room {
            Some(room) => self.rooms.entry(room.clone()).or_default().push_back(record.clone()),
            None => self.everywhere.push_back(record.clone()),
        }
        self.order.push_back(record);
        while self.bytes > BYTES_MAX {
            self.pop();
        }
    }

    fn recall(&self, record: &Record, meant: &Meant<'_>) {
        let room = record.room.as_ref().and_then(|room| self.rooms.get(room));
        let everywhere = self.everywhere.iter();
        for item in room.into_iter().flatten().chain(everywhere).flat_map(|record| &record.items) {
            if let Body::Message(message) = &item.body {
                message.recall(meant);
            }
        }
    }

    /// Drops what is too old: by the time that passed here, and, for what was old when it was read, by the broker's own
    /// times, which are compared with each other only.
    pub(crate) fn trim(&mut self, now: Instant) {
        let newest_ms = self.order.back().map_or(0, |record| record.append_ms);
        let span_ms = i64::try_from(self.span.as_millis()).unwrap_or(i64::MAX);
        let span = self.span;
        let is_old = |record: &Arc<Record>| {
            now.saturating_duration_since(record.heard) > span || newest_ms - record.append_ms > span_ms
        };
        while self.order.front().is_some_and(is_old) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(record) = self.order.pop_front() else { return };
        self.bytes -= record.bytes();
        self.from = record.offset() + 1;
        match &record.room {
            None => drop(self.everywhere.pop_front()),
            Some(room) => {
                // Within a room the order is the partition's, so the room's oldest is this very record.
                if let Some(records) = self.rooms.get_mut(room) {
                    records.pop_front();
                    if records.is_empty() {
                        self.rooms.remove(room);
                    }
                }
            }
        }
    }

    /// What a room saw at or above `offset`, in order: its own records and those for every room.
    pub(crate) fn since<'a>(&'a self, room: &RoomId, offset: u64) -> impl Iterator<Item = &'a Arc<Record>> {
        let own = self.rooms.get(room).into_iter().flat_map(move |records| at_or_above(records, offset));
        merge(own, at_or_above(&self.everywhere, offset), |own, other| own.offset() < other.offset())
    }

    /// As [`Raw::since`], below `offset` and the newest first.
    pub(crate) fn before<'a>(&'a self, room: &RoomId, offset: u64) -> impl Iterator<Item = &'a Arc<Record>> {
        let below = move |records: &'a VecDeque<Arc<Record>>| {
            let end = records.partition_point(|record| record.offset() < offset);
            records.range(..end).rev()
        };
        let own = self.rooms.get(room).into_iter().flat_map(below);
        merge(own, below(&self.everywhere), |own, other| own.offset() > other.offset())
    }
}

fn at_or_above(records: &VecDeque<Arc<Record>>, offset: u64) -> impl Iterator<Item = &Arc<Record>> {
    let start = records.partition_point(|record| record.offset() < offset);
    records.range(start..)
}

/// Two ordered rows as one.
fn merge<'a>(
    own: impl Iterator<Item = &'a Arc<Record>>,
    other: impl Iterator<Item = &'a Arc<Record>>,
    own_first: impl Fn(&Record, &Record) -> bool,
) -> impl Iterator<Item = &'a Arc<Record>> {
    let (mut own, mut other) = (own.peekable(), other.peekable());
    std::iter::from_fn(move || match (own.peek(), other.peek()) {
        (Some(mine), Some(theirs)) if !own_first(mine, theirs) => other.next(),
        (None, _) => other.next(),
        _ => own.next(),
    })
}

#[cfg(test)]
pub(crate) mod tests;
