//! Where the entries of a list stand in a folded text, and how it had to be read. What follows from a hit is kept out: scopes,
//! times, allow phrases and actions are the caller's.
//!
//! # How it searches
//! Entries and texts are folded by the same function, and both are compared without gaps and with runs collapsed, by one
//! automaton; each candidate is then verified against what was left out (`verify`): runs at least as long as the entry's, no
//! gap wider than it allows, and no neighbor that makes it a part of another word. So one pass finds exact hits, those with
//! gaps and those with letters held down.
//! Readings that the flags of entries ask for, or signs in the text, have passes of their own, tried only on texts that can have
//! such hits: digits in other styles (`numeric`), leet (`leet`), one hidden letter (`stars`), pinyin and split characters
//! (`spelled`), regular expressions (`regexes`). Entries of several texts are put together at the end (`near`).
//!
//! All hits are found, also those that overlap. A hit begins and ends on a symbol, never on a sign.

mod automaton;
mod leet;
mod near;
mod pattern;
pub(crate) mod regexes;
mod spelled;
mod stars;
mod verify;

use std::sync::Arc;

use proto::v1::{Entry, EntryKind, Reading};

use crate::{
    entry::{self, BadEntry, Fault},
    fold::{Folded, Line, Stream, numeral},
};
use near::Part;
use pattern::{Builder, Patterns};
pub(crate) use verify::Rejected;

/// A hit. Positions are grapheme clusters of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Found {
    /// Which entry, by its place in the list; [`crate::contact::ENTRY`] stands for none.
    pub entry: u32,
    /// How the text was read.
    pub reading: Reading,
    /// Its first cluster.
    pub start: u32,
    /// The cluster behind its last.
    pub end: u32,
}

/// A list that can be searched for.
pub struct Matcher {
    entries: Arc<[Entry]>,
    plain: Patterns,
    numeric: Patterns,
    stars: stars::Stars,
    pinyin: spelled::Spelled,
    split: spelled::Spelled,
    regexes: Vec<(u32, regex::Regex)>,
    /// Whether an entry is of several texts.
    several: bool,
}

/// What a search works with. A buffer: one per thread, used again.
#[derive(Default)]
pub struct Scratch {
    stream: Stream,
    line: Line,
    spelled: spelled::Text,
    parts: Vec<Part>,
}

impl Matcher {
    /// Compiles a list. 100,000 words take about a third of a second: never on a path of messages.
    ///
    /// # Errors
    /// On the first entry that cannot be searched for ([`entry::check`]).
    pub fn new(entries: Arc<[Entry]>) -> Result<Self, BadEntry> {
        let mut parts = Builders::default();
        for (place, entry) in (0..).zip(entries.iter()) {
            parts.add(place, entry).map_err(|why| BadEntry { id: entry.id.clone(), why })?;
        }
        let several = entries.iter().any(|entry| !entry.also.is_empty());
        Ok(Self {
            plain: parts.plain.build(),
            numeric: parts.numeric.build(),
            stars: parts.stars,
            pinyin: parts.pinyin.build(),
            split: parts.split.build(),
            regexes: parts.regexes,
            several,
            entries,
        })
    }

    /// The entries, in the order that hits name.
    pub fn entries(&self) -> &Arc<[Entry]> {
        &self.entries
    }

    /// Bytes on the heap, the entries themselves aside.
    pub fn heap_bytes(&self) -> usize {
        self.plain.heap_bytes() + self.numeric.heap_bytes() + self.pinyin.heap_bytes() + self.split.heap_bytes()
    }

    /// Calls `rejected` with what was a candidate and is no hit: its entry, its clusters and why. For explanations.
    pub(crate) fn each_rejected(
        &self,
        folded: &Folded,
        mut rejected: impl FnMut(&Entry, std::ops::Range<u32>, Rejected),
    ) {
        let mut each = |stream: &Stream, patterns: &Patterns| {
            patterns.each(stream, |used, start, end, reading| {
                if let (Err(why), Some(entry)) = (reading, self.entries.get(used.entry as usize)) {
                    rejected(entry, stream.symbols[start].cluster..stream.symbols[end - 1].cluster + 1, why);
                }
            });
        };
        each(folded.stream(), &self.plain);
        let mut stream = Stream::default();
        in_digits(folded.stream(), &mut stream);
        each(&stream, &self.numeric);
    }

