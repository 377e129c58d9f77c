//! Which hits count: entries that are in force at the time, and that no allow phrase frees. What is done about them is kept out.
//!
//! From the strongest to the weakest: a mandatory word of the room, a mandatory word for all rooms, an allow phrase of the room,
//! a word of the room, an allow phrase for all rooms, a word for all rooms. An allow phrase frees weaker words that lie wholly
//! within it, and only those, not a longer word around it.

use proto::v1::{Entry, EntryKind, Field, Hit, Reading};

use crate::matcher::Found;

/// How strong an entry is; the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// A mandatory word of the room.
    RoomMandatory,
    /// A mandatory word for all rooms.
    GlobalMandatory,
    /// An allow phrase of the room.
    RoomAllow,
    /// A word of the room.
    RoomWord,
    /// An allow phrase for all rooms.
    GlobalAllow,
    /// A word for all rooms.
    GlobalWord,
}

/// An entry that was seen in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sighting<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) rank: Rank,
    pub(crate) reading: Reading,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Rank {
    fn of(entry: &Entry, of_room: bool) -> Self {
        match (entry.kind() == EntryKind::Allow, entry.mandatory, of_room) {
            (true, _, true) => Self::RoomAllow,
            (true, _, false) => Self::GlobalAllow,
            (false, true, true) => Self::RoomMandatory,
            (false, true, false) => Self::GlobalMandatory,
            (false, false, true) => Self::RoomWord,
            (false, false, false) => Self::GlobalWord,
        }
    }

    pub(crate) fn allows(self) -> bool {
        matches!(self, Self::RoomAllow | Self::GlobalAllow)
    }
}

impl<'a> Sighting<'a> {
    pub(crate) fn new(entry: &'a Entry, found: &Found, of_room: bool) -> Self {
        let rank = Rank::of(entry, of_room);
        Self { entry, rank, reading: found.reading, start: found.start, end: found.end }
    }

    /// Whether it does anything at `at_ms`: it does not when its entry is not in force, nor as an allow phrase that only watches.
    pub(crate) fn acts(&self, at_ms: i64) -> bool {
        is_in_force(self.entry, at_ms) && !(self.rank.allows() && self.entry.observe)
    }

    /// Whether it is an allow phrase that frees `word`.
    pub(crate) fn frees(&self, word: &Self) -> bool {
        self.rank.allows() && self.rank < word.rank && self.start <= word.start && word.end <= self.end
    }

    /// Where it stands in an order that depends on nothing else.
    pub(crate) fn order(&self) -> (bool, Rank, u32, std::cmp::Reverse<u32>, i32, &'a str) {
        let Self { entry, rank, reading, start, end } = *self;
        (entry.observe, rank, start, std::cmp::Reverse(end), reading as i32, &entry.id)
    }

    pub(crate) fn hit(&self, field: Field) -> Hit {
        let Self { entry, reading, start, end, .. } = *self;
        Hit {
            entry: entry.id.clone(),
            list: entry.list.clone(),
            category: entry.category.clone(),
            severity: entry.severity,
            reading: reading as i32,
            field: field as i32,
            start,
            end,
            observe: entry.observe,
        }
    }
}

/// Whether an entry is in force at `at_ms`: from its start on, up to its expiry and no longer.
pub(crate) fn is_in_force(entry: &Entry, at_ms: i64) -> bool {
    entry.starts_ms <= at_ms && (entry.expires_ms == 0 || at_ms < entry.expires_ms)
}

/// Whether a reading is only a suspicion: it flags or holds, whatever the table says.
pub(crate) fn is_weak(reading: Reading) -> bool {
    matches!(reading, Reading::Spaced | Reading::Pinyin | Reading::Split)
}

/// What counts of all that was seen: words that no stronger allow phrase covers.
pub(crate) fn standing(mut sightings: Vec<Sighting<'_>>) -> Vec<Sighting<'_>> {
    let allows = |rank: Rank| sightings.iter().filter(move |sighting| sighting.rank == rank);
    let room = Cover::of(allows(Rank::RoomAllow));
    let global = Cover::of(allows(Rank::GlobalAllow));
    sightings.retain(|sighting| match sighting.rank {
        Rank::RoomMandatory | Rank::GlobalMandatory => true,
        Rank::RoomWord => !room.covers(sighting),
        Rank::GlobalWord => !room.covers(sighting) && !global.covers(sighting),
        Rank::RoomAllow | Rank::GlobalAllow => false,
    });
    sightings
}

/// Spans of allow phrases, so that a text full of them costs no square of their number: by start, each with the furthest end of
/// those that start no later.
struct Cover(Vec<(u32, u32)>);

impl Cover {
    fn of<'a>(allows: impl Iterator<Item = &'a Sighting<'a>>) -> Self {
        let mut spans: Vec<(u32, u32)> = allows.map(|allow| (allow.start, allow.end)).collect();
        spans.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut spans {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Self(spans)
    }

    /// Whether a word lies wholly within one of them.
    fn covers(&self, word: &Sighting<'_>) -> bool {
        let before = self.0.partition_point(|&(start, _)| start <= word.start);
        before > 0 && self.0[before - 1].1 >= word.end
    }
}
