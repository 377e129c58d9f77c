//! A frame that a whole room shares, with its entry in the books; and how what waits becomes one.
//!
//! A frame never mixes fates, and it accounts for every message between its neighbors: shown in it, or told as dropped.

use std::time::Instant;

use proto::{
    Cursor, MessageId,
    frame::FromServer,
    v1::{Fate, Gap, GapReason},
};

use super::pending::{Kind, Pending};
use crate::{raw::Body, wire::Shared};

/// One frame of a room.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Its bytes; `None` once the ring dropped them.
    pub(super) shared: Option<Shared>,
    /// The place before it.
    pub(crate) from: Cursor,
    /// Whether a viewer who is too slow may miss it.
    pub(crate) fate: Fate,
    /// How many messages it shows.
    pub(crate) shown: u32,
    /// How many messages it accounts for: those it shows, or those it says are not shown.
    pub(crate) counted: u32,
    /// The sources of the first and the last of them.
    pub(crate) sources: (u64, u64),
    /// How many messages the room's frames before it account for.
    pub(crate) before: u64,
    /// Until when it may be shown as live.
    pub(super) fresh_until: Option<Instant>,
    /// What it says of messages that it counts and does not show.
    reason: GapReason,
}

/// What a viewer was told about messages, by the books: shown, or dropped and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Told {
    /// Shown.
    pub(crate) shown: u32,
    /// Dropped: he was too slow.
    pub(crate) slow: u32,
    /// Dropped: they came too late.
    pub(crate) stale: u32,
    /// Dropped: this node lost them, or had too many for who comes back.
    pub(crate) node: u32,
}

impl Told {
    /// So many dropped, for this reason.
    pub(crate) fn dropped(reason: GapReason, count: u32) -> Self {
        match reason {
            GapReason::Slow => Self { slow: count, ..Self::default() },
            GapReason::Stale => Self { stale: count, ..Self::default() },
            GapReason::Node | GapReason::Unknown => Self { node: count, ..Self::default() },
        }
    }
}

impl std::ops::AddAssign for Told {
    fn add_assign(&mut self, other: Self) {
        self.shown += other.shown;
        self.slow += other.slow;
        self.stale += other.stale;
        self.node += other.node;
    }
}

impl Frame {
    /// The frame of a run; `to` is the place behind it.
    pub(super) fn of_run(kind: Kind, run: &[Pending], to: Cursor) -> Self {
        let from = run.first().map_or(to, Pending::from);
        let counted = run.iter().map(|entry| entry.counted().0).sum();
        let sources = (from.src_next, run.last().map_or(from.src_next, |entry| entry.counted().1));
        let fresh = |entry: &Pending| match entry {
            Pending::Item(record, _) => Some(record.fresh_until),
            Pending::Missed(_) => None,
        };
        let (fate, shared) = match kind {
            Kind::Messages(fate) => (fate, Shared::batch(to, run.iter().filter_map(Pending::message))),
            Kind::Control => (Fate::Lossless, control(run)),
            Kind::Stale => (Fate::Lossy, Shared::say(&gap(from, to, counted, sources, GapReason::Stale))),
            Kind::Missed => (Fate::Lossy, Shared::say(&gap(from, to, counted, sources, GapReason::Node))),
        };
        let is_shown = matches!(kind, Kind::Messages(_));
        Self {
            shared: Some(shared),
            from,
            fate,
            shown: if is_shown { counted } else { 0 },
            counted,
            sources,
            before: 0,
            fresh_until: run.iter().filter_map(fresh).min().filter(|_| is_shown),
            reason: if kind == Kind::Stale { GapReason::Stale } else { GapReason::Node },
        }
    }

    /// The frame that says: something may be missing here. Lossless, because without a number it cannot become part of
    /// another gap.
    pub(super) fn unknown_gap(at: Cursor) -> Self {
        Self {
            shared: Some(Shared::say(&unknown_gap(at))),
            from: at,
            fate: Fate::Lossless,
            shown: 0,
            counted: 0,
            sources: (at.src_next, at.src_next),
            before: 0,
            fresh_until: None,
            reason: GapReason::Node,
        }
    }

    /// What a viewer is told by it.
    pub(crate) fn told(&self) -> Told {
        Told { shown: self.shown, ..Told::dropped(self.reason, self.counted - self.shown) }
    }

    /// What to write; `None` once it can only be counted.
    pub(crate) fn shared(&self) -> Option<&Shared> {
        self.shared.as_ref()
    }

    /// Whether a viewer who comes to it at `now` skips it and is told how much it was.
    pub(crate) fn is_skipped(&self, now: Instant) -> bool {
        self.shared.is_none() || self.is_stale(now)
    }

    /// Whether it shows chat that is not live any more.
    pub(super) fn is_stale(&self, now: Instant) -> bool {
        self.fate == Fate::Lossy && self.fresh_until.is_some_and(|until| until < now)
    }
}

fn control(run: &[Pending]) -> Shared {
    match run.first().and_then(Pending::body) {
        Some(Body::Control(event, json)) => Shared::control(event, json),
        _ => Shared::control("mode", br#"{"type":"mode"}"#),
    }
}

/// The frame that tells of messages between two places, which are not shown.
pub(crate) fn gap(from: Cursor, to: Cursor, dropped: u32, sources: (u64, u64), reason: GapReason) -> FromServer {
    let id = |offset| MessageId { generation: from.generation, partition: from.partition, offset }.to_string();
    FromServer::Gap(Gap {
        cursor: to.to_string(),
        dropped: Some(dropped),
        reason: reason as i32,
        from: id(sources.0),
        to: id(sources.1),
    })
}

/// The frame that says that something may be missing before this place, and nobody knows how much.
pub(crate) fn unknown_gap(at: Cursor) -> FromServer {
    FromServer::Gap(Gap { cursor: at.to_string(), reason: GapReason::Node as i32, ..Gap::default() })
}
