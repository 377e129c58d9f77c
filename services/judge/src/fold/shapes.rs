//! Which symbol stands for which others: look-alikes of Latin letters and digits, digits of all scripts, traditional characters.

use std::sync::LazyLock;

use ahash::AHashMap;

const TRADITIONAL: &str = include_str!("../../data/traditional.txt");
const CONFUSABLES: &str = include_str!("../../data/confusables.txt");

/// The zeros of scripts whose ten digits follow one another.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x11066, 0x1e950,
];

static SHAPES: LazyLock<AHashMap<char, char>> = LazyLock::new(|| {
    let digits = ZEROS.iter().flat_map(|zero| (0..10).filter_map(move |n| Some((char::from_u32(zero + n)?, digit(n)))));
    digits.chain(traditional()).chain(confusables()).collect()
});

/// The symbol that stands for `char`; most stand for themselves.
pub(super) fn shape(char: char) -> char {
    let mut char = char;
    // A pair may lead to another: 薴 is 苧 in one table, and that is 苎.
    for _ in 0..4 {
        match SHAPES.get(&char) {
            Some(&target) => char = target,
            None => break,
        }
    }
    char
}

fn digit(n: u32) -> char {
    char::from_digit(n, 10).unwrap_or('0')
}

fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn traditional() -> impl Iterator<Item = (char, char)> {
    lines(TRADITIONAL).filter_map(|line| {
        let mut chars = line.chars();
        Some((chars.next()?, chars.next()?))
    })
}

fn confusables() -> impl Iterator<Item = (char, char)> {
    lines(CONFUSABLES).flat_map(|line| {
        let mut chars = line.chars().filter(|char| *char != ' ');
        let target = chars.next().unwrap_or_default();
        chars.map(move |char| (char, target))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_end() {
        assert!(traditional().count() >= 2_500);
        for (&from, _) in SHAPES.iter() {
            let to = shape(from);
            assert_ne!(from, to);
            assert_eq!(SHAPES.get(&to), None, "{from} leads to {to}, and that further");
        }
    }

    #[test]
    fn han_is_nobodys_look_alike() {
        assert!(
            confusables().all(|(from, to)| to.is_ascii_alphanumeric() && !('\u{2e80}'..'\u{a000}').contains(&from))
        );
    }
}
