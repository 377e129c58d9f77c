//! What the rules say of a message and why, told stage by stage, for whoever tries a list before it acts. Nothing here decides:
//! it asks what decides, so it is slow and true.

use proto::v1::{Entry, Role};
use serde::Serialize;

use super::{
    Action, CONTACT, Ruling, Said, Scratch, find_contacts, judge,
    policy::{Origin, Table},
    precedence::{Rank, Sighting, is_in_force, is_weak},
};
use crate::{
    book::{Book, lists::Hand},
    explain::{Candidate, Folding, folding, reading_word},
    fold::{Folded, fold},
    mask::mask,
    matcher::Found,
};

/// A message that nobody has said.
#[derive(Debug, Clone, Copy)]
pub struct Tried<'a> {
    /// Where it would be said.
    pub room: &'a str,
    /// With which authority.
    pub role: Role,
    /// What it would say.
    pub text: &'a str,
    /// Its speaker's name; empty = not looked at.
    pub name: &'a str,
    /// When, in Unix milliseconds.
    pub at_ms: i64,
}

/// What would become of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The rules that say so.
    pub version: u64,
    /// How the text is folded.
    pub folding: Folding,
    /// What stands in it of the lists for all rooms, or nearly does.
    pub global: Vec<Candidate>,
    /// The same of the room's.
    pub room: Vec<Candidate>,
    /// What is found, and what each comes to.
    pub hits: Vec<Weighed>,
    /// What is done about the message.
    pub action: Action,
    /// For how many seconds its sender is muted.
    #[serde(skip_serializing_if = "is_zero")]
    pub mute_s: u32,
    /// What its sender is told.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    /// The entry that decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The text as it would be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// The name as it would be shown, if not as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A hit, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Weighed {
    /// The entry.
    pub entry: String,
    /// Its list.
    pub list: String,
    /// Its category.
    pub category: String,
    /// Its severity.
    pub severity: u32,
    /// How strong it is against others.
    pub rank: Rank,
    /// How the text was read.
    pub reading: &'static str,
    /// Whether that is only a suspicion.
    pub weak: bool,
    /// Its first cluster.
    pub start: u32,
    /// The cluster behind its last.
    pub end: u32,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// What becomes of a hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Outcome {
    /// Its entry has not begun or has ended.
    NotInForce,
    /// It allows what stands within it.
    Allows,
    /// It would, but its list only watches.
    Watches,
    /// An allow phrase frees it.
    Freed {
        /// Which.
        by: String,
    },
    /// Something is done about it.
    Counts {
        /// What.
        action: Action,
        /// Who says so.
        origin: Origin,
    },
}

/// Explains what `book` says of a message.
pub fn explain(book: &Book, tried: Tried<'_>) -> Explanation {
    let Tried { room, role, text, name, at_ms } = tried;
    let mut folded = Folded::default();
    fold(text, &mut folded);
    let said = Said { room, role, folded: &folded, name, at_ms };
    let ruling = judge(book, said, &mut Scratch::default());
    let own = book.rooms.get(room).and_then(|room| room.base(at_ms));
    Explanation {
        version: book.version,
        folding: folding(text, &folded),
        global: book.global.candidates(text, &folded),
        room: own.map(|base| base.candidates(text, &folded)).unwrap_or_default(),
        hits: weighed(book, &said),
        shown: shown(text, &folded, &ruling),
        action: ruling.action,
        mute_s: ruling.mute_s,
        code: ruling.code,
        rule: ruling.rule,
        name: ruling.name,
    }
}

fn shown(text: &str, folded: &Folded, ruling: &Ruling) -> Option<String> {
    (ruling.action <= Action::Mask).then(|| mask(text, folded, &ruling.masks))
}

/// All hits in the order of the text.
fn weighed(book: &Book, said: &Said<'_>) -> Vec<Weighed> {
    let table = Table::of(book, said.room, said.role);
    let (mut hand, mut all) = (Hand::default(), Vec::new());
    let room = book.rooms.get(said.room).and_then(|room| room.base(said.at_ms));
    book.global.find(said.folded, &mut hand, |entry, found| all.push((Sighting::new(entry, found, false), entry)));
    if let Some(room) = &room {
        room.find(said.folded, &mut hand, |_, entry, found| all.push((Sighting::new(entry, found, true), entry)));
    }
    let mut contacts: Vec<Found> = Vec::new();
    find_contacts(book, said.room, said.folded, &mut contacts);
    all.extend(contacts.iter().map(|found| (Sighting::new(&CONTACT, found, false), &*CONTACT)));
    all.sort_by_key(|(sighting, _)| (sighting.start, sighting.end, sighting.order()));
    let allows = |sighting: &&Sighting<'_>| sighting.rank.allows() && sighting.acts(said.at_ms);
    let allowing: Vec<Sighting<'_>> = all.iter().map(|(sighting, _)| sighting).filter(allows).copied().collect();
    all.iter().map(|(sighting, entry)| weigh(sighting, entry, &allowing, &table, said.at_ms)).collect()
}

fn weigh(sighting: &Sighting<'_>, entry: &Entry, allowing: &[Sighting<'_>], table: &Table<'_>, at_ms: i64) -> Weighed {
    let outcome = if !is_in_force(entry, at_ms) {
        Outcome::NotInForce
    } else if sighting.rank.allows() && !sighting.acts(at_ms) {
        Outcome::Watches
    } else if sighting.rank.allows() {
        Outcome::Allows
    } else if let Some(allow) = allowing.iter().find(|allow| allow.frees(sighting)) {
        Outcome::Freed { by: allow.entry.id.clone() }
    } else {
        let (deed, origin) = table.explained(entry, sighting.reading);
        Outcome::Counts { action: deed.action, origin }
    };
    Weighed {
        entry: entry.id.clone(),
        list: entry.list.clone(),
        category: entry.category.clone(),
        severity: entry.severity,
        rank: sighting.rank,
        reading: reading_word(sighting.reading),
        weak: is_weak(sighting.reading),
        start: sighting.start,
        end: sighting.end,
        outcome,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