    /// Adds all hits to `found`, of words and of allow phrases, in no particular order.
    pub fn find(&self, folded: &Folded, scratch: &mut Scratch, found: &mut Vec<Found>) {
        scratch.parts.clear();
        let mut hits = Hits { found, parts: &mut scratch.parts, entries: &self.entries, several: self.several };
        let seen = folded.seen();
        self.plain.search(folded.stream(), &mut hits);
        if !self.numeric.is_empty() {
            in_digits(folded.stream(), &mut scratch.stream);
            self.numeric.search(&scratch.stream, &mut hits);
        }
        let leet = seen.letters() && (seen.digits() || seen.leet_signs());
        let stars = seen.letters() && seen.stars() && !self.stars.is_empty();
        if leet || stars || !self.regexes.is_empty() {
            scratch.line.write(folded, |char| char);
        }
        if leet {
            leet::search(&self.plain, &scratch.line, &mut scratch.stream, &mut hits);
        }
        if stars {
            self.stars.search(&scratch.line, &mut hits);
        }
        if !self.pinyin.is_empty() && seen.letters() {
            self.pinyin.search(folded, &mut scratch.spelled, &mut hits);
        }
        if !self.split.is_empty() && seen.others() {
            self.split.search(folded, &mut scratch.spelled, &mut hits);
        }
        for (entry, regex) in &self.regexes {
            regexes::search(*entry, regex, &scratch.line, &mut hits);
        }
        if self.several {
            near::resolve(&self.entries, &mut scratch.parts, found);
        }
    }
}

/// What a list is compiled into, while it is.
struct Builders {
    plain: Builder,
    numeric: Builder,
    stars: stars::Stars,
    pinyin: spelled::Builder,
    split: spelled::Builder,
    regexes: Vec<(u32, regex::Regex)>,
    folded: Folded,
    stream: Stream,
}

impl Default for Builders {
    fn default() -> Self {
        Self {
            plain: Builder::default(),
            numeric: Builder::default(),
            stars: stars::Stars::default(),
            pinyin: spelled::Builder::pinyin(),
            split: spelled::Builder::split(),
            regexes: Vec::new(),
            folded: Folded::default(),
            stream: Stream::default(),
        }
    }
}

impl Builders {
    fn add(&mut self, place: u32, entry: &Entry) -> Result<(), Fault> {
        if entry.also.len() > entry::ALSO_MAX {
            return Err(Fault::Also(entry.also.len()));
        }
        for (part, text) in (1..).zip(&entry.also) {
            self.add_part(place, part, entry, text)?;
        }
        if entry.kind() == EntryKind::Regex {
            self.regexes.push((place, regexes::compile(&entry.text)?));
            return Ok(());
        }
        self.add_part(place, 0, entry, &entry.text)?;
        if entry.also.is_empty() {
            self.add_readings(place, entry);
        }
        Ok(())
    }

    /// One of the texts of an entry. It is left folded.
    fn add_part(&mut self, place: u32, part: u8, entry: &Entry, text: &str) -> Result<(), Fault> {
        entry::check_text(text, &mut self.folded)?;
        if entry.numeric {
            in_digits(self.folded.stream(), &mut self.stream);
            self.numeric.add(place, part, entry, &self.stream);
        } else {
            self.plain.add(place, part, entry, self.folded.stream());
        }
        Ok(())
    }

    /// What an entry of the text that was folded last is besides.
    fn add_readings(&mut self, place: u32, entry: &Entry) {
        let symbols = self.folded.symbols();
        if entry.kind() == EntryKind::Word {
            self.stars.add(place, symbols);
        }
        if entry.pinyin {
            self.pinyin.add(place, entry, symbols);
        }
        if entry.split {
            self.split.add(place, entry, symbols);
        }
    }
}

/// Han numerals as digits.
fn in_digits(from: &Stream, into: &mut Stream) {
    into.clear();
    for symbol in &from.symbols {
        let mut symbol = *symbol;
        symbol.char = numeral(symbol.char).unwrap_or(symbol.char);
        into.push(symbol);
    }
}

/// Where hits go: to the caller, or first to those that wait for their other parts.
struct Hits<'a> {
    found: &'a mut Vec<Found>,
    parts: &'a mut Vec<Part>,
    entries: &'a [Entry],
    several: bool,
}

impl Hits<'_> {
    fn push(&mut self, part: u8, hit: Found) {
        if self.several && self.entries.get(hit.entry as usize).is_some_and(|entry| !entry.also.is_empty()) {
            self.parts.push(Part { part, hit });
        } else {
            self.found.push(hit);
        }
    }
}

#[cfg(test)]
mod tests;
