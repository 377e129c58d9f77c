//! Rules by regular expression. They read the folded text with its signs, as one line: lower case, simplified, look-alikes as
//! Latin letters, white space as one kind of blank, an emoji as its first character.
//!
//! The characters of a rule that are not ASCII are folded as well, so a rule is found however it is written. The engine is
//! linear and looks at no more than there is; rules that need much memory are refused.

use proto::v1::Reading;
use regex::{Error, Regex, RegexBuilder};

use super::{Found, Hits};
use crate::{
    entry::Fault,
    fold::{self, Line},
};

/// Characters of a rule.
const CHARS_MAX: usize = 260;

/// Bytes of a compiled rule, and of what it remembers while it searches: ten a room are 10 MiB at worst.
const BYTES_MAX: usize = 512 << 10;

/// Compiles a rule.
pub(crate) fn compile(text: &str) -> Result<Regex, Fault> {
    let chars = text.chars().count();
    if text.trim().is_empty() {
        return Err(Fault::Empty);
    }
    if chars > CHARS_MAX {
        return Err(Fault::RegexTooLong(chars));
    }
    let folded: String = text.chars().map(|char| if char.is_ascii() { char } else { fold::single(char) }).collect();
    let regex = RegexBuilder::new(&folded)
        .case_insensitive(true)
        .size_limit(BYTES_MAX)
        .dfa_size_limit(BYTES_MAX)
        .build()
        .map_err(|error| match error {
            Error::CompiledTooBig(_) => Fault::RegexTooLarge,
            other => Fault::RegexInvalid(other.to_string()),
        })?;
    if regex.is_match("") { Err(Fault::RegexEmpty) } else { Ok(regex) }
}

pub(super) fn search(entry: u32, regex: &Regex, line: &Line, hits: &mut Hits<'_>) {
    for found in regex.find_iter(&line.text) {
        let clusters = line.clusters(found.range());
        if !clusters.is_empty() {
            hits.push(0, Found { entry, reading: Reading::Regex, start: clusters.start, end: clusters.end });
        }
    }
}
