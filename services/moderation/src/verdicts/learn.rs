//! What one verdict means to moderators, and whether it was counted before. Pure: records in, lessons out.
//!
//! A new owner of a partition writes verdicts again that stand there already, and one that lost it may write still. Owners'
//! numbers tell the second (a lower one is passed over), rising offsets the first (what is not above the last one counted is a
//! repeat). `superseded` says nothing about a message, so a real verdict after it counts.

use std::collections::BTreeMap;

use proto::{
    MessageId, OwnerNumber,
    v1::{self, Hit, Word, input::Body},
};

/// How far a partition was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// Of the ids that were counted.
    pub(crate) generation: u32,
    /// The next record to read.
    pub(crate) next: u64,
    /// One above the highest input offset whose verdict was counted.
    pub(crate) counted: u64,
    /// The highest owner seen.
    pub(crate) owner: OwnerNumber,
}

/// A verdict that counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lesson {
    pub(crate) id: MessageId,
    pub(crate) verdict: v1::Verdict,
}

impl Place {
    /// Takes the record at `offset`; the lesson in it, if it is a new one.
    pub(crate) fn hear(&mut self, offset: u64, verdict: v1::Verdict) -> Option<Lesson> {
        self.next = offset + 1;
        let owner = verdict.owner.as_ref().map(OwnerNumber::from).unwrap_or_default();
        if owner < self.owner {
            return None;
        }
        self.owner = owner;
        // What is thinned or shed has ranges and no message.
        if verdict.input.is_none() || Word::known(verdict.word) == Some(Word::Superseded) {
            return None;
        }
        let id: MessageId = verdict.id.parse().ok()?;
        if id.generation != self.generation {
            if id.generation < self.generation {
                return None;
            }
            (self.generation, self.counted) = (id.generation, 0);
        }
        if id.offset < self.counted {
            return None;
        }
        self.counted = id.offset + 1;
        Some(Lesson { id, verdict })
    }
}

impl Lesson {
    /// Where it was said.
    pub(crate) fn room(&self) -> &str {
        self.verdict.input.as_ref().map_or("", |input| &input.room)
    }

    /// Who said it.
    pub(crate) fn user(&self) -> &str {
        self.verdict.input.as_ref().map_or("", |input| input.user_id())
    }

    /// What was said.
    pub(crate) fn text(&self) -> &str {
        said(&self.verdict)
    }

    /// What the judge said; `None` for a word of a later release, which makes it neither held nor refused.
    fn word(&self) -> Option<Word> {
        Word::known(self.verdict.word)
    }

    /// The id of what was held, if this is what became of a decision on it. A repeated decision came to nothing.
    pub(crate) fn decided(&self) -> Option<&str> {
        match self.verdict.input.as_ref()?.body.as_ref()? {
            Body::Decision(decision) if self.word() != Some(Word::Repeated) => Some(&decision.held_id),
            _ => None,
        }
    }

    /// Whether it waits for a moderator.
    pub(crate) fn is_held(&self) -> bool {
        self.word() == Some(Word::Held) && self.is_said()
    }

    /// Whether it was shown otherwise than it was said, or not at all, by a rule or a moderator. What came too fast is not
    /// remembered one by one.
    pub(crate) fn is_refusal(&self) -> bool {
        let words = [Word::Flagged, Word::Masked, Word::Blocked, Word::Shadowed, Word::Muted];
        self.word().is_some_and(|word| words.contains(&word)) && self.is_said()
    }

    fn is_said(&self) -> bool {
        self.verdict.input.as_ref().is_some_and(|input| matches!(input.body, Some(Body::Say(_))))
    }
}

/// The text that a verdict is about.
pub(crate) fn said(verdict: &v1::Verdict) -> &str {
    verdict.input.as_ref().map_or("", said_in)
}

/// The text of a danmaku; empty for anything else.
pub(crate) fn said_in(input: &v1::Input) -> &str {
    match &input.body {
        Some(Body::Say(say)) => &say.text,
        _ => "",
    }
}

/// What an entry found within one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) list: String,
    pub(crate) category: String,
    pub(crate) hits: i64,
    /// Of those, the ones of a list that only watches.
    pub(crate) observed: i64,
    /// The last message it was found in.
    pub(crate) last_id: String,
}

/// Counts the hits of a batch by room and entry. An entry counts once a message, however often it stands there.
pub(crate) fn count<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> BTreeMap<(String, String), Count> {
    let mut counts = BTreeMap::new();
    for lesson in lessons {
        let mut seen: Vec<&str> = Vec::new();
        for hit in &lesson.verdict.hits {
            if !seen.contains(&hit.entry.as_str()) {
                seen.push(&hit.entry);
                add(&mut counts, lesson, hit);
            }
        }
    }
    counts
}

fn add(counts: &mut BTreeMap<(String, String), Count>, lesson: &Lesson, hit: &Hit) {
    let count = counts.entry((lesson.room().to_owned(), hit.entry.clone())).or_insert_with(|| Count {
        list: hit.list.clone(),
        category: hit.category.clone(),
        hits: 0,
        observed: 0,
        last_id: String::new(),
    });
    count.hits += 1;
    count.observed += i64::from(hit.observe);
    count.last_id = lesson.id.to_string();
}

#[cfg(test)]
mod tests;
