//! How characters are spelled: by their readings, or by their parts (`data/split.txt`).

use std::sync::LazyLock;

use ahash::AHashMap;
use pinyin::{ToPinyin as _, ToPinyinMulti as _};
use proto::v1::Reading;

/// A way to write characters as something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    Pinyin,
    Split,
}

/// The parts of characters, one in a line: the character, a blank, its parts.
static PARTS: LazyLock<AHashMap<char, &str>> = LazyLock::new(|| {
    let lines = include_str!("../../../data/split.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(whole, parts)| Some((whole.chars().next()?, parts)))
        .collect()
});

impl Spelling {
    pub(super) fn reading(self) -> Reading {
        match self {
            Self::Pinyin => Reading::Pinyin,
            Self::Split => Reading::Split,
        }
    }

    /// All spellings of a character, the most usual one first; none for most.
    pub(super) fn forms(self, symbol: char) -> Vec<String> {
        let mut forms = Vec::new();
        match self {
            Self::Split => forms.extend(PARTS.get(&symbol).map(|parts| (*parts).to_owned())),
            Self::Pinyin => {
                let first = symbol.to_pinyin();
                let others = symbol.to_pinyin_multi();
                for reading in first.into_iter().chain(others.into_iter().flatten()) {
                    // ü is typed as v; folded, it is u.
                    for u in ["v", "u"] {
                        let form = reading.plain().replace('ü', u);
                        if !forms.contains(&form) {
                            forms.push(form);
                        }
                    }
                }
            }
        }
        forms
    }

    /// Writes the most usual spelling; false if there is none.
    pub(super) fn first_form(self, symbol: char, into: &mut String) -> bool {
        match self {
            Self::Split => PARTS.get(&symbol).map(|parts| into.push_str(parts)).is_some(),
            Self::Pinyin => {
                let Some(reading) = symbol.to_pinyin() else { return false };
                into.extend(reading.plain().chars().map(|char| if char == 'ü' { 'v' } else { char }));
                true
            }
        }
    }
}
