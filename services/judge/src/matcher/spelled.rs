//! Characters written as something else: as their pinyin (坏 as `huai`), or as their parts (词 as 讠司). Entries ask for it by
//! flag, and a hit is weak.
//!
//! Entry and text are both spelled out. Where the text has a character whole, it must be the entry's own, so `坏ci语` is found
//! and no other character that sounds the same; and at least one has to be spelled, else the hit is a plain one.

mod spelling;

use ahash::AHashMap;
use proto::v1::{Boundary, Entry};

use super::{Found, Hits, automaton::Automaton};
use crate::{
    entry::{GAPS, GAPS_MAX},
    fold::{Class, Folded, Symbol, class},
};
use spelling::Spelling;

/// Ways to spell one entry: three characters with two readings each are eight.
const WAYS_MAX: usize = 16;

/// Spelled entries that are searched for together.
pub(super) struct Spelled {
    spelling: Spelling,
    automaton: Automaton,
    /// By pattern.
    uses: Vec<Vec<Use>>,
}

/// An entry in one way of spelling.
struct Use {
    entry: u32,
    gaps: u8,
    whole: bool,
    /// Each character of the spelling, and which symbol of the entry it is for.
    pieces: Box<[(char, u8)]>,
    symbols: Box<[char]>,
}

/// A spelled text. A buffer.
#[derive(Default)]
pub(super) struct Text {
    pieces: Vec<Piece>,
    text: String,
}

/// A character of a spelled text.
struct Piece {
    /// What stands in the text itself.
    original: char,
    /// Whether the text has the character that this is a part of, whole.
    whole: bool,
    /// Whether it is the first of its symbol, and the last.
    first: bool,
    last: bool,
    cluster: u32,
    gap: u8,
}

/// Spelled entries in the making.
pub(super) struct Builder {
    spelling: Spelling,
    places: AHashMap<String, usize>,
    texts: Vec<String>,
    uses: Vec<Vec<Use>>,
}

impl Builder {
    pub(super) fn pinyin() -> Self {
        Self::new(Spelling::Pinyin)
    }

    pub(super) fn split() -> Self {
        Self::new(Spelling::Split)
    }

    fn new(spelling: Spelling) -> Self {
        Self { spelling, places: AHashMap::new(), texts: Vec::new(), uses: Vec::new() }
    }

    pub(super) fn add(&mut self, place: u32, entry: &Entry, symbols: &[Symbol]) {
        let symbols: Box<[char]> = symbols.iter().map(|symbol| symbol.char).collect();
        for way in self.ways(&symbols) {
            let pieces: Box<[(char, u8)]> =
                (0..).zip(&way).flat_map(|(symbol, spelled)| spelled.chars().map(move |char| (char, symbol))).collect();
            let used = Use {
                entry: place,
                gaps: entry.gaps.unwrap_or(GAPS).min(GAPS_MAX) as u8,
                whole: entry.boundary() == Boundary::Whole,
                pieces,
                symbols: symbols.clone(),
            };
            let text = way.concat();
            let pattern = *self.places.entry(text.clone()).or_insert_with(|| {
                self.texts.push(text);
                self.uses.push(Vec::new());
                self.uses.len() - 1
            });
            self.uses[pattern].push(used);
        }
    }

    pub(super) fn build(self) -> Spelled {
        Spelled { spelling: self.spelling, automaton: Automaton::new(&self.texts), uses: self.uses }
    }

    /// All ways to spell `symbols`, the most usual one first. None if no symbol can be spelled.
    fn ways(&self, symbols: &[char]) -> Vec<Vec<String>> {
        let mut ways: Vec<Vec<String>> = vec![Vec::new()];
        let mut spelled = false;
        for &symbol in symbols {
            let mut forms = self.spelling.forms(symbol);
            spelled |= !forms.is_empty();
            if forms.is_empty() {
                forms.push(symbol.to_string());
            }
            forms.truncate((WAYS_MAX / ways.len()).max(1));
            ways = ways
                .iter()
                .flat_map(|way| forms.iter().map(move |form| [&way[..], std::slice::from_ref(form)].concat()))
                .collect();
        }
        if spelled { ways } else { Vec::new() }
    }
}

impl Spelled {
    pub(super) fn is_empty(&self) -> bool {
        self.automaton.is_empty()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.automaton.heap_bytes()
    }

    pub(super) fn search(&self, folded: &Folded, text: &mut Text, hits: &mut Hits<'_>) {
        text.spell(self.spelling, folded.symbols());
        self.automaton.search(&text.text, |pattern, end| {
            for used in self.uses.get(pattern as usize).into_iter().flatten() {
                let start = end - used.pieces.len();
                if used.stands(text, start) {
                    let (start, end) = (text.pieces[start].cluster, text.pieces[end - 1].cluster + 1);
                    hits.push(0, Found { entry: used.entry, reading: self.spelling.reading(), start, end });
                }
            }
        });
    }
}

impl Use {
    /// Whether the text from the piece `start` on is this entry.
    fn stands(&self, text: &Text, start: usize) -> bool {
        let mut spelled = false;
        for (at, &(char, symbol)) in self.pieces.iter().enumerate() {
            let Some(piece) = text.pieces.get(start + at) else { return false };
            let own = self.symbols[usize::from(symbol)];
            let first = at == 0 || self.pieces[at - 1].1 != symbol;
            let last = self.pieces.get(at + 1).is_none_or(|next| next.1 != symbol);
            if piece.whole && (piece.original != own || piece.first != first || piece.last != last) {
                return false;
            }
            if at > 0 && piece.gap > 0 && (!first || piece.gap > self.gaps) {
                return false;
            }
            spelled |= !piece.whole && char != own;
        }
        spelled && self.is_apart(text, start)
    }

    /// Whether no letter stands beside letters at the ends; nothing at all, if the entry says so.
    fn is_apart(&self, text: &Text, start: usize) -> bool {
        let letter = |piece: &Piece| !piece.whole && class(piece.original) == Class::Letter;
        let beside = |inner: &Piece, outer: &Piece| self.whole || (letter(inner) && letter(outer));
        let end = start + self.pieces.len();
        let before = start > 0 && text.pieces[start].gap == 0 && beside(&text.pieces[start], &text.pieces[start - 1]);
        let behind = text.pieces.get(end).is_some_and(|outer| outer.gap == 0 && beside(&text.pieces[end - 1], outer));
        !before && !behind
    }
}

impl Text {
    fn spell(&mut self, spelling: Spelling, symbols: &[Symbol]) {
        self.pieces.clear();
        self.text.clear();
        for symbol in symbols {
            let from = self.text.len();
            let whole = spelling.first_form(symbol.char, &mut self.text);
            if !whole {
                self.text.push(symbol.char);
            }
            let count = self.text[from..].chars().count();
            self.pieces.extend((0..count).map(|at| Piece {
                original: symbol.char,
                whole,
                first: at == 0,
                last: at + 1 == count,
                cluster: symbol.cluster,
                gap: if at == 0 { symbol.gap } else { 0 },
            }));
        }
    }
}
