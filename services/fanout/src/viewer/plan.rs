//! What is to be written to a viewer next: the rest of a half frame, what was said to him alone, his replay, the room's frames
//! with gaps where some fell off, and at the end a goodbye. In this order, always.

use std::time::Instant;

use bytes::Bytes;
use proto::{
    Cursor,
    frame::FromServer,
    v1::{GapReason, Pong, Reconnect},
};

use super::{Goodbye, Lane, Place, Said, Viewer};
use crate::{
    resume::{Chunk, Replay},
    room::{
        Room,
        frame::{self, Told},
    },
    wire::Wire,
};

/// Pieces of one write. Sixteen full frames are 128 KiB, four times what a send buffer takes.
const PIECES_MAX: usize = 16;

/// What a viewer's plan depends on besides himself.
pub(crate) struct Around<'a> {
    /// His room.
    pub(crate) room: &'a Room,
    /// How far the partition was heard.
    pub(crate) partition: Cursor,
    /// Now.
    pub(crate) now: Instant,
    /// Now, for clients.
    pub(crate) unix_ms: i64,
    /// How many watch the room on this node.
    pub(crate) online: u32,
    /// Whether other nodes are left out of that.
    pub(crate) approximate: bool,
    /// Reads the next piece of a replay from the raw records.
    pub(crate) history: &'a dyn Fn(&Replay, Wire) -> Chunk,
}

/// Bytes to write, and what has happened once their first byte is on the wire: a frame that was begun is always finished,
/// so the beginning decides.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The bytes.
    pub(crate) bytes: Bytes,
    pub(super) then: Then,
}

/// What has happened with a piece's first byte.
#[derive(Debug)]
pub(super) enum Then {
    /// Nothing new: it was begun before.
    Rest,
    /// The oldest private frame was said.
    Said,
    /// The oldest private frame of the river was said.
    River,
    /// A piece of the replay was read.
    Replayed(Chunk),
    /// He moved on the ring, and was told so many messages on the way.
    Moved(Place, Told),
    /// He was told goodbye.
    Left,
}

/// What there is to do for a viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing; he is not blocked then.
    Nothing,
    /// The pieces are to be written.
    Write,
    /// He is to get a lossless frame that is gone: close 4003, a resume reads it from the raw records.
    Fell,
}

/// How far the pieces reach into what his lane has for him.
enum Reach {
    /// All of it, up to this place if it is known.
    All(Option<Cursor>),
    /// More is to come with the next write.
    Some,
    /// It cannot be had any more.
    Fell,
}

impl Viewer {
    /// The pieces to write next, in order, into `pieces`, which is empty.
    pub(crate) fn plan(&self, around: &Around<'_>, pieces: &mut Vec<Piece>) -> Plan {
        if !self.half.is_empty() {
            pieces.push(Piece { bytes: self.half.clone(), then: Then::Rest });
        }
        for said in &self.said {
            let bytes = match said {
                Said::Bytes(bytes) => bytes.clone(),
                Said::Pong { at } => self.wire.say(&self.pong(*at, around)),
            };
            pieces.push(Piece { bytes, then: Then::Said });
        }
        match &self.goodbye {
            Some(goodbye) => self.plan_goodbye(goodbye, around, pieces),
            None if matches!(self.plan_lane(around, pieces), Reach::Fell) => return Plan::Fell,
            None => {}
        }
        if pieces.is_empty() { Plan::Nothing } else { Plan::Write }
    }

    fn pong(&self, at: i64, around: &Around<'_>) -> FromServer {
        let cursor = self.cursor(around.room, around.partition).map(|cursor| cursor.to_string()).unwrap_or_default();
        let &Around { unix_ms: now, online, approximate, .. } = around;
        FromServer::Pong(Pong { cursor, at, now, online, approximate })
    }

    fn plan_goodbye(&self, goodbye: &Goodbye, around: &Around<'_>, pieces: &mut Vec<Piece>) {
        let bytes = match goodbye.reconnect {
            _ if goodbye.is_written => return,
            None => goodbye.last.clone(),
            Some((after_ms, reason)) => {
                let cursor = match self.plan_lane(around, pieces) {
                    Reach::Some => return,
                    Reach::All(cursor) => cursor,
                    // He goes on from the last cursor that he read.
                    Reach::Fell => None,
                };
                let cursor = cursor.map(|cursor| cursor.to_string()).unwrap_or_default();
                let advice = Reconnect { cursor, after_ms, reason: reason.to_owned() };
                [&self.wire.say(&FromServer::Reconnect(advice))[..], &goodbye.last].concat().into()
            }
        };
        pieces.push(Piece { bytes, then: Then::Left });
    }

