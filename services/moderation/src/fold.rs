//! How texts are compared here: as the judge folds them, so that what looks the same to it is the same to us.
//! Kept out: what a hit is, which only the judge says.

use judge::fold::{Folded, fold};
use unicode_segmentation::UnicodeSegmentation as _;

/// A text as it is compared with others, with one blank where signs keep two Latin words apart; empty if it has only signs.
pub(crate) fn key(text: &str) -> String {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    let mut key = String::with_capacity(text.len());
    let mut before = ' ';
    for symbol in folded.symbols() {
        if symbol.gap > 0 && is_spelled(before) && is_spelled(symbol.char) {
            key.push(' ');
        }
        key.push(symbol.char);
        before = symbol.char;
    }
    key
}

/// Whether words of it are kept apart by signs.
fn is_spelled(symbol: char) -> bool {
    symbol.is_alphabetic() && (symbol as u32) < 0x2e80
}

/// Characters as readers count them.
pub(crate) fn clusters(text: &str) -> usize {
    text.graphemes(true).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same() {
        for (text, expected) in [
            ("Blorp", "blorp"),
            ("ｂｌｏｒｐ", "blorp"),
            ("blorp  garden!", "blorp garden"),
            ("坏 词.语", "坏词语"),
            ("*.-", ""),
        ] {
            assert_eq!(key(text), expected, "{text}");
        }
    }
}
