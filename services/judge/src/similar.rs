//! The same user saying nearly the same again and again in one room: of his longer texts that are alike, the third within a
//! minute is refused. Who says the very same is `duplicate`'s, and how a text is folded is kept out.
//!
//! A text is the set of its pairs of neighbors, and two are alike when two thirds of their pairs are common (Dice's
//! coefficient): a number at the end, a word in front or another name in the middle make it no other text. Short ones have too
//! few pairs to tell, so whoever cheers is never asked. Only what was let through counts, as with duplicates.

use crate::{recent::Recent, who::Who};

/// A shorter text, runs as one, is never alike: 8 symbols are 7 pairs, of which one changed symbol takes 2.
const SYMBOLS_MIN: usize = 8;

/// Of a longer text its beginning is looked at: 63 pairs set 50 of 128 bits, of which two texts that have nothing in common
/// share 20 where 33 are asked for.
const SYMBOLS_MAX: usize = 64;

/// Texts that are alike and let through within the window.
const ALIKE_MAX: usize = 2;

/// Longer texts that are remembered of a user. Whoever says three others between two that are alike is heard.
const KEPT: usize = 4;

/// Longer texts that one partition remembers: 2,000 messages a second for 60 s, of which a live room's fifth is that long, are
/// 25,000. An entry takes 144 B, in a table that may be half empty, and 16 B in line: 10 MB.
const ENTRIES_MAX: usize = 32_768;

/// Who said what of late that was long enough.
pub(crate) struct Similars {
    window_ms: u32,
    said: Recent<Lines>,
}

/// The pairs of neighbors in a text, each as one of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sketch {
    bits: [u64; 2],
    /// How many are set: what is compared again and again is counted once.
    pairs: u32,
}

/// A user's last ones, the oldest first.
struct Lines([Line; KEPT]);

#[derive(Clone, Copy)]
struct Line {
    at_ms: i64,
    sketch: Sketch,
}

impl Similars {
    /// Refuses for `window_ms` what was said twice in it; 0 = never.
    pub(crate) fn new(window_ms: u32) -> Self {
        Self { window_ms, said: Recent::of_at_most(ENTRIES_MAX, window_ms.into()) }
    }

    /// The text's sketch, if it is long enough to be like another; `key` is what it reads like.
    pub(crate) fn sketch(&self, key: &str) -> Option<Sketch> {
        if self.window_ms == 0 { None } else { Sketch::of(key) }
    }

    /// How long to wait, in milliseconds, if it would be one too many of its kind.
    pub(crate) fn check(&mut self, who: Who, sketch: Sketch, now_ms: i64) -> Option<u32> {
        let since_ms = now_ms - i64::from(self.window_ms);
        let Lines(lines) = self.said.get(who.user, now_ms)?.value;
        let mut alike = lines.iter().rev().filter(|line| line.at_ms > since_ms && line.sketch.is_like(sketch));
        // Once this one is forgotten, one fewer than too many are left.
        let last_in_the_way = alike.nth(ALIKE_MAX - 1)?;
        u32::try_from(last_in_the_way.at_ms - since_ms).ok()
    }

    /// Remembers what was let through.
    pub(crate) fn remember(&mut self, who: Who, sketch: Sketch, now_ms: i64) {
        self.said.change(who.user, Lines::NONE, now_ms, |lines| lines.push(Line { at_ms: now_ms, sketch }));
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.said.forgotten()
    }
}

impl Lines {
    /// Nothing, said before all time.
    const NONE: Self = Self([Line { at_ms: i64::MIN, sketch: Sketch { bits: [0; 2], pairs: 0 } }; KEPT]);

    fn push(&mut self, line: Line) {
        self.0.rotate_left(1);
        self.0[KEPT - 1] = line;
    }
}

impl Sketch {
    fn of(key: &str) -> Option<Self> {
        // Most texts are short, and no symbol takes less than a byte.
        if key.len() < SYMBOLS_MIN {
            return None;
        }
        let (mut bits, mut symbols, mut before) = ([0; 2], 0, None);
        for symbol in key.chars().take(SYMBOLS_MAX) {
            if let Some(before) = before.replace(symbol) {
                let bit = bit(before, symbol);
                bits[bit >> 6] |= 1 << (bit & 63);
            }
            symbols += 1;
        }
        (symbols >= SYMBOLS_MIN).then(|| Self { bits, pairs: count(bits) })
    }

    fn is_like(self, other: Self) -> bool {
        let common = count([self.bits[0] & other.bits[0], self.bits[1] & other.bits[1]]);
        // 2 × common / (mine + theirs) ≥ 2 / 3
        3 * common >= self.pairs + other.pairs
    }
}

fn count(bits: [u64; 2]) -> u32 {
    bits[0].count_ones() + bits[1].count_ones()
}

/// Which of 128 bits stands for a pair: Knuth's multiplicative hash. It is the same on every machine, and whoever finds pairs of
/// one bit makes only his own texts alike, or fewer of them.
fn bit(before: char, symbol: char) -> usize {
    let pair = u64::from(before) << 32 | u64::from(symbol);
    (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize
}

#[cfg(test)]
mod tests;
