//! What a viewer who joins or comes back is told, and from where: rules R1–R8 of docs/rules.md, over the raw records.
//!
//! Pure. A join is shown the last messages; a resume gets what has an offset and a source above its cursor, up to the room's
//! last shared frame, so that no shared frame ever straddles a cursor (R4); and a hole is always told (R7).

mod replay;

use std::time::{Duration, Instant};

use proto::{Cursor, RoomId, v1::Fate};

use crate::{
    message::Message,
    raw::{Item, Raw, Record},
};
pub(crate) use replay::{Chunk, Recipient, chunk};

/// R1: a join shows so many messages …
const SHOWN_MAX: usize = 50;

/// … of at most this age: what is older was said to another scene.
const SHOWN_AGE: Duration = Duration::from_secs(30);

/// R5: chat that a resume is given at most; above it, only the newest. About a minute of a lively room.
const CHAT_BYTES_MAX: usize = 128 * 1024;

/// From where a viewer wants to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// From now: he is new here, and is shown the last messages.
    Now,
    /// From now, and nothing of what was: his wire has no word for that.
    Head,
    /// From this place.
    Cursor(Cursor),
    /// He sent something that is no cursor of ours.
    Unreadable,
}

/// What to do about a join or resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Answer it.
    Enter(Entry),
    /// This node is behind the cursor, and will get there (R6).
    Wait,
    /// The cursor is ahead: how far does the partition really go?
    AskHigh,
}

/// An answered join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whether nothing is missing; `None` when nobody asked.
    pub(crate) recovered: Option<bool>,
    /// The place the viewer has when he has read `hello`.
    pub(crate) cursor: Cursor,
    /// What he reads before he enters the ring.
    pub(crate) replay: Option<Replay>,
}

/// A reading of the raw records, piece by piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replay {
    /// The place from which it goes on.
    pub(crate) next: Cursor,
    /// The place at which it ends.
    until: Cursor,
    /// Below this offset chat is counted instead of shown.
    chat_from: u64,
    /// Whether control frames belong to it: a join is told the present state instead.
    with_controls: bool,
    /// Whether something unknown is missing before `next`.
    pub(crate) after_hole: bool,
}

/// Answers a join of `room`, whose last shared frame ends at `head`; `high` is the partition's high watermark if it was
/// asked.
pub(crate) fn answer(raw: &Raw, room: &RoomId, since: Since, head: Cursor, high: Option<u64>, now: Instant) -> Answer {
    let cursor = match since {
        Since::Now => return Answer::Enter(join(raw, room, head, now, None)),
        Since::Head => return Answer::Enter(Entry { recovered: None, cursor: head, replay: None }),
        Since::Unreadable => return Answer::Enter(join(raw, room, head, now, Some(false))),
        Since::Cursor(cursor) => cursor,
    };
    let is_foreign = cursor.generation != head.generation || cursor.partition != head.partition;
    if is_foreign || high.is_some_and(|high| cursor.next > high) {
        return Answer::Enter(join(raw, room, head, now, Some(false)));
    }
    // A source of 0 means that this node has read no message yet, so it cannot be behind in sources.
    let is_behind_in_sources = head.src_next > 0 && cursor.src_next > head.src_next;
    match (cursor.next > head.next, high) {
        (true, None) => Answer::AskHigh,
        (true, Some(_)) => Answer::Wait,
        (false, _) if is_behind_in_sources => Answer::Wait,
        (false, _) => Answer::Enter(resume(raw, room, cursor, head)),
    }
}

/// The answer to a cursor that this node cannot reach after all.
pub(crate) fn give_up(raw: &Raw, room: &RoomId, head: Cursor, now: Instant) -> Entry {
    join(raw, room, head, now, Some(false))
}

/// Who is new, or whose cursor means nothing here, is shown the last messages.
fn join(raw: &Raw, room: &RoomId, head: Cursor, now: Instant, recovered: Option<bool>) -> Entry {
    let start = newest(raw, room, head, raw.appended_before(now, SHOWN_AGE));
    let after_hole = recovered == Some(false);
    let replay = Replay {
        next: Cursor { src_next: 0, next: start, ..head },
        until: head,
        chat_from: 0,
        with_controls: false,
        after_hole,
    };
    Entry { recovered, cursor: head, replay: (after_hole || start < head.next).then_some(replay) }
}

fn resume(raw: &Raw, room: &RoomId, cursor: Cursor, head: Cursor) -> Entry {
    let has_hole = raw.from() > cursor.next;
    let mut chat_bytes = 0;
    let mut missed = due(raw, room, cursor, head);
    let is_too_much = missed.any(|record| {
        chat_bytes += record.items.iter().filter_map(chat).map(|message| message.json().len()).sum::<usize>();
        chat_bytes > CHAT_BYTES_MAX
    });
    let is_whole = !has_hole && !is_too_much;
    let chat_from = if is_whole { 0 } else { newest(raw, room, head, i64::MIN) };
    let replay = Replay { next: cursor, until: head, chat_from, with_controls: true, after_hole: false };
    Entry { recovered: Some(is_whole), cursor, replay: (cursor.next < head.next).then_some(replay) }
}

/// What a room was told between two places.
fn due<'a>(raw: &'a Raw, room: &RoomId, from: Cursor, to: Cursor) -> impl Iterator<Item = &'a Record> {
    raw.since(room, from.next)
        .map(|record| &**record)
        .take_while(move |record| record.offset() < to.next)
        .filter(move |record| record.at.src_next >= from.src_next)
}

/// The offset of the first of the last messages before `head`; `head`'s own if there are none.
fn newest(raw: &Raw, room: &RoomId, head: Cursor, oldest_ms: i64) -> u64 {
    let mut count = 0;
    let mut start = head.next;
    for record in raw.before(room, head.next).take_while(|record| record.append_ms >= oldest_ms) {
        count += record.shown();
        if count > SHOWN_MAX {
            break;
        }
        start = record.offset();
    }
    start
}

/// The chat that an item is, for everybody and still there.
fn chat(item: &Item) -> Option<&Message> {
    let message = item.message().filter(|message| !message.is_recalled())?;
    (item.fate == Fate::Lossy).then_some(&**message)
}

#[cfg(test)]
mod tests;
