//! Whole tokens with signs and digits for letters: `b4dw0rd`. A token without a letter is a number, and read as nothing else.

use proto::v1::Reading;

use super::{Found, Hits, pattern::Patterns};
use crate::fold::{Class, Line, Stream, Symbol, class};

/// Symbols of the shortest word that is read so: in two of them too much would be found.
const SYMBOLS_MIN: usize = 3;

/// A character of a token.
#[derive(Clone, Copy)]
struct Piece {
    char: char,
    cluster: u32,
}

impl Piece {
    /// The letter that is meant; for some another one when read the second way.
    fn letter(self, second: bool) -> Option<char> {
        Some(match self.char {
            '1' | '7' | '!' if second => {
                if self.char == '7' {
                    't'
                } else {
                    'l'
                }
            }
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

    fn is_ambiguous(self) -> bool {
        matches!(self.char, '1' | '7' | '!')
    }

    fn is_sign(self) -> bool {
        class(self.char) == Class::Other
    }
}

/// Looks for the whole tokens of a line.
pub(super) fn search(patterns: &Patterns, line: &Line, stream: &mut Stream, hits: &mut Hits<'_>) {
    let mut token: Vec<Piece> = Vec::new();
    for (char, cluster) in line.chars() {
        let piece = Piece { char, cluster };
        if class(char) != Class::Other || piece.letter(false).is_some() {
            token.push(piece);
        } else {
            search_token(patterns, &token, stream, hits);
            token.clear();
        }
    }
    search_token(patterns, &token, stream, hits);
}

/// With the signs at its ends as letters (`$tar`), and as what they mostly are (`w0rd!`).
fn search_token(patterns: &Patterns, token: &[Piece], stream: &mut Stream, hits: &mut Hits<'_>) {
    let letter = |piece: &Piece| class(piece.char) == Class::Letter;
    let leet = |piece: &Piece| piece.letter(false).is_some();
    if token.len() < SYMBOLS_MIN || !token.iter().any(letter) || !token.iter().any(leet) {
        return;
    }
    let leading = token.iter().take_while(|piece| piece.is_sign()).count();
    let trailing = token.iter().rev().take_while(|piece| piece.is_sign()).count();
    for start in [0, leading].into_iter().take(if leading == 0 { 1 } else { 2 }) {
        for end in [token.len(), token.len() - trailing].into_iter().take(if trailing == 0 { 1 } else { 2 }) {
            let token = token.get(start..end).unwrap_or_default();
            if token.iter().any(leet) {
                read(patterns, token, false, stream, hits);
                if token.iter().any(|piece| piece.is_ambiguous()) {
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
        stream.push(Symbol { char, cluster: piece.cluster, gap: 0, spaced: false });
    }
    patterns.each(stream, |used, start, end, _| {
        if start == 0 && end == token.len() && end >= SYMBOLS_MIN {
            let (first, last) = (token[0].cluster, token[end - 1].cluster);
            hits.push(used.part, Found { entry: used.entry, reading: Reading::Leet, start: first, end: last + 1 });
        }
    });
}
