//! What one viewer heard. A repeat is counted and never hidden; an order that went back is counted too.

use std::time::{Duration, Instant};

use proto::MessageId;
use proto::frame::FromServer;
use proto::v1::GapReason;

use super::Heard;
use crate::ledger;

/// Why chat was dropped, as the gap says.
pub type Dropped = std::collections::BTreeMap<&'static str, u64>;

/// One viewer's book.
#[derive(Debug, Default)]
pub struct Viewer {
    /// One bit a message of the room.
    seen: Vec<u64>,
    /// The highest id heard.
    last: Option<MessageId>,
    /// When the last live frame was read.
    frame: Option<Instant>,
    /// Whether the next measured message is to be forgotten.
    pub(super) forgets_next: bool,
    /// The counts.
    pub(super) sight: ledger::Viewer,
}

impl Viewer {
    /// Notes a frame of messages; how long after the one before, if both are live.
    pub(super) fn frame(&mut self, replay: bool, read: Instant) -> Option<Duration> {
        let before = if replay { None } else { self.frame.replace(read) };
        before.map(|before| read.saturating_duration_since(before))
    }

    /// Begins a measured part. Repeats and inversions of the one before stay: they are faults whenever they happen.
    pub(super) fn measure(&mut self) {
        self.sight = ledger::Viewer {
            joined: self.sight.joined,
            left: self.sight.left.take(),
            duplicates: self.sight.duplicates,
            inversions: self.sight.inversions,
            ..ledger::Viewer::default()
        };
        self.frame = None;
    }

    /// Notes one message; whether it is new to this viewer.
    pub(super) fn note(&mut self, number: usize, id: MessageId, replay: bool, measured: bool) -> bool {
        if measured && !replay && std::mem::take(&mut self.forgets_next) {
            return false;
        }
        let (word, bit) = (number / 64, 1 << (number % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        if self.seen[word] & bit != 0 {
            self.sight.duplicates += 1;
            return false;
        }
        self.seen[word] |= bit;
        match self.last {
            Some(last) if id < last => self.sight.inversions += 1,
            _ => self.last = Some(id),
        }
        if replay {
            self.sight.replay += 1;
        } else if measured {
            self.sight.received += 1;
        }
        true
    }

    /// Notes a frame that is no batch.
    pub(super) fn hear(&mut self, frame: FromServer) -> Heard {
        match frame {
            FromServer::Hello(hello) => {
                self.sight.joined = true;
                return Heard::Hello { ping_ms: hello.ping_ms };
            }
            FromServer::Gap(gap) => match gap.dropped {
                Some(dropped) => *self.sight.dropped.entry(reason(gap.reason)).or_default() += u64::from(dropped),
                None => self.sight.gaps_uncounted += 1,
            },
            FromServer::Error(error) => return Heard::Unreadable(format!("error {}: {}", error.code, error.message)),
            _ => {}
        }
        Heard::Noted
    }

    pub(super) fn left(&mut self, why: String) {
        self.sight.left.get_or_insert(why);
    }
}

fn reason(number: i32) -> &'static str {
    match GapReason::try_from(number).unwrap_or_default() {
        GapReason::Unknown => "unknown",
        GapReason::Slow => "slow",
        GapReason::Stale => "stale",
        GapReason::Node => "node",
    }
}
