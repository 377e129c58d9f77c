//! Trying texts on rules that act on nobody: a version, or drafts as if they were in force. Pure, with time as an argument: the
//! judge says what it would say, and this shows how it read the text. Which contents are tried is the caller's.

mod trace;

use judge::{
    book::{BadEdition, Book},
    fold::{Folded, fold},
    mask::mask,
    rules::{
        Action, Said, Scratch,
        explain::{self, explain},
        judge,
    },
};
use proto::{
    RoomId,
    v1::{self, Entry, EntryKind, Field, Reading},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::lists::{Content, Mode, policy::Role};

pub use trace::{Candidate, Trace};

/// Rules to try texts on.
pub struct Rules {
    book: Book,
    room: Option<RoomId>,
    entries: std::collections::HashMap<String, Shown>,
}

/// What a hit tells of its entry.
struct Shown {
    text: Option<String>,
    category: String,
}

/// A content, and which of its drafts are tried.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The content.
    pub content: &'a Content,
    /// Names of draft lists.
    pub drafts: &'a [String],
}

/// How a text is tried.
#[derive(Debug, Clone, Copy)]
pub struct How<'a> {
    /// Who would say it.
    pub role: Role,
    /// Under which name; empty is none.
    pub name: &'a str,
    /// When, in Unix milliseconds: entries begin and end by it.
    pub at_ms: i64,
    /// Whether the reading is shown cluster by cluster.
    pub trace: bool,
}

/// What would become of a text.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Tried {
    /// Its line, or its place in the body, from 1.
    pub line: usize,
    /// As it was sent.
    pub text: String,
    /// `pass`, `flag`, `mask`, `hold`, `limit`, `shadow`, `block` or `mute`: the strictest that its hits ask for.
    #[schema(value_type = String)]
    pub action: Action,
    /// For how long, if it is `mute`.
    #[serde(skip_serializing_if = "is_zero")]
    pub mute_s: u32,
    /// `words`, `regex` or `contact`, by the hit that decides.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    /// The entry that decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// Whether a reading decides that is weak, as pinyin is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    /// As it would be shown, if it is masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
    /// What was found and counts, the hit that decides first.
    pub hits: Vec<Hit>,
    /// How it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's wish")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Hit {
    /// Its id; `contact` for what is found by its shape.
    pub entry: String,
    /// Its list.
    pub list: String,
    /// Its text; absent for who may not read a private one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its category.
    pub category: String,
    /// Its severity.
    pub severity: u32,
    /// How the text was read: `exact`, `gaps`, `leet`, `spaced`, `pinyin`, `split`, `regex` or `contact`.
    pub reading: &'static str,
    /// `text` or `name`.
    pub field: &'static str,
    /// The first character of the hit, as readers count them, from 0.
    pub start: u32,
    /// One behind the last.
    pub end: u32,
    /// That part of the text, as it was sent.
    pub found: String,
    /// Whether its list only watches.
    pub observe: bool,
}

impl Rules {
    /// The rules of all rooms, and of one besides.
    ///
    /// # Errors
    /// When the judge cannot search for them.
    pub fn new(
        global: Part<'_>,
        room: Option<(RoomId, Part<'_>)>,
        sees_private: impl Fn(&str) -> bool,
    ) -> Result<Self, BadEdition> {
        let mut entries = std::collections::HashMap::new();
        for kept in [Some(&global), room.as_ref().map(|(_, part)| part)].into_iter().flatten().flat_map(Part::kept) {
            let text = (!kept.private || sees_private(&kept.author)).then(|| kept.entry.text.clone());
            entries.insert(kept.entry.id.clone(), Shown { text, category: kept.entry.category.clone() });
        }
        let mut of_all = global.entries();
        if of_all.is_empty() {
            // A book without entries is never in force, so there stands a phrase that frees nothing.
            of_all.push(Entry { kind: EntryKind::Allow.into(), text: "danmaku".to_owned(), ..Entry::default() });
        }
        let mut book = Book::of_entries(1, of_all, global.content.policy.clone())?;
        let name = room.as_ref().map(|(name, _)| name.clone());
        if let Some((name, part)) = room {
            book = book.with_room(name, part.entries(), part.content.policy.clone())?;
        }
        Ok(Self { book, room: name, entries })
    }

    /// What would become of a text.
    #[must_use]
    pub fn try_on(&self, line: usize, text: &str, how: How<'_>, scratch: &mut Scratch) -> Tried {
        let mut folded = Folded::default();
        fold(text, &mut folded);
        let said = Said {
            room: self.room.as_ref().map_or("", |room| room.as_str()),
            role: v1::Role::from(how.role),
            folded: &folded,
            name: how.name,
            at_ms: how.at_ms,
        };
        let ruling = judge(&self.book, said, scratch);
        Tried {
            line,
            text: text.to_owned(),
            action: ruling.action,
            mute_s: ruling.mute_s,
            code: ruling.code,
            rule: ruling.rule,
            weak: ruling.weak,
            shown: (ruling.action == Action::Mask).then(|| mask(text, &folded, &ruling.masks)),
            hits: ruling.hits.iter().map(|hit| self.told(hit, text, how.name, &folded)).collect(),
            trace: how.trace.then(|| self.trace(text, how, &folded)),
        }
    }

    fn trace(&self, text: &str, how: How<'_>, folded: &Folded) -> Trace {
        let room = self.room.as_ref().map_or("", |room| room.as_str());
        let role = v1::Role::from(how.role);
        let explained = explain(&self.book, explain::Tried { room, role, text, name: how.name, at_ms: how.at_ms });
        Trace::of(text, folded, explained, |id| self.entries.get(id).and_then(|shown| shown.text.clone()))
    }

    fn told(&self, hit: &v1::Hit, text: &str, name: &str, folded: &Folded) -> Hit {
        let is_name = hit.field() == Field::Name;
        let found = if is_name { name.to_owned() } else { text[folded.bytes(hit.start, hit.end)].to_owned() };
        let shown = self.entries.get(&hit.entry);
        Hit {
            entry: hit.entry.clone(),
            list: hit.list.clone(),
            text: shown.and_then(|shown| shown.text.clone()),
            category: shown.map_or_else(|| hit.category.clone(), |shown| shown.category.clone()),
            severity: hit.severity,
            reading: reading(hit.reading()),
            field: if is_name { "name" } else { "text" },
            start: hit.start,
            end: hit.end,
            found,
            observe: hit.observe,
        }
    }
}

impl Part<'_> {
    /// What acts, and the drafts that are tried.
    fn kept(&self) -> impl Iterator<Item = &crate::lists::page::Kept> {
        let is_tried = |list: &str| match self.content.mode_of(list) {
            Mode::Draft => self.drafts.iter().any(|draft| draft == list),
            Mode::Enforce | Mode::Observe => true,
        };
        self.content.entries().filter(move |kept| is_tried(&kept.entry.list))
    }

    fn entries(&self) -> Vec<Entry> {
        let observes = |list: &str| self.content.mode_of(list) == Mode::Observe;
        self.kept().map(|kept| Entry { observe: observes(&kept.entry.list), ..kept.entry.clone() }).collect()
    }
}

fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Exact => "exact",
        Reading::Gaps => "gaps",
        Reading::Leet => "leet",
        Reading::Spaced => "spaced",
        Reading::Pinyin => "pinyin",
        Reading::Split => "split",
        Reading::Regex => "regex",
        Reading::Contact => "contact",
    }
}

#[cfg(test)]
mod tests;