    fn plan_lane(&self, around: &Around<'_>, pieces: &mut Vec<Piece>) -> Reach {
        match &self.lane {
            Lane::Waiting => Reach::All(None),
            Lane::Live(place) => self.plan_live(*place, around, pieces),
            Lane::Replaying(replay, _) => {
                let chunk = (around.history)(replay, self.wire);
                pieces.push(Piece { bytes: chunk.bytes.clone(), then: Then::Replayed(chunk) });
                Reach::Some
            }
        }
    }

    /// Frames of the ring from `place` on, and what is for him alone between them; chat that fell off, or is not live any
    /// more, becomes a gap before what follows.
    fn plan_live(&self, mut place: Place, around: &Around<'_>, pieces: &mut Vec<Piece>) -> Reach {
        let (ring, head) = (&around.room.ring, around.room.head(self.audience, around.now));
        // Who has no cursor to come back with would only lose more by being closed.
        if self.wire.has_cursor() && ring.has_lost_lossless(place.frame) {
            return Reach::Fell;
        }
        let mut river = self.river.iter().peekable();
        loop {
            // Where even the entries around it are gone, it comes before the gap that counts them.
            while let Some(private) =
                river.next_if(|private| private.before <= place.frame || private.before < ring.first())
            {
                pieces.push(Piece { bytes: self.wire.private(private.item()), then: Then::River });
            }
            if place.frame >= head || pieces.len() >= PIECES_MAX {
                break;
            }
            // What is for him alone has its own place, so a gap ends there too.
            let stop = river.peek().map_or(head, |private| private.before.min(head));
            let number = self.next_shown(place.frame, stop, around).unwrap_or(stop);
            let kept = ring.get(number);
            if number > place.frame {
                let to = Place { frame: number, seen: kept.map_or(ring.total(), |frame| frame.before) };
                let private = river.peek().filter(|private| private.before <= number);
                pieces.push(self.gap(place, to, private.map(|private| private.record.at), around));
                place = to;
            }
            let Some((frame, shared)) = kept.filter(|_| number < stop).and_then(|frame| Some((frame, frame.shared()?)))
            else {
                continue;
            };
            place = Place { frame: number + 1, seen: frame.before + u64::from(frame.counted) };
            let bytes = shared.on(self.wire).clone();
            pieces.push(Piece { bytes, then: Then::Moved(place, frame.told()) });
        }
        if place.frame < head {
            return Reach::Some;
        }
        Reach::All(Some(around.room.place_of(place.frame, around.partition)))
    }

    /// The first frame from `number` on, and below `stop`, that can still be shown.
    fn next_shown(&self, number: u64, stop: u64, around: &Around<'_>) -> Option<u64> {
        let ring = &around.room.ring;
        let now = around.room.clock(self.audience, around.now);
        let is_shown = |number: &u64| ring.get(*number).is_some_and(|frame| !frame.is_skipped(now));
        (number.max(ring.first())..stop).find(is_shown)
    }

    /// The frame that counts what lies between two places of the ring; `private` is the place of what is for him alone and
    /// comes next.
    fn gap(&self, from: Place, to: Place, private: Option<Cursor>, around: &Around<'_>) -> Piece {
        let ring = &around.room.ring;
        let behind = private.unwrap_or_else(|| around.room.place_of(to.frame, around.partition));
        // When even the entry is gone, the oldest that is left tells the first source that is still known.
        let first = ring.get(from.frame.max(ring.first())).map_or(behind, |frame| frame.from);
        let last = ring.get(to.frame.saturating_sub(1)).map_or(first.src_next, |frame| frame.sources.1);
        let dropped = u32::try_from(to.seen - from.seen).unwrap_or(u32::MAX);
        let said = frame::gap(first, behind, dropped, (first.src_next, last), GapReason::Slow);
        Piece { bytes: self.wire.say(&said), then: Then::Moved(to, Told::dropped(GapReason::Slow, dropped)) }
    }
}
