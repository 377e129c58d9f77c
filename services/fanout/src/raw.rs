//! What a partition said in the last 75 seconds, decoded once: whoever joins or comes back is served from here.
//!
//! Pure: no Kafka, no socket, no wire but the messages' own bytes. Who may see what, and from where, is `resume`'s.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use ahash::HashMap;
use proto::{Cursor, RoomId, v1::Fate};

/// One output record as the hall needs it: where it stands, when it was said, and what it shows.
#[derive(Debug)]
pub(crate) struct Record {
    /// The place just before it: its own offset, and its own source.
    pub(crate) at: Cursor,
    /// When the broker appended it, by the broker's clock.
    pub(crate) append_ms: i64,
    /// When it was read here.
    pub(crate) heard: Instant,
    /// Until when its chat may be shown as live.
    pub(crate) fresh_until: Instant,
    /// Whom it is for; `None` is every room of the partition.
    pub(crate) room: Option<RoomId>,
    /// What it shows, in order.
    pub(crate) items: Box<[Item]>,
}

/// One thing to show.
#[derive(Debug)]
pub(crate) struct Item {
    /// Whether a viewer who is too slow may miss it.
    pub(crate) fate: Fate,
    /// What it is.
    pub(crate) body: Body,
}

/// What an item is, encoded once for everybody who will ever see it.
#[derive(Debug)]
pub(crate) enum Body {
    /// A message, as it stands inside a JSON batch.
    Message(Box<[u8]>),
    /// A frame of its own, and its type: a recall, or the room's mode.
    Control(&'static str, Box<[u8]>),
}

/// What a record costs besides its bytes: the record, its reference counts and one item 170 B, three pointers to it 24 B.
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

    /// How many messages it shows; control frames are none.
    pub(crate) fn messages(&self) -> usize {
        self.items.iter().filter(|item| item.is_message()).count()
    }

    fn bytes(&self) -> usize {
        OVERHEAD_BYTES + self.items.iter().map(Item::len).sum::<usize>()
    }
}

impl Item {
    /// Whether it is a message, and so counts in the books.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self.body, Body::Message(_))
    }

    /// Bytes of its encoding.
    pub(crate) fn len(&self) -> usize {
        let (Body::Message(json) | Body::Control(_, json)) = &self.body;
        json.len()
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

/// Per partition. At 400 B a record this is 84,000 records: 75 s of 1,100 messages a second.
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

    /// How many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the partition's next record.
    pub(crate) fn push(&mut self, record: Arc<Record>) {
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
