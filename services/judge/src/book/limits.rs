//! How much a scope of the rule book may hold, each number with its arithmetic. Who writes the book checks the same.

use proto::rules::Scope;

/// Words and allow phrases for all rooms: three times the largest public list; compiled they take about 100 MB.
pub const GLOBAL_WORDS_MAX: usize = 200_000;

/// The same of one room, as the largest platforms allow.
pub const ROOM_WORDS_MAX: usize = 1_000;

/// Regexes of one scope: each is tried on every message. They stand beside the words.
pub const REGEXES_MAX: usize = 10;

/// Rooms with lists of their own. Packed they take some 10 KB each, 100 MB together.
pub const ROOMS_MAX: usize = 10_000;

/// Versions of a scope that are kept for a way back.
pub const VERSIONS_KEPT: usize = 20;

/// All packed chunks together: 20 versions of 200,000 entries that have nothing in common take 100 MB, and rooms as much.
pub const CHUNK_BYTES_MAX: usize = 256 << 20;

/// What one scope may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Words and allow phrases.
    pub words: usize,
    /// Regexes beside them.
    pub regexes: usize,
}

/// A scope holds more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// Words and allow phrases.
    #[error("it has more than {0} words and allow phrases; remove some")]
    Words(usize),
    /// Regexes.
    #[error("it has more than {0} regexes; remove some")]
    Regexes(usize),
}

impl Limits {
    /// Those of `scope`.
    pub fn of(scope: &Scope) -> Self {
        let words = match scope {
            Scope::Global => GLOBAL_WORDS_MAX,
            Scope::Room(_) => ROOM_WORDS_MAX,
        };
        Self { words, regexes: REGEXES_MAX }
    }

    /// Whether so many words and regexes are too many.
    ///
    /// # Errors
    /// When they are.
    pub fn check(self, words: usize, regexes: usize) -> Result<(), TooMany> {
        if words > self.words {
            return Err(TooMany::Words(self.words));
        }
        if regexes > self.regexes { Err(TooMany::Regexes(self.regexes)) } else { Ok(()) }
    }
}
