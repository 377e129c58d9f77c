//! What several parcels say to the rules, gathered for one transaction. Pure: it is written by `publish`.

use proto::rules::Key;

use super::{kafka::Rule, shelf::Shelf, stands::Stands};

/// Rules that go to Kafka together.
pub(super) struct Bundle {
    /// What will stand on the topic.
    pub(super) shelf: Shelf,
    /// In their order.
    pub(super) rules: Vec<Rule>,
    pub(super) bytes: usize,
    /// The versions among them.
    pub(super) versions: Vec<i64>,
    /// The parcels they are of, each with what it leaves behind.
    pub(super) parcels: Vec<(Place, Left)>,
}

/// Where a parcel lies in the outbox.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) sequence: i64,
    pub(super) place: i64,
}

/// What a parcel leaves behind on the topic.
pub(super) enum Left {
    Nothing,
    /// A mute or ban, in force or lifted.
    Stands(Key, Stands),
    /// One that was removed.
    Forgotten(Key),
}

impl Bundle {
    /// An empty one, for a topic on which this stands.
    pub(super) fn on(shelf: &Shelf) -> Self {
        Self { shelf: shelf.clone(), rules: Vec::new(), bytes: 0, versions: Vec::new(), parcels: Vec::new() }
    }

    /// Adds a record; none is a tombstone.
    pub(super) fn put(&mut self, key: String, value: Option<Vec<u8>>) {
        self.bytes += key.len() + value.as_ref().map_or(0, Vec::len);
        self.rules.push((key, value));
    }

    /// Adds a mute or ban.
    pub(super) fn stand(&mut self, key: &Key, stands: &Stands) {
        self.put(key.to_string(), Some(stands.record.clone()));
        self.shelf.stand(key, stands.sequence, stands.until, &stands.record);
    }

    /// Takes one away.
    pub(super) fn forget(&mut self, key: &Key) {
        self.put(key.to_string(), None);
        self.shelf.hear(key.to_string().as_bytes(), &[]);
    }
}
