//! Ways to reach somebody elsewhere: addresses, numbers and domains, told by their shape or by a word before them. Whether they
//! may be said is kept out.
//!
//! They are looked for in the folded text with its signs, in which digits of all styles are ASCII ones: `加扣扣一二三四五` is a
//! number with its cue. A number alone is only a number: `12345678` is clean.

mod domain;
mod number;

use proto::v1::Reading;

use crate::{
    fold::{Class, Folded, Line, class, numeral},
    matcher::Found,
};

/// Stands for an entry in [`Found`].
pub const ENTRY: u32 = u32::MAX;

/// The shortest number that is looked at.
const DIGITS_MIN: usize = 5;

/// What looks like a contact of one kind and is looked at: 100 characters, which the door lets in, hold no more than 25.
const LOOKS_MAX: usize = 128;

/// Adds what is found. Domains in `allow_domains`, and those below them, are none.
pub fn find(folded: &Folded, allow_domains: &[String], found: &mut Vec<Found>) {
    let seen = folded.seen();
    let digits = (seen.digits() || seen.numerals()) && has_number(folded);
    if !digits && !seen.letters() {
        return;
    }
    let mut line = Line::default();
    line.write(folded, |char| numeral(char).unwrap_or(char));
    let from = found.len();
    let mut add = |bytes: std::ops::Range<usize>| {
        let clusters = line.clusters(bytes);
        if !clusters.is_empty() {
            found.push(Found { entry: ENTRY, reading: Reading::Contact, start: clusters.start, end: clusters.end });
        }
    };
    if seen.letters() {
        domain::find(&line.text, allow_domains, &mut add);
    }
    number::find(&line.text, digits, &mut add);
    let mut contacts = found.split_off(from);
    contacts.sort_unstable();
    contacts.dedup();
    found.append(&mut contacts);
}

/// Whether enough digits or numerals stand so near that they could be one number.
fn has_number(folded: &Folded) -> bool {
    let mut run = 0;
    folded.symbols().iter().any(|symbol| {
        let digit = symbol.char.is_ascii_digit() || numeral(symbol.char).is_some();
        run = if digit { run + 1 } else { 0 };
        run >= DIGITS_MIN
    })
}

/// Whether nothing of the same kind stands beside these bytes: no letter beside a letter, no digit beside a digit.
fn stands_apart(text: &str, bytes: &std::ops::Range<usize>) -> bool {
    let differ = |inner: Option<char>, outer: Option<char>| match (inner.map(class), outer.map(class)) {
        (Some(inner), Some(outer)) => inner == Class::Other || inner != outer,
        _ => true,
    };
    let (before, inner, behind) = (&text[..bytes.start], &text[bytes.clone()], &text[bytes.end..]);
    differ(inner.chars().next(), before.chars().next_back()) && differ(inner.chars().next_back(), behind.chars().next())
}

/// A pattern of ours. Each is used by a test, so one that cannot be read is seen there.
fn pattern(text: &str) -> Option<regex::Regex> {
    regex::RegexBuilder::new(text).ignore_whitespace(true).build().ok()
}
