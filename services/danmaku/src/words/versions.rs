//! `danmaku words versions`, `diff` and `rollback`: what the book was, what differs, and going back.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Book, Why,
    lists::Entry,
    stamp::{Stamp, table},
};
use crate::{
    api::{Outcome, Question},
    show::plain,
    token::now_ms,
};

/// Shows the versions of a book, newest first.
#[derive(Debug, clap::Args)]
pub(super) struct Versions {
    /// At most so many.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,

    /// Only those before this one.
    #[arg(long, value_name = "VERSION")]
    before: Option<u64>,

    #[command(flatten)]
    pub(super) book: Book,
}

/// Shows what differs between two versions.
#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// The earlier; 0 is before the first.
    from: u64,

    /// The later; without it, the newest.
    to: Option<u64>,

    #[command(flatten)]
    pub(super) book: Book,
}

/// Goes back: makes a new version with the content of an earlier one. What has ended since stays ended.
#[derive(Debug, clap::Args)]
pub(super) struct Rollback {
    /// The version whose content is wanted again; 0 is before the first.
    to: u64,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

#[derive(Deserialize)]
struct Told {
    versions: Vec<Stamp>,
    published: u64,
}

#[derive(Deserialize)]
struct Differs {
    tally: Tally,
    added: Vec<Entry>,
    removed: Vec<Entry>,
    changed: Vec<Changed>,
    lists: Vec<String>,
    policy_before: Option<Value>,
    policy_after: Option<Value>,
}

#[derive(Deserialize)]
struct Tally {
    added: u64,
    removed: u64,
    changed: u64,
}

#[derive(Deserialize)]
struct Changed {
    before: Entry,
    after: Entry,
}

impl Versions {
    pub(super) async fn run(&self) -> Outcome {
        let Book { room, api } = &self.book;
        let question = Question::get("versions").with("room", room.as_ref()).with("limit", Some(self.limit));
        api.ask(question.with("before", self.before)).await?.told(|told: Told| {
            let newest = told.versions.first().map_or(0, |stamp| stamp.number);
            let waits = if newest > told.published { "; what is newer waits for Kafka" } else { "" };
            table(&told.versions, now_ms()) + &format!("published up to {}{waits}\n", told.published)
        })
    }
}

impl Diff {
    pub(super) async fn run(&self) -> Outcome {
        let Book { room, api } = &self.book;
        let question = Question::get("diff").with("room", room.as_ref()).with("from", Some(self.from));
        api.ask(question.with("to", self.to)).await?.told(|differs: Differs| differs.told())
    }
}

impl Differs {
    /// A line for each difference, as `diff` marks them.
    fn told(&self) -> String {
        let mut text = String::new();
        let mut say = |line: String| {
            // Writing into a string does not fail.
            let _ = writeln!(text, "{line}");
        };
        self.lists.iter().for_each(|list| say(format!("list {}", plain(list))));
        self.removed.iter().for_each(|entry| say(line('-', entry)));
        self.added.iter().for_each(|entry| say(line('+', entry)));
        for Changed { before, after } in &self.changed {
            say(line('-', before));
            say(line('+', after));
        }
        if self.policy_before.is_some() || self.policy_after.is_some() {
            let policy = |policy: &Option<Value>| policy.as_ref().map_or("none".to_owned(), Value::to_string);
            say(format!("policy\n- {}\n+ {}", plain(&policy(&self.policy_before)), plain(&policy(&self.policy_after))));
        }
        let Tally { added, removed, changed } = self.tally;
        say(format!("{added} added, {removed} removed, {changed} changed"));
        text
    }
}

fn line(mark: char, entry: &Entry) -> String {
    format!("{mark} {}: {} ({})", plain(&entry.list), plain(entry.text()), entry.traits())
}

impl Rollback {
    pub(super) async fn run(&self) -> Outcome {
        let Self { to, why, book } = self;
        let said = json!({ "to": to, "reason": why.reason.clone().unwrap_or_default(), "base_version": why.base });
        let question = Question::post("rollback", &said).with("room", book.room.as_ref());
        book.api.ask(question).await?.told(|stamp: Stamp| stamp.told())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_as_diff_does() {
        let entry = |text: &str, severity: u32| json!({ "id": "e", "list": "house", "kind": "word", "text": text, "category": "other", "severity": severity, "action": "policy" });
        let differs = json!({
            "tally": { "added": 1, "removed": 0, "changed": 1 }, "added": [entry("blorp", 2)], "removed": [],
            "changed": [{ "before": entry("x1", 1), "after": entry("x1", 3) }], "lists": ["house: none → enforce"],
        });
        let told = serde_json::from_value::<Differs>(differs).unwrap().told();
        let expected = "list house: none → enforce\n+ house: blorp (word other/2)\n- house: x1 (word other/1)\n\
                        + house: x1 (word other/3)\n1 added, 0 removed, 1 changed\n";
        assert_eq!(told, expected);
    }
}
