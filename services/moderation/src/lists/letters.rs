//! The characters that new texts are made of: an old text that is one of them, or stands within one, is made of these too. Most of
//! a long list is not, so an edit of one word need not put 100,000 into a map (measured: 124 ms an edit before). What is
//! compared, and why, is kept out.

use std::collections::HashSet;

use super::edit::Placed;

/// The characters of some folded texts.
pub(super) struct Letters {
    /// A bit each, because most texts of most lists are told by their first one.
    ascii: u128,
    others: HashSet<char>,
}

impl Letters {
    pub(super) fn of(new: &[Placed]) -> Self {
        let mut letters = Self { ascii: 0, others: HashSet::new() };
        for letter in new.iter().flat_map(|placed| placed.kept.folded.chars()) {
            if letter.is_ascii() {
                letters.ascii |= 1 << u32::from(letter);
            } else {
                letters.others.insert(letter);
            }
        }
        letters
    }

    /// Whether `text` could be one of them, or stand within one.
    pub(super) fn make_up(&self, text: &str) -> bool {
        let has = |letter: char| match letter.is_ascii() {
            true => self.ascii >> u32::from(letter) & 1 == 1,
            false => self.others.contains(&letter),
        };
        text.chars().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::entry::Entry;

    #[test]
    fn parts_are_made_up_of_them() {
        let new = ["blorp", "坏词"].map(|text| Placed { line: 1, kept: Entry::word(text).kept("house").unwrap() });
        let letters = Letters::of(&new);
        for (text, expected) in
            [("blorp", true), ("lor", true), ("坏", true), ("", true), ("blorps", false), ("好词", false), ("é", false)]
        {
            assert_eq!(letters.make_up(text), expected, "{text}");
        }
    }
}
