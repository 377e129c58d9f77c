//! A list and a text, and what stands in it.

#![allow(clippy::unwrap_used, reason = "it is for tests")]

use judge::{
    fold::{Folded, fold},
    matcher::{Found, Matcher, Scratch},
};
use proto::v1::{Entry, EntryKind};

/// A word with all at its default.
pub(crate) fn word(text: &str) -> Entry {
    Entry { id: text.to_owned(), text: text.to_owned(), severity: 2, ..Entry::default() }
}

/// An allow phrase.
#[allow(dead_code, reason = "not every test has one")]
pub(crate) fn allow(text: &str) -> Entry {
    Entry { kind: EntryKind::Allow.into(), ..word(text) }
}

/// All hits, in order.
pub(crate) fn find(entries: &[Entry], text: &str) -> (Folded, Vec<Found>) {
    let matcher = Matcher::new(entries.into()).unwrap();
    let (mut folded, mut found) = (Folded::default(), Vec::new());
    fold(text, &mut folded);
    matcher.find(&folded, &mut Scratch::default(), &mut found);
    found.sort_unstable();
    (folded, found)
}
