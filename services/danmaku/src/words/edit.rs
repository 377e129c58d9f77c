//! `danmaku words add` and `remove`: single entries. Files of them are `files`'.

use std::time::Duration;

use chassis::settings::parse_duration;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Book, Why, report::Report, stamp::Stamp};
use crate::{
    api::{Outcome, Question, part},
    token::now_ms,
};

/// What new entries are.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Like {
    /// A word is found, an allow phrase frees the words in it, a regex is a linear expression.
    #[arg(long, default_value = "word", value_parser = ["word", "allow", "regex"])]
    pub(super) kind: String,

    /// What it is about, a word of a-z, 0-9, _ and -; the policy goes by it. [default: other]
    #[arg(long)]
    pub(super) category: Option<String>,

    /// How bad it is, 1 to 4; the policy goes by it. [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4))]
    pub(super) severity: Option<u32>,

    /// What is done about it, instead of what the policy says.
    #[arg(long, default_value = "policy",
          value_parser = ["policy", "pass", "flag", "mask", "block", "hold", "shadow", "limit", "mute"])]
    pub(super) action: String,
}

/// Adds entries to a list.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  danmaku words add blorp 坏词语
  danmaku words add 'the butler' --action hold --for 2h --reason 'tonight only'
  danmaku words add 'blorp fish' --kind allow             the fish may be named")]
pub(super) struct Add {
    /// Their texts, as somebody would write them: other letters, gaps and signs are found by themselves.
    #[arg(required = true)]
    texts: Vec<String>,

    /// On which list, if the book has several; `set` makes one.
    #[arg(long)]
    list: Option<String>,

    #[command(flatten)]
    like: Like,

    /// Holds before allow phrases, and for everybody.
    #[arg(long)]
    mandatory: bool,

    /// Where it may stand: auto is whole words in Latin script, and anywhere in Han.
    #[arg(long, default_value = "auto", value_parser = ["auto", "whole", "anywhere"])]
    boundary: String,

    /// How many separators may stand between two of its letters. [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=3))]
    gaps: Option<u32>,

    /// Digits in all styles are one.
    #[arg(long)]
    numeric: bool,

    /// Also found as pinyin, to be flagged or held.
    #[arg(long)]
    pinyin: bool,

    /// Also found with its characters written as their parts, to be flagged or held.
    #[arg(long)]
    split: bool,

    /// Found only if all of these stand near it.
    #[arg(long, value_delimiter = ',', value_name = "TEXT,...")]
    also: Vec<String>,

    /// How near, in characters; 0 is anywhere in the message.
    #[arg(long, default_value_t = 0, requires = "also")]
    within: u32,

    /// It ends by itself after so long.
    #[arg(long = "for", value_name = "DURATION", value_parser = parse_duration)]
    lasts: Option<Duration>,

    /// It ends with this broadcast.
    #[arg(long)]
    broadcast: bool,

    /// Only its author and admins may read it.
    #[arg(long)]
    private: bool,

    /// For people.
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,

    #[command(flatten)]
    careful: Careful,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

/// How much is asked before something is done.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Careful {
    /// Add also what the service doubts.
    #[arg(long)]
    pub(super) force: bool,

    /// Only tell what would be done, and what is doubtful about it.
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Removes entries from a list.
#[derive(Debug, clap::Args)]
pub(super) struct Remove {
    /// Their texts, or their ids; a text stands for all entries that are found alike.
    #[arg(required = true)]
    entries: Vec<String>,

    /// From which list, if the book has several.
    #[arg(long)]
    list: Option<String>,

    /// Only tell what would be done.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

/// What an edit did.
#[derive(Deserialize)]
pub(super) struct Edited {
    version: Option<Stamp>,
    pub(super) report: Report,
}

impl Edited {
    /// In a sentence or two.
    pub(super) fn told(&self, is_tried: bool) -> String {
        let done = match &self.version {
            Some(version) => version.told(),
            None if is_tried => "nothing was changed: it was only tried\n".to_owned(),
            None => "nothing was changed: it is so already\n".to_owned(),
        };
        done + &self.report.told()
    }
}

impl Add {
    pub(super) async fn run(&self) -> Outcome {
        let entries: Vec<Value> = self.texts.iter().map(|text| self.entry(text, now_ms())).collect();
        let said = json!({
            "add": entries, "force": self.careful.force, "dry_run": self.careful.dry_run,
            "reason": self.why.reason.clone().unwrap_or_default(), "base_version": self.why.base,
        });
        let is_tried = self.careful.dry_run;
        let list = self.book.list(self.list.as_deref()).await?;
        let answer = self.book.api.ask(edit(&list, &self.book, &said)).await?;
        answer.judged(|edited: Edited| edited.told(is_tried), |edited| is_tried && edited.report.doubts())
    }

    /// An entry as the API takes it.
    fn entry(&self, text: &str, now_ms: i64) -> Value {
        let lasts_ms = self.lasts.map(|lasts| i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX));
        json!({
            "text": text, "kind": self.like.kind, "category": self.like.category.clone().unwrap_or_default(),
            "severity": self.like.severity.unwrap_or_default(), "action": self.like.action,
            "mandatory": self.mandatory, "boundary": self.boundary, "gaps": self.gaps, "numeric": self.numeric,
            "pinyin": self.pinyin, "split": self.split, "also": self.also, "within": self.within,
            "expires_ms": lasts_ms.map_or(0, |lasts| now_ms.saturating_add(lasts)), "broadcast": self.broadcast,
            "private": self.private, "comment": self.comment,
        })
    }
}

impl Remove {
    pub(super) async fn run(&self) -> Outcome {
        let said = json!({
            "remove": self.entries, "dry_run": self.dry_run,
            "reason": self.why.reason.clone().unwrap_or_default(), "base_version": self.why.base,
        });
        let list = self.book.list(self.list.as_deref()).await?;
        let answer = self.book.api.ask(edit(&list, &self.book, &said)).await?;
        answer.told(|edited: Edited| edited.told(self.dry_run))
    }
}

fn edit(list: &str, book: &Book, said: &Value) -> Question {
    Question::post(format_args!("lists/{}/entries", part(list)), said).with("room", book.room.as_ref())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::words::{Verb, Words};

    #[test]
    fn an_entry_says_what_the_line_says() {
        let line = ["words", "add", "blorp", "--severity=3", "--for=2m", "--also=a,b", "--within=5", "--private"];
        let Verb::Add(add) = Words::try_parse_from(line).unwrap().verb else { panic!("another verb") };
        let entry = add.entry(&add.texts[0], 1_000);
        for (field, value) in [
            ("text", json!("blorp")),
            ("kind", json!("word")),
            ("severity", json!(3)),
            ("expires_ms", json!(121_000)),
            ("also", json!(["a", "b"])),
            ("within", json!(5)),
            ("private", json!(true)),
            ("gaps", Value::Null),
        ] {
            assert_eq!(entry[field], value, "{field}");
        }
    }
}
