//! A word a line; `#` comments. Says nothing but the text of an entry.

use super::{escape, said};
use crate::lists::{entry::Entry, page::Kept};

pub(super) fn parse(text: &str, like: &Entry) -> Vec<(usize, Entry)> {
    said(text).map(|(line, word)| (line, Entry { text: Some(word.to_owned()), ..like.clone() })).collect()
}

pub(super) fn write(entries: &[&Kept]) -> Vec<u8> {
    let line = |text: &String| format!("{}{text}\n", escape(text));
    entries.iter().map(|kept| line(&kept.entry.text)).collect::<String>().into_bytes()
}
