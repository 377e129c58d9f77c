//! The entries of a scope as the chunks that stand on `danmaku-rules`, and back. Which version names them is kept out.
//!
//! Entries are spread by a hash of their text, so one edit changes one chunk of 64; a chunk of the same entries is the same
//! bytes under the same name, so versions share what they have in common.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message as _;
use proto::{
    rules::{CHUNKS, HASH_BYTES},
    v1::{Entries, Entry},
};
use sha2::{Digest as _, Sha256};

/// The most that a chunk may be when unpacked: 64 of them hold 200,000 entries of 1.3 KiB. A small record that unpacks to
/// more is no chunk of ours.
const UNPACKED_BYTES_MAX: usize = 4 << 20;

/// Level 3 packs 100,000 Chinese words to about half in 20 ms; higher ones gain little.
const LEVEL: i32 = 3;

/// A chunk's name.
pub type Hash = [u8; HASH_BYTES];

/// Some of a scope's entries, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// SHA-256 of `packed`.
    pub hash: Hash,
    /// `RuleChunk.entries`.
    pub packed: Bytes,
}

/// Bytes that are no chunk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadChunk {
    /// They do not have the hash under which they stand.
    #[error("its bytes are not those that its name stands for")]
    Hash,
    /// They cannot be unpacked, or are too many.
    #[error("it cannot be unpacked: {0}")]
    Packed(String),
    /// They are no entries.
    #[error("it holds no entries: {0}")]
    Entries(String),
}

/// Packs entries into at most 64 chunks. The order of `entries` does not matter.
///
/// # Errors
/// When they cannot be packed, or a chunk would be over 4 MiB.
pub fn pack<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Result<Vec<Chunk>, BadChunk> {
    let mut spread: BTreeMap<usize, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        spread.entry(place(&entry.text)).or_default().push(entry);
    }
    spread.into_values().map(pack_one).collect()
}

fn pack_one(mut entries: Vec<&Entry>) -> Result<Chunk, BadChunk> {
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    let entries = Entries { entries: entries.into_iter().cloned().collect() };
    let bytes = entries.encode_to_vec();
    if bytes.len() > UNPACKED_BYTES_MAX {
        return Err(BadChunk::Packed(format!("{} bytes, and {UNPACKED_BYTES_MAX} are the most", bytes.len())));
    }
    let packed = zstd::bulk::compress(&bytes, LEVEL).map_err(|error| BadChunk::Packed(error.to_string()))?;
    Ok(Chunk { hash: Sha256::digest(&packed).into(), packed: packed.into() })
}

/// Unpacks what stands under `hash`.
///
/// # Errors
/// When it is not what its name says, or holds no entries.
pub fn unpack(hash: &Hash, packed: &[u8]) -> Result<Vec<Entry>, BadChunk> {
    if Sha256::digest(packed)[..] != hash[..] {
        return Err(BadChunk::Hash);
    }
    let bytes =
        zstd::bulk::decompress(packed, UNPACKED_BYTES_MAX).map_err(|error| BadChunk::Packed(error.to_string()))?;
    Ok(Entries::decode(&*bytes).map_err(|error| BadChunk::Entries(error.to_string()))?.entries)
}

/// On which of the 64 an entry with this text goes.
#[must_use]
pub fn place(text: &str) -> usize {
    usize::from(Sha256::digest(text)[0]) % CHUNKS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn entry(number: u32) -> Entry {
        Entry { id: format!("e{number}"), text: format!("blorp{number}"), severity: 2, ..Entry::default() }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let entries: Vec<Entry> = (0..1_000).map(entry).collect();
        let chunks = pack(&entries).unwrap();
        assert_eq!(chunks.len(), CHUNKS);
        let unpacked = chunks.iter().flat_map(|chunk| unpack(&chunk.hash, &chunk.packed).unwrap());
        let ids = |entries: &mut dyn Iterator<Item = Entry>| entries.map(|entry| entry.id).collect::<BTreeSet<_>>();
        assert_eq!(ids(&mut unpacked.into_iter()), ids(&mut entries.into_iter()));
        assert_eq!(pack(&[]).unwrap(), []);
    }

    #[test]
    fn one_edit_changes_one_chunk_and_order_none() {
        let mut entries: Vec<Entry> = (0..1_000).map(entry).collect();
        let before = pack(&entries).unwrap();
        entries.reverse();
        assert_eq!(pack(&entries).unwrap(), before);
        entries[7].severity = 4;
        let after = pack(&entries).unwrap();
        assert_eq!(before.iter().zip(&after).filter(|(before, after)| before != after).count(), 1);
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let chunk = pack(&[entry(1)]).unwrap().remove(0);
        assert_eq!(unpack(&[0; 32], &chunk.packed), Err(BadChunk::Hash));
        let named = |bytes: &[u8]| unpack(&Sha256::digest(bytes).into(), bytes).unwrap_err();
        assert!(matches!(named(b"blorp"), BadChunk::Packed(_)));
        // 100 MB of zeros, in a few kilobytes.
        let bomb = zstd::bulk::compress(&vec![0; 100 << 20], LEVEL).unwrap();
        assert!(matches!(named(&bomb), BadChunk::Packed(_)));
        assert!(matches!(named(&zstd::bulk::compress(b"\xff\xff", LEVEL).unwrap()), BadChunk::Entries(_)));
    }
}
