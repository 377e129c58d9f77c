//! One version of one scope with all that it names: what stands on `danmaku-rules`, not yet compiled.

use bytes::Bytes;
use proto::{
    rules::{CHUNKS, Scope},
    v1::{Entry, EntryKind, Policy, RuleVersion},
};

use super::{
    chunks::{self, BadChunk, Hash},
    limits::{Limits, TooMany},
};
use crate::entry::BadEntry;

/// A version that is held whole. Cheap to copy: chunks are shared.
#[derive(Debug, Clone, PartialEq)]
pub struct Edition {
    /// For which rooms it is.
    pub scope: Scope,
    /// Its number, which counts over the whole book.
    pub number: u64,
    /// What to do about hits; `None` = as elsewhere.
    pub policy: Option<Policy>,
    /// Its chunks, each under its name, in the order in which the version names them.
    pub chunks: Vec<(Hash, Bytes)>,
}

/// Why a version cannot be in force. The last good one stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadEdition {
    /// A chunk is none.
    #[error("a chunk is unusable: {0}")]
    Chunk(#[from] BadChunk),
    /// No rules for all rooms is not "allow all".
    #[error("it has no entries; publish at least one, since a book without rules is never put in force")]
    Empty,
    /// More than a scope may have.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// Two entries have one id, so neither a hit nor an edit could name one.
    #[error("two entries have the id {0:?}; give one of them another")]
    SameId(String),
    /// An entry cannot be searched for.
    #[error("an entry is unusable: {0}")]
    Entry(#[from] BadEntry),
}

/// Why a record is no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadVersion {
    /// Under another key than its own.
    #[error("it stands under the key of another version")]
    Key,
    /// It names too many chunks, one of them twice, or something that is no hash.
    #[error("its chunks are not at most 64 different hashes of 32 bytes")]
    Chunks,
    /// Its policy is larger than a policy may be.
    #[error("its policy has more than 64 rows, 100 domains or 1,000 emotes")]
    Policy,
}

impl Edition {
    /// Its entries, chunk by chunk.
    ///
    /// # Errors
    /// When a chunk is none, or the scope would have more than it may.
    pub fn entries(&self) -> Result<Vec<Entry>, BadEdition> {
        let limits = Limits::of(&self.scope);
        let mut all = Vec::new();
        for (hash, packed) in &self.chunks {
            all.append(&mut chunks::unpack(hash, packed)?);
            // What is far too much is not even unpacked.
            limits.check(all.len().saturating_sub(limits.regexes), 0)?;
        }
        let regexes = all.iter().filter(|entry| entry.kind() == EntryKind::Regex).count();
        limits.check(all.len() - regexes, regexes)?;
        if all.is_empty() && self.scope == Scope::Global {
            return Err(BadEdition::Empty);
        }
        Ok(all)
    }
}

/// The names of a version's chunks.
///
/// # Errors
/// When `version` is not what stands under the key of `scope` and `number`.
pub(crate) fn named(scope: &Scope, number: u64, version: &RuleVersion) -> Result<Vec<Hash>, BadVersion> {
    if version.number != number || version.scope.parse() != Ok(scope.clone()) {
        return Err(BadVersion::Key);
    }
    if let Some(policy) = &version.policy
        && (policy.rows.len() > 64 || policy.allow_domains.len() > 100 || policy.emotes.len() > 1_000)
    {
        return Err(BadVersion::Policy);
    }
    let hashes: Option<Vec<Hash>> = version.chunks.iter().map(|hash| Hash::try_from(&**hash).ok()).collect();
    let mut sorted = hashes.clone().ok_or(BadVersion::Chunks)?;
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != version.chunks.len() || sorted.len() > CHUNKS {
        return Err(BadVersion::Chunks);
    }
    hashes.ok_or(BadVersion::Chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_names_its_chunks() {
        let version =
            RuleVersion { scope: "global".into(), number: 3, chunks: vec![vec![7; 32]], ..Default::default() };
        let check = |change: &dyn Fn(&mut RuleVersion)| {
            let mut version = version.clone();
            change(&mut version);
            named(&Scope::Global, 3, &version)
        };
        assert_eq!(check(&|_| {}), Ok(vec![[7; 32]]));
        assert_eq!(check(&|version| version.chunks.clear()), Ok(vec![]));
        assert_eq!(check(&|version| version.number = 4), Err(BadVersion::Key));
        assert_eq!(check(&|version| version.scope = "room/demo".into()), Err(BadVersion::Key));
        assert_eq!(check(&|version| version.chunks.push(vec![7; 32])), Err(BadVersion::Chunks));
        assert_eq!(check(&|version| version.chunks.push(vec![8; 31])), Err(BadVersion::Chunks));
        let many: Vec<Vec<u8>> = (0..65).map(|first| vec![first; 32]).collect();
        assert_eq!(check(&|version| version.chunks.clone_from(&many)), Err(BadVersion::Chunks));
        let policy = Policy { emotes: vec![String::new(); 1_001], ..Policy::default() };
        assert_eq!(check(&|version| version.policy = Some(policy.clone())), Err(BadVersion::Policy));
    }
}
