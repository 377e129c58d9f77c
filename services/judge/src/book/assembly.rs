//! The records of `danmaku-rules` put together: which versions are whole, and who is muted or banned. Pure; nothing is compiled
//! here, and which version is in force is kept out.
//!
//! Records may come in any order that compaction and transactions leave: a version can stand before its chunks, a chunk can be
//! named by versions that come later, and the topic can be told again from its beginning.

mod told;

use std::collections::BTreeSet;

use proto::{
    ban,
    rules::{Key, Scope},
};

use super::{
    edition::{BadVersion, Edition},
    mutes::Mutes,
};
use told::Told;

/// What the topic holds, as far as it was told.
#[derive(Debug, Default)]
pub struct Assembly {
    told: Told,
    /// While it is told again from its beginning: what was told before holds until the new one is whole.
    retold: Option<Told>,
    touched: BTreeSet<Scope>,
}

/// A scope that has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Renewal {
    /// Which.
    pub scope: Scope,
    /// The highest version that was told, whole or not; `None` when the topic holds none any more.
    pub newest: Option<u64>,
    /// The versions that are whole, the highest first.
    pub editions: Vec<Edition>,
}

/// What a record changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it was known, is of a later release, or is stale.
    Nothing,
    /// Versions may be whole now that were not; see [`Assembly::renewals`].
    Rules,
    /// Who may not speak in a room.
    Mutes,
    /// Who may not speak at all.
    Bans,
    /// It is not kept.
    Refused(Refused),
}

/// Why a record is not kept: it changes nothing, and an operator should know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is not what its key says.
    #[error("the record under {0} cannot be read")]
    Unreadable(String),
    /// Its bytes have another hash.
    #[error("the bytes of {0} are not those that its name stands for")]
    Hash(String),
    /// It is no version.
    #[error("{0} is unusable: {1}")]
    Version(String, BadVersion),
    /// There are too many already.
    #[error("there is no room for {0}: the topic holds more than the limits of the rule book allow")]
    NoRoom(String),
}

impl Assembly {
    /// Takes a record as it stands on the topic, appended at `at_ms`. An empty value is a tombstone.
    pub fn hear(&mut self, key: &[u8], value: &[u8], at_ms: i64) -> Change {
        let Some(key) = std::str::from_utf8(key).ok().and_then(|key| key.parse::<Key>().ok()) else {
            return Change::Nothing;
        };
        let live = self.retold.is_none();
        let told = self.retold.as_mut().unwrap_or(&mut self.told);
        let (change, touched) = told.hear(&key, value, at_ms);
        if live {
            self.touched.extend(touched);
        }
        change
    }

    /// The topic is told from its beginning again.
    pub fn anew(&mut self) {
        self.retold = Some(Told::default());
    }

    /// The topic was told to its end.
    pub fn caught_up(&mut self) {
        if let Some(retold) = self.retold.take() {
            self.touched.extend(self.told.scopes.keys().cloned());
            self.told = retold;
        }
        self.touched.extend(self.told.scopes.keys().cloned());
    }

    /// The scopes of which a version may have become whole, or gone, since this was last asked.
    pub fn renewals(&mut self) -> Vec<Renewal> {
        let touched = std::mem::take(&mut self.touched);
        touched.into_iter().map(|scope| self.told.renewal(scope)).collect()
    }

    /// The mutes of all rooms.
    pub fn mutes(&self) -> &Mutes {
        &self.told.mutes
    }

    /// The bans.
    pub fn bans(&self) -> &ban::Book {
        &self.told.bans
    }
}
