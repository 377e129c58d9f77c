//! The rules of one version. For now these are a plain word list; where its file lies is kept out.

pub mod chunks;

use std::sync::Arc;

use proto::{ban, v1::MuteRule};

use crate::words::{BadWords, Words};

/// One whole version of the rules.
pub struct Book {
    /// Names the rules; stamped on all that they judge. Never 0.
    pub version: u64,
    /// The words that no message may hold.
    pub words: Words,
    mutes: Arc<Vec<MuteRule>>,
    bans: Arc<ban::Book>,
}

impl Book {
    /// The rules of a word file. Its version is a checksum of the file, so that filters which read the same words, each from
    /// a copy of its own, stamp the same version.
    pub fn of_words(file: &[u8]) -> Result<Self, BadWords> {
        Ok(Self {
            version: checksum(file).max(1),
            words: Words::parse(file)?,
            mutes: Arc::default(),
            bans: Arc::default(),
        })
    }

    /// The same with other people muted and banned.
    #[must_use]
    pub fn with_people(self, mutes: Arc<Vec<MuteRule>>, bans: Arc<ban::Book>) -> Self {
        Self { mutes, bans, ..self }
    }

    /// The mutes to begin with when a partition is taken over. Each acts only behind its control record.
    pub fn mutes(&self) -> &[MuteRule] {
        &self.mutes
    }

    /// Everybody who is banned.
    pub fn bans(&self) -> &ban::Book {
        &self.bans
    }

    /// Plain chat that `room` shows in a second, if its policy says so.
    pub fn budget_per_s(&self, _room: &str) -> Option<u32> {
        None
    }

    /// Whether `[code]` stands for a picture in `room`.
    pub fn is_emote(&self, _room: &str, _code: &str) -> bool {
        false
    }

    /// Whether these rules are as new as `version` (F9); 0 stands for none. Word files have no order, only sameness: another
    /// one is waited for as if it were newer.
    pub fn is_as_new_as(&self, version: u64) -> bool {
        version == 0 || version == self.version
    }
}

/// FNV-1a in 32 bits, which are five bytes of a record: enough to tell one edit from the next.
fn checksum(bytes: &[u8]) -> u64 {
    let fold = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, fold).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_version_and_others_are_another() {
        let version = |file: &[u8]| Book::of_words(file).unwrap().version;
        assert_eq!(version(b"blorp\n"), version(b"blorp\n"));
        assert_ne!(version(b"blorp\n"), version(b"blorq\n"));
        assert_eq!(checksum(b"a"), 0xe40c_292c);
    }

    #[test]
    fn as_new_as() {
        let book = Book::of_words(b"blorp").unwrap();
        assert!(book.is_as_new_as(0) && book.is_as_new_as(book.version));
        assert!(!book.is_as_new_as(book.version + 1));
    }
}
