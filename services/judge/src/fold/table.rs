//! What single characters come to, worked out once for the first two planes (512 KiB). Clusters of several are kept out.

use std::{ops::BitOrAssign, sync::LazyLock};

use ahash::AHashMap;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};
use unicode_properties::UnicodeEmoji as _;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{
    class::{Class, class, numeral},
    expand::{expand, is_unseen},
    shapes::shape,
};

/// What is beyond is Han, and private.
const TABLED: u32 = 0x2_0000;

/// What a character comes to, in 32 bits: 21 of a character, 3 of its kind, 1 for [`Entry::is_plain`], 7 of what was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u32);

/// The kinds of what a character comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Nothing,
    Symbol,
    Space,
    Punctuation,
    Emoji,
    /// Several symbols, of which the entry tells nothing.
    Several,
}

/// What a text holds, so that readings that need something else are not tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Seen(u32);

impl Seen {
    const LETTER: u32 = 1;
    const DIGIT: u32 = 2;
    const NUMERAL: u32 = 4;
    const LEET: u32 = 8;
    const STAR: u32 = 16;
    const OTHER: u32 = 32;

    fn of(char: char, kind: Kind) -> u32 {
        if kind != Kind::Symbol {
            return match char {
                '*' => Self::STAR,
                '@' | '$' | '!' | '+' | '#' | '<' => Self::LEET,
                _ => 0,
            };
        }
        let numeral = if numeral(char).is_some() { Self::NUMERAL } else { 0 };
        numeral
            | match class(char) {
                Class::Letter => Self::LETTER,
                Class::Digit => Self::DIGIT,
                Class::Other => Self::OTHER,
            }
    }

    pub(crate) fn letters(self) -> bool {
        self.0 & Self::LETTER != 0
    }

    pub(crate) fn digits(self) -> bool {
        self.0 & Self::DIGIT != 0
    }

    /// Han numerals that stand for one digit.
    pub(crate) fn numerals(self) -> bool {
        self.0 & Self::NUMERAL != 0
    }

    /// Signs that may stand for letters.
    pub(crate) fn leet_signs(self) -> bool {
        self.0 & Self::LEET != 0
    }

    pub(crate) fn stars(self) -> bool {
        self.0 & Self::STAR != 0
    }

    /// Symbols that are neither letters nor digits.
    pub(crate) fn others(self) -> bool {
        self.0 & Self::OTHER != 0
    }
}

impl BitOrAssign for Seen {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Kind {
    pub(super) fn is_sign(self) -> bool {
        matches!(self, Self::Space | Self::Punctuation | Self::Emoji)
    }
}

impl Entry {
    fn new(char: char, kind: Kind, plain: bool) -> Self {
        Self(char as u32 | (kind as u32) << 21 | u32::from(plain) << 24 | Seen::of(char, kind) << 25)
    }

    pub(super) fn char(self) -> char {
        char::from_u32(self.0 & 0x1f_ffff).unwrap_or_default()
    }

    pub(super) fn kind(self) -> Kind {
        match self.0 >> 21 & 7 {
            1 => Kind::Symbol,
            2 => Kind::Space,
            3 => Kind::Punctuation,
            4 => Kind::Emoji,
            5 => Kind::Several,
            _ => Kind::Nothing,
        }
    }

    /// Whether the character is always a cluster of its own among others that are, and comes to one symbol or sign at most.
    pub(super) fn is_plain(self) -> bool {
        self.0 >> 24 & 1 != 0
    }

    pub(super) fn seen(self) -> Seen {
        Seen(self.0 >> 25)
    }
}

/// The table.
pub(super) struct Table {
    entries: Box<[Entry]>,
    /// Of characters that come to several symbols, these.
    several: AHashMap<char, Box<[Entry]>>,
}

/// The one table. Working it out takes some 20 ms; who must not wait asks for it early.
pub(super) fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut buffers = (Vec::new(), String::new());
        let mut several = AHashMap::new();
        let mut made = |char| {
            let entry = entry(char, &mut buffers);
            if entry.kind() == Kind::Several {
                several.insert(char, buffers.0.iter().map(|&symbol| Entry::new(symbol, Kind::Symbol, true)).collect());
            }
            entry
        };
        let entries = (0..TABLED).map(|code| char::from_u32(code).map_or(Entry(0), &mut made)).collect();
        Table { entries, several }
    });
    &TABLE
}

impl Table {
    #[inline]
    pub(super) fn get(&self, char: char) -> Entry {
        match self.entries.get(char as usize) {
            Some(&entry) => entry,
            None => beyond(char),
        }
    }

    /// The symbols of a character that comes to several, unless it lies beyond.
    pub(super) fn several(&self, char: char) -> Option<&[Entry]> {
        self.several.get(&char).map(|symbols| &**symbols)
    }

    /// The entry of a character that is a symbol already.
    pub(super) fn symbol(&self, char: char) -> Entry {
        Entry::new(char, Kind::Symbol, true)
    }
}

/// Of the planes behind the table: Han as it is, compatibility forms by the long way, tags as nothing.
fn beyond(char: char) -> Entry {
    match char {
        '\u{2f800}'..='\u{2fa1f}' => Entry::new(char, Kind::Several, false),
        _ if is_unseen(char) => Entry::new(char, Kind::Nothing, false),
        _ if char.is_alphanumeric() => Entry::new(shape(char), Kind::Symbol, true),
        _ => Entry::new(char, Kind::Punctuation, true),
    }
}

fn entry(char: char, (symbols, text): &mut (Vec<char>, String)) -> Entry {
    // Most of the table, and nothing in it is composed of others.
    if matches!(char, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') {
        return Entry::new(shape(char), Kind::Symbol, true);
    }
    text.clear();
    text.push(char);
    expand(text, symbols);
    let plain = stands_alone(char, text);
    match **symbols {
        [] => Entry::new(plainer(char), kind(char), plain),
        [symbol] => Entry::new(symbol, Kind::Symbol, plain),
        _ => Entry::new(char, Kind::Several, false),
    }
}

/// Of what comes to no symbol.
fn kind(char: char) -> Kind {
    let regional = ('\u{1f1e6}'..='\u{1f1ff}').contains(&char);
    match char {
        _ if char.is_whitespace() => Kind::Space,
        _ if is_unseen(char) || is_combining_mark(char) => Kind::Nothing,
        _ if regional || (char > '\u{ff}' && char.is_emoji_char()) => Kind::Emoji,
        _ => Kind::Punctuation,
    }
}

/// The form of a sign that other forms are compatible with, if it is one character.
fn plainer(char: char) -> char {
    let mut plainer = [char].into_iter().nfkc();
    match (plainer.next(), plainer.next()) {
        (Some(one), None) => one,
        _ => char,
    }
}

/// Whether no neighbor of the kinds that stand alone ever draws `char` into its cluster, or is drawn into its.
fn stands_alone(char: char, text: &mut String) -> bool {
    if char == '\r' {
        return false;
    }
    // A letter on either side tells marks and prepended ones, a Hangul syllable jamo, itself flags.
    [['a', char], [char, 'a'], ['가', char], [char, '가'], [char, char]].iter().all(|pair| {
        text.clear();
        text.extend(pair);
        text.graphemes(true).count() == 2
    })
}
