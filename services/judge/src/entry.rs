//! Whether an entry of a list can be searched for, and what its author should be told. Lines, lists and scopes are the caller's.

use proto::v1::{Entry, EntryKind};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    fold::{Class, Folded, class, fold},
    matcher::regexes,
};

/// Grapheme clusters of an entry: no phrase is longer, so a longer one is a list with the wrong separator.
pub const CLUSTERS_MAX: usize = 64;

/// Bytes of an entry, as of a line of a word file.
pub const BYTES_MAX: usize = 256;

/// Symbols that 64 clusters may come to: seven of them can be in one.
pub const SYMBOLS_MAX: usize = 128;

/// Signs between two symbols that an entry may allow. Twice that and one are a hard stop for every entry.
pub const GAPS_MAX: u32 = 16;

/// Signs between two symbols when an entry says nothing.
pub const GAPS: u32 = 3;

/// More texts that must stand near an entry's own.
pub const ALSO_MAX: usize = 3;

/// An entry that cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {id:?}: {why}")]
pub struct BadEntry {
    /// Its id.
    pub id: String,
    /// Why.
    pub why: Fault,
}

/// What is wrong with an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No text.
    #[error("it is empty; write a word")]
    Empty,
    /// Nothing that could be found.
    #[error(
        "it has only separators or signs, which are passed over in texts; write at least one letter, digit or character"
    )]
    OnlySigns,
    /// `*` alone.
    #[error("it is only a wildcard, which would find everything; write a word")]
    OnlyWildcard,
    /// A list in one line.
    #[error("it has {0} characters, and 64 are the most; is there one word a line?")]
    TooManyClusters(usize),
    /// A line of something else.
    #[error("it has {0} bytes, and 256 are the most; is there one word a line?")]
    TooManyBytes(usize),
    /// Expands to too much.
    #[error("it is compared as {0} symbols, and 128 are the most; split it")]
    TooManySymbols(usize),
    /// More than [`GAPS_MAX`].
    #[error("gaps is {0}, and 16 are the most")]
    Gaps(u32),
    /// More than [`ALSO_MAX`].
    #[error("also names {0} texts, and 3 are the most")]
    Also(usize),
    /// Not 1 to 4.
    #[error("severity is {0}; it is a number from 1 to 4")]
    Severity(u32),
    /// A time that is no span.
    #[error("it expires before it starts; put expires_ms behind starts_ms")]
    Expired,
    /// Too long a rule.
    #[error("the rule has {0} characters, and 260 are the most")]
    RegexTooLong(usize),
    /// Too large when compiled.
    #[error("the rule is too large when compiled; use fewer or smaller repetitions")]
    RegexTooLarge,
    /// Not a rule.
    #[error("the rule cannot be read: {0}")]
    RegexInvalid(String),
    /// A rule that finds nothing everywhere.
    #[error("the rule also finds an empty text, which stands everywhere; use + instead of *")]
    RegexEmpty,
}

/// What the author of an entry should know. Neither stops it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// One symbol is found in very many texts. An import is refused unless forced.
    OneSymbol,
    /// Its signs are not looked at: it is searched for as what is given.
    SignsIgnored(String),
    /// A flag that does nothing here.
    Useless(&'static str),
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OneSymbol => f.write_str("one character is found in very many texts"),
            Self::SignsIgnored(as_what) => write!(f, "signs are passed over: it is searched for as {as_what:?}"),
            Self::Useless(flag) => write!(f, "{flag} does nothing for this entry"),
        }
    }
}

/// Checks an entry as a matcher would.
///
/// # Errors
/// When it cannot be searched for.
pub fn check(entry: &Entry) -> Result<Vec<Warning>, BadEntry> {
    let found = match entry.kind() {
        EntryKind::Regex => check_regex(entry),
        EntryKind::Word | EntryKind::Allow => check_word(entry),
    };
    found
        .and_then(|warnings| check_numbers(entry).map(|()| warnings))
        .map_err(|why| BadEntry { id: entry.id.clone(), why })
}

/// The form in which two entries are the same: kind and boundary, and how the text, and all that must stand near, is spelled.
pub fn folded_key(entry: &Entry) -> String {
    let mut key = format!("{} {} ", entry.kind, entry.boundary);
    match entry.kind() {
        EntryKind::Regex => key.push_str(&entry.text),
        EntryKind::Word | EntryKind::Allow => key.push_str(&spelling(&entry.text)),
    }
    for text in &entry.also {
        key.push('+');
        key.push_str(&spelling(text));
    }
    key
}

/// How an entry's text is compared with others': its symbols, and one blank where signs lie between two letters, as there they
/// keep words apart. Empty if it has only signs.
pub fn spelling(text: &str) -> String {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    let (mut key, mut before) = (String::with_capacity(text.len()), Class::Other);
    for symbol in folded.symbols() {
        let class = class(symbol.char);
        if symbol.gap > 0 && class == Class::Letter && before == Class::Letter {
            key.push(' ');
        }
        key.push(symbol.char);
        before = class;
    }
    key
}

fn check_regex(entry: &Entry) -> Result<Vec<Warning>, Fault> {
    let mut folded = Folded::default();
    for text in &entry.also {
        check_text(text, &mut folded)?;
    }
    regexes::compile(&entry.text).map(|_| Vec::new())
}

fn check_word(entry: &Entry) -> Result<Vec<Warning>, Fault> {
    let mut folded = Folded::default();
    for text in &entry.also {
        check_text(text, &mut folded)?;
    }
    check_text(&entry.text, &mut folded)?;
    let mut warnings = Vec::new();
    if let [_] = folded.symbols() {
        warnings.push(Warning::OneSymbol);
    }
    if !folded.signs().is_empty() {
        warnings.push(Warning::SignsIgnored(folded.symbols().iter().map(|symbol| symbol.char).collect()));
    }
    let han = folded.seen().others();
    for (set, flag) in [(entry.pinyin, "pinyin"), (entry.split, "split")] {
        if set && !han {
            warnings.push(Warning::Useless(flag));
        }
    }
    if entry.numeric && !folded.seen().digits() && !folded.seen().numerals() {
        warnings.push(Warning::Useless("numeric"));
    }
    Ok(warnings)
}

/// Checks a text that is searched for, and leaves it folded.
pub(crate) fn check_text(text: &str, folded: &mut Folded) -> Result<(), Fault> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Fault::Empty);
    }
    if text.len() > BYTES_MAX {
        return Err(Fault::TooManyBytes(text.len()));
    }
    let clusters = text.graphemes(true).count();
    if clusters > CLUSTERS_MAX {
        return Err(Fault::TooManyClusters(clusters));
    }
    if trimmed.chars().all(|char| matches!(char, '*' | '＊')) {
        return Err(Fault::OnlyWildcard);
    }
    fold(text, folded);
    match folded.symbols().len() {
        0 => Err(Fault::OnlySigns),
        many if many > SYMBOLS_MAX => Err(Fault::TooManySymbols(many)),
        _ => Ok(()),
    }
}

fn check_numbers(entry: &Entry) -> Result<(), Fault> {
    match entry {
        _ if entry.gaps() > GAPS_MAX => Err(Fault::Gaps(entry.gaps())),
        _ if entry.also.len() > ALSO_MAX => Err(Fault::Also(entry.also.len())),
        _ if entry.kind() != EntryKind::Allow && !(1..=4).contains(&entry.severity) => {
            Err(Fault::Severity(entry.severity))
        }
        _ if entry.expires_ms != 0 && entry.expires_ms <= entry.starts_ms => Err(Fault::Expired),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
