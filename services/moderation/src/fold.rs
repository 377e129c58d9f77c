//! How texts are compared here: as the judge compares them, so that what is the same to it is the same to us.
//! Kept out: what a hit is, which only the judge says.

pub(crate) use judge::entry::{folded_key as identity, spelling as key};
use unicode_segmentation::UnicodeSegmentation as _;

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
        // Where the judge passes over signs between letters, they keep nothing apart here either.
        assert_eq!(key("كلمة سيئة"), key("كلمةسيئة"));
    }
}
