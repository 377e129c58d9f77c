//! The compiled lists of one scope: a large automaton that is built seldom, a small one of what was added or changed since, and
//! what was removed since. What a hit means is kept out.
//!
//! An edit so costs the unpacking of two chunks and the building of the small automaton, a few milliseconds, while the large
//! one of 100,000 words takes one or two seconds. All of it is immutable: a change makes new lists that share the large one.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use ahash::RandomState;
use proto::{
    rules::Scope,
    v1::{Entry, EntryKind},
};

use super::{
    chunks,
    edition::{BadEdition, Edition},
    limits::Limits,
};
use crate::{
    explain::{self, Candidate},
    fold::Folded,
    matcher::{Found, Matcher, Scratch},
};

/// Changes since the large automaton was built, from which on a new one is built in the background: the small one is then
/// built in some 10 ms, and its search costs as much again as the large one's.
pub const CHANGES_CALM: usize = 2_000;

/// Changes at which the large one is built before they are in force: an import. The small one would take as long.
const CHANGES_MAX: usize = 10_000;

/// Entries and the automaton that finds them.
pub(crate) struct Base {
    entries: Arc<[Entry]>,
    matcher: Matcher,
    /// Where the entry with an id stands, by a hash of the id.
    places: HashMap<u64, u32, RandomState>,
    keys: RandomState,
}

/// The lists of one version of one scope.
pub struct Lists {
    edition: Edition,
    base: Arc<Base>,
    /// Entries of the base that are in force no more.
    removed: HashSet<u32, RandomState>,
    /// Entries that are not in the base, by id.
    recent: BTreeMap<String, Entry>,
    recent_base: Option<Arc<Base>>,
    regexes: usize,
}

impl Base {
    /// Compiles `entries`.
    pub(crate) fn new(entries: Vec<Entry>) -> Result<Self, BadEdition> {
        let (entries, keys) = (Arc::<[Entry]>::from(entries), RandomState::new());
        let mut places = HashMap::with_capacity_and_hasher(entries.len(), RandomState::new());
        for (place, entry) in (0..).zip(&*entries) {
            if places.insert(keys.hash_one(&*entry.id), place).is_some() {
                return Err(BadEdition::SameId(entry.id.clone()));
            }
        }
        Ok(Self { matcher: Matcher::new(Arc::clone(&entries))?, entries, places, keys })
    }

    /// The entry with this id, and where it stands.
    fn entry(&self, id: &str) -> Option<(u32, &Entry)> {
        let place = *self.places.get(&self.keys.hash_one(id))?;
        let entry = self.entries.get(place as usize)?;
        (entry.id == id).then_some((place, entry))
    }

    /// Tells `each` of all that is found, words and allow phrases alike.
    pub(crate) fn find<'a>(&'a self, folded: &Folded, hand: &mut Hand, mut each: impl FnMut(u32, &'a Entry, &Found)) {
        hand.found.clear();
        self.matcher.find(folded, &mut hand.scratch, &mut hand.found);
        for found in &hand.found {
            if let Some(entry) = self.entries.get(found.entry as usize) {
                each(found.entry, entry, found);
            }
        }
    }

