//! `danmaku words list`, `set` and `drop`: which lists there are, what stands on one, and whether it acts.

use serde::Deserialize;
use serde_json::json;

use super::{Book, Why, stamp::Stamp};
use crate::{
    api::{Answer, Failure, Outcome, Question, part},
    show::Table,
};

/// Shows the lists of a book, or what stands on one.
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The list to look into; without it, all are listed.
    name: Option<String>,

    /// Only entries that hold this, however they are written.
    #[arg(long, requires = "name", value_name = "TEXT")]
    find: Option<String>,

    /// At most so many entries.
    #[arg(long, requires = "name", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    #[command(flatten)]
    pub(super) book: Book,
}

/// Makes a list, or changes whether it acts.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Modes: enforce acts; observe reports what it would find, and nothing happens to anybody; a draft is \
                        known to dry runs and back-tests alone."
)]
pub(super) struct Set {
    /// The list: 1 to 40 of a-z, 0-9, _ and -.
    name: String,

    /// Whether its entries act.
    #[arg(long, default_value = "enforce", value_parser = ["enforce", "observe", "draft"])]
    mode: String,

    /// What it is for.
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

/// Drops a list with all that stands on it. `rollback` brings it back.
#[derive(Debug, clap::Args)]
pub(super) struct Drop {
    /// The list.
    name: String,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

#[derive(Deserialize)]
struct Lists {
    version: Option<Stamp>,
    lists: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    mode: String,
    comment: String,
    entries: u64,
}

#[derive(Deserialize)]
struct Entries {
    total: u64,
    entries: Vec<Entry>,
    next: Option<String>,
}

/// What is shown of an entry.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) id: String,
    text: Option<String>,
    kind: String,
    category: String,
    severity: u32,
    action: String,
    #[serde(default)]
    pub(super) list: String,
    #[serde(default)]
    comment: String,
}

impl Entry {
    /// Its text, if it may be read.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("(private)")
    }

    /// What it is besides its text, in one word each.
    pub(super) fn traits(&self) -> String {
        let Self { kind, category, severity, action, .. } = self;
        let action = if action == "policy" { String::new() } else { format!(" → {action}") };
        format!("{kind} {category}/{severity}{action}")
    }
}

impl List {
    pub(super) async fn run(&self) -> Outcome {
        let Book { room, api } = &self.book;
        let Some(name) = &self.name else {
            return api.ask(Question::get("lists").with("room", room.as_ref())).await?.told(|lists| all(&lists));
        };
        let question = Question::get(format_args!("lists/{}/entries", part(name))).with("room", room.as_ref());
        let question = question.with("find", self.find.as_ref()).with("limit", Some(self.limit));
        api.ask(question).await?.told(|entries| of_one(&entries))
    }
}

/// The names of a book's lists.
pub(super) fn names(answer: &Answer) -> Result<Vec<String>, Failure> {
    Ok(answer.read::<Lists>()?.lists.into_iter().map(|listed| listed.name).collect())
}

fn all(Lists { version, lists }: &Lists) -> String {
    let mut table = Table::of(&["list", "mode", "entries", "comment"]);
    for Listed { name, mode, comment, entries } in lists {
        table.row([name, mode, &entries.to_string(), comment]);
    }
    let version = version.as_ref().map(|version| format!("at version {}\n", version.number)).unwrap_or_default();
    table.told("there is no list yet; `danmaku words set NAME` makes one") + &version
}

fn of_one(Entries { total, entries, next }: &Entries) -> String {
    let mut table = Table::of(&["id", "text", "what it is", "comment"]);
    for entry in entries {
        table.row([&entry.id, entry.text(), &entry.traits(), &entry.comment]);
    }
    let more = if next.is_some() { "; --limit shows more, export shows all" } else { "" };
    table.told("nothing of it stands there") + &format!("{} of {total}{more}\n", entries.len())
}

impl Set {
    pub(super) async fn run(&self) -> Outcome {
        let Self { name, mode, comment, why, book } = self;
        let question =
            Question::put(format_args!("lists/{}", part(name)), &json!({ "mode": mode, "comment": comment }));
        let question = question.with("room", book.room.as_ref()).with("reason", why.reason.as_ref());
        book.api.ask(question.with("base_version", why.base)).await?.told(|stamp: Stamp| stamp.told())
    }
}

impl Drop {
    pub(super) async fn run(&self) -> Outcome {
        let Self { name, why, book } = self;
        let question = Question::delete(format_args!("lists/{}", part(name))).with("room", book.room.as_ref());
        let question = question.with("reason", why.reason.as_ref()).with("base_version", why.base);
        book.api.ask(question).await?.told(|stamp: Stamp| stamp.told())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_entries_are_told_in_columns() {
        let lists = r#"{"version":null,"lists":[{"name":"house","mode":"observe","comment":"x","entries":12}]}"#;
        assert_eq!(
            all(&serde_json::from_str(lists).unwrap()),
            "LIST   MODE     ENTRIES  COMMENT\nhouse  observe  12       x\n"
        );
        let entries = r#"{"total":2,"next":"e1","entries":[{"id":"e1","kind":"word","text":"坏词语","category":"other",
            "severity":2,"action":"hold"},{"id":"e2","kind":"word","category":"spam","severity":3,"action":"policy"}]}"#;
        let told = of_one(&serde_json::from_str(entries).unwrap());
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[1], "e1  坏词语     word other/2 → hold");
        assert_eq!(lines[2..], ["e2  (private)  word spam/3", "2 of 2; --limit shows more, export shows all"]);
    }
}
