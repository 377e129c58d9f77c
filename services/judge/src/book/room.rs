//! The lists of one room. There may be many rooms, so only those that are spoken in are kept compiled.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use proto::v1::Entry;

use super::{
    edition::{BadEdition, Edition},
    lists::Base,
};

/// One version of a room's lists.
pub(crate) struct Room {
    edition: Edition,
    entries: usize,
    /// Rooms are spoken in on one thread each, so nobody waits for this lock but who puts a room to rest.
    compiled: Mutex<Option<Arc<Base>>>,
    /// When it was last spoken in, by append time.
    used_ms: AtomicI64,
}

impl Room {
    /// Compiles a whole version; a room of which that once succeeded can be compiled again.
    pub(crate) fn new(edition: Edition, used_ms: i64) -> Result<Self, BadEdition> {
        let entries = edition.entries()?;
        let room = Self::of(edition, entries)?;
        room.used_ms.store(used_ms, Ordering::Relaxed);
        Ok(room)
    }

    /// Compiles the entries of a version. Without chunks it must not rest.
    pub(crate) fn of(edition: Edition, entries: Vec<Entry>) -> Result<Self, BadEdition> {
        let base = Base::new(entries)?;
        Ok(Self {
            edition,
            entries: base.len(),
            compiled: Mutex::new(Some(Arc::new(base))),
            used_ms: AtomicI64::default(),
        })
    }

    /// Its entries and their automaton, for a message at `at_ms`. After a rest they are compiled here, a few milliseconds for
    /// 1,000 entries; that was seen to succeed, and the same bytes do not fail later.
    pub(crate) fn base(&self, at_ms: i64) -> Option<Arc<Base>> {
        self.used_ms.fetch_max(at_ms, Ordering::Relaxed);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if compiled.is_none() {
            *compiled = self.edition.entries().and_then(Base::new).ok().map(Arc::new);
        }
        compiled.clone()
    }

    /// Lets go of the automaton until the room is spoken in again.
    pub(crate) fn rest(&self) {
        *self.compiled.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn used_ms(&self) -> i64 {
        self.used_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn edition(&self) -> &Edition {
        &self.edition
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries
    }
}
