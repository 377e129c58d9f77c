//! A replay, piece by piece: records become frames of one viewer, with gaps and control frames between them where they belong.

use bytes::Bytes;
use proto::{Cursor, RoomId, v1::GapReason};

use super::{Replay, chat, due};
use crate::{
    message::Message,
    raw::{Body, Item, Raw, Record},
    room::frame,
    wire::Wire,
};

/// How much is encoded at a time, so that a crowd that comes back at once costs memory only as fast as it reads.
const CHUNK_BYTES: usize = 16 * 1024;

/// One piece of a replay: whole frames.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) bytes: Bytes,
    /// The place behind it.
    pub(crate) next: Cursor,
    /// Messages in it.
    pub(crate) shown: u32,
    /// Messages it says are not shown.
    pub(crate) dropped: u32,
    /// Whether the replay ends with it.
    pub(crate) is_last: bool,
}

/// Whom a replay is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipient<'a> {
    /// How he is spoken to.
    pub(crate) wire: Wire,
    /// Who he is, if he is anybody: what was for him alone is his to read again.
    pub(crate) user: Option<&'a str>,
}

/// The next piece of a replay.
pub(crate) fn chunk(raw: &Raw, room: &RoomId, replay: &Replay, to: Recipient<'_>) -> Chunk {
    let mut writer = Writer { to, bytes: Vec::new(), batch: Vec::new(), skipped: None, shown: 0, dropped: 0 };
    let mut next = replay.next;
    let is_lost = raw.from() > next.next;
    if is_lost {
        // What is missing in front of the records that are left; never beyond the end of this replay.
        next = Cursor { next: raw.from().min(replay.until.next), ..next };
    }
    if is_lost || replay.after_hole {
        writer.unknown_gap(next);
    }
    let mut is_last = true;
    for record in due(raw, room, next, replay.until) {
        if writer.len() >= CHUNK_BYTES {
            is_last = false;
            break;
        }
        for item in &record.items {
            writer.item(record, item, replay);
        }
        next = record.after();
    }
    let next = if is_last { replay.until } else { next };
    writer.finish(next);
    Chunk { bytes: writer.bytes.into(), next, shown: writer.shown, dropped: writer.dropped, is_last }
}

/// Joins messages to batches, with gaps and control frames between them where they belong.
struct Writer<'a> {
    to: Recipient<'a>,
    bytes: Vec<u8>,
    batch: Vec<&'a Message>,
    skipped: Option<Skipped>,
    shown: u32,
    dropped: u32,
}

struct Skipped {
    from: Cursor,
    last: u64,
    count: u32,
}

impl<'a> Writer<'a> {
    fn len(&self) -> usize {
        self.bytes.len() + self.batch.iter().map(|message| message.json().len()).sum::<usize>()
    }

    fn item(&mut self, record: &'a Record, item: &'a Item, replay: &Replay) {
        match &item.body {
            Body::Message(message) if message.is_recalled() => {}
            _ if item.to_user.is_some() => self.private(record, item, replay),
            Body::Message(_) if chat(item).is_some() && record.offset() < replay.chat_from => self.skip(record),
            Body::Message(message) => {
                self.tell_skipped(record.at);
                self.batch.push(message);
            }
            Body::Said(shared) if replay.with_controls => {
                self.finish(record.at);
                self.bytes.extend_from_slice(shared.on(self.to.wire));
            }
            Body::Said(_) => {}
        }
    }

    /// What was for him alone is told to who comes back, not to who is new.
    fn private(&mut self, record: &Record, item: &Item, replay: &Replay) {
        if replay.with_controls && self.to.user.is_some_and(|user| item.is_for(user)) {
            self.finish(record.at);
            self.bytes.extend_from_slice(&self.to.wire.private(item));
        }
    }

    fn skip(&mut self, record: &Record) {
        self.end_batch(record.at);
        let skipped = self.skipped.get_or_insert(Skipped { from: record.at, last: 0, count: 0 });
        skipped.last = record.at.src_next;
        skipped.count += 1;
    }

    /// Everything before `at` is written or counted.
    fn finish(&mut self, at: Cursor) {
        self.end_batch(at);
        self.tell_skipped(at);
    }

    fn end_batch(&mut self, at: Cursor) {
        if !self.batch.is_empty() {
            self.shown += self.batch.len() as u32;
            let frame = self.to.wire.batch(Some(at), true, self.batch.iter().copied());
            self.bytes.extend_from_slice(&frame);
            self.batch.clear();
        }
    }

    fn tell_skipped(&mut self, at: Cursor) {
        if let Some(Skipped { from, last, count }) = self.skipped.take() {
            self.dropped += count;
            let gap = frame::gap(from, at, count, (from.src_next, last), GapReason::Node);
            self.bytes.extend_from_slice(&self.to.wire.say(&gap));
        }
    }

    fn unknown_gap(&mut self, at: Cursor) {
        self.bytes.extend_from_slice(&self.to.wire.say(&frame::unknown_gap(at)));
    }
}
