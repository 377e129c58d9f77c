//! How a text was read and what came of all that it holds or nearly holds, for people: the judge's explanation, with entries
//! named by their texts for whoever may read them.

use judge::{
    explain::Folding,
    fold::Folded,
    rules::{
        Action,
        explain::{Explanation, Outcome, Weighed},
        policy::Origin,
    },
};
use serde::Serialize;
use utoipa::ToSchema;

/// How a text was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Trace {
    /// Its characters with the steps that folded each, and what is searched in.
    #[schema(value_type = Object)]
    pub folding: Folding,
    /// What stands in it and what nearly does, in the order of the text.
    pub candidates: Vec<Candidate>,
}

/// An entry that is found, or is not although its letters are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Candidate {
    /// Its id; `contact` for what is found by its shape.
    pub entry: String,
    /// Its text; absent for who may not read a private one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// What of the text was looked at.
    pub covered: String,
    /// The first character, as readers count them, from 0.
    pub start: u32,
    /// One behind the last.
    pub end: u32,
    /// How it was read; absent if it is no hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<&'static str>,
    /// Why it is no hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<&'static str>,
    /// What comes of a hit, and by what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

impl Trace {
    /// The trace of `text`, which is `folded`; `word` names an entry to whoever asks.
    pub(super) fn of(
        text: &str,
        folded: &Folded,
        explained: Explanation,
        word: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let Explanation { folding, global, room, hits, .. } = explained;
        let hit = |hit: Weighed| {
            let Weighed { entry, start, end, .. } = &hit;
            let (covered, word_of) = (text[folded.bytes(*start, *end)].to_owned(), word(entry));
            let outcome = Some(outcome_words(&hit, &word));
            let (reading, entry) = (Some(hit.reading), entry.clone());
            Candidate { entry, word: word_of, covered, start: *start, end: *end, reading, rejected: None, outcome }
        };
        // Who may not read an entry does not learn by near misses what it is.
        let nearly = global.into_iter().chain(room).filter(|near| near.rejected.is_some());
        let nearly = nearly.filter_map(|near| {
            let judge::explain::Candidate { entry, covered, start, end, rejected, .. } = near;
            let word = Some(word(&entry)?);
            Some(Candidate { entry, word, covered, start, end, reading: None, rejected, outcome: None })
        });
        // An entry without an id stands in for an empty book.
        let hits = hits.into_iter().filter(|hit| !hit.entry.is_empty()).map(hit);
        let mut candidates: Vec<Candidate> = hits.chain(nearly).collect();
        candidates.sort_by(|one, two| (one.start, one.end, &one.entry).cmp(&(two.start, two.end, &two.entry)));
        Self { folding, candidates }
    }
}

/// What comes of a hit, and by what.
fn outcome_words(hit: &Weighed, word: impl Fn(&str) -> Option<String>) -> String {
    match &hit.outcome {
        Outcome::NotInForce => "nothing: it is not in force".to_owned(),
        Outcome::Watches => "nothing: its list only watches".to_owned(),
        Outcome::Allows => "a phrase that frees weaker words within it".to_owned(),
        Outcome::Freed { by } => format!("nothing: freed by the phrase {}", word(by).as_ref().unwrap_or(by)),
        Outcome::Counts { action, origin } => {
            let weak = if hit.weak { "; a weak reading" } else { "" };
            format!("{}, {}{weak}", action_word(*action), origin_words(*origin))
        }
    }
}

fn action_word(action: Action) -> &'static str {
    match action {
        Action::Pass => "pass",
        Action::Flag => "flag",
        Action::Mask => "mask",
        Action::Hold => "hold",
        Action::Limit => "limit",
        Action::Shadow => "shadow",
        Action::Block => "block",
        Action::Mute => "mute",
    }
}

fn origin_words(origin: Origin) -> String {
    match origin {
        Origin::Entry => "as the entry says".to_owned(),
        Origin::Room(row) => format!("by row {} of the room's table", row + 1),
        Origin::Global(row) => format!("by row {} of the table for all rooms", row + 1),
        Origin::BuiltIn => "by the built-in table".to_owned(),
        Origin::Exempt => "as who runs the room is exempt".to_owned(),
        Origin::Observe => "as its list only watches".to_owned(),
    }
}
