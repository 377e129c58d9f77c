//! What a text becomes before it goes on record, whoever writes it: control characters out, marks thinned, measured as readers
//! count. Kept out: what the words mean; that is the judge's.

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation as _;

/// Written languages stack up to four marks on a letter (Vietnamese two, Tibetan and Hebrew with accents four); twice that
/// hurts none of them, and a letter with a hundred covers the lines above it.
const MARKS_MAX: usize = 8;

/// The longest emoji in use, a family of four with skin tones, takes 41 bytes; a flag of a region 28.
const CLUSTER_BYTES_MAX: usize = 64;

/// Why a text cannot go on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    /// Nothing to read.
    #[error("nothing is left to read in the text once it is cleaned")]
    Empty,
    /// One character is made of more bytes than any script needs.
    #[error("one character of the text is over 64 bytes")]
    ClusterTooLong,
    /// More characters than may be.
    #[error("the text is over {0} characters")]
    TooLong(usize),
}

/// The text as it goes on record, if it may.
///
/// # Errors
/// When nothing can be read of it, or it is too long.
pub fn danmaku(text: &str, clusters_max: usize) -> Result<String, BadText> {
    let text = line(text);
    if text.chars().all(is_blank) {
        return Err(BadText::Empty);
    }
    for (at, cluster) in text.graphemes(true).enumerate() {
        if cluster.len() > CLUSTER_BYTES_MAX {
            return Err(BadText::ClusterTooLong);
        }
        if at >= clusters_max {
            return Err(BadText::TooLong(clusters_max));
        }
    }
    Ok(text)
}

/// One line of text without control characters and with at most [`MARKS_MAX`] marks a cluster, white space trimmed.
pub fn line(text: &str) -> String {
    let plain: String =
        text.chars().filter(|&c| c == '\t' || !is_control(c)).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let mut thinned = String::with_capacity(plain.len());
    for cluster in plain.graphemes(true) {
        let mut marks = 0;
        thinned.extend(cluster.chars().filter(|&c| {
            marks += usize::from(is_combining_mark(c));
            marks <= MARKS_MAX || !is_combining_mark(c)
        }));
    }
    thinned.trim().to_owned()
}

/// C0, DEL and C1, and the characters that turn the direction of what stands around them (Unicode's `Bidi_Control`).
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// White space, and characters that show nothing by themselves: fillers, joiners, variation selectors, tags.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200d}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(danmaku(text, 100).as_deref(), Ok(expected), "{text:?}");
    }

    #[test]
    fn controls_are_removed_and_white_space_is_trimmed() {
        check("hello", "hello");
        check("  弹幕 来了 \u{3000}", "弹幕 来了");
        check("a\tb", "a b");
        check("a\u{1}b\n\u{7f}c\u{85}", "abc");
        check("\u{202e}txt.exe\u{202c}", "txt.exe");
        check("a\u{2066}b\u{2069}\u{200f}\u{61c}", "ab");
        check("👨\u{200d}👩\u{200d}👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 กำลัง", "👨\u{200d}👩\u{200d}👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 กำลัง");
    }

    #[test]
    fn marks_are_thinned_to_eight() {
        let mark = '\u{301}';
        let marks = |count: usize| format!("e{}!", mark.to_string().repeat(count));
        check(&marks(8), &marks(8));
        check(&marks(9), &marks(8));
        check(&marks(1000), &marks(8));
    }

    #[test]
    fn nothing_to_read_is_empty() {
        for text in ["", " ", "\t\n", "\u{3000}\u{a0}", "\u{200b}\u{200d}\u{feff}", "\u{202e}", "\u{2800}\u{3164}"] {
            assert_eq!(danmaku(text, 100), Err(BadText::Empty), "{text:?}");
        }
    }

    #[test]
    fn characters_are_counted_as_readers_count_them() {
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦";
        for character in ["a", "弹", "e\u{301}", family, "🇯🇵"] {
            assert!(danmaku(&character.repeat(100), 100).is_ok(), "{character}");
            assert_eq!(danmaku(&character.repeat(101), 100), Err(BadText::TooLong(100)), "{character}");
        }
    }

    #[test]
    fn one_character_of_many_bytes_is_refused() {
        let chain = |links: usize| vec!["👩"; links].join("\u{200d}");
        assert!(danmaku(&chain(9), 100).is_ok(), "9 × 4 + 8 × 3 = 60 bytes");
        assert_eq!(danmaku(&chain(10), 100), Err(BadText::ClusterTooLong));
        assert_eq!(danmaku(&format!("a{}", "\u{200d}".repeat(1000)), 100), Err(BadText::ClusterTooLong));
    }

    proptest! {
        #[test]
        fn what_is_admitted_keeps_to_the_rules(text in "(\\PC|[\u{0}-\u{20}\u{200d}\u{301}\u{202a}-\u{202e}👩a]){0,200}") {
            let Ok(clean) = danmaku(&text, 100) else { return Ok(()) };
            prop_assert!(!clean.chars().any(is_control));
            prop_assert_eq!(clean.trim(), &clean);
            prop_assert!(clean.graphemes(true).count() <= 100);
            prop_assert!(clean.graphemes(true).all(|cluster| cluster.len() <= CLUSTER_BYTES_MAX));
        }
    }
}
