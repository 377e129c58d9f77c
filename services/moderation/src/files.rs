//! Lists as files: a word a line, a table, or words with tags; packed or not. Pure: bytes in, entries with their lines out, and
//! back. Whether an entry is a good one is kept out (`lists`).

mod table;
mod tagged;
mod text;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    lists::{entry::Entry, page::Kept},
    refusal::{Problem, Refusal},
};

/// Bytes of a file when it is unpacked, the same as of one that comes unpacked: 200,000 lines of 160 bytes.
pub const UNPACKED_BYTES_MAX: usize = 32 << 20;

/// Lines of a file. A list holds 200,000 entries; beyond that it is no list.
pub const LINES_MAX: usize = 250_000;

/// Faults that are told.
const PROBLEMS_MAX: usize = 100;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A word a line; a line that begins with `#` is a comment, and a word that does is written `\#`.
    #[default]
    Txt,
    /// A table with a header: `text`, and whichever other fields of an entry.
    Csv,
    /// A word, a space, and its tags with commas between.
    Houbb,
}

impl Format {
    /// What an answer in it says of itself.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Txt | Self::Houbb => "text/plain; charset=utf-8",
        }
    }
}

/// The text of a file, unpacked if it is packed.
///
/// # Errors
/// When it would be too large, is no gzip although it begins like one, or is not UTF-8; the line is named.
pub fn text(file: &[u8]) -> Result<String, Refusal> {
    let bytes = if file.starts_with(&[0x1f, 0x8b]) { unpack(file)? } else { file.to_vec() };
    let without_mark = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match std::str::from_utf8(without_mark) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let line = without_mark[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(Problem::at(line, "it is not UTF-8; save the file as UTF-8").into())
        }
    }
}

fn unpack(file: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    // A byte more than may be, to see that it is too much; the rest is never unpacked.
    let mut reader = MultiGzDecoder::new(file).take(UNPACKED_BYTES_MAX as u64 + 1);
    reader.read_to_end(&mut bytes).map_err(|error| Refusal::Malformed(format!("it is no whole gzip: {error}")))?;
    if bytes.len() > UNPACKED_BYTES_MAX {
        return Err(Refusal::TooLong(format!(
            "a file is at most {} MiB when it is unpacked",
            UNPACKED_BYTES_MAX >> 20
        )));
    }
    Ok(bytes)
}

/// The entries of a file, each with its line. Where a line says nothing, `like` does.
///
/// # Errors
/// Every line that cannot be read, or that there is no entry, or too many.
pub fn parse(text: &str, format: Format, like: &Entry) -> Result<Vec<(usize, Entry)>, Refusal> {
    if text.lines().nth(LINES_MAX).is_some() {
        return Err(Refusal::TooLong(format!("a file has at most {LINES_MAX} lines")));
    }
    let entries = match format {
        Format::Txt => text::parse(text, like),
        Format::Csv => table::parse(text, like).map_err(Refusal::Invalid)?,
        Format::Houbb => tagged::parse(text, like),
    };
    if entries.is_empty() {
        return Err(Problem::whole("the file holds no entry").into());
    }
    Ok(entries)
}

/// The lines that say something, with their numbers.
fn said(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    said.map(|(number, line)| (number, line.strip_prefix('\\').filter(|rest| begins_as_comment(rest)).unwrap_or(line)))
}

/// What stands before a word so that its line is no comment.
fn escape(word: &str) -> &'static str {
    if begins_as_comment(word) { "\\" } else { "" }
}

fn begins_as_comment(word: &str) -> bool {
    word.trim_start_matches('\\').starts_with('#')
}

/// A list as a file. Who may not read private texts gets none of those entries.
#[must_use]
pub fn write<'a>(
    entries: impl Iterator<Item = &'a Kept>,
    format: Format,
    sees_private: impl Fn(&str) -> bool,
) -> Vec<u8> {
    let mut entries: Vec<&Kept> = entries.filter(|kept| !kept.private || sees_private(&kept.author)).collect();
    entries.sort_unstable_by(|a, b| (a.added_ms, &a.entry.text).cmp(&(b.added_ms, &b.entry.text)));
    match format {
        Format::Txt => text::write(&entries),
        Format::Csv => table::write(&entries),
        Format::Houbb => tagged::write(&entries),
    }
}

#[cfg(test)]
mod tests;
