//! What is doubtful about new entries before they act: the report of an import. Pure, and an opinion only: what cannot be an
//! entry at all is refused elsewhere.
//!
//! Texts are compared as folded. Of a text of n characters all n (n + 1) / 2 parts are looked up in a hash set, but only
//! those of a length that occurs: far cheaper than an automaton that is built for one use.

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry as Seen},
    fmt,
    sync::Arc,
};

use judge::{
    fold::{Folded, fold},
    matcher::{Matcher, Scratch},
};
use proto::v1::{Entry, EntryKind, Reading};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Content, edit::Placed, entry::Kind, letters::Letters, page::Kept};
use crate::fold;

/// Examples of each kind; the rest is only counted.
const EXAMPLES_MAX: usize = 50;

/// An entry that is found in more than so many of the clean texts hits the innocent, unless the caller says another share.
pub const BROAD_PERCENT: f64 = 1.0;

/// One doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Finding {
    /// The line, or the place in the body.
    pub line: usize,
    /// The entry's text, as it was sent.
    pub text: String,
    /// The other entry, by its line or its id; or in how many of the clean texts it is found.
    pub with: String,
}

/// Doubts of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Findings {
    /// How many there are.
    pub count: usize,
    /// The first fifty.
    pub first: Vec<Finding>,
}

/// What is doubtful about new entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Report {
    /// Entries that were read.
    pub entries: usize,
    /// There already, or twice in this: after folding they are the same. They are passed over.
    pub duplicates: Findings,
    /// Of one character, which many innocent texts hold.
    pub one_character: Findings,
    /// Holding another word, which hits before they do.
    pub contained: Findings,
    /// A word that an allow phrase frees, or a phrase that frees a word.
    pub collides: Findings,
    /// Found in too many of the clean texts.
    pub too_broad: Findings,
}

impl Report {
    /// Whether somebody must insist. Who adds a word by hand means it, also where another word or form is there already; in
    /// a file that is a sign of the wrong file.
    #[must_use]
    pub fn wants_force(&self, from_file: bool) -> bool {
        let told = [&self.duplicates, &self.contained];
        let grave = [&self.one_character, &self.collides, &self.too_broad];
        let any = |kinds: &[&Findings]| kinds.iter().any(|kind| kind.count > 0);
        any(&grave) || (from_file && any(&told))
    }

    /// The report on `new` entries for `list`; `clean` are texts that should not be hit by more than `percent` of a hundred.
    #[must_use]
    pub fn on(content: &Content, list: &str, new: &[Placed], clean: &[String], percent: f64) -> Self {
        let mut report = Self { entries: new.len(), ..Self::default() };
        let letters = Letters::of(new);
        let old: Vec<&Kept> = content.entries().filter(|kept| letters.make_up(&kept.folded)).collect();
        report.twice(&old, list, new);
        let words = Texts::of(&old, new, Kind::Word);
        let allows = Texts::of(&old, new, Kind::Allow);
        for placed in new {
            let of_kind = Kind::from(placed.kept.entry.kind());
            let folded = &placed.kept.folded;
            if of_kind == Kind::Word {
                if fold::clusters(folded) == 1 {
                    report.one_character.add(placed, String::new());
                }
                if let Some(other) = words.within(folded, |part| part != folded) {
                    report.contained.add(placed, other);
                }
                if let Some(other) = allows.whole(folded) {
                    report.collides.add(placed, other);
                }
            }
            if of_kind == Kind::Allow
                && let Some(other) = words.whole(folded)
            {
                report.collides.add(placed, other);
            }
        }
        report.broad(new, clean, percent);
        report
    }

    fn twice(&mut self, old: &[&Kept], list: &str, new: &[Placed]) {
        let on_list = old.iter().filter(|kept| kept.entry.list == list);
        let mut seen: HashMap<_, _> =
            on_list.map(|kept| (fold::identity(&kept.entry), Other::Id(&kept.entry.id))).collect();
        for placed in new {
            match seen.entry(fold::identity(&placed.kept.entry)) {
                Seen::Occupied(other) => self.duplicates.add(placed, other.get().to_string()),
                Seen::Vacant(place) => _ = place.insert(Other::Line(placed.line)),
            }
        }
    }

