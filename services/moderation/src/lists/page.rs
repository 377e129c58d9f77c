//! Some of a scope's entries as they are stored, and as the chunk they are published in. Which version names them is kept out.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use judge::book::chunks::{self, Hash};
use prost::Message as _;
use proto::v1;
use sha2::{Digest as _, Sha256};

use super::Mode;
use crate::fold;

/// As the judge's chunks: level 3 packs 100,000 Chinese words to about half in 20 ms; higher ones gain little.
const LEVEL: i32 = 3;

/// The most that a page may be when unpacked: 200,000 entries on 64 pages, of 1.3 KiB each, and their comments.
const UNPACKED_BYTES_MAX: usize = 16 << 20;

/// The most that a chunk may be when packed; a broker takes records of 1 MB.
pub const CHUNK_BYTES_MAX: usize = 512 << 10;

/// An entry with what the judge need not know of it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Kept {
    /// As it is published, but for `observe`, which its list decides.
    #[prost(message, required, tag = "1")]
    pub entry: v1::Entry,
    /// The text as it is compared with others.
    #[prost(string, tag = "2")]
    pub folded: String,
    /// For people.
    #[prost(string, tag = "3")]
    pub comment: String,
    /// Whether only its author and admins may read its text.
    #[prost(bool, tag = "4")]
    pub private: bool,
    /// Whether it ends with the broadcast.
    #[prost(bool, tag = "5")]
    pub broadcast: bool,
    /// Who added it.
    #[prost(string, tag = "6")]
    pub author: String,
    /// When, in Unix milliseconds.
    #[prost(int64, tag = "7")]
    pub added_ms: i64,
    /// Words to find it by; for people.
    #[prost(string, repeated, tag = "8")]
    pub tags: Vec<String>,
}

impl Kept {
    /// An entry of which only what is published is known.
    pub(crate) fn published(entry: v1::Entry, author: &str, added_ms: i64) -> Self {
        let folded = compared(&entry);
        let entry = v1::Entry { observe: false, ..entry };
        Self { entry, folded, author: author.to_owned(), added_ms, ..Self::default() }
    }
}

/// The text of an entry as it is compared with others. An expression is what it is.
pub(super) fn compared(entry: &v1::Entry) -> String {
    if entry.kind() == v1::EntryKind::Regex { entry.text.clone() } else { fold::key(&entry.text) }
}

#[derive(Clone, PartialEq, prost::Message)]
struct Packed {
    #[prost(message, repeated, tag = "1")]
    entries: Vec<Kept>,
}

/// One of a content's 64 pages. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Page {
    entries: Arc<Vec<Kept>>,
    /// Under which names it is stored; `None` until it is, and after each edit.
    stored: Option<Stored>,
}

/// Names of a page's blobs; `None` where nothing needs to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stored {
    /// The page itself.
    pub page: Option<Hash>,
    /// The chunk that is published of it.
    pub chunk: Option<Hash>,
}

/// Bytes and their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Their name.
    pub hash: Hash,
    /// The bytes.
    pub packed: Bytes,
}

/// More than a record may be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its entries are too long to be published: {0}; use shorter or fewer ones")]
pub struct TooLarge(String);

/// A page that was stored, and is not any more what it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a stored page cannot be read: {0}")]
pub struct BadPage(String);

impl Page {
    /// Its entries.
    #[must_use]
    pub fn entries(&self) -> &[Kept] {
        &self.entries
    }

    /// Its entries, to be changed.
    pub fn edit(&mut self) -> &mut Vec<Kept> {
        self.stored = None;
        Arc::make_mut(&mut self.entries)
    }

    /// Says that it must be published anew, as a list's mode was changed.
    pub fn touch(&mut self) {
        self.stored = None;
    }

    /// Under which names it is stored.
    #[must_use]
    pub fn stored(&self) -> Option<Stored> {
        self.stored
    }

    /// The same entries under these names: their chunk is another one where their list's mode is.
    #[must_use]
    pub fn stored_as(&self, stored: Stored) -> Self {
        Self { entries: Arc::clone(&self.entries), stored: Some(stored) }
    }

    pub(super) fn pack(&mut self, mode_of: impl Fn(&str) -> Mode, blobs: &mut Vec<Blob>) -> Result<(), TooLarge> {
        if self.stored.is_some() {
            return Ok(());
        }
        let mut stored = Stored::default();
        if !self.entries.is_empty() {
            let bytes = Packed { entries: self.entries.to_vec() }.encode_to_vec();
            if bytes.len() > UNPACKED_BYTES_MAX {
                return Err(TooLarge(format!("{} bytes of one page in 64", bytes.len())));
            }
            let packed = zstd::bulk::compress(&bytes, LEVEL).map_err(|error| TooLarge(error.to_string()))?;
            let hash = Sha256::digest(&packed).into();
            stored.page = Some(hash);
            blobs.push(Blob { hash, packed: packed.into() });
        }
        if let Some(chunk) = self.chunk(mode_of)? {
            stored.chunk = Some(chunk.hash);
            blobs.push(chunk);
        }
        self.stored = Some(stored);
        Ok(())
    }

    fn chunk(&self, mode_of: impl Fn(&str) -> Mode) -> Result<Option<Blob>, TooLarge> {
        let published: Vec<v1::Entry> = self.entries.iter().filter_map(|kept| published(kept, &mode_of)).collect();
        let chunks = chunks::pack(&published).map_err(|bad| TooLarge(bad.to_string()))?;
        debug_assert!(chunks.len() <= 1, "a page is what goes into one chunk");
        match chunks.into_iter().next() {
            Some(chunk) if chunk.packed.len() > CHUNK_BYTES_MAX => {
                Err(TooLarge(format!("{} bytes of one chunk in 64, when packed", chunk.packed.len())))
            }
            chunk => Ok(chunk.map(|chunk| Blob { hash: chunk.hash, packed: chunk.packed })),
        }
    }

    /// Reads a page as it was stored.
    ///
    /// # Errors
    /// When the bytes are no page.
    pub fn unpack(stored: Stored, packed: &[u8]) -> Result<Self, BadPage> {
        let bytes = zstd::bulk::decompress(packed, UNPACKED_BYTES_MAX).map_err(|error| BadPage(error.to_string()))?;
        let packed = Packed::decode(&*bytes).map_err(|error| BadPage(error.to_string()))?;
        Ok(Self { entries: Arc::new(packed.entries), stored: Some(stored) })
    }

    /// A page on which nothing stands.
    #[must_use]
    pub fn empty() -> Self {
        Self { stored: Some(Stored::default()), ..Self::default() }
    }
}

fn published(kept: &Kept, mode_of: impl Fn(&str) -> Mode) -> Option<v1::Entry> {
    match mode_of(&kept.entry.list) {
        Mode::Draft => None,
        mode => Some(v1::Entry { observe: mode == Mode::Observe, ..kept.entry.clone() }),
    }
}

/// A page's entries gathered by the place of each.
pub fn spread(entries: impl IntoIterator<Item = Kept>) -> BTreeMap<usize, Vec<Kept>> {
    let mut spread: BTreeMap<usize, Vec<Kept>> = BTreeMap::new();
    for kept in entries {
        spread.entry(chunks::place(&kept.entry.text)).or_default().push(kept);
    }
    spread
}
