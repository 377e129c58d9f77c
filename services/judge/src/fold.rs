//! A text as the symbols it is compared by: what looks alike is one symbol, what separates is a gap, what is unseen is nothing.
//! What is searched for is kept out, and so is what is shown: a text is masked by span, never written anew.
//!
//! A text is cut into grapheme clusters (UAX #29), and each becomes symbols, or a sign, or nothing:
//! 1. characters that nobody sees are dropped: Default_Ignorable, bidi controls, variation selectors, other controls;
//! 2. NFKC, lower case (letter by letter), marks of Latin, Greek and Cyrillic letters taken off;
//! 3. shapes of Latin letters and digits become these (`data/confusables.txt`), traditional characters simplified ones
//!    (`data/traditional.txt`), digits of all scripts ASCII ones;
//! 4. what is no letter and no digit is a sign: white space, punctuation or emoji. Signs lie in the gaps between symbols.
//!
//! Equal neighbors form a group, so a list and a text can be compared with runs collapsed and then be counted.

mod class;
mod expand;
mod line;
mod shapes;
mod stream;
mod table;

use unicode_segmentation::UnicodeSegmentation as _;

pub(crate) use class::{Class, class, numeral};
pub(crate) use line::Line;
pub(crate) use stream::Stream;
use table::{Kind, Seen};

/// A symbol of a folded text, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// A letter, a digit or a character, in the form that stands for all that look alike.
    pub char: char,
    /// The cluster of the original that it is a part of.
    pub cluster: u32,
    /// Signs between the symbol before and this one; 255 stands for all more.
    pub gap: u8,
    /// Whether white space is among them.
    pub spaced: bool,
}

/// What lies in a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// The first character of its cluster; its plain form if it has one.
    pub char: char,
    /// Its cluster in the original.
    pub cluster: u32,
    /// Its kind.
    pub class: SignClass,
}

/// The kinds of signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignClass {
    /// White space.
    Space,
    /// Punctuation and all other signs.
    Punctuation,
    /// Emoji, whole.
    Emoji,
}

/// A folded text. A buffer: [`fold`] makes it anew and keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    stream: Stream,
    signs: Vec<Sign>,
    /// Where in the original each cluster begins, and the end of the last one.
    bounds: Vec<u32>,
    seen: Seen,
    /// Signs since the last symbol.
    gap: u8,
    spaced: bool,
}

/// Folds `text` into `into`.
pub fn fold(text: &str, into: &mut Folded) {
    into.clear();
    if !into.fold_plain(text) {
        into.clear();
        into.fold_clusters(text);
    }
    into.bounds.push(text.len() as u32);
}

/// The symbol or plain sign that a single character comes to; the character itself if it comes to several.
pub(crate) fn single(char: char) -> char {
    match table::table().get(char) {
        entry if entry.kind() == Kind::Several => char,
        entry => entry.char(),
    }
}

/// What a cluster becomes, step by step: only the steps that change it, each with its name.
pub(crate) fn steps(cluster: &str) -> Vec<(&'static str, String)> {
    let mut before = cluster.to_owned();
    let mut steps = Vec::new();
    for (name, after) in expand::steps(cluster) {
        if after != before {
            steps.push((name, after.clone()));
            before = after;
        }
    }
    steps
}

