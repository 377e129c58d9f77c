//! An entry of a list as the API says it, and as it is kept. Which entries stand together is kept out.

use proto::v1;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::page::{Kept, compared};

/// Bytes of a comment, and of a tag.
const COMMENT_BYTES_MAX: usize = 500;
const TAG_BYTES_MAX: usize = 40;
const TAGS_MAX: usize = 8;
/// The category of an entry that names none.
pub const CATEGORY: &str = "other";

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A word or phrase.
    #[default]
    Word,
    /// A phrase within which words are no hits.
    Allow,
    /// A linear expression.
    Regex,
}

/// Where a word may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// Whole words in Latin script, anywhere in Han.
    #[default]
    Auto,
    /// Whole words only.
    Whole,
    /// Also within words.
    Anywhere,
}

/// What is done about a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// What the table of the scope says.
    #[default]
    Policy,
    /// Nothing.
    Pass,
    /// It is reported.
    Flag,
    /// The hit is masked.
    Mask,
    /// The message is not shown.
    Block,
    /// It waits for a moderator.
    Hold,
    /// Only its author sees it.
    Shadow,
    /// Its author must wait.
    Limit,
    /// Its author is muted for a while.
    Mute,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Entry {
    /// Its name, the same over all versions. Given by the service; needed to change an entry.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The list it is on.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(read_only)]
    pub list: String,
    /// What it is.
    pub kind: Kind,
    /// At most 64 characters as readers count them, 260 of an expression. Absent for who may not read a private one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A word of a-z, 0-9, `_` and `-`.
    pub category: String,
    /// 1 to 4; 2 where it is 0 or left out.
    #[schema(minimum = 0, maximum = 4)]
    pub severity: u32,
    /// Instead of the scope's table.
    pub action: Action,
    /// Holds before allow phrases, and for everybody.
    pub mandatory: bool,
    /// Where it may stand.
    pub boundary: Boundary,
    /// How many separators may stand between two symbols; absent is 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 16)]
    pub gaps: Option<u32>,
    /// Digits in all styles are one.
    pub numeric: bool,
    /// Also written as pinyin: flagged or held, never blocked.
    pub pinyin: bool,
    /// Also written in parts: flagged or held, never blocked.
    pub split: bool,
    /// From when on it acts, in Unix milliseconds; 0 is at once.
    pub starts_ms: i64,
    /// When it ends, in Unix milliseconds; 0 is never.
    pub expires_ms: i64,
    /// It ends with this broadcast.
    pub broadcast: bool,
    /// Found only if all of these stand near it; at most 3.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// How near, in characters; 0 is anywhere in the message.
    pub within: u32,
    /// For people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// For people; at most 8.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only its author and admins may read its text.
    pub private: bool,
    /// Who added it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(read_only)]
    pub author: String,
    /// When, in Unix milliseconds.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(read_only)]
    pub added_ms: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's wish")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl Entry {
    /// A word with all else at its default.
    #[must_use]
    pub fn word(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// As it is kept, on `list`; its id, author and time are the caller's to set.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence with the remedy.
    pub fn kept(self, list: &str) -> Result<Kept, String> {
        let text = self.text.unwrap_or_default().trim().to_owned();
        let category = if self.category.is_empty() { CATEGORY.to_owned() } else { self.category };
        let fits = |text: &str| text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'));
        let faults = [
            (text.contains(char::is_control), "its text holds a control character, such as a line's end"),
            (category.len() > 32 || !fits(&category), "a category is at most 32 of a-z, 0-9, _ and -"),
            (self.starts_ms < 0 || self.expires_ms < 0, "a time is in Unix milliseconds, not below 0"),
            (self.comment.len() > COMMENT_BYTES_MAX, "a comment is at most 500 bytes"),
            (self.tags.len() > TAGS_MAX, "an entry has at most 8 tags"),
            (self.tags.iter().any(|tag| tag.is_empty() || tag.len() > TAG_BYTES_MAX), "a tag is 1 to 40 bytes"),
        ];
        if let Some((_, why)) = faults.iter().find(|(is_so, _)| *is_so) {
            return Err((*why).to_owned());
        }
        let entry = v1::Entry {
            id: self.id,
            list: list.to_owned(),
            kind: v1::EntryKind::from(self.kind).into(),
            text,
            category,
            severity: if self.severity == 0 { 2 } else { self.severity },
            action: v1::Action::from(self.action).into(),
            mandatory: self.mandatory,
            boundary: v1::Boundary::from(self.boundary).into(),
            gaps: self.gaps,
            numeric: self.numeric,
            pinyin: self.pinyin,
            split: self.split,
            starts_ms: self.starts_ms,
            expires_ms: self.expires_ms,
            observe: false,
            also: self.also,
            within: self.within,
        };
        judge::entry::check(&entry).map_err(|bad| bad.why.to_string())?;
        let folded = compared(&entry);
        Ok(Kept {
            entry,
            folded,
            comment: self.comment,
            private: self.private,
            broadcast: self.broadcast,
            author: String::new(),
            added_ms: 0,
            tags: self.tags,
        })
    }

    /// As it is told to somebody, who may read its text or not.
    #[must_use]
    pub fn told(kept: &Kept, sees_private: bool) -> Self {
        let entry = &kept.entry;
        let is_hidden = kept.private && !sees_private;
        Self {
            id: entry.id.clone(),
            list: entry.list.clone(),
            kind: entry.kind().into(),
            text: (!is_hidden).then(|| entry.text.clone()),
            category: entry.category.clone(),
            severity: entry.severity,
            action: entry.action().into(),
            mandatory: entry.mandatory,
            boundary: entry.boundary().into(),
            gaps: entry.gaps,
            numeric: entry.numeric,
            pinyin: entry.pinyin,
            split: entry.split,
            starts_ms: entry.starts_ms,
            expires_ms: entry.expires_ms,
            broadcast: kept.broadcast,
            also: if is_hidden { Vec::new() } else { entry.also.clone() },
            within: entry.within,
            comment: if is_hidden { String::new() } else { kept.comment.clone() },
            tags: kept.tags.clone(),
            private: kept.private,
            author: kept.author.clone(),
            added_ms: kept.added_ms,
        }
    }
}

/// Both ways between a word of the API and one of the records.
macro_rules! same {
    ($ours:ident, $theirs:ident, $($name:ident),+) => {
        impl From<$ours> for v1::$theirs {
            fn from(ours: $ours) -> Self {
                match ours { $($ours::$name => Self::$name),+ }
            }
        }
        impl From<v1::$theirs> for $ours {
            fn from(theirs: v1::$theirs) -> Self {
                match theirs { $(v1::$theirs::$name => Self::$name),+ }
            }
        }
    };
}
same!(Kind, EntryKind, Word, Allow, Regex);
same!(Boundary, Boundary, Auto, Whole, Anywhere);
same!(Action, Action, Policy, Pass, Flag, Mask, Block, Hold, Shadow, Limit, Mute);

#[cfg(test)]
mod tests;