    /// Looks for the new words in the clean texts as the judge would; its weak readings do not count.
    fn broad(&mut self, new: &[Placed], clean: &[String], percent: f64) {
        if clean.is_empty() {
            return;
        }
        let is_word = |placed: &&Placed| Kind::from(placed.kept.entry.kind()) != Kind::Allow;
        let words: Vec<&Placed> = new.iter().filter(is_word).collect();
        let entries: Arc<[Entry]> = words.iter().map(|placed| placed.kept.entry.clone()).collect();
        // Each was checked before it came here, as the matcher itself would.
        let Ok(matcher) = Matcher::new(entries) else { return };
        let (mut folded, mut scratch) = (Folded::default(), Scratch::default());
        let mut hits = vec![0usize; words.len()];
        for text in clean {
            fold(text, &mut folded);
            let mut found = Vec::new();
            matcher.find(&folded, &mut scratch, &mut found);
            let strong = found.into_iter().filter(|found| is_strong(found.reading)).map(|found| found.entry as usize);
            strong.collect::<BTreeSet<_>>().into_iter().for_each(|at| hits[at] += 1);
        }
        for (placed, hits) in words.into_iter().zip(hits) {
            if hits as f64 * 100.0 > percent * clean.len() as f64 {
                self.too_broad.add(placed, format!("{hits} of {}", clean.len()));
            }
        }
    }
}

fn is_strong(reading: Reading) -> bool {
    !matches!(reading, Reading::Spaced | Reading::Pinyin | Reading::Split)
}

/// Calls `see` with each part of `text` that has one of these lengths in characters, until it says stop.
fn for_each_part<'a>(text: &'a str, lengths: &BTreeSet<usize>, mut see: impl FnMut(&'a str) -> bool) {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    for from in 0..starts.len() - 1 {
        for length in lengths.iter().take_while(|length| from + **length < starts.len()) {
            if see(&text[starts[from]..starts[from + length]]) {
                return;
            }
        }
    }
}

/// Another entry, as a report names it.
#[derive(Debug, Clone, Copy)]
enum Other<'a> {
    /// One that is there already.
    Id(&'a str),
    /// One of the new ones.
    Line(usize),
}

impl fmt::Display for Other<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => f.write_str(id),
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Folded texts of a kind, new ones and those old ones that can stand in them.
struct Texts<'a> {
    named: HashMap<&'a str, Other<'a>>,
    lengths: BTreeSet<usize>,
}

impl<'a> Texts<'a> {
    fn of(old: &[&'a Kept], new: &'a [Placed], kind: Kind) -> Self {
        let kind = EntryKind::from(kind) as i32;
        let old = old.iter().map(|kept| (*kept, Other::Id(&kept.entry.id)));
        let new = new.iter().map(|placed| (&placed.kept, Other::Line(placed.line)));
        let (mut named, mut lengths) = (HashMap::new(), BTreeSet::new());
        for (kept, other) in old.chain(new).filter(|(kept, _)| kept.entry.kind == kind) {
            named.entry(&*kept.folded).or_insert(other);
            lengths.insert(kept.folded.chars().count());
        }
        Self { named, lengths }
    }

    fn whole(&self, text: &str) -> Option<String> {
        self.named.get(text).map(Other::to_string)
    }

    /// The first that stands within `text`.
    fn within(&self, text: &str, counts: impl Fn(&str) -> bool) -> Option<String> {
        let mut found = None;
        for_each_part(text, &self.lengths, |part| {
            found = self.named.get(part).filter(|_| counts(part)).copied();
            found.is_some()
        });
        found.map(|other| other.to_string())
    }
}

impl Findings {
    fn add(&mut self, placed: &Placed, with: String) {
        self.count += 1;
        if self.first.len() < EXAMPLES_MAX {
            self.first.push(Finding { line: placed.line, text: placed.kept.entry.text.clone(), with });
        }
    }
}

#[cfg(test)]
mod tests;
