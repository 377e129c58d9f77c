//! One viewer: how far he is, what is half on his wire, what is to be written next, and whether he is blocked.
//!
//! Pure: `plan` says which bytes are to be written next, and [`Viewer::settle`] hears how many were taken. Sockets, tokens and
//! timers are the shard's.

mod plan;

use std::{collections::VecDeque, time::Instant};

use bytes::Bytes;
use proto::{Cursor, close::Close, v1::GapReason};

use crate::{
    resume::Replay,
    room::{Audience, Private, Room, frame::Told},
    wire::Wire,
};
use plan::Then;
pub(crate) use plan::{Around, Piece, Plan};

/// Private frames that wait for a blocked socket; a client that keeps asking without reading is closed 4003.
const SAID_MAX: usize = 16;

/// What waits for its place in the river: in a room with a delay of 6 s a sender who reads is owed the verdicts on all that the
/// door lets him say meanwhile, 5 a second and a burst of 10. The words are the raw records' own; a place takes 24 B.
const RIVER_MAX: usize = 64;

/// One viewer of a room.
#[derive(Debug)]
pub(crate) struct Viewer {
    wire: Wire,
    audience: Audience,
    lane: Lane,
    /// The rest of what is partly on the wire. It goes first, whatever else happens.
    half: Bytes,
    /// The private slots: what is said at once …
    said: VecDeque<Said>,
    /// … and what was born in the river, which leaves after the room's frames up to its place. They take memory only while
    /// something waits.
    river: VecDeque<Private>,
    blocked_since: Option<Instant>,
    goodbye: Option<Box<Goodbye>>,
}

/// Where a viewer reads.
#[derive(Debug)]
enum Lane {
    /// Nowhere yet: his join is not answered.
    Waiting,
    /// From the raw records, up to where he entered the ring.
    Replaying(Box<Replay>, Place),
    /// From the room's ring.
    Live(Place),
}

/// A place on the ring, with the number of messages up to there: so that what fell off is still counted exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The next frame to write.
    pub(crate) frame: u64,
    /// Messages that all frames before it account for.
    pub(crate) seen: u64,
}

/// Something for this viewer alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// Ready to write.
    Bytes(Bytes),
    /// The answer to a client's ping. It is made when it is written, so that its cursor is true then.
    Pong {
        /// What the client sent.
        at: i64,
    },
}

/// The end of a connection.
#[derive(Debug)]
struct Goodbye {
    last: Bytes,
    /// Everything due goes before, and the advice when to come back.
    reconnect: Option<(u32, &'static str)>,
    is_written: bool,
}

impl Viewer {
    /// A viewer whose join is not answered yet.
    pub(crate) fn new(wire: Wire, audience: Audience) -> Self {
        Self {
            wire,
            audience,
            lane: Lane::Waiting,
            half: Bytes::new(),
            said: VecDeque::new(),
            river: VecDeque::new(),
            blocked_since: None,
            goodbye: None,
        }
    }

    /// How he is spoken to.
    pub(crate) fn wire(&self) -> Wire {
        self.wire
    }

    /// He turned out to be somebody: another head may be his.
    pub(crate) fn set_audience(&mut self, audience: Audience) {
        self.audience = audience;
    }

    /// Whether his join is still to be answered.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(self.lane, Lane::Waiting)
    }

    /// How many messages that he may see are neither written to him nor counted, and the frame they begin with; unknown while
    /// he waits. What a replay still has for him is not among them.
    pub(crate) fn behind(&self, room: &Room, now: Instant) -> Option<(u64, u64)> {
        let (Lane::Replaying(_, place) | Lane::Live(place)) = &self.lane else { return None };
        let head = room.ring.get(room.head(self.audience, now)).map_or(room.ring.total(), |frame| frame.before);
        Some((head.saturating_sub(place.seen), place.frame))
    }

    /// Since when his socket takes nothing.
    pub(crate) fn blocked_since(&self) -> Option<Instant> {
        self.blocked_since
    }

    /// Whether the end was announced.
    pub(crate) fn is_leaving(&self) -> bool {
        self.goodbye.is_some()
    }

    /// Whether the last byte he will get is on the wire.
    pub(crate) fn has_left(&self) -> bool {
        self.half.is_empty() && self.goodbye.as_ref().is_some_and(|goodbye| goodbye.is_written)
    }

    /// Answers his join: first the replay, if any, then the ring from its head on.
    pub(crate) fn enter(&mut self, room: &Room, replay: Option<Replay>, now: Instant) {
        let frame = room.head(self.audience, now);
        let place = Place { frame, seen: room.ring.get(frame).map_or(room.ring.total(), |frame| frame.before) };
        self.lane = match replay {
            Some(replay) => Lane::Replaying(Box::new(replay), place),
            None => Lane::Live(place),
        };
    }

    /// Says something to him alone; `false` when the slot is full.
    #[must_use]
    pub(crate) fn say(&mut self, said: Said) -> bool {
        let has_room = self.said.len() < SAID_MAX;
        if has_room && !self.is_leaving() {
            self.said.push_back(said);
        }
        has_room
    }

