//! A folded text with its signs between its symbols, as one line: for what is told by signs, as addresses and rules by regex.

use super::{Folded, Sign, SignClass};

/// A line, and where each of its characters comes from. White space is one kind of blank.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// The byte at which each character begins, and its cluster.
    places: Vec<(u32, u32)>,
}

impl Line {
    /// Writes `folded` as a line, with `map` applied to its symbols.
    pub(crate) fn write(&mut self, folded: &Folded, map: impl Fn(char) -> char) {
        self.text.clear();
        self.places.clear();
        let mut signs = folded.signs().iter().peekable();
        for symbol in folded.symbols() {
            while let Some(sign) = signs.next_if(|sign| sign.cluster < symbol.cluster) {
                self.push_sign(sign);
            }
            self.push(map(symbol.char), symbol.cluster);
        }
        signs.for_each(|sign| self.push_sign(sign));
    }

    /// Its characters, each with its cluster.
    pub(crate) fn chars(&self) -> impl Iterator<Item = (char, u32)> {
        self.text.chars().zip(self.places.iter().map(|&(_, cluster)| cluster))
    }

    /// The clusters of the characters that lie in these bytes: from the first to behind the last.
    pub(crate) fn clusters(&self, bytes: std::ops::Range<usize>) -> std::ops::Range<u32> {
        let first = self.places.partition_point(|&(at, _)| (at as usize) < bytes.start);
        let last = self.places.partition_point(|&(at, _)| (at as usize) < bytes.end);
        let cluster = |place: usize| self.places.get(place).map_or(0, |&(_, cluster)| cluster);
        if first >= last {
            return cluster(first)..cluster(first);
        }
        cluster(first)..cluster(last - 1) + 1
    }

    fn push_sign(&mut self, sign: &Sign) {
        self.push(if sign.class == SignClass::Space { ' ' } else { sign.char }, sign.cluster);
    }

    fn push(&mut self, char: char, cluster: u32) {
        self.places.push((self.text.len() as u32, cluster));
        self.text.push(char);
    }
}
