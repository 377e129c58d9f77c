//! What stands on `danmaku-rules`, and what one more version means for it. Pure.
//!
//! Of each scope the last [`VERSIONS_KEPT`] versions are kept, and all chunks that one of them names.

use std::collections::{BTreeMap, HashMap, HashSet};

use judge::book::chunks::Hash;
use proto::{
    record,
    rules::{Key, Scope},
    v1::{self, rules::Record},
};

/// Versions of a scope that stay on the topic: what a filter that lags by so many edits can still read.
pub(crate) const VERSIONS_KEPT: usize = 20;

/// The topic as far as it was read and written.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Shelf {
    versions: HashMap<Scope, BTreeMap<u64, Vec<Hash>>>,
    chunks: HashSet<Hash>,
    /// How many versions name a chunk.
    named: HashMap<Hash, usize>,
    /// Mutes and bans, by their key.
    standing: HashMap<String, Standing>,
    highest: u64,
}

/// A mute or a ban as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) sequence: u64,
    pub(crate) until: i64,
    pub(crate) record: Vec<u8>,
}

/// What has to be written for a version, in this order and together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Chunks that the topic lacks.
    pub(crate) chunks: Vec<Hash>,
    /// Versions that are too old, and chunks that nobody names any more.
    pub(crate) gone: Vec<Key>,
}

impl Shelf {
    /// Takes in a record of the topic. What it does not know it passes over.
    pub(crate) fn hear(&mut self, key: &[u8], value: &[u8]) {
        let Some(key) = std::str::from_utf8(key).ok().and_then(|key| key.parse::<Key>().ok()) else { return };
        if value.is_empty() {
            return self.forget(&key);
        }
        let record = record::decode::<v1::Rules>(value).ok().and_then(|rules| rules.record);
        match (key, record) {
            (Key::Chunk(hash), Some(Record::Chunk(_))) => drop(self.chunks.insert(hash)),
            (Key::Version(scope, number), Some(Record::Version(version))) => {
                self.put(scope, number, hashes(&version));
            }
            (key @ Key::Mute(..), Some(Record::Mute(mute))) => self.stand(&key, mute.sequence, mute.until, value),
            (key @ Key::Ban(_), Some(Record::Ban(ban))) => self.stand(&key, ban.sequence, ban.until, value),
            _ => {}
        }
    }

    fn forget(&mut self, key: &Key) {
        match key {
            Key::Chunk(hash) => drop(self.chunks.remove(hash)),
            Key::Version(scope, number) => self.take(scope, *number),
            Key::Mute(..) | Key::Ban(_) => drop(self.standing.remove(&key.to_string())),
        }
    }

    /// A mute or ban stands there now.
    pub(crate) fn stand(&mut self, key: &Key, sequence: u64, until: i64, record: &[u8]) {
        self.standing.insert(key.to_string(), Standing { sequence, until, record: record.to_vec() });
    }

    fn put(&mut self, scope: Scope, number: u64, hashes: Vec<Hash>) {
        self.take(&scope, number);
        hashes.iter().for_each(|hash| *self.named.entry(*hash).or_default() += 1);
        self.versions.entry(scope).or_default().insert(number, hashes);
        self.highest = self.highest.max(number);
    }

    fn take(&mut self, scope: &Scope, number: u64) {
        let Some(hashes) = self.versions.get_mut(scope).and_then(|versions| versions.remove(&number)) else { return };
        for hash in hashes {
            match self.named.get_mut(&hash) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.named.remove(&hash)),
            }
        }
    }

    /// The highest number that any scope has, or had.
    pub(crate) fn highest(&self) -> u64 {
        self.highest
    }

    /// The highest sequence number of a mute or ban.
    pub(crate) fn highest_sequence(&self) -> u64 {
        self.standing.values().map(|standing| standing.sequence).max().unwrap_or_default()
    }

    /// The newest version of a scope there, and the chunks it names.
    pub(crate) fn newest(&self, scope: &Scope) -> Option<(u64, &[Hash])> {
        let (number, hashes) = self.versions.get(scope)?.last_key_value()?;
        Some((*number, hashes))
    }

    /// Whether a version stands there with everything it names.
    pub(crate) fn has_whole(&self, scope: &Scope, number: u64) -> bool {
        let hashes = self.versions.get(scope).and_then(|versions| versions.get(&number));
        hashes.is_some_and(|hashes| hashes.iter().all(|hash| self.chunks.contains(hash)))
    }

    /// Every scope that has a version there.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &Scope> {
        self.versions.iter().filter(|(_, versions)| !versions.is_empty()).map(|(scope, _)| scope)
    }

    /// The mutes and bans there.
    pub(crate) fn standing(&self) -> &HashMap<String, Standing> {
        &self.standing
    }

    /// Puts a version there, and tells what has to be written for it. With `whole` also what is there already is written.
    pub(crate) fn step(&mut self, scope: &Scope, version: &v1::RuleVersion, whole: bool) -> Step {
        let wanted = hashes(version);
        let mut step = Step::default();
        for hash in &wanted {
            if (self.chunks.insert(*hash) || whole) && !step.chunks.contains(hash) {
                step.chunks.push(*hash);
            }
        }
        self.put(scope.clone(), version.number, wanted);
        step.gone = self.clear(scope);
        step
    }

    /// Forgets versions that are too old, and the chunks that nobody names any more.
    fn clear(&mut self, scope: &Scope) -> Vec<Key> {
        let mut gone = Vec::new();
        let numbers: Vec<u64> =
            self.versions.get(scope).into_iter().flat_map(|versions| versions.keys().copied()).collect();
        for number in numbers.iter().take(numbers.len().saturating_sub(VERSIONS_KEPT)) {
            let hashes =
                self.versions.get(scope).and_then(|versions| versions.get(number)).cloned().unwrap_or_default();
            self.take(scope, *number);
            gone.push(Key::Version(scope.clone(), *number));
            for hash in hashes.into_iter().filter(|hash| !self.named.contains_key(hash)) {
                if self.chunks.remove(&hash) {
                    gone.push(Key::Chunk(hash));
                }
            }
        }
        gone
    }
}

/// The names of a version's chunks.
pub(crate) fn hashes(version: &v1::RuleVersion) -> Vec<Hash> {
    version.chunks.iter().filter_map(|hash| Hash::try_from(hash.as_slice()).ok()).collect()
}

#[cfg(test)]
mod tests;
