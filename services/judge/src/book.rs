//! The rules that are in force at one moment, compiled: one immutable value, which is swapped whole. Where they come from is
//! kept out, and what they say of a message stands in `rules`.
//!
//! In reading order: `chunks` and `edition` are what stands on `danmaku-rules`, `assembly` puts it together; `lists` and `room`
//! are compiled, `press` makes books of them. `mutes` are restored with them, `limits` bound all of it.

pub mod chunks;
pub mod edition;
pub mod assembly;
pub mod lists;
mod room;
pub mod press;
pub mod mutes;
pub mod limits;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ahash::RandomState;
use proto::{
    RoomId,
    ban::{self, Person, Until},
    rules::Scope,
    v1::{Entry, Policy},
};

pub use assembly::{Assembly, Change, Refused, Renewal};
pub use edition::{BadEdition, Edition};
pub use lists::Lists;
pub use mutes::Mutes;
pub use press::Press;

use crate::words::{self, BadWords};
use room::Room;

/// The rooms with lists of their own.
pub(crate) type Rooms = HashMap<RoomId, Arc<Room>, RandomState>;

/// All that is in force. Cheap to copy.
#[derive(Clone)]
pub struct Book {
    /// Names the rules; stamped on all that they judge. Never 0. Of rules from the topic it is the highest number of a version
    /// that was ever in force; of a word file it is a checksum.
    pub version: u64,
    pub(crate) global: Arc<Lists>,
    pub(crate) rooms: Arc<Rooms>,
    /// Tells this content from every other, for those who remember what it said.
    pub(crate) content: u64,
    mutes: Arc<Mutes>,
    bans: Arc<ban::Book>,
    is_of_words: bool,
}

/// Why a word file is no rule book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWordBook {
    /// It cannot be read.
    #[error(transparent)]
    Words(#[from] BadWords),
    /// Its words cannot be searched for.
    #[error(transparent)]
    Edition(#[from] BadEdition),
}

impl Book {
    /// The rules of a word file: every word blocks, in every room. Its version is a checksum of the file, so that filters which
    /// read the same words, each from a copy of its own, stamp the same version.
    ///
    /// # Errors
    /// When the file is no word list.
    pub fn of_words(file: &[u8]) -> Result<Self, BadWordBook> {
        let version = checksum(file).max(1);
        let book = Self::of_entries(version, words::entries(file)?, None)?;
        Ok(Self { is_of_words: true, ..book })
    }

    /// Rules for all rooms that stand on no topic: for tests, and for trying out what is not published.
    ///
    /// # Errors
    /// When the entries cannot be searched for.
    pub fn of_entries(version: u64, entries: Vec<Entry>, policy: Option<Policy>) -> Result<Self, BadEdition> {
        let edition = Edition { scope: Scope::Global, number: version, policy, chunks: Vec::new() };
        Ok(Self {
            version,
            global: Arc::new(Lists::of(edition, entries)?),
            rooms: Arc::default(),
            content: fresh(),
            mutes: Arc::default(),
            bans: Arc::default(),
            is_of_words: false,
        })
    }

    /// The same with lists of `room` beside them.
    ///
    /// # Errors
    /// When the entries cannot be searched for.
    pub fn with_room(self, room: RoomId, entries: Vec<Entry>, policy: Option<Policy>) -> Result<Self, BadEdition> {
        let edition = Edition { scope: Scope::Room(room.clone()), number: self.version, policy, chunks: Vec::new() };
        let mut rooms = self.rooms;
        Arc::make_mut(&mut rooms).insert(room, Arc::new(Room::of(edition, entries)?));
        Ok(Self { rooms, content: fresh(), ..self })
    }

    /// The same with other people muted and banned.
    #[must_use]
    pub fn with_people(self, mutes: Arc<Mutes>, bans: Arc<ban::Book>) -> Self {
        Self { mutes, bans, ..self }
    }

    /// Whether these rules are as new as `version` (F9); 0 stands for none. Word files have no order, only sameness: another
    /// one is waited for as if it were newer.
    pub fn is_as_new_as(&self, version: u64) -> bool {
        version == 0 || if self.is_of_words { version == self.version } else { version <= self.version }
    }

    /// How many entries hold in all rooms.
    pub fn entries(&self) -> usize {
        self.global.len()
    }

    /// How many rooms have lists of their own.
    pub fn rooms(&self) -> usize {
        self.rooms.len()
    }

    /// The mutes to begin with when a partition is taken over. Each acts only behind its control record.
    pub fn mutes(&self) -> &Mutes {
        &self.mutes
    }

    /// Everybody who is banned.
    pub fn bans(&self) -> &ban::Book {
        &self.bans
    }

    /// Whether somebody is banned at `at_ms`, and for how long.
    pub fn banned(&self, person: Person<'_>, at_ms: i64) -> Option<Until> {
        if self.bans.is_empty() { None } else { self.bans.until(person, at_ms) }
    }

    /// Plain chat that `room` shows in a second, if a policy says so.
    pub fn budget_per_s(&self, room: &str) -> Option<u32> {
        let mut said = self.policies(room).into_iter().flatten().map(|policy| policy.budget_per_s);
        said.find(|&budget| budget > 0)
    }

    /// Whether `[code]` stands for a picture in `room`.
    pub fn is_emote(&self, room: &str, code: &str) -> bool {
        let mut policies = self.policies(room).into_iter().flatten();
        policies.any(|policy| policy.emotes.iter().any(|emote| emote == code))
    }

    /// What is said about hits in `room`: by itself, and for all rooms.
    pub(crate) fn policies(&self, room: &str) -> [Option<&Policy>; 2] {
        let own = self.rooms.get(room).and_then(|room| room.edition().policy.as_ref());
        [own, self.global.edition().policy.as_ref()]
    }

    /// The domains that are no contact in `room`: its own, and those for all rooms.
    pub(crate) fn domains(&self, room: &str) -> Vec<String> {
        self.policies(room).into_iter().flatten().flat_map(|policy| policy.allow_domains.iter().cloned()).collect()
    }
}

/// A number that no other content of this process has. A version's number is not enough: one that is late, or gone, changes the
/// book under the number of a later one.
pub(crate) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// FNV-1a in 32 bits, which are five bytes of a record: enough to tell one edit from the next.
fn checksum(bytes: &[u8]) -> u64 {
    let fold = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, fold).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_version_and_others_are_another() {
        let version = |file: &[u8]| Book::of_words(file).unwrap().version;
        assert_eq!(version(b"blorp\n"), version(b"blorp\n"));
        assert_ne!(version(b"blorp\n"), version(b"blorq\n"));
        assert_eq!(checksum(b"a"), 0xe40c_292c);
    }

    #[test]
    fn as_new_as() {
        let words = Book::of_words(b"blorp").unwrap();
        assert!(words.is_as_new_as(0) && words.is_as_new_as(words.version));
        assert!(!words.is_as_new_as(words.version + 1) && !words.is_as_new_as(words.version - 1));
        let entry = Entry { id: "e1".into(), text: "blorp".into(), ..Entry::default() };
        let book = Book::of_entries(7, vec![entry], None).unwrap();
        assert!((0..=7).all(|version| book.is_as_new_as(version)) && !book.is_as_new_as(8));
    }
}
