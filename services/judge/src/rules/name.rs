//! The speaker's name under the rules. Whatever would keep a text from the screen masks a name; it is never a reason to refuse
//! what is said under it.

use std::collections::HashSet;

use ahash::RandomState;
use proto::v1::Field;

use super::{Ruling, Said, Scratch, policy::Table, sight, weigh};
use crate::{
    book::Book,
    fold::{Folded, fold},
    mask::mask,
};

/// Clean names that are remembered: 1 MB. When it is full all are forgotten, and looked at again one by one.
const NAMES_MAX: usize = 65_536;

/// Names in which a book finds nothing at all, whatever the time: nearly all of them. The others are judged each time.
#[derive(Default)]
pub struct Names {
    content: u64,
    clean: HashSet<u64, RandomState>,
    // Users choose their names, so these are hashed under a key that they cannot know.
    keys: RandomState,
    folded: Folded,
}

/// Adds to `ruling` what the rules say of the speaker's name.
pub(super) fn judge(book: &Book, said: &Said<'_>, table: &Table<'_>, scratch: &mut Scratch, ruling: &mut Ruling) {
    if scratch.names.content != book.content {
        scratch.names.content = book.content;
        scratch.names.clean.clear();
    }
    let key = scratch.names.keys.hash_one((said.room, said.name));
    if scratch.names.clean.contains(&key) {
        return;
    }
    let mut folded = std::mem::take(&mut scratch.names.folded);
    fold(said.name, &mut folded);
    let seen =
        sight(book, said, &folded, scratch, |seen| seen.anything.then(|| weigh(seen.standing, table, Field::Name)));
    match seen {
        Some(of_name) => add(ruling, of_name, said.name, &folded),
        None => scratch.names.remember(key),
    }
    scratch.names.folded = folded;
}

fn add(ruling: &mut Ruling, mut of_name: Ruling, name: &str, folded: &Folded) {
    ruling.hits.append(&mut of_name.hits);
    ruling.hits.truncate(super::HITS_MAX);
    if !of_name.masks.is_empty() {
        ruling.name = Some(mask(name, folded, &of_name.masks));
    }
    if of_name.action > ruling.action {
        ruling.action = of_name.action;
        (ruling.code, ruling.rule, ruling.weak) = (of_name.code, of_name.rule, of_name.weak);
    }
}

impl Names {
    fn remember(&mut self, key: u64) {
        if self.clean.len() >= NAMES_MAX {
            self.clean.clear();
        }
        self.clean.insert(key);
    }
}
