//! Whole tokens with signs and digits for letters: `b4dw0rd`. A token without a letter is a number, and read as nothing else.

use proto::v1::Reading;

use super::{Found, Hits, pattern::Patterns};
use crate::fold::{Class, Line, Stream, Symbol, class};

/// Symbols of the shortest word that is read so: in two of them too much would be found.
const SYMBOLS_MIN: usize = 3;

/// Symbols of the longest token that is looked at: no entry has so many, unless its letters are held down.
const SYMBOLS_MAX: usize = 256;

/// Tokens of a text that are looked at: the door lets in 100 characters.
const TOKENS_MAX: usize = 64;

/// A character of a token.
#[derive(Clone, Copy)]
struct Piece {
    char: char,
    cluster: u32,
    /// Signs before it that are no letters.
    gap: u8,
}

impl Piece {
    /// The letter that is meant; for some another one when read the second way.
    fn letter(self, second: bool) -> Option<char> {
        Some(match self.char {
            '7' if second => 't',
            '1' | '!' if second => 'l',
            '0' => 'o',
            '1' | '!' => 'i',
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 'l',
            '+' => 't',
            '#' => 'h',
            '<' => 'c',
            _ => return None,
        })
    }

    fn is_ambiguous(&self) -> bool {
        matches!(self.char, '1' | '7' | '!')
    }

    fn is_sign(&self) -> bool {
        class(self.char) == Class::Other
    }

    fn is_letter(&self) -> bool {
        class(self.char) == Class::Letter
    }

    fn is_leet(&self) -> bool {
        self.letter(false).is_some()
    }
}

/// Looks for the whole tokens of a line, each between white space or characters.
pub(super) fn search(patterns: &Patterns, line: &Line, stream: &mut Stream, hits: &mut Hits<'_>) {
    let mut token: Vec<Piece> = Vec::new();
    let (mut gap, mut tokens) = (0_u8, 0);
    // A blank more ends the last token.
    for (char, cluster) in line.chars().chain([(' ', 0)]) {
        let piece = Piece { char, cluster, gap };
        if class(char) != Class::Other || piece.is_leet() {
            token.push(piece);
            gap = 0;
        } else if char == ' ' || char.is_alphanumeric() {
            if token.iter().any(Piece::is_letter) && token.iter().any(Piece::is_leet) && tokens < TOKENS_MAX {
                tokens += 1;
                search_token(patterns, &token, stream, hits);
            }
            token.clear();
            gap = 0;
        } else {
            gap = gap.saturating_add(1);
        }
    }
}

/// Each part of a token that has no other signs in it, and then the whole with these as gaps: `b.a.d🙂w0rd`.
fn search_token(patterns: &Patterns, token: &[Piece], stream: &mut Stream, hits: &mut Hits<'_>) {
    let mut parts = 0;
    for part in token.chunk_by(|_, next| next.gap == 0).take(TOKENS_MAX) {
        parts += 1;
        trim(patterns, part, stream, hits);
    }
    if parts > 1 {
        trim(patterns, token, stream, hits);
    }
}

/// With the signs at its ends as letters (`$tar`), and as what they mostly are (`w0rd!`).
fn trim(patterns: &Patterns, token: &[Piece], stream: &mut Stream, hits: &mut Hits<'_>) {
    if !(SYMBOLS_MIN..=SYMBOLS_MAX).contains(&token.len()) || !token.iter().any(Piece::is_letter) {
        return;
    }
    let leading = token.iter().take_while(|piece| piece.is_sign()).count();
    let trailing = token.iter().rev().take_while(|piece| piece.is_sign()).count();
    for start in [0, leading].into_iter().take(if leading == 0 { 1 } else { 2 }) {
        for end in [token.len(), token.len() - trailing].into_iter().take(if trailing == 0 { 1 } else { 2 }) {
            let token = &token[start..end];
            if token.iter().any(Piece::is_leet) {
                read(patterns, token, false, stream, hits);
                if token.iter().any(Piece::is_ambiguous) {
                    read(patterns, token, true, stream, hits);
                }
            }
        }
    }
}

fn read(patterns: &Patterns, token: &[Piece], second: bool, stream: &mut Stream, hits: &mut Hits<'_>) {
    stream.clear();
    for piece in token {
        let char = piece.letter(second).unwrap_or(piece.char);
        stream.push(Symbol { char, cluster: piece.cluster, gap: piece.gap, spaced: false });
    }
    patterns.each(stream, |used, start, end, reading| {
        if reading.is_ok() && start == 0 && end == token.len() && end >= SYMBOLS_MIN {
            let (first, last) = (token[0].cluster, token[end - 1].cluster);
            hits.push(used.part, Found { entry: used.entry, reading: Reading::Leet, start: first, end: last + 1 });
        }
    });
}
