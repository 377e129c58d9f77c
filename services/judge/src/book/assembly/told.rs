//! What was told of the topic in one go: chunks, versions, mutes and bans by their keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use proto::{
    RoomId,
    ban::{self, Subject},
    record::decode,
    rules::{Key, Scope},
    v1::{MuteRule, Policy, RuleChunk, RuleVersion, Rules, rules::Record},
};
use sha2::{Digest as _, Sha256};

use super::{Change, Refused, Renewal};
use crate::book::{
    chunks::Hash,
    edition::{Edition, named},
    limits::{CHUNK_BYTES_MAX, ROOMS_MAX, VERSIONS_KEPT},
    mutes::{self, Mutes},
};

/// What stands on the topic.
#[derive(Debug, Default)]
pub(super) struct Told {
    chunks: HashMap<Hash, Bytes>,
    chunk_bytes: usize,
    pub(super) scopes: BTreeMap<Scope, BTreeMap<u64, Version>>,
    /// Versions that name a chunk which is not here, as far as that was so when they came.
    incomplete: BTreeSet<(Scope, u64)>,
    pub(super) mutes: Mutes,
    pub(super) bans: ban::Book,
}

/// A version, as far as its record says it.
#[derive(Debug)]
pub(super) struct Version {
    chunks: Vec<Hash>,
    policy: Option<Policy>,
}

impl Told {
    /// What a record changed, and which scopes have to be looked at.
    pub(super) fn hear(&mut self, key: &Key, value: &[u8], at_ms: i64) -> (Change, Vec<Scope>) {
        if let Key::Ban(_) = key {
            return (self.ban(key, value, at_ms), Vec::new());
        }
        match (key, read(value)) {
            (Key::Chunk(hash), Ok(None)) => (self.forget_chunk(hash), Vec::new()),
            (Key::Chunk(hash), Ok(Some(Record::Chunk(chunk)))) => self.chunk(key, *hash, chunk),
            (Key::Version(scope, number), Ok(None)) => (self.forget_version(scope, *number), vec![scope.clone()]),
            (Key::Version(scope, number), Ok(Some(Record::Version(version)))) => {
                (self.version(key, scope, *number, version), vec![scope.clone()])
            }
            (Key::Mute(room, subject), Ok(None)) => (self.mute(key, room, subject, None, at_ms), Vec::new()),
            (Key::Mute(room, subject), Ok(Some(Record::Mute(rule))))
                if rule.room == room.as_str() && rule.subject == subject.to_string() =>
            {
                (self.mute(key, room, subject, Some(rule), at_ms), Vec::new())
            }
            _ => (Change::Refused(Refused::Unreadable(key.to_string())), Vec::new()),
        }
    }

    fn mute(&mut self, key: &Key, room: &RoomId, subject: &Subject, rule: Option<MuteRule>, at_ms: i64) -> Change {
        match self.mutes.hear(room.clone(), subject.clone(), rule, at_ms) {
            mutes::Taken::Kept => Change::Mutes,
            mutes::Taken::Stale => Change::Nothing,
            mutes::Taken::NoRoom => Change::Refused(Refused::NoRoom(key.to_string())),
        }
    }

    fn ban(&mut self, key: &Key, value: &[u8], at_ms: i64) -> Change {
        match self.bans.hear(key.to_string().as_bytes(), value, at_ms) {
            ban::Taken::Kept => Change::Bans,
            ban::Taken::Older | ban::Taken::Other => Change::Nothing,
            ban::Taken::Unreadable => Change::Refused(Refused::Unreadable(key.to_string())),
            ban::Taken::NoRoom => Change::Refused(Refused::NoRoom(key.to_string())),
        }
    }

