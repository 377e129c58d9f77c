//! A word, a space, and its tags with commas between, as the sensitive-word lists are written. A word without tags stands
//! alone; a tag that can be a category is one, and the others are kept as tags.

use super::{escape, said};
use crate::lists::{
    entry::{CATEGORY, Entry},
    page::Kept,
};

/// What the tags 0 to 4 of the built-in lists stand for.
const CATEGORIES: [&str; 5] = ["politics", "drugs", "porn", "gambling", "illegal"];

pub(super) fn parse(text: &str, like: &Entry) -> Vec<(usize, Entry)> {
    said(text).map(|(line, said)| (line, entry(said, like))).collect()
}

fn entry(said: &str, like: &Entry) -> Entry {
    // A phrase may hold spaces; tags do not.
    let (word, tags) = said.rsplit_once([' ', '\t']).unwrap_or((said, ""));
    let tags: Vec<String> = tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
    let category = tags.iter().find_map(|tag| category(tag));
    Entry {
        text: Some(word.trim().to_owned()),
        category: category.unwrap_or_else(|| like.category.clone()),
        tags: if tags.is_empty() { like.tags.clone() } else { tags },
        ..like.clone()
    }
}

fn category(tag: &str) -> Option<String> {
    let numbered = tag.parse::<usize>().ok().and_then(|number| CATEGORIES.get(number));
    let is_word = tag.len() <= 32 && tag.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'-'));
    numbered.map(|name| (*name).to_owned()).or_else(|| is_word.then(|| tag.to_owned()))
}

pub(super) fn write(entries: &[&Kept]) -> Vec<u8> {
    let line = |kept: &&Kept| {
        let category = Some(&kept.entry.category).filter(|category| *category != CATEGORY);
        let tags = match (kept.tags.is_empty(), category) {
            (false, _) => kept.tags.join(","),
            (true, Some(category)) => category.clone(),
            // Without one, the last word of a phrase would be read as its tag.
            (true, None) => {
                if kept.entry.text.contains(char::is_whitespace) {
                    CATEGORY.to_owned()
                } else {
                    String::new()
                }
            }
        };
        let space = if tags.is_empty() { "" } else { " " };
        format!("{}{}{space}{tags}\n", escape(&kept.entry.text), kept.entry.text)
    };
    entries.iter().map(line).collect::<String>().into_bytes()
}
