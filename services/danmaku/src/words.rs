//! `danmaku words`: the rule book's lists, tried, changed, compared and undone through the moderators' service.

mod lists;
mod edit;
mod files;
mod versions;
mod dry_run;
pub(crate) mod report;
mod stamp;

use std::process::ExitCode;

use crate::api::{self, Api, Failure, Outcome, Question};

/// Keeps the lists of words: what is found, what is freed, and what became of both over time.
///
/// Each change makes a new version of the whole book, acts everywhere in under a second, and can be undone.
/// Without --room the book that holds everywhere is meant, which an admin keeps; with it, a room's own.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku words",
    after_help = "Examples:
  danmaku words dry-run --text 'ｂ.a.d🙂w0rd'      what would become of it, and why
  danmaku words set spoilers --mode observe       a list that only watches, for a start
  danmaku words add --list spoilers 'the butler did it'
  danmaku words import --list spoilers words.csv --dry-run
  danmaku words versions && danmaku words diff 6 7 && danmaku words rollback 6

It speaks to DANMAKU_SERVER with DANMAKU_TOKEN; a program on an embedded broker on this machine needs neither.
Exit code: 0 done, 1 refused by the service or something was found, 2 wrong usage or nobody answered."
)]
pub struct Words {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(lists::List),
    Set(lists::Set),
    Drop(lists::Drop),
    Add(edit::Add),
    Remove(edit::Remove),
    Import(files::Import),
    Export(files::Export),
    DryRun(dry_run::DryRun),
    Versions(versions::Versions),
    Diff(versions::Diff),
    Rollback(versions::Rollback),
}

/// Which book, through which service.
#[derive(Debug, Clone, clap::Args)]
struct Book {
    /// A room's own book; without it, the one that holds everywhere.
    #[arg(long, value_parser = crate::token::room)]
    room: Option<String>,

    #[command(flatten)]
    api: Api,
}

impl Book {
    /// The list that is meant: the one that is named, or the only one that there is.
    async fn list(&self, named: Option<&str>) -> Result<String, Failure> {
        if let Some(name) = named {
            return Ok(name.to_owned());
        }
        let answer = self.api.ask(Question::get("lists").with("room", self.room.as_ref())).await?;
        let names = lists::names(&answer)?;
        match &names[..] {
            [name] => Ok(name.clone()),
            [] => Err(Failure::Usage(
                "--list: this book has no list yet; make one with `danmaku words set NAME`".to_owned(),
            )),
            _ => Err(Failure::Usage(format!("--list: this book has several, say which: {}", names.join(", ")))),
        }
    }
}

/// On what ground a book is changed.
#[derive(Debug, Clone, clap::Args)]
struct Why {
    /// For the audit log.
    #[arg(long)]
    reason: Option<String>,

    /// The version that was looked at: if there is a newer one, nothing is changed.
    #[arg(long, value_name = "VERSION")]
    base: Option<u64>,
}

/// Does what was asked.
pub async fn run(words: Words) -> ExitCode {
    let (outcome, as_it_stands) = match words.verb {
        Verb::List(list) => (list.run().await, list.book.api.json),
        Verb::Set(set) => (set.run().await, set.book.api.json),
        Verb::Drop(drop) => (drop.run().await, drop.book.api.json),
        Verb::Add(add) => (add.run().await, add.book.api.json),
        Verb::Remove(remove) => (remove.run().await, remove.book.api.json),
        Verb::Import(import) => (import.run().await, import.book.api.json),
        Verb::Export(export) => (export.run().await, export.book.api.json),
        Verb::DryRun(dry_run) => (dry_run.run().await, dry_run.book.api.json),
        Verb::Versions(versions) => (versions.run().await, versions.book.api.json),
        Verb::Diff(diff) => (diff.run().await, diff.book.api.json),
        Verb::Rollback(rollback) => (rollback.run().await, rollback.book.api.json),
    };
    let outcome: Outcome = outcome;
    api::end(outcome, as_it_stands)
}
