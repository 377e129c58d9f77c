//! One edit of a content: entries added, removed and changed, a list made or dropped. All of it, or none with every fault named.
//! Pure: ids, author and time are arguments. Which version it becomes is kept out.

mod whole;

use std::collections::{BTreeMap, HashMap, HashSet};

use proto::{rules::Scope, v1::EntryKind};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Content,
    entry::Entry,
    letters::Letters,
    page::{Kept, spread},
};
use crate::{
    fold::{identity, key},
    refusal::Problem,
};

/// Entries of all rooms' book. The judge builds 100,000 in under a second; twice that is what a record's size allows.
const GLOBAL_MAX: usize = 200_000;
/// Entries of a room.
const ROOM_MAX: usize = 1_000;
/// Expressions of a scope: each is run over every message.
const REGEX_MAX: usize = 10;
/// Faults that are told; who has more has another problem.
pub const PROBLEMS_MAX: usize = 100;

/// Who edits, when.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    /// The author of what is added.
    pub author: &'a str,
    /// Whether he may remove and change what others keep private.
    pub sees_private: bool,
    /// Unix milliseconds.
    pub now_ms: i64,
}

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Tally {
    /// Entries that were not there.
    pub added: usize,
    /// Entries that are not there any more.
    pub removed: usize,
    /// Entries that are not what they were.
    pub changed: usize,
}

/// An entry and where it was said: a line of a file, a place in a body.
#[derive(Debug, Clone)]
pub struct Placed {
    /// From 1.
    pub line: usize,
    /// The entry.
    pub kept: Kept,
}

/// What is to be done to a list.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// Whether all entries of the list go first.
    pub clear: bool,
    /// Ids or texts. A text stands for all entries that are the same to the judge.
    pub remove: Vec<String>,
    /// Whole entries in the place of those with their ids.
    pub change: Vec<Entry>,
    /// New ones. One that is there already is passed over.
    pub add: Vec<Placed>,
}

