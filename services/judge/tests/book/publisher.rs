//! Who writes the topic, as records in memory: versions with their chunks and tombstones, as a moderation service publishes
//! them; and the compaction of what was written.

use std::collections::{BTreeMap, BTreeSet};

use judge::book::chunks::{Chunk, Hash, pack};
use proto::{
    record::encode,
    rules::{Key, Scope},
    v1::{self, Entry, MuteRule, Policy, RuleChunk, RuleVersion, Rules, rules::Record},
};

/// A record: its key, and its value unless it is a tombstone.
pub(crate) type Written = (String, Vec<u8>);

/// Versions that a publisher keeps.
const KEPT: usize = 20;

#[derive(Default)]
pub(crate) struct Publisher {
    pub(crate) log: Vec<Written>,
    pub(crate) number: u64,
    pub(crate) sequence: u64,
    versions: BTreeMap<Scope, BTreeMap<u64, BTreeSet<Hash>>>,
    on_topic: BTreeSet<Hash>,
}

pub(crate) fn room(name: &str) -> Scope {
    format!("room/{name}").parse().unwrap()
}

/// An entry with an id of its own, for all that is said.
pub(crate) fn entry(id: &str, text: &str) -> Entry {
    Entry { id: id.into(), list: "test".into(), text: text.into(), severity: 3, ..Entry::default() }
}

pub(crate) fn of_record(record: Record) -> Vec<u8> {
    encode(&Rules { record: Some(record) })
}

impl Publisher {
    fn write(&mut self, key: &Key, value: Vec<u8>) {
        self.log.push((key.to_string(), value));
    }

    /// Publishes a version: its chunks that the topic lacks, itself, and tombstones of what is too old.
    pub(crate) fn publish(&mut self, scope: &Scope, entries: &[Entry], policy: Option<Policy>) -> u64 {
        self.number += 1;
        let chunks = pack(entries).unwrap();
        for chunk in &chunks {
            if self.on_topic.insert(chunk.hash) {
                self.write(&Key::Chunk(chunk.hash), chunk_record(chunk));
            }
        }
        self.write_version(scope, &chunks, policy);
        self.number
    }

    pub(crate) fn write_version(&mut self, scope: &Scope, chunks: &[Chunk], policy: Option<Policy>) {
        let version = version(scope, self.number, chunks, policy);
        self.write(&Key::Version(scope.clone(), self.number), of_record(Record::Version(version)));
        let hashes = chunks.iter().map(|chunk| chunk.hash).collect();
        self.versions.entry(scope.clone()).or_default().insert(self.number, hashes);
        self.tidy(scope);
    }

    fn tidy(&mut self, scope: &Scope) {
        let versions = self.versions.get_mut(scope).unwrap();
        if versions.len() <= KEPT {
            return;
        }
        let (number, chunks) = versions.pop_first().unwrap();
        let used: BTreeSet<Hash> = self.versions.values().flat_map(BTreeMap::values).flatten().copied().collect();
        self.write(&Key::Version(scope.clone(), number), Vec::new());
        for orphan in chunks.difference(&used) {
            self.write(&Key::Chunk(*orphan), Vec::new());
            self.on_topic.remove(orphan);
        }
    }

    pub(crate) fn mute(&mut self, room: &str, user: &str, until: i64) {
        self.sequence += 1;
        let subject = format!("user/{user}");
        let rule = MuteRule {
            room: room.into(),
            subject: subject.clone(),
            until,
            sequence: self.sequence,
            generation: 1,
            ..MuteRule::default()
        };
        self.log.push((format!("mute/{room}/{subject}"), of_record(Record::Mute(rule))));
    }

    pub(crate) fn ban(&mut self, user: &str, until: i64) {
        self.sequence += 1;
        let subject = format!("user/{user}");
        let rule = v1::BanRule { subject: subject.clone(), until, sequence: self.sequence, ..v1::BanRule::default() };
        self.log.push((format!("ban/{subject}"), of_record(Record::Ban(rule))));
    }
}

pub(crate) fn chunk_record(chunk: &Chunk) -> Vec<u8> {
    of_record(Record::Chunk(RuleChunk { entries: chunk.packed.clone() }))
}

pub(crate) fn version(scope: &Scope, number: u64, chunks: &[Chunk], policy: Option<Policy>) -> RuleVersion {
    let chunks = chunks.iter().map(|chunk| chunk.hash.to_vec()).collect();
    RuleVersion { scope: scope.to_string(), number, chunks, policy, ..RuleVersion::default() }
}

/// What compaction leaves of `log` if it has looked at its first `cleaned` records: of each key the last of these, and no
/// tombstone when `tombstones` is false. All else stays in its order.
pub(crate) fn compacted(log: &[Written], cleaned: usize, tombstones: bool) -> Vec<Written> {
    let (clean, dirty) = log.split_at(cleaned);
    let last: BTreeMap<&str, usize> = clean.iter().enumerate().map(|(at, (key, _))| (&**key, at)).collect();
    let stays = |(at, (key, value)): &(usize, &Written)| last[&**key] == *at && (tombstones || !value.is_empty());
    let clean = clean.iter().enumerate().filter(stays).map(|(_, written)| written.clone());
    clean.chain(dirty.iter().cloned()).collect()
}
