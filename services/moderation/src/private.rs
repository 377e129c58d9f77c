//! Entries whose text somebody may not read: where one was found says what it is, so that is not told him either.

use std::collections::HashSet;

use proto::{RoomId, rules::Scope};

use crate::{access::Caller, house::House, store::Error, versions};

/// The entries that are private to others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden(HashSet<String>);

impl Hidden {
    /// From `caller`, of those that hold in a room, or everywhere.
    pub(crate) async fn from(house: &House, caller: &Caller, room: Option<&RoomId>) -> Result<Self, Error> {
        let mut hidden = HashSet::new();
        let scopes = [Some(Scope::Global), room.cloned().map(Scope::Room)];
        for scope in scopes.into_iter().flatten() {
            let (_, content) = versions::current(&house.store, &house.cache, &scope).await?;
            let of_others = content.entries().filter(|kept| kept.private && !caller.sees_private(&kept.author));
            hidden.extend(of_others.map(|kept| kept.entry.id.clone()));
        }
        Ok(Self(hidden))
    }

    /// Whether an entry is hidden from him.
    pub(crate) fn hides(&self, entry: &str) -> bool {
        self.0.contains(entry)
    }
}
