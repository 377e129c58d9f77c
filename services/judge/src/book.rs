//! The rules of one version. For now these are a plain word list; how versions are made and told is kept out.

use crate::words::Words;

/// One whole version of the rules.
pub struct Book {
    /// Rises with every change; stamped on all that it judges.
    pub version: u64,
    /// The words that no message may hold.
    pub words: Words,
}
