//! Texts, lists and ways to write the same, for properties. Small alphabets find most faults.

use proptest::{prelude::*, sample::select};
use proto::v1::{Boundary, Entry, EntryKind};

use crate::common::{allow, word};

const SMALL: &[&str] =
    &["a", "b", "A", "ａ", "1", "2", "坏", "词", "壞", "\u{200b}", "🙂", " ", ".", "*", "\u{301}", "4", "ﬁ", "。"];

/// Of what the tables can change.
const SYMBOLS: &[&str] = &["a", "b", "坏", "词", "1", "f"];

/// Those of the nasty ones that are repeated up to 64 KiB.
pub(crate) const HAND_PICKED: usize = 100;

/// Texts of a small alphabet.
pub(crate) fn small() -> impl Strategy<Value = String> {
    prop::collection::vec(select(SMALL), 0..14).prop_map(|parts| parts.concat())
}

/// Any text, of which some is nasty.
pub(crate) fn wild() -> impl Strategy<Value = String> {
    let nasty = select(nasty());
    prop::collection::vec(prop_oneof![any::<char>().prop_map(String::from), "\\PC", nasty], 0..24)
        .prop_map(|parts| parts.concat())
}

fn entry_text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(SYMBOLS), 1..5).prop_map(|parts| parts.concat())
}

/// Words of the small alphabet.
pub(crate) fn lists() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(entry_text(), 1..6)
}

/// An entry of any boundary and gaps.
pub(crate) fn entry() -> impl Strategy<Value = Entry> {
    let boundary = select(&[Boundary::Auto, Boundary::Whole, Boundary::Anywhere][..]);
    (entry_text(), boundary, prop::option::of(0_u32..5)).prop_map(|(text, boundary, gaps)| Entry {
        boundary: boundary.into(),
        gaps,
        ..word(&text)
    })
}

/// Such entries.
pub(crate) fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(entry(), 1..6)
}

/// A list that uses everything there is.
pub(crate) fn everything_on() -> Vec<Entry> {
    let regex = |text| Entry { kind: EntryKind::Regex.into(), ..word(text) };
    let all =
        |text| Entry { numeric: true, pinyin: true, split: true, boundary: Boundary::Anywhere.into(), ..word(text) };
    let near = Entry { also: vec!["a".to_owned(), "坏".to_owned()], within: 9, ..word("词") };
    vec![
        word("a"),
        word("aa"),
        word("坏"),
        word("坏词语"),
        word("1"),
        word("badword"),
        all("坏词语"),
        all("一a"),
        allow("ab"),
        near,
        regex("[a坏]+."),
    ]
}

/// What breaks things: unseen, combining, directional, expanding, unassigned, half of something.
pub(crate) fn nasty() -> Vec<String> {
    let mut nasty: Vec<String> = [
        "\0",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{ad}",
        "\u{300}",
        "\u{301}",
        "\u{34f}",
        "\u{488}",
        "\u{5b0}",
        "\u{600}",
        "\u{61c}",
        "\u{64b}",
        "\u{6dd}",
        "\u{93c}",
        "\u{94d}",
        "क्ष",
        "\u{e33}",
        "ำ",
        "\u{1100}",
        "\u{1161}",
        "\u{11a8}",
        "각",
        "\u{115f}",
        "\u{1160}",
        "\u{17b4}",
        "\u{180b}",
        "\u{180e}",
        "ẞ",
        "ß",
        "İ",
        "ı",
        "ſ",
        "ς",
        "Σ",
        "ﬁ",
        "ﬃ",
        "ﷺ",
        "㍿",
        "½",
        "Ⅷ",
        "™",
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{200e}",
        "\u{202a}",
        "\u{202e}",
        "\u{2028}",
        "\u{2029}",
        "\u{2060}",
        "\u{2066}",
        "\u{206a}",
        "\u{20dd}",
        "\u{20e3}",
        "\u{2d1}",
        "\u{3000}",
        "\u{302a}",
        "\u{3099}",
        "\u{309a}",
        "か\u{3099}",
        "\u{3164}",
        "\u{fe00}",
        "\u{fe0e}",
        "\u{fe0f}",
        "\u{feff}",
        "\u{ff9e}",
        "\u{ffa0}",
        "\u{fff9}",
        "\u{fffc}",
        "\u{fffd}",
        "\u{ffff}",
        "\u{10ffff}",
        "\u{e000}",
        "𝐚",
        "🅰",
        "🅰\u{fe0f}",
        "🇵",
        "🇵🇸",
        "👍",
        "👍🏽",
        "👩\u{200d}",
        "👨‍👩‍👧",
        "🏴\u{e0067}\u{e007f}",
        "#\u{fe0f}\u{20e3}",
        "1\u{20e3}",
        "\u{1d173}",
        "\u{e0001}",
        "\u{e0100}",
        "丽",
        "乘",
        "*",
        "**",
        "a*a",
        "@",
        "$",
        "!",
        "b4d",
        "www.",
        "a.com",
        "://",
        "q1234567",
        "[",
        "]",
        "\\",
        "(?",
    ]
    .map(str::to_owned)
    .into();
    // And one of each block of 512 characters of the first two planes.
    nasty.extend((0..0x2_0000_u32).step_by(512).filter_map(|code| Some(char::from_u32(code + 37)?.to_string())));
    nasty
}

/// A way to write a text that changes nothing for who reads it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Transform {
    Upper,
    Wide,
    Traditional,
    Unseen,
    Marks,
    Cyrillic,
}

/// Any of them.
pub(crate) fn transform() -> impl Strategy<Value = Transform> {
    use Transform::{Cyrillic, Marks, Traditional, Unseen, Upper, Wide};
    select(&[Upper, Wide, Traditional, Unseen, Marks, Cyrillic][..])
}

impl Transform {
    pub(crate) fn apply(self, text: &str) -> String {
        match self {
            Self::Upper => text.to_uppercase(),
            Self::Wide => text.chars().map(wide).collect(),
            Self::Traditional => text.replace('坏', "壞").replace('词', "詞"),
            // A joiner would make one cluster of two emoji, and that is one sign less.
            Self::Unseen => text.chars().flat_map(|char| [char, '\u{200b}']).collect(),
            Self::Marks => text
                .chars()
                .flat_map(|char| [Some(char), char.is_ascii_lowercase().then_some('\u{301}')])
                .flatten()
                .collect(),
            Self::Cyrillic => text.replace('a', "а").replace('b', "Ь"),
        }
    }
}

fn wide(char: char) -> char {
    match char {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => char::from_u32(char as u32 + 0xfee0).unwrap_or(char),
        _ => char,
    }
}
