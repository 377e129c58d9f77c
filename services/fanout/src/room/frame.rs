//! A frame that a whole room shares, with its entry in the books; and how what waits becomes one.
//!
//! A frame never mixes fates, and it accounts for every message between its neighbors: shown in it, or told as dropped.

use std::time::Instant;

use proto::{
    Cursor, MessageId,
    frame::FromServer,
    v1::{self, Fate, Gap, GapReason},
};

use super::{
    gifts,
    pending::{Kind, Pending},
};
use crate::{raw::Body, wire::Shared};

/// One frame of a room.
#[derive(Debug)]
pub(crate) struct Frame {
    /// What it says; `None` once the ring dropped it.
    pub(super) shared: Option<Box<Shared>>,
    /// The place before it.
    pub(crate) from: Cursor,
    /// Whether a viewer who is too slow may miss it.
    pub(crate) fate: Fate,
    /// How many messages it shows.
    pub(crate) shown: u32,
    /// How many messages it accounts for: those it shows, those that were recalled, or those it says are not shown.
    pub(crate) counted: u32,
    /// How many of them were recalled.
    recalled: u32,
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

    /// All that was dropped.
    pub(crate) fn missed(self) -> u32 {
        self.slow + self.stale + self.node
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
    pub(super) fn of_run(kind: Kind, run: &[Pending], folds: bool, to: Cursor) -> Self {
        let from = run.first().map_or(to, Pending::from);
        let counted = run.iter().map(|entry| entry.counted().0).sum();
        let sources = (from.src_next, run.last().map_or(from.src_next, |entry| entry.counted().1));
        let (fate, shared) = match kind {
            Kind::Messages(fate) => {
                let messages = run.iter().filter_map(Pending::message).cloned();
                let messages: Vec<_> = messages.filter(|message| !message.is_recalled()).collect();
                let messages = if folds { gifts::fold(messages) } else { messages };
                (fate, Shared::batch(to, messages))
            }
            Kind::Control | Kind::Private => (Fate::Lossless, control(run)),
            Kind::Stale => (Fate::Lossy, Shared::say(gap(from, to, counted, sources, GapReason::Stale))),
            Kind::Missed => (Fate::Lossy, Shared::say(gap(from, to, counted, sources, GapReason::Node))),
        };
        let is_shown = matches!(kind, Kind::Messages(_));
        let shown = if is_shown { shared.count() } else { 0 };
        Self {
            shared: Some(Box::new(shared)),
            from,
            fate,
            shown,
            counted,
            recalled: if is_shown { counted - shown } else { 0 },
            sources,
            before: 0,
            fresh_until: run.iter().filter_map(Pending::fresh_until).min().filter(|_| is_shown),
            reason: if kind == Kind::Stale { GapReason::Stale } else { GapReason::Node },
        }
    }

    /// The frame that says: something may be missing here. Lossless, because without a number it cannot become part of
    /// another gap.
    pub(super) fn unknown_gap(at: Cursor) -> Self {
        Self {
            shared: Some(Box::new(Shared::say(unknown_gap(at)))),
            from: at,
            fate: Fate::Lossless,
            shown: 0,
            counted: 0,
            recalled: 0,
            sources: (at.src_next, at.src_next),
            before: 0,
            fresh_until: None,
            reason: GapReason::Node,
        }
    }

    /// What a viewer is told by it.
    pub(crate) fn told(&self) -> Told {
        Told { shown: self.shown, ..Told::dropped(self.reason, self.counted - self.shown - self.recalled) }
    }

    /// What to write; `None` once it can only be counted.
    pub(crate) fn shared(&self) -> Option<&Shared> {
        self.shared.as_deref()
    }

    /// Leaves out what was recalled since it was made.
    pub(super) fn forget_recalled(&mut self) {
        let gone = self.shared.as_deref_mut().map_or(0, |shared| shared.keep(gifts::left));
        self.shown -= gone;
        self.recalled += gone;
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
    let said = run.first().and_then(Pending::item).and_then(|item| match &item.body {
        Body::Said(shared) => shared.said().cloned(),
        Body::Message(_) => None,
    });
    Shared::say(said.unwrap_or(FromServer::Mode(v1::Mode::default())))
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
