//! What waits in a room for its window, and which of it may stand together in one frame.

use std::{sync::Arc, time::Instant};

use proto::{Cursor, v1::Fate};

use super::FRAME_BYTES;
use crate::{
    message::Message,
    raw::{Body, Item, Record},
};

/// What waits to become part of a frame.
#[derive(Debug)]
pub(crate) enum Pending {
    /// An item of a record, by its place in it.
    Item(Arc<Record>, usize),
    /// Chat that this node lost before it could be shown here.
    Missed(Missed),
}

/// Chat that will not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The place just before the first of it.
    pub(crate) from: Cursor,
    /// How many messages.
    pub(crate) count: u32,
    /// The source of the last.
    pub(crate) last: u64,
}

/// What may stand together in one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Messages of one fate.
    Messages(Fate),
    /// A control frame, alone.
    Control,
    /// Chat that came too late.
    Stale,
    /// Chat that was lost.
    Missed,
    /// For one of the room's viewers: no frame of the room's.
    Private,
}

impl Pending {
    /// The place before it. Several items of one record share it, so a viewer who breaks off between them hears the first
    /// again and knows it by its id.
    pub(crate) fn from(&self) -> Cursor {
        match self {
            Self::Item(record, _) => record.at,
            Self::Missed(missed) => missed.from,
        }
    }

    fn kind(&self, now: Instant) -> Kind {
        match self {
            Self::Missed(_) => Kind::Missed,
            Self::Item(record, index) => match &record.items[*index] {
                Item { to_user: Some(_), .. } => Kind::Private,
                Item { body: Body::Said(_), .. } => Kind::Control,
                Item { fate: Fate::Lossy, .. } if record.fresh_until < now => Kind::Stale,
                Item { fate, .. } => Kind::Messages(*fate),
            },
        }
    }

    /// The record it stands in.
    pub(super) fn record(&self) -> Option<&Arc<Record>> {
        match self {
            Self::Item(record, _) => Some(record),
            Self::Missed(_) => None,
        }
    }

    /// The same, if its trace is gone on with.
    pub(super) fn traced(&self) -> Option<&Arc<Record>> {
        self.record().filter(|record| record.trace.is_some())
    }

    /// Until when it may be shown as live.
    pub(super) fn fresh_until(&self) -> Option<Instant> {
        match self {
            Self::Item(record, _) => Some(record.fresh_until),
            Self::Missed(_) => None,
        }
    }

    /// The item it is, unless it was lost.
    pub(super) fn item(&self) -> Option<&Item> {
        match self {
            Self::Item(record, index) => Some(&record.items[*index]),
            Self::Missed(_) => None,
        }
    }

    /// Bytes of its encoding.
    pub(super) fn bytes(&self) -> usize {
        self.item().map_or(0, Item::len)
    }

    /// The message it shows to everybody.
    pub(super) fn message(&self) -> Option<&Arc<Message>> {
        self.item().and_then(Item::message)
    }

    /// How many messages it is, and the source of the last.
    pub(super) fn counted(&self) -> (u32, u64) {
        match self {
            Self::Item(record, _) => (u32::from(self.message().is_some()), record.at.src_next),
            Self::Missed(missed) => (missed.count, missed.last),
        }
    }
}

/// The first run of what waits that makes one frame, its kind, and the rest.
pub(super) fn split_run(pending: &[Pending], now: Instant) -> (Kind, &[Pending], &[Pending]) {
    let Some(first) = pending.first() else { return (Kind::Control, &[], &[]) };
    let kind = first.kind(now);
    let mut bytes = 0;
    let len = match kind {
        Kind::Control | Kind::Private => 1,
        Kind::Stale | Kind::Missed => pending.iter().take_while(|entry| entry.kind(now) == kind).count(),
        Kind::Messages(_) => pending
            .iter()
            .take_while(|entry| {
                let fits = bytes < FRAME_BYTES && entry.kind(now) == kind;
                bytes += entry.bytes();
                fits
            })
            .count(),
    };
    let (run, rest) = pending.split_at(len);
    (kind, run, rest)
}
