//! Whole words with a letter hidden behind a star: `b*dword`. They count as leet.

use ahash::AHashMap;
use proto::v1::Reading;

use super::{Found, Hits};
use crate::fold::{Class, Line, Symbol, class};

/// Letters of the words that are looked for.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=20;

/// Hidden letters of a word, which are also fewer than the others: more hide another word than the one that is thought of.
const STARS_MAX: usize = 3;

/// Tokens of a text that are looked up. A text with more is made of stars.
const TOKENS_MAX: usize = 32;

/// What a text must show of a word: its length, its first and its last letter.
type Outline = (u8, char, char);

/// Words by outline, each with its entry.
#[derive(Default)]
pub(super) struct Stars(AHashMap<Outline, Vec<(u32, Box<str>)>>);

impl Stars {
    /// Adds an entry if it is one word of letters.
    pub(super) fn add(&mut self, place: u32, symbols: &[Symbol]) {
        let together = symbols.iter().skip(1).all(|symbol| symbol.gap == 0);
        if !LETTERS.contains(&symbols.len())
            || !together
            || symbols.iter().any(|symbol| class(symbol.char) != Class::Letter)
        {
            return;
        }
        if let (Some(first), Some(last)) = (symbols.first(), symbols.last()) {
            let word = symbols.iter().map(|symbol| symbol.char).collect::<String>().into();
            self.0.entry((symbols.len() as u8, first.char, last.char)).or_default().push((place, word));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn search(&self, line: &Line, hits: &mut Hits<'_>) {
        let mut token: Vec<(char, u32)> = Vec::new();
        let mut tokens = 0;
        // A blank more ends the last token.
        for (char, cluster) in line.chars().chain([(' ', 0)]) {
            if char == '*' || class(char) != Class::Other {
                token.push((char, cluster));
                continue;
            }
            if token.iter().any(|&(char, _)| char == '*') && tokens < TOKENS_MAX {
                tokens += 1;
                self.look_up(&token, hits);
            }
            token.clear();
        }
    }

    fn look_up(&self, token: &[(char, u32)], hits: &mut Hits<'_>) {
        // Stars around a word mean nothing.
        let shown = |&(char, _): &(char, u32)| char != '*';
        let (Some(start), Some(end)) = (token.iter().position(shown), token.iter().rposition(shown)) else { return };
        let token = &token[start..=end];
        let stars = token.iter().filter(|&&(char, _)| char == '*').count();
        if !LETTERS.contains(&token.len()) || !(1..=STARS_MAX).contains(&stars) || stars * 2 >= token.len() {
            return;
        }
        let ((first, start), (last, end)) = (token[0], token[token.len() - 1]);
        for (entry, word) in self.0.get(&(token.len() as u8, first, last)).into_iter().flatten() {
            if word.chars().zip(token).all(|(letter, &(char, _))| char == '*' || char == letter) {
                hits.push(0, Found { entry: *entry, reading: Reading::Leet, start, end: end + 1 });
            }
        }
    }
}