/// Turns entries of the API into kept ones.
///
/// # Errors
/// Every entry that cannot be one, by its place.
pub fn placed(list: &str, entries: impl IntoIterator<Item = (usize, Entry)>) -> Result<Vec<Placed>, Vec<Problem>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (line, entry) in entries {
        match (Entry { id: String::new(), ..entry }).kept(list) {
            Ok(kept) => good.push(Placed { line, kept }),
            Err(why) if bad.len() < PROBLEMS_MAX => bad.push(Problem::at(line, why)),
            Err(_) => break,
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}

impl Content {
    /// Applies an edit of `list`, and tells what it did. `id` names new entries.
    ///
    /// # Errors
    /// Everything that is wrong with it; nothing is changed then.
    pub fn edit(
        &mut self,
        scope: &Scope,
        list: &str,
        edit: &Edit,
        by: By<'_>,
        mut id: impl FnMut() -> String,
    ) -> Result<Tally, Vec<Problem>> {
        if !self.lists.contains_key(list) {
            return Err(vec![Problem::whole(format!("there is no list {list}; create it with PUT first"))]);
        }
        let mut next = self.clone();
        let mut tally = Tally::default();
        if edit.clear {
            tally.removed += next.retain(|kept| kept.entry.list != list);
        }
        tally.removed += next.remove(list, &edit.remove, by)?;
        tally.changed += next.change(list, &edit.change, by)?;
        tally.added += next.add(list, &edit.add, by, &mut id);
        next.check(scope)?;
        *self = next;
        Ok(tally)
    }

    /// The content without the entries of a list.
    #[must_use]
    pub fn without(&self, list: &str) -> Self {
        let mut content = self.clone();
        content.retain(|kept| kept.entry.list != list);
        content
    }

    fn retain(&mut self, keep: impl Fn(&Kept) -> bool) -> usize {
        let mut gone = 0;
        for page in &mut self.pages {
            if page.entries().iter().all(&keep) {
                continue;
            }
            let entries = page.edit();
            gone += entries.len();
            entries.retain(&keep);
            gone -= entries.len();
        }
        gone
    }

    fn remove(&mut self, list: &str, names: &[String], by: By<'_>) -> Result<usize, Vec<Problem>> {
        if names.is_empty() {
            return Ok(0);
        }
        let mut by_id: HashMap<&str, &Kept> = HashMap::new();
        let mut by_text: HashMap<&str, Vec<&Kept>> = HashMap::new();
        for kept in self.of(list) {
            by_id.insert(&kept.entry.id, kept);
            by_text.entry(&kept.folded).or_default().push(kept);
        }
        let (mut gone, mut problems) = (HashSet::new(), Vec::new());
        for (name, place) in names.iter().zip(1..) {
            let one = by_id.get(name.as_str()).map(|kept| vec![*kept]);
            let found = one.or_else(|| by_text.get(key(name).as_str()).cloned());
            // Whoever may not read a text must not learn by its removal that it is there.
            let found = found.filter(|found| found.iter().all(|kept| may_touch(kept, by)));
            match found {
                Some(found) => gone.extend(found.into_iter().map(|kept| kept.entry.id.clone())),
                None => problems.push(Problem::at(place, "remove: there is no such entry on this list")),
            }
        }
        problems.truncate(PROBLEMS_MAX);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(self.retain(|kept| kept.entry.list != list || !gone.contains(&kept.entry.id)))
    }

    fn change(&mut self, list: &str, changed: &[Entry], by: By<'_>) -> Result<usize, Vec<Problem>> {
        let old: BTreeMap<String, Kept> = match changed.is_empty() {
            true => BTreeMap::new(),
            false => self.of(list).map(|kept| (kept.entry.id.clone(), kept.clone())).collect(),
        };
        let (mut fresh, mut problems) = (BTreeMap::new(), Vec::new());
        for (entry, place) in changed.iter().zip(1..) {
            let Some(before) = old.get(&entry.id).filter(|kept| may_touch(kept, by)) else {
                problems.push(Problem::at(place, "change: there is no entry with this id on this list"));
                continue;
            };
            match entry.clone().kept(list) {
                Ok(kept) => {
                    let kept = Kept { author: before.author.clone(), added_ms: before.added_ms, ..kept };
                    if kept != *before {
                        fresh.insert(kept.entry.id.clone(), kept);
                    }
                }
                Err(why) => problems.push(Problem::at(place, format!("change: {why}"))),
            }
        }
        problems.truncate(PROBLEMS_MAX);
        if !problems.is_empty() {
            return Err(problems);
        }
        let count = fresh.len();
        self.retain(|kept| !fresh.contains_key(&kept.entry.id));
        self.put(fresh.into_values());
        Ok(count)
    }

    fn add(&mut self, list: &str, placed: &[Placed], by: By<'_>, id: &mut impl FnMut() -> String) -> usize {
        let is_new: Vec<bool> = {
            let letters = Letters::of(placed);
            let alike = self.entries().filter(|kept| letters.make_up(&kept.folded) && kept.entry.list == list);
            let mut known: HashSet<String> = alike.map(|kept| identity(&kept.entry)).collect();
            placed.iter().map(|placed| known.insert(identity(&placed.kept.entry))).collect()
        };
        let fresh = placed.iter().zip(is_new).filter(|(_, is_new)| *is_new).map(|(placed, _)| {
            let mut kept = placed.kept.clone();
            kept.entry.id = id();
            by.author.clone_into(&mut kept.author);
            kept.added_ms = by.now_ms;
            kept
        });
        let fresh: Vec<Kept> = fresh.collect();
        let count = fresh.len();
        self.put(fresh);
        count
    }

    fn put(&mut self, entries: impl IntoIterator<Item = Kept>) {
        for (place, entries) in spread(entries) {
            if let Some(page) = self.pages.get_mut(place) {
                page.edit().extend(entries);
            }
        }
    }

    /// The caps of a scope.
    fn check(&self, scope: &Scope) -> Result<(), Vec<Problem>> {
        let (entries, _) = self.count();
        let most = if *scope == Scope::Global { GLOBAL_MAX } else { ROOM_MAX };
        let regexes = self.entries().filter(|kept| kept.entry.kind() == EntryKind::Regex).count();
        let mut problems = Vec::new();
        if entries > most {
            problems.push(Problem::whole(format!("{scope} holds at most {most} entries, and this would be {entries}")));
        }
        if regexes > REGEX_MAX {
            problems.push(Problem::whole(format!(
                "a scope has at most {REGEX_MAX} expressions, and this would be {regexes}"
            )));
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

fn may_touch(kept: &Kept, by: By<'_>) -> bool {
    !kept.private || by.sees_private || kept.author == by.author
}

#[cfg(test)]
mod tests;
