//! The texts and lists that are measured on: those of the shared folder, or made up from fixed seeds.

use std::{env, fs, path::PathBuf, sync::Arc};

use proto::v1::{Entry, EntryKind};

/// Characters in daily use, from which texts and words are made up: a block of 3,500 Han.
const HAN: std::ops::Range<u32> = 0x4e00..0x5bac;

/// Texts and lists.
pub(crate) struct World {
    pub(crate) texts: Vec<String>,
    words: Vec<String>,
    allow: Vec<String>,
    pub(crate) texts_from: &'static str,
    pub(crate) words_from: &'static str,
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % end
    }

    fn han(&mut self, length: u32) -> String {
        (0..length).filter_map(|_| char::from_u32(HAN.start + self.below(HAN.end - HAN.start))).collect()
    }
}

impl World {
    pub(crate) fn load() -> Self {
        let folder = env::var_os("DANMAKU_SHARED")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let lines = |file: &str| read(file).map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        let texts = read("data/live_room_5h_20211218.ndjson")
            .map(|file| file.lines().filter_map(text).filter(|text| is_usual(text)).collect::<Vec<_>>());
        let words = lines("words/zh_deny_houbb_65k.txt");
        let allow = lines("words/latin_allow_rustrict_20k.txt");
        Self {
            texts_from: if texts.is_some() {
                "a live room, those of 5 to 16 characters"
            } else {
                "made up (no shared folder)"
            },
            words_from: if words.is_some() { "a real list" } else { "made up (no shared folder)" },
            texts: texts.unwrap_or_else(|| (5..17).flat_map(|length| texts_of(length, 1_000)).collect()),
            words: words.unwrap_or_default(),
            allow: allow.unwrap_or_default(),
        }
    }

    /// Characters of a text on average.
    pub(crate) fn chars(&self) -> f64 {
        self.texts.iter().map(|text| text.chars().count()).sum::<usize>() as f64 / self.texts.len() as f64
    }

    /// So many words and allow phrases: those there are, and made-up ones up to the number.
    pub(crate) fn words(&self, words: usize, allow: usize) -> Arc<[Entry]> {
        let mut numbers = Numbers(5);
        let mut made = move || {
            let length = 2 + numbers.below(7);
            numbers.han(length)
        };
        let words: Vec<String> =
            self.words.iter().cloned().chain(std::iter::from_fn(|| Some(made()))).take(words).collect();
        let mut numbers = Numbers(6);
        let mut made =
            move || (0..6 + numbers.below(8)).map(|_| char::from(b'a' + numbers.below(26) as u8)).collect::<String>();
        let allow = self.allow.iter().cloned().chain(std::iter::from_fn(move || Some(made()))).take(allow);
        let word = |text: String| Entry { text, severity: 2, ..Entry::default() };
        let good = |entry: &Entry| judge::entry::check(entry).is_ok();
        words
            .into_iter()
            .map(word)
            .chain(allow.map(|text| Entry { kind: EntryKind::Allow.into(), ..word(text) }))
            .filter(good)
            .collect()
    }
}

/// The text of a recorded message.
fn text(line: &str) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(message.get("text")?.as_str()?.to_owned())
}

fn is_usual(text: &str) -> bool {
    (5..=16).contains(&text.chars().count())
}

/// So many texts of `length` characters.
pub(crate) fn texts_of(length: u32, count: u32) -> Vec<String> {
    let mut numbers = Numbers(7);
    (0..count).map(|_| numbers.han(length)).collect()
}

/// 64 KiB of what is hard.
pub(crate) fn worst_texts() -> Vec<(&'static str, String)> {
    let filled = |part: &str| part.repeat((64 << 10) / part.len());
    vec![
        ("one letter", filled("a")),
        ("one Han character", filled("哈")),
        ("Han characters", texts_of((64 << 10) / 3, 1).concat()),
        ("letters with spaces", filled("b a d ")),
        ("signs", filled("*.-_")),
        ("leet", filled("b4")),
        ("leet tokens", filled("b4dw0rd! ")),
        ("stars", filled("b*d ")),
        ("digits", filled("1")),
        ("addresses", filled("a.com@")),
        ("dots", filled("a.")),
        ("marks on one letter", format!("a{}", filled("\u{301}"))),
        ("letters with a mark each", filled("b\u{337}")),
        ("joined emoji", filled("👩\u{200d}")),
        ("flags", filled("🇵🇸")),
        ("unseen characters", filled("\u{200b}")),
        ("ligatures", filled("ﷻ")),
        ("Hangul jamo", filled("\u{1100}")),
        ("right to left", filled("\u{202e}שלום")),
        ("nothing assigned", filled("\u{50005}")),
    ]
}
