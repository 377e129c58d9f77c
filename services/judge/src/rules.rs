//! What the rule book says of one message: what is found, what of that counts, what is done about it. Pure, with time as an
//! argument; how texts are read stands in `fold` and `matcher`, what a verdict comes to in `verdict`.
//!
//! In reading order: `precedence` is which hits an allow phrase frees, `policy` what is done about the others, `name` the
//! speaker's name; `explain` tells all of it.

pub mod precedence;
pub mod policy;
mod name;
pub mod explain;

use std::{ops::Range, sync::LazyLock};

use proto::v1::{Entry, Field, Hit, Reading, Role};

use crate::{
    book::{Book, lists::Hand},
    contact,
    fold::Folded,
    matcher::Found,
};
use policy::{Deed, Table};
use precedence::Sighting;

pub use name::Names;
pub use policy::Action;

/// Hits that a ruling names; a record carries no more.
const HITS_MAX: usize = 16;

/// A message as the rules look at it.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// Where it was said.
    pub room: &'a str,
    /// With which authority.
    pub role: Role,
    /// What it says, folded.
    pub folded: &'a Folded,
    /// Its speaker's name, as everybody sees it.
    pub name: &'a str,
    /// When it was appended, in Unix milliseconds: entries begin and end by it.
    pub at_ms: i64,
}

/// What the rules say of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ruling {
    /// What is done about it: the strictest of what its hits ask for.
    pub action: Action,
    /// How long its sender is muted, in seconds, if the action is to mute.
    pub mute_s: u32,
    /// The contract's code of the deciding hit: `words`, `regex` or `contact`; empty without one.
    pub code: &'static str,
    /// The deciding entry's id; empty without one.
    pub rule: String,
    /// Whether it was decided by a reading that is weak.
    pub weak: bool,
    /// What was found and counts, the deciding hit first, at most 16; also what only watches.
    pub hits: Vec<Hit>,
    /// What is to be masked, in clusters of the text: pieces that may overlap. Empty unless the action is to mask.
    pub masks: Vec<Range<u32>>,
    /// The speaker's name as it may be shown, if not as it is.
    pub name: Option<String>,
}

/// What judging by the rules needs at hand: buffers, and names that are known to be clean. One a thread will do.
#[derive(Default)]
pub struct Scratch {
    hand: Hand,
    contacts: Vec<Found>,
    names: Names,
}

/// The entry that stands for everything found by its shape and not by a list.
static CONTACT: LazyLock<Entry> = LazyLock::new(|| Entry {
    id: "contact".to_owned(),
    category: policy::CONTACT.to_owned(),
    severity: 2,
    ..Entry::default()
});

/// Judges a message by the rules. The book is one version, and it judges the message whole.
pub fn judge(book: &Book, said: Said<'_>, scratch: &mut Scratch) -> Ruling {
    let table = Table::of(book, said.room, said.role);
    let mut ruling = sight(book, &said, said.folded, scratch, |seen| weigh(seen.standing, &table, Field::Text));
    if !said.name.is_empty() {
        name::judge(book, &said, &table, scratch, &mut ruling);
    }
    ruling
}

/// The name of who speaks, as it may be shown; `None` if as it is. What he says is not looked at.
pub(crate) fn masked_name(book: &Book, said: Said<'_>, scratch: &mut Scratch) -> Option<String> {
    let (table, mut ruling) = (Table::of(book, said.room, said.role), Ruling::default());
    if !said.name.is_empty() {
        name::judge(book, &said, &table, scratch, &mut ruling);
    }
    ruling.name
}

/// What was seen in a text.
struct Seen<'a> {
    /// Whether anything was found, in force or not.
    anything: bool,
    /// What of it counts.
    standing: Vec<Sighting<'a>>,
}

/// Finds all that the lists and the contact rules find in a text, and shows it to `look`.
fn sight<R>(
    book: &Book,
    said: &Said<'_>,
    folded: &Folded,
    scratch: &mut Scratch,
    look: impl FnOnce(Seen<'_>) -> R,
) -> R {
    let room = book.rooms.get(said.room).and_then(|room| room.base(said.at_ms));
    let (mut anything, mut sightings) = (false, Vec::new());
    let mut add = |of_room: bool, entry, found: &Found| {
        anything = true;
        sightings.extend(Some(Sighting::new(entry, found, of_room)).filter(|sighting| sighting.acts(said.at_ms)));
    };
    book.global.find(folded, &mut scratch.hand, |entry, found| add(false, entry, found));
    if let Some(room) = &room {
        room.find(folded, &mut scratch.hand, |_, entry, found| add(true, entry, found));
    }
    find_contacts(book, said.room, folded, &mut scratch.contacts);
    scratch.contacts.iter().for_each(|found| add(false, &CONTACT, found));
    look(Seen { anything, standing: precedence::standing(sightings) })
}

/// Finds addresses and numbers. Nearly no message has any, so only then is it looked up which domains are none.
fn find_contacts(book: &Book, room: &str, folded: &Folded, contacts: &mut Vec<Found>) {
    contacts.clear();
    contact::find(folded, &[], contacts);
    if !contacts.is_empty() {
        let domains = book.domains(room);
        if !domains.is_empty() {
            contacts.clear();
            contact::find(folded, &domains, contacts);
        }
    }
}

/// The ruling on hits that stand.
fn weigh(standing: Vec<Sighting<'_>>, table: &Table<'_>, field: Field) -> Ruling {
    let deed = |sighting: &Sighting<'_>| match table.deed(sighting.entry, sighting.reading) {
        // A name is on the screen with all that is said under it: what is wrong with it is masked, and said for itself.
        deed if field == Field::Name && deed.action > Action::Flag => Deed { action: Action::Mask, mute_s: 0 },
        deed => deed,
    };
    let ruled = standing.into_iter().map(|sighting| (deed(&sighting), sighting));
    let mut ruled: Vec<(Deed, Sighting<'_>)> = ruled.filter(|(deed, _)| deed.action > Action::Pass).collect();
    // The deciding one first; then an order that depends on nothing but the hits themselves, however they were found.
    ruled.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.order().cmp(&y.order())));
    let Some(&(deed, decider)) = ruled.first() else { return Ruling::default() };
    let masks = ruled.iter().filter(|(other, _)| deed.action == Action::Mask && other.action == Action::Mask);
    Ruling {
        action: deed.action,
        mute_s: deed.mute_s,
        code: code(decider.reading),
        rule: decider.entry.id.clone(),
        weak: precedence::is_weak(decider.reading),
        masks: masks.map(|(_, sighting)| sighting.start..sighting.end).collect(),
        hits: ruled.iter().take(HITS_MAX).map(|(_, sighting)| sighting.hit(field)).collect(),
        name: None,
    }
}

fn code(reading: Reading) -> &'static str {
    match reading {
        Reading::Contact => "contact",
        Reading::Regex => "regex",
        _ => "words",
    }
}