    /// Whether the answer to a ping waits for the socket.
    pub(crate) fn owes_pong(&self) -> bool {
        self.said.iter().any(|said| matches!(said, Said::Pong { .. }))
    }

    /// As [`Viewer::say`], of something that was born in the river.
    #[must_use]
    pub(crate) fn say_after(&mut self, private: Private) -> bool {
        let has_room = self.river.len() < RIVER_MAX;
        if has_room && !self.is_leaving() {
            self.river.push_back(private);
        }
        has_room
    }

    /// His place among those who see the room.
    pub(crate) fn audience(&self) -> Audience {
        self.audience
    }

    /// Ends the connection after what is half written and what was said to him; nothing else is written any more.
    pub(crate) fn leave(&mut self, last: Bytes) {
        self.goodbye.get_or_insert_with(|| Box::new(Goodbye { last, reconnect: None, is_written: false }));
    }

    /// Ends the connection after all that is due and the advice to come back after a while.
    pub(crate) fn leave_later(&mut self, close: Close, after_ms: u32, reason: &'static str) {
        let last = self.wire.close(close);
        let reconnect = Some((after_ms, reason));
        self.goodbye.get_or_insert_with(|| Box::new(Goodbye { last, reconnect, is_written: false }));
    }

    /// The place up to which everything was written or counted; `None` while that is unknown.
    pub(crate) fn cursor(&self, room: &Room, partition: Cursor) -> Option<Cursor> {
        let cursor = match &self.lane {
            Lane::Waiting => return None,
            Lane::Replaying(replay, _) => replay.next,
            Lane::Live(place) => room.place_of(place.frame, partition),
        };
        // What is for him alone and not written yet is above it too.
        let private = self.river.front().map(|private| private.record.at);
        Some(private.filter(|private| private.next < cursor.next).unwrap_or(cursor))
    }

    /// Whether the newest frame is all he lacks and can be written as it stands: the case of nearly every write.
    pub(crate) fn wants_only(&self, newest: u64) -> bool {
        matches!(self.lane, Lane::Live(place) if place.frame == newest)
            && self.blocked_since.is_none()
            && self.half.is_empty()
            && self.said.is_empty()
            && self.river.is_empty()
            && self.goodbye.is_none()
    }

    /// Looks at whatever a write looks at, without an end in between, so that a core fetches it all at once; the number means
    /// nothing.
    pub(crate) fn fetch(&self) -> usize {
        let Lane::Live(place) = self.lane else { return 0 };
        place.frame as usize
            ^ self.half.len()
            ^ self.said.len()
            ^ self.river.len()
            ^ usize::from(self.blocked_since.is_some())
            ^ usize::from(self.goodbye.is_some())
    }

    /// The newest frame was begun; `rest` is what of it is not on the wire yet.
    pub(crate) fn took(&mut self, place: Place, rest: Bytes) {
        self.lane = Lane::Live(place);
        // Nearly always there is none, and then nothing more of him is touched.
        if !rest.is_empty() {
            self.half = rest;
        }
    }

    /// Takes note that the first `written` bytes of the pieces are on the wire.
    pub(crate) fn settle(&mut self, pieces: &mut Vec<Piece>, mut written: usize, now: Instant) -> Told {
        let mut told = Told::default();
        if written > 0 && self.blocked_since.is_some() {
            self.blocked_since = Some(now);
        }
        for piece in pieces.drain(..) {
            // An empty piece moves the viewer without a byte.
            if written == 0 && !piece.bytes.is_empty() {
                break;
            }
            let taken = written.min(piece.bytes.len());
            self.half = piece.bytes.slice(taken..);
            written -= taken;
            self.apply(piece.then, &mut told);
            if !self.half.is_empty() {
                break;
            }
        }
        told
    }

    fn apply(&mut self, then: Then, told: &mut Told) {
        match then {
            Then::Rest => {}
            Then::Said => drop(self.said.pop_front()),
            Then::River => drop(self.river.pop_front()),
            Then::Left => {
                if let Some(goodbye) = &mut self.goodbye {
                    goodbye.is_written = true;
                }
            }
            Then::Moved(to, by) => {
                self.lane = Lane::Live(to);
                *told += by;
            }
            Then::Replayed(chunk) => {
                *told += Told { shown: chunk.shown, ..Told::dropped(GapReason::Node, chunk.dropped) };
                if let Lane::Replaying(replay, place) = &mut self.lane {
                    if chunk.is_last {
                        self.lane = Lane::Live(*place);
                    } else {
                        replay.next = chunk.next;
                        replay.after_hole = false;
                    }
                }
            }
        }
    }

    /// The socket takes nothing more for now.
    pub(crate) fn blocked(&mut self, now: Instant) {
        self.blocked_since.get_or_insert(now);
    }

    /// Everything due is written.
    pub(crate) fn unblocked(&mut self) {
        self.blocked_since = None;
        // The slot's memory is only for those who were blocked once.
        if self.said.is_empty() {
            self.said = VecDeque::new();
        }
        if self.river.is_empty() {
            self.river = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests;
