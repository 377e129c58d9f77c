//! `danmaku words import` and `export`: whole lists as files.

use std::{io::Read as _, path::Path, path::PathBuf};

use serde_json::json;

use super::{
    Book, Why,
    edit::{Careful, Edited, Like},
};
use crate::api::{Failure, Outcome, Question, Said, part};

const FORMATS: [&str; 3] = ["txt", "csv", "houbb"];

/// Brings a file into a list; nothing of it if a line cannot be read, or if there are doubts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Formats, each as it is or packed by gzip:
  txt    a word a line; lines that begin with # are comments
  csv    a table whose first line names the columns: text, and any of kind, category, severity, action, …
  houbb  a word, a space, and its tags with commas between

Examples:
  danmaku words import words.txt --category spam --severity 3
  danmaku words import words.csv --replace --dry-run          what would be done, and what is doubtful
  danmaku words import words.txt --sample clean.txt           doubts what more than 1 % of the clean texts hold")]
pub(super) struct Import {
    /// The file; - is the standard input.
    file: PathBuf,

    /// Into which list, if the book has several; `set` makes one.
    #[arg(long)]
    list: Option<String>,

    /// How it is written. [default: csv for a file of that ending, else txt]
    #[arg(long, value_parser = FORMATS)]
    format: Option<String>,

    /// What stands on the list now goes.
    #[arg(long)]
    replace: bool,

    /// A file of clean texts, one a line, that a good entry does not hit; at most 10,000.
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,

    /// The share of them in percent above which an entry is doubted. [default: 1]
    #[arg(long, requires = "sample", value_name = "PERCENT")]
    broad: Option<f64>,

    #[command(flatten)]
    like: Like,

    #[command(flatten)]
    careful: Careful,

    #[command(flatten)]
    why: Why,

    #[command(flatten)]
    pub(super) book: Book,
}

/// Takes a list out as a file.
#[derive(Debug, clap::Args)]
pub(super) struct Export {
    /// Which list, if the book has several.
    #[arg(long)]
    list: Option<String>,

    /// How it is written; csv alone keeps all of an entry.
    #[arg(long, default_value = "txt", value_parser = FORMATS)]
    format: String,

    /// As it was in this version.
    #[arg(long = "as-of", value_name = "VERSION")]
    version: Option<u64>,

    /// Into this file instead of the standard output; one that exists is not replaced.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) book: Book,
}

impl Import {
    pub(super) async fn run(&self) -> Outcome {
        let file = read(&self.file)?;
        let path = format!("lists/{}/import", part(self.book.list(self.list.as_deref()).await?));
        let question = match &self.sample {
            None => Question::file(path, file),
            Some(sample) => {
                let text = utf8("<FILE>", file)?;
                let sample = utf8("--sample", read(sample)?)?;
                let sample: Vec<&str> = sample.lines().filter(|line| !line.trim().is_empty()).collect();
                Question::post(path, &json!({ "text": text, "sample": sample, "sample_percent": self.broad }))
            }
        };
        let Self { like, careful, why, .. } = self;
        let question = question
            .with("room", self.book.room.as_ref())
            .with("format", Some(self.format()))
            .with("kind", Some(&like.kind))
            .with("category", like.category.as_ref())
            .with("severity", like.severity)
            .with("action", Some(&like.action))
            .when("replace", self.replace)
            .when("force", careful.force)
            .when("dry_run", careful.dry_run)
            .with("reason", why.reason.as_ref())
            .with("base_version", why.base);
        let is_tried = careful.dry_run;
        let told = |edited: Edited| format!("{} entries read\n{}", edited.report.entries, edited.told(is_tried));
        self.book.api.ask(question).await?.judged(told, |edited| is_tried && edited.report.doubts())
    }

    fn format(&self) -> &str {
        let name = self.file.to_string_lossy();
        let is_table = name.trim_end_matches(".gz").ends_with(".csv");
        self.format.as_deref().unwrap_or(if is_table { "csv" } else { "txt" })
    }
}

impl Export {
    pub(super) async fn run(&self) -> Outcome {
        let Self { list, format, version, out, book } = self;
        let list = book.list(list.as_deref()).await?;
        let question = Question::get(format_args!("lists/{}/export", part(list))).with("room", book.room.as_ref());
        let answer = book.api.ask(question.with("format", Some(format)).with("version", *version)).await?;
        let Some(path) = out else { return Ok(Said::done(answer.text)) };
        let written = std::fs::File::create_new(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, answer.text.as_bytes()));
        written.map_err(|error| Failure::Usage(format!("--out {}: {error}", path.display())))?;
        let lines = answer.text.lines().count();
        Ok(Said::done(format!("{lines} lines in {}", path.display())))
    }
}

/// A file, or the standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_end(&mut bytes).map(drop),
        false => std::fs::read(path).map(|read| bytes = read),
    };
    read.map(|()| bytes).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Its text.
pub(super) fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{name}: a file that is read here is UTF-8 and not packed")))
}
