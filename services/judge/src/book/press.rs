//! Makes books of versions: keeps the newest good version of every scope compiled. Pure; on which thread, and how often, is
//! the caller's affair.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proto::{RoomId, rules::Scope};

use super::{
    Book, Rooms,
    assembly::Renewal,
    edition::{BadEdition, Edition},
    fresh,
    limits::VERSIONS_KEPT,
    lists::{CHANGES_CALM, Lists},
    room::Room,
};

/// Entries of rooms that are kept compiled, all rooms together; beyond it those that rest longest are compiled anew when they
/// are spoken in. At about 500 B an entry 100 MB.
pub const ROOM_ENTRIES_COMPILED: usize = 200_000;

/// The newest good version of every scope.
#[derive(Default)]
pub struct Press {
    /// The highest number that was ever in force.
    number: u64,
    global: Option<Arc<Lists>>,
    rooms: Arc<Rooms>,
    content: u64,
    /// Versions that were tried and are not good. They never will be, as a number names one content.
    bad: BTreeMap<Scope, BTreeSet<u64>>,
}

impl Press {
    /// The number of what is in force for `scope`; 0 when nothing is.
    pub fn in_force(&self, scope: &Scope) -> u64 {
        match scope {
            Scope::Global => self.global.as_ref().map_or(0, |lists| lists.edition().number),
            Scope::Room(room) => self.rooms.get(room).map_or(0, |room| room.edition().number),
        }
    }

    /// Puts a version in force. A lower number than what is in force changes nothing: it comes from a database that was
    /// restored to an older state.
    ///
    /// # Errors
    /// When it cannot be in force; what was stays.
    pub fn take(&mut self, edition: Edition) -> Result<(), BadEdition> {
        let number = edition.number;
        if number <= self.in_force(&edition.scope) {
            return Ok(());
        }
        match edition.scope.clone() {
            Scope::Global => {
                let lists = match &self.global {
                    Some(global) => global.next(edition)?,
                    None => Lists::new(edition)?,
                };
                self.global = Some(Arc::new(lists));
            }
            Scope::Room(room) => {
                let used_ms = self.rooms.get(&room).map_or(0, |room| room.used_ms());
                let lists = Room::new(edition, used_ms)?;
                Arc::make_mut(&mut self.rooms).insert(room, Arc::new(lists));
            }
        }
        self.number = self.number.max(number);
        self.content = fresh();
        Ok(())
    }

    /// Puts the newest good version of a scope in force, and tells of those above it that are not good.
    pub fn renew(&mut self, renewal: Renewal) -> Vec<(u64, BadEdition)> {
        let Renewal { scope, newest, editions } = renewal;
        if let (Scope::Room(room), None) = (&scope, newest) {
            self.drop_room(room);
        }
        let mut bad = Vec::new();
        for edition in editions {
            let number = edition.number;
            if number <= self.in_force(&scope) {
                break;
            }
            if self.is_known_bad(&scope, number) {
                continue;
            }
            match self.take(edition) {
                Ok(()) => break,
                Err(why) => bad.push((number, why)),
            }
        }
        self.remember_bad(&scope, bad.iter().map(|(number, _)| *number));
        bad
    }

    fn is_known_bad(&self, scope: &Scope, number: u64) -> bool {
        self.bad.get(scope).is_some_and(|numbers| numbers.contains(&number))
    }

    fn remember_bad(&mut self, scope: &Scope, numbers: impl Iterator<Item = u64>) {
        let known = self.bad.entry(scope.clone()).or_default();
        known.extend(numbers);
        while known.len() > VERSIONS_KEPT {
            known.pop_first();
        }
        if known.is_empty() {
            self.bad.remove(scope);
        }
    }

    /// A room whose every version is gone has no lists any more.
    fn drop_room(&mut self, room: &RoomId) {
        if self.rooms.contains_key(room) {
            Arc::make_mut(&mut self.rooms).remove(room);
            self.content = fresh();
        }
    }

    /// Tells what is in force from every other content.
    pub fn content(&self) -> u64 {
        self.content
    }

    /// The version of which a new large automaton should be built in the background, with [`Lists::new`], for
    /// [`Press::rebase`].
    pub fn overdue(&self) -> Option<&Edition> {
        self.global.as_ref().filter(|lists| lists.changes() > CHANGES_CALM).map(|lists| lists.edition())
    }

    /// Stands what is in force on lists that were built in the background of an earlier version. It says the same as before.
    ///
    /// # Errors
    /// When it cannot be; what was stays.
    pub fn rebase(&mut self, lists: Lists) -> Result<(), BadEdition> {
        if let Some(global) = &self.global {
            self.global = Some(Arc::new(lists.next(global.edition().clone())?));
            self.content = fresh();
        }
        Ok(())
    }

    /// Lets rooms rest, those first that were not spoken in for the longest time, until few enough entries are compiled.
    pub fn rest(&self, entries_max: usize) {
        let mut compiled: Vec<&Arc<Room>> = self.rooms.values().filter(|room| room.is_compiled()).collect();
        compiled.sort_by_key(|room| std::cmp::Reverse(room.used_ms()));
        let mut entries = 0;
        for room in compiled {
            entries += room.entries();
            if entries > entries_max {
                room.rest();
            }
        }
    }

    /// What is in force, nobody muted or banned; `None` before there are rules for all rooms.
    pub fn book(&self) -> Option<Book> {
        Some(Book {
            version: self.number,
            global: Arc::clone(self.global.as_ref()?),
            rooms: Arc::clone(&self.rooms),
            content: self.content,
            mutes: Arc::default(),
            bans: Arc::default(),
            is_of_words: false,
        })
    }
}
