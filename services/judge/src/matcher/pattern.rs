//! Entries as patterns: what the automaton looks for, and what of each entry is verified afterwards.

use ahash::AHashMap;
use proto::v1::{Boundary, Entry, Reading};

use super::{Found, Hits, automaton::Automaton, verify::Rejected};
use crate::{
    entry::{GAPS, GAPS_MAX},
    fold::{Class, Stream, Symbol, class},
};

/// Patterns that are searched for together.
pub(super) struct Patterns {
    automaton: Automaton,
    /// By pattern, where its uses begin, and at the end where they end.
    firsts: Vec<u32>,
    /// Groups of each pattern.
    groups: Vec<u8>,
    uses: Vec<Use>,
}

/// An entry, or a part of one, that a pattern stands for.
pub(super) struct Use {
    pub(super) entry: u32,
    pub(super) part: u8,
    pub(super) gaps: u8,
    /// Whether the entry itself says how many gaps; else none is allowed between digits.
    pub(super) explicit: bool,
    pub(super) left: Edge,
    pub(super) right: Edge,
    /// Whether there is one.
    pub(super) digits: bool,
    /// Absent: every group once, and no sign between.
    pub(super) runs: Option<Box<[Run]>>,
}

/// Equal symbols of an entry. A group is more than one run where signs keep its letters apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Whether a group begins.
    pub(super) first: bool,
    /// How many at least.
    pub(super) count: u8,
    /// Signs before it in the entry.
    pub(super) joint: u8,
}

/// What may not stand beside a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    Any,
    NoLetter,
    NoDigit,
    Nothing,
}

impl Patterns {
    pub(super) fn search(&self, stream: &Stream, hits: &mut Hits<'_>) {
        self.each(stream, |used, start, end, reading| {
            if let Ok(reading) = reading {
                let (start, end) = (stream.symbols[start].cluster, stream.symbols[end - 1].cluster + 1);
                hits.push(used.part, Found { entry: used.entry, reading, start, end });
            }
        });
    }

    /// Calls `each` with every candidate: the use, its first symbol, the symbol behind its last, and the reading of a hit.
    pub(super) fn each(&self, stream: &Stream, mut each: impl FnMut(&Use, usize, usize, Result<Reading, Rejected>)) {
        self.automaton.search(&stream.text, |pattern, end| {
            let pattern = pattern as usize;
            let groups = usize::from(self.groups[pattern]);
            for used in &self.uses[self.firsts[pattern] as usize..self.firsts[pattern + 1] as usize] {
                used.verify(stream, end - groups, groups, |start, end, reading| each(used, start, end, reading));
            }
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.automaton.is_empty()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.automaton.heap_bytes()
            + self.firsts.capacity() * size_of::<u32>()
            + self.groups.capacity()
            + self.uses.capacity() * size_of::<Use>()
    }
}

/// Patterns in the making.
#[derive(Default)]
pub(super) struct Builder {
    patterns: AHashMap<String, u32>,
    uses: Vec<(u32, Use)>,
}

impl Builder {
    /// Adds a part of an entry. `stream` has at least one symbol.
    pub(super) fn add(&mut self, place: u32, part: u8, entry: &Entry, stream: &Stream) {
        let next = self.patterns.len() as u32;
        let pattern = match self.patterns.get(&stream.text) {
            Some(&pattern) => pattern,
            None => *self.patterns.entry(stream.text.clone()).or_insert(next),
        };
        let used = Use {
            entry: place,
            part,
            gaps: entry.gaps.unwrap_or(GAPS).min(GAPS_MAX) as u8,
            explicit: entry.gaps.is_some(),
            left: Edge::new(entry.boundary(), stream.symbols.first()),
            right: Edge::new(entry.boundary(), stream.symbols.last()),
            digits: stream.text.contains(|char: char| char.is_ascii_digit()),
            runs: runs(stream),
        };
        self.uses.push((pattern, used));
    }

    pub(super) fn build(mut self) -> Patterns {
        self.uses.sort_by_key(|&(pattern, _)| pattern);
        let mut firsts = vec![0; self.patterns.len() + 1];
        for (pattern, _) in &self.uses {
            firsts[*pattern as usize + 1] += 1;
        }
        for pattern in 1..firsts.len() {
            firsts[pattern] += firsts[pattern - 1];
        }
        let mut texts = vec![String::new(); self.patterns.len()];
        for (text, pattern) in self.patterns {
            texts[pattern as usize] = text;
        }
        Patterns {
            groups: texts.iter().map(|text| text.chars().count() as u8).collect(),
            automaton: Automaton::new(&texts),
            firsts,
            uses: self.uses.into_iter().map(|(_, used)| used).collect(),
        }
    }
}

impl Edge {
    pub(super) fn new(boundary: Boundary, symbol: Option<&Symbol>) -> Self {
        match (boundary, symbol.map(|symbol| class(symbol.char))) {
            (Boundary::Whole, _) => Self::Nothing,
            (Boundary::Auto, Some(Class::Letter)) => Self::NoLetter,
            (Boundary::Auto, Some(Class::Digit)) => Self::NoDigit,
            _ => Self::Any,
        }
    }

    pub(super) fn allows(self, neighbor: Option<char>) -> bool {
        match (self, neighbor.map(class)) {
            (_, None) | (Self::Any, _) => true,
            (Self::NoLetter, Some(class)) => class != Class::Letter,
            (Self::NoDigit, Some(class)) => class != Class::Digit,
            (Self::Nothing, Some(_)) => false,
        }
    }
}

/// The runs of an entry; none when each group is one symbol and nothing lies between.
fn runs(stream: &Stream) -> Option<Box<[Run]>> {
    let mut runs: Vec<Run> = Vec::new();
    let mut before = None;
    for symbol in &stream.symbols {
        let joint = if before.is_none() { 0 } else { symbol.gap };
        let first = before != Some(symbol.char);
        match runs.last_mut() {
            Some(run) if !first && (joint == 0 || class(symbol.char) != Class::Letter) => run.count += 1,
            _ => runs.push(Run { first, count: 1, joint }),
        }
        before = Some(symbol.char);
    }
    let plain = runs.iter().all(|run| run.first && run.count == 1 && run.joint == 0);
    (!plain).then(|| runs.into())
}