    /// What is found and what nearly is, for explanations.
    pub(crate) fn candidates(&self, text: &str, folded: &Folded) -> Vec<Candidate> {
        explain::candidates(text, folded, &self.matcher)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// What searching needs at hand, so that it allocates nothing.
#[derive(Default)]
pub(crate) struct Hand {
    scratch: Scratch,
    found: Vec<Found>,
}

impl Lists {
    /// Compiles a whole version.
    ///
    /// # Errors
    /// When it cannot be in force.
    pub fn new(edition: Edition) -> Result<Self, BadEdition> {
        let entries = edition.entries()?;
        Self::of(edition, entries)
    }

    /// Compiles the entries of a version.
    pub(crate) fn of(edition: Edition, entries: Vec<Entry>) -> Result<Self, BadEdition> {
        let regexes = regexes(&entries);
        Ok(Self {
            edition,
            base: Arc::new(Base::new(entries)?),
            removed: HashSet::default(),
            recent: BTreeMap::new(),
            recent_base: None,
            regexes,
        })
    }

    /// The lists of another version of the same scope. What both have in common is not compiled again.
    ///
    /// # Errors
    /// When that version cannot be in force; these lists still can.
    pub fn next(&self, edition: Edition) -> Result<Self, BadEdition> {
        let (gone, come) = difference(&self.edition, &edition)?;
        let (mut removed, mut recent) = (self.removed.clone(), self.recent.clone());
        let regexes = (self.regexes + regexes(&come)).saturating_sub(regexes(gone.values()));
        for (id, entry) in gone {
            if recent.get(&id) == Some(&entry) {
                recent.remove(&id);
            } else if let Some((place, _)) = self.base.entry(&id) {
                removed.insert(place);
            }
        }
        for entry in come {
            match self.base.entry(&entry.id) {
                Some((place, same)) if *same == entry && removed.remove(&place) => {}
                Some((place, _)) if !removed.contains(&place) => return Err(BadEdition::SameId(entry.id)),
                _ => {
                    if let Some(twin) = recent.insert(entry.id.clone(), entry) {
                        return Err(BadEdition::SameId(twin.id));
                    }
                }
            }
        }
        Self { edition, base: Arc::clone(&self.base), removed, recent, recent_base: None, regexes }.compiled()
    }

    /// The same with what is recent compiled; checked against the limits.
    fn compiled(mut self) -> Result<Self, BadEdition> {
        Limits::of(&self.edition.scope).check(self.len().saturating_sub(self.regexes), self.regexes)?;
        if self.is_empty() && self.edition.scope == Scope::Global {
            return Err(BadEdition::Empty);
        }
        if self.changes() > CHANGES_MAX {
            return Self::new(self.edition);
        }
        if !self.recent.is_empty() {
            self.recent_base = Some(Arc::new(Base::new(self.recent.values().cloned().collect())?));
        }
        Ok(self)
    }

    /// Tells `each` of all that is found, words and allow phrases alike.
    pub(crate) fn find<'a>(&'a self, folded: &Folded, hand: &mut Hand, mut each: impl FnMut(&'a Entry, &Found)) {
        self.base.find(folded, hand, |place, entry, found| {
            if self.removed.is_empty() || !self.removed.contains(&place) {
                each(entry, found);
            }
        });
        if let Some(recent) = &self.recent_base {
            recent.find(folded, hand, |_, entry, found| each(entry, found));
        }
    }

    /// What is found and what nearly is, for explanations.
    pub(crate) fn candidates(&self, text: &str, folded: &Folded) -> Vec<Candidate> {
        let mut candidates = self.base.candidates(text, folded);
        let is_removed = |id: &str| self.base.entry(id).is_some_and(|(place, _)| self.removed.contains(&place));
        candidates.retain(|candidate| !is_removed(&candidate.entry));
        candidates.extend(self.recent_base.iter().flat_map(|recent| recent.candidates(text, folded)));
        candidates
    }

    /// The version they are of.
    pub fn edition(&self) -> &Edition {
        &self.edition
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.base.len() - self.removed.len() + self.recent.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much has changed since the large automaton was built.
    pub fn changes(&self) -> usize {
        self.removed.len() + self.recent.len()
    }
}

fn regexes<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> usize {
    entries.into_iter().filter(|entry| entry.kind() == EntryKind::Regex).count()
}

/// The entries that leave from one version to another, by id, and those that come. An entry that changed does both.
fn difference(from: &Edition, to: &Edition) -> Result<(BTreeMap<String, Entry>, Vec<Entry>), BadEdition> {
    let mut gone = BTreeMap::new();
    for (hash, packed) in only_in(from, to) {
        gone.extend(chunks::unpack(hash, packed)?.into_iter().map(|entry| (entry.id.clone(), entry)));
    }
    let mut come = Vec::new();
    for (hash, packed) in only_in(to, from) {
        for entry in chunks::unpack(hash, packed)? {
            if gone.get(&entry.id) == Some(&entry) {
                gone.remove(&entry.id);
            } else {
                come.push(entry);
            }
        }
    }
    Ok((gone, come))
}

/// The chunks of `one` that `other` does not have.
fn only_in<'a>(one: &'a Edition, other: &Edition) -> impl Iterator<Item = &'a (chunks::Hash, bytes::Bytes)> {
    let theirs: HashSet<chunks::Hash> = other.chunks.iter().map(|(hash, _)| *hash).collect();
    one.chunks.iter().filter(move |(hash, _)| !theirs.contains(hash))
}
