//! What differs between two contents. Pure. Pages that both have are not looked at.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::lists::{Content, List, edit::Tally, entry::Entry, page::Kept, policy::Policy};

/// Entries of each kind that are told; the rest is counted.
const TOLD_MAX: usize = 1_000;

/// An entry that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Changed {
    /// As it was.
    pub before: Entry,
    /// As it is.
    pub after: Entry,
}

/// What has to be done to the one to get the other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Diff {
    /// How many of each; below at most 1,000 of each are told.
    pub tally: Tally,
    /// Entries that only the later one has.
    pub added: Vec<Entry>,
    /// Entries that only the earlier one has.
    pub removed: Vec<Entry>,
    /// Entries that are otherwise.
    pub changed: Vec<Changed>,
    /// Lists that were made, dropped or set to another mode, as `name: before → after`.
    pub lists: Vec<String>,
    /// The earlier policy, if it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_before: Option<Policy>,
    /// The later policy, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_after: Option<Policy>,
}

/// How many entries differ.
#[must_use]
pub fn tally(from: &Content, to: &Content) -> Tally {
    let pairs = pairs(from, to);
    let count = |which: fn(&Pair<'_>) -> bool| pairs.iter().filter(|pair| which(pair)).count();
    Tally {
        added: count(|pair| matches!(pair, (None, Some(_)))),
        removed: count(|pair| matches!(pair, (Some(_), None))),
        changed: count(|pair| matches!(pair, (Some(_), Some(_)))),
    }
}

/// What differs, told to somebody who may read private texts by these authors.
#[must_use]
pub fn diff(from: &Content, to: &Content, sees_private: impl Fn(&str) -> bool) -> Diff {
    let told = |kept: &Kept| Entry::told(kept, sees_private(&kept.author));
    let mut diff = Diff { tally: tally(from, to), lists: lists(from, to), ..Diff::default() };
    for pair in pairs(from, to) {
        match pair {
            (None, Some(after)) if diff.added.len() < TOLD_MAX => diff.added.push(told(after)),
            (Some(before), None) if diff.removed.len() < TOLD_MAX => diff.removed.push(told(before)),
            (Some(before), Some(after)) if diff.changed.len() < TOLD_MAX => {
                diff.changed.push(Changed { before: told(before), after: told(after) });
            }
            _ => {}
        }
    }
    if from.policy != to.policy {
        diff.policy_before = from.policy.as_ref().map(Policy::from);
        diff.policy_after = to.policy.as_ref().map(Policy::from);
    }
    diff
}

/// An entry before and after.
type Pair<'a> = (Option<&'a Kept>, Option<&'a Kept>);

/// The entries that differ, in the order of their ids.
fn pairs<'a>(from: &'a Content, to: &'a Content) -> Vec<Pair<'a>> {
    let mut pairs: BTreeMap<&str, Pair<'a>> = BTreeMap::new();
    for (before, after) in from.pages.iter().zip(&to.pages) {
        let same = before.stored().zip(after.stored()).is_some_and(|(before, after)| before.page == after.page);
        if same {
            continue;
        }
        before.entries().iter().for_each(|kept| pairs.entry(&kept.entry.id).or_default().0 = Some(kept));
        after.entries().iter().for_each(|kept| pairs.entry(&kept.entry.id).or_default().1 = Some(kept));
    }
    pairs.into_values().filter(|(before, after)| before != after).collect()
}

fn lists(from: &Content, to: &Content) -> Vec<String> {
    let word = |list: Option<&List>| list.map_or("none".to_owned(), |list| format!("{:?}", list.mode).to_lowercase());
    let names: std::collections::BTreeSet<&String> = from.lists.keys().chain(to.lists.keys()).collect();
    let of = |name: &String| (from.lists.get(name), to.lists.get(name));
    let told = |name: &String| format!("{name}: {} → {}", word(of(name).0), word(of(name).1));
    names.into_iter().filter(|name| of(name).0 != of(name).1).map(told).collect()
}
