//! A word a line; `#` comments. Says nothing but the text of an entry.

use crate::lists::{entry::Entry, page::Kept};

pub(super) fn parse(text: &str, like: &Entry) -> Vec<(usize, Entry)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let words = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    words.map(|(line, word)| (line, Entry { text: Some(word.to_owned()), ..like.clone() })).collect()
}

pub(super) fn write(entries: &[&Kept]) -> Vec<u8> {
    entries.iter().flat_map(|kept| [kept.entry.text.as_bytes(), b"\n"].concat()).collect()
}