impl Folded {
    /// The symbols in their order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.stream.symbols
    }

    /// The signs in their order.
    pub fn signs(&self) -> &[Sign] {
        &self.signs
    }

    /// How many clusters the original has.
    pub fn clusters(&self) -> u32 {
        self.bounds.len().saturating_sub(1) as u32
    }

    /// Which bytes of the original the clusters from `start` to before `end` are.
    pub fn bytes(&self, start: u32, end: u32) -> std::ops::Range<usize> {
        let bound =
            |cluster: u32| self.bounds.get(cluster as usize).or(self.bounds.last()).map_or(0, |&at| at as usize);
        bound(start)..bound(end)
    }

    /// The symbols without gaps, and of equal neighbors one: texts that differ in what is unseen, in separators or in runs
    /// have one key. A text without symbols has its signs instead.
    pub fn key(&self) -> std::borrow::Cow<'_, str> {
        if !self.stream.text.is_empty() {
            return self.stream.text.as_str().into();
        }
        let mut signs: Vec<char> =
            self.signs.iter().filter(|sign| sign.class != SignClass::Space).map(|sign| sign.char).collect();
        signs.dedup();
        signs.into_iter().collect::<String>().into()
    }

    /// What sign a cluster is, if it is one.
    pub(crate) fn sign(&self, cluster: u32) -> Option<SignClass> {
        let at = self.signs.binary_search_by_key(&cluster, |sign| sign.cluster).ok()?;
        Some(self.signs[at].class)
    }

    /// Whether nothing of a cluster is seen.
    pub(crate) fn is_unseen(&self, cluster: u32) -> bool {
        self.sign(cluster).is_none()
            && self.stream.symbols.binary_search_by_key(&cluster, |symbol| symbol.cluster).is_err()
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen
    }

    fn clear(&mut self) {
        self.stream.clear();
        self.signs.clear();
        self.bounds.clear();
        self.seen = Seen::default();
        self.gap = 0;
        self.spaced = false;
    }

    /// The fast path: every character is a cluster of its own and comes to one symbol or sign at most. False when it is not so.
    fn fold_plain(&mut self, text: &str) -> bool {
        let table = table::table();
        for (at, char) in text.char_indices() {
            let entry = table.get(char);
            if !entry.is_plain() {
                return false;
            }
            self.bounds.push(at as u32);
            self.take(entry);
        }
        true
    }

    fn fold_clusters(&mut self, text: &str) {
        let mut expanded = Vec::new();
        for (at, cluster) in text.grapheme_indices(true) {
            self.bounds.push(at as u32);
            self.fold_cluster(cluster, &mut expanded);
        }
    }

    fn fold_cluster(&mut self, cluster: &str, expanded: &mut Vec<char>) {
        let table = table::table();
        let mut chars = cluster.chars();
        let first = chars.next().unwrap_or_default();
        let entry = table.get(first);
        let rest = |kinds: &[Kind]| {
            chars.clone().all(|char| !expand::composes(char) && kinds.contains(&table.get(char).kind()))
        };
        // The usual ones, which the long way would come to as well: a character with marks, a sign of several.
        if entry.kind().is_sign() && rest(&[Kind::Nothing, Kind::Space, Kind::Punctuation, Kind::Emoji]) {
            return self.take(entry);
        }
        if rest(&[Kind::Nothing]) && entry.kind() != Kind::Several {
            return self.take(entry);
        }
        match table.several(first) {
            Some(symbols) if rest(&[Kind::Nothing]) => symbols.iter().for_each(|&symbol| self.take(symbol)),
            _ => {
                expand::expand(cluster, expanded);
                expanded.iter().for_each(|&symbol| self.take(table.symbol(symbol)));
                if expanded.is_empty() && entry.kind().is_sign() {
                    self.take(entry);
                }
            }
        }
    }

    /// Takes what a character of the cluster that was begun last comes to.
    fn take(&mut self, entry: table::Entry) {
        let cluster = self.bounds.len() as u32 - 1;
        let class = match entry.kind() {
            Kind::Symbol => {
                self.seen |= entry.seen();
                self.stream.push(Symbol { char: entry.char(), cluster, gap: self.gap, spaced: self.spaced });
                (self.gap, self.spaced) = (0, false);
                return;
            }
            Kind::Space => SignClass::Space,
            Kind::Punctuation => SignClass::Punctuation,
            Kind::Emoji => SignClass::Emoji,
            Kind::Nothing | Kind::Several => return,
        };
        self.seen |= entry.seen();
        self.gap = self.gap.saturating_add(1);
        self.spaced |= class == SignClass::Space;
        self.signs.push(Sign { char: entry.char(), cluster, class });
    }
}

#[cfg(test)]
mod tests;