    fn chunk(&mut self, key: &Key, hash: Hash, chunk: RuleChunk) -> (Change, Vec<Scope>) {
        if Sha256::digest(&chunk.entries)[..] != hash[..] {
            return (Change::Refused(Refused::Hash(key.to_string())), Vec::new());
        }
        if self.chunks.contains_key(&hash) {
            return (Change::Nothing, Vec::new());
        }
        if self.chunk_bytes + chunk.entries.len() > CHUNK_BYTES_MAX {
            return (Change::Refused(Refused::NoRoom(key.to_string())), Vec::new());
        }
        self.chunk_bytes += chunk.entries.len();
        self.chunks.insert(hash, chunk.entries);
        let waiting: Vec<Scope> = self.waiting_for(&hash).collect();
        (if waiting.is_empty() { Change::Nothing } else { Change::Rules }, waiting)
    }

    /// The scopes with a version that waited for this chunk. Chunks are written before what names them, so few ever wait.
    fn waiting_for(&self, hash: &Hash) -> impl Iterator<Item = Scope> {
        let waits = move |(scope, number): &&(Scope, u64)| {
            let version = self.scopes.get(scope).and_then(|versions| versions.get(number));
            version.is_some_and(|version| version.chunks.contains(hash))
        };
        self.incomplete.iter().filter(waits).map(|(scope, _)| scope.clone())
    }

    fn forget_chunk(&mut self, hash: &Hash) -> Change {
        if let Some(bytes) = self.chunks.remove(hash) {
            self.chunk_bytes -= bytes.len();
        }
        Change::Nothing
    }

    fn version(&mut self, key: &Key, scope: &Scope, number: u64, version: RuleVersion) -> Change {
        let chunks = match named(scope, number, &version) {
            Ok(chunks) => chunks,
            Err(why) => return Change::Refused(Refused::Version(key.to_string(), why)),
        };
        if !self.scopes.contains_key(scope) && self.scopes.len() > ROOMS_MAX {
            return Change::Refused(Refused::NoRoom(key.to_string()));
        }
        if !chunks.iter().all(|hash| self.chunks.contains_key(hash)) {
            self.incomplete.insert((scope.clone(), number));
        }
        let versions = self.scopes.entry(scope.clone()).or_default();
        versions.insert(number, Version { chunks, policy: version.policy });
        if versions.len() > VERSIONS_KEPT
            && let Some((oldest, _)) = versions.pop_first()
        {
            self.incomplete.remove(&(scope.clone(), oldest));
        }
        Change::Rules
    }

    fn forget_version(&mut self, scope: &Scope, number: u64) -> Change {
        let Some(versions) = self.scopes.get_mut(scope) else { return Change::Nothing };
        versions.remove(&number);
        self.incomplete.remove(&(scope.clone(), number));
        if versions.is_empty() {
            self.scopes.remove(scope);
            return Change::Rules;
        }
        Change::Nothing
    }

    pub(super) fn renewal(&self, scope: Scope) -> Renewal {
        let versions = self.scopes.get(&scope);
        let newest = versions.and_then(|versions| Some(*versions.last_key_value()?.0));
        let whole = |(&number, version): (&u64, &Version)| self.edition(&scope, number, version);
        let editions = versions.into_iter().flatten().rev().filter_map(whole).collect();
        Renewal { scope, newest, editions }
    }

    /// A version with its chunks, if all of them are here.
    fn edition(&self, scope: &Scope, number: u64, version: &Version) -> Option<Edition> {
        let held = |hash: &Hash| self.chunks.get(hash).map(|bytes| (*hash, bytes.clone()));
        let chunks = version.chunks.iter().map(held).collect::<Option<_>>()?;
        Some(Edition { scope: scope.clone(), number, policy: version.policy.clone(), chunks })
    }
}

/// The record in a value, `None` for a tombstone. One of a later release is unreadable under a key of this one.
fn read(value: &[u8]) -> Result<Option<Record>, ()> {
    if value.is_empty() {
        return Ok(None);
    }
    decode::<Rules>(value).map_err(drop)?.record.map(Some).ok_or(())
}
