//! Whether the books balance: what was sent, judged, shown, received and told as lost, added up. Pure.
//!
//! How many messages were shown in a room is told by nobody, as verdicts are counted without room. But each viewer
//! claims a number, what it received plus what its gaps counted; all viewers of a room must claim the same; nobody may
//! have seen more; and the rooms' claims together must be what the judge says that it let through. One message that one
//! viewer misses breaks his line; one that all viewers of a room miss breaks the sum.

mod broken;

pub use broken::Broken;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::scrape::ByLabel;

/// Verdicts after which a message is shown to its room.
pub const SHOWN: [&str; 4] = ["passed", "flagged", "masked", "approved"];

/// One viewer's counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Viewer {
    /// It was greeted.
    pub joined: bool,
    /// Why its socket ended before the test did.
    pub left: Option<String>,
    /// Messages that came live, each counted once.
    pub received: u64,
    /// Messages that came as history.
    pub replay: u64,
    /// Messages that its gaps counted, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Gaps that did not say how many.
    pub gaps_uncounted: u64,
    /// Messages that came once more.
    pub duplicates: u64,
    /// Messages that came after a later one.
    pub inversions: u64,
}

/// One room's counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Room {
    /// Its name.
    pub name: String,
    /// Ids that the door gave.
    pub accepted: u64,
    /// Ids that the door gave once more.
    pub accepted_twice: u64,
    /// Ids that anybody saw.
    pub seen: u64,
    /// Ids that somebody saw and the door did not give to us.
    pub unexplained: u64,
    /// Its viewers, all of whom joined before the first message was sent.
    pub viewers: Vec<Viewer>,
}

/// All that was counted, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Books {
    /// Requests that were to be sent.
    pub sent: u64,
    /// Answers 202.
    pub accepted: u64,
    /// Answers that say no, by code.
    pub refused: ByLabel,
    /// Requests whose fate nobody told, by why: 503 `unavailable`, or no answer.
    pub unknown: ByLabel,
    /// What the door says that it accepted; none when it does not tell.
    pub door_accepted: Option<u64>,
    /// What the judge says, by verdict.
    pub judged: ByLabel,
    /// What the viewers saw.
    pub rooms: Vec<Room>,
    /// Frames that no viewer could read.
    pub unreadable: u64,
}

/// The sums of the books.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Messages shown, each counted once in its room.
    pub shown: u64,
    /// Messages received live, counted at each viewer.
    pub received: u64,
    /// Messages received as history, counted at each viewer.
    pub replay: u64,
    /// Messages told as lost, counted at each viewer, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Messages received once more.
    pub duplicates: u64,
    /// Messages received after a later one.
    pub inversions: u64,
}

impl Viewer {
    /// What this viewer says was shown.
    pub fn claim(&self) -> u64 {
        self.received + self.lost()
    }

    fn lost(&self) -> u64 {
        self.dropped.values().sum()
    }
}

impl Room {
    /// How many messages were shown: the most that anybody knows of.
    pub fn shown(&self) -> u64 {
        self.viewers.iter().map(Viewer::claim).chain([self.seen]).max().unwrap_or_default()
    }
}

impl Books {
    /// Every line that does not balance; none is how it should be.
    pub fn broken(&self) -> Vec<Broken> {
        let mut broken = self.broken_counts();
        broken.extend(self.rooms.iter().flat_map(broken_viewers));
        broken.extend(self.broken_stream());
        broken
    }

    /// The sums.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { shown: self.rooms.iter().map(Room::shown).sum(), ..Totals::default() };
        for viewer in self.viewers() {
            totals.received += viewer.received;
            totals.replay += viewer.replay;
            totals.duplicates += viewer.duplicates;
            totals.inversions += viewer.inversions;
            for (reason, count) in &viewer.dropped {
                *totals.dropped.entry(reason).or_default() += count;
            }
        }
        totals
    }

    /// How many messages the judge has judged.
    pub fn judged(&self) -> u64 {
        self.judged.values().sum()
    }

    /// How many messages the judge let through.
    pub fn judged_shown(&self) -> u64 {
        SHOWN.iter().filter_map(|verdict| self.judged.get(*verdict)).sum()
    }

    fn broken_counts(&self) -> Vec<Broken> {
        let (sent, accepted, judged) = (self.sent, self.accepted, self.judged());
        let (refused, unknown): (u64, u64) = (self.refused.values().sum(), self.unknown.values().sum());
        let shown = self.rooms.iter().map(Room::shown).sum();
        // A message of unknown fate may have been accepted.
        let possible = accepted..=accepted + unknown;
        let lines = [
            (sent != accepted + refused + unknown).then_some(Broken::Door { sent, accepted, refused, unknown }),
            self.door_accepted.filter(|door| !possible.contains(door)).map(|door| Broken::DoorCount {
                door,
                accepted,
                unknown,
            }),
            (!possible.contains(&judged)).then_some(Broken::Judge { accepted, judged, unknown }),
            (shown != self.judged_shown()).then(|| Broken::Shown { rooms: shown, judged: self.judged_shown() }),
        ];
        lines.into_iter().flatten().collect()
    }

    fn broken_stream(&self) -> Vec<Broken> {
        let unknown = self.unknown.values().sum();
        let unexplained = self.rooms.iter().map(|room| room.unexplained).sum();
        let count = |of: fn(&Viewer) -> u64| self.viewers().map(of).sum::<u64>();
        let hit = |of: fn(&Viewer) -> u64| self.viewers().filter(|viewer| of(viewer) > 0).count() as u64;
        let (twice, back) = (|viewer: &Viewer| viewer.duplicates, |viewer: &Viewer| viewer.inversions);
        let lines = [
            (count(twice) > 0).then(|| Broken::Duplicates { count: count(twice), viewers: hit(twice) }),
            (count(back) > 0).then(|| Broken::Inversions { count: count(back), viewers: hit(back) }),
            (unexplained > unknown).then_some(Broken::Unexplained { count: unexplained, unknown }),
            (self.unreadable > 0).then_some(Broken::Unreadable { count: self.unreadable }),
        ];
        lines.into_iter().flatten().collect()
    }

    fn viewers(&self) -> impl Iterator<Item = &Viewer> {
        self.rooms.iter().flat_map(|room| &room.viewers)
    }
}

fn broken_viewers(room: &Room) -> Vec<Broken> {
    let name = || room.name.clone();
    let mut broken = Vec::new();
    if room.accepted_twice > 0 {
        broken.push(Broken::Twice { room: name(), count: room.accepted_twice });
    }
    let shown = room.shown();
    for (number, viewer) in room.viewers.iter().enumerate() {
        if let Some(why) = viewer.left.clone() {
            broken.push(Broken::Left { room: name(), viewer: number, why });
        }
        if viewer.gaps_uncounted > 0 {
            broken.push(Broken::Uncounted { room: name(), viewer: number, gaps: viewer.gaps_uncounted });
        }
        if viewer.claim() != shown {
            let (received, dropped) = (viewer.received, viewer.lost());
            broken.push(Broken::Viewer { room: name(), viewer: number, shown, received, dropped });
        }
    }
    broken
}

#[cfg(test)]
mod tests;
