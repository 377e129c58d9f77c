//! `danmaku words dry-run`: what would become of a text, and why, stage by stage. Nothing acts, and nobody hears of it.

mod built_in;
mod told;
mod trace;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Book, files};
use crate::api::{Answer, Failure, Outcome, Question};
use told::Tried;

/// Tries texts on the rule book, or on drafts as if they acted.
///
/// One text is explained: what each of its characters is read as, which signs are gaps, what is found and what nearly is, and
/// what is done about it. Of a file those lines are told that would not simply pass.
///
/// Where no service answers at the default address, the built-in examples are tried instead, and it says so.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  danmaku words dry-run --text 'ｂ.a.d🙂w0rd'
  danmaku words dry-run --text '…' --room demo --role viewer --as-of 41
  danmaku words dry-run --file chat.txt --draft spoilers     which of these lines a draft would find

Exit code: 0 all would pass, 1 something would not, 2 wrong usage or nobody answered.")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["text", "file"]))]
pub(super) struct DryRun {
    /// The text.
    #[arg(long)]
    text: Option<String>,

    /// A file of texts, one a line, at most 100,000; - is the standard input.
    #[arg(long)]
    file: Option<PathBuf>,

    /// Who would say it.
    #[arg(long, default_value = "sender", value_parser = ["viewer", "sender", "moderator", "service", "streamer"])]
    role: String,

    /// Under which name; it is looked at too.
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,

    /// The version of the book; without it, the newest.
    #[arg(long = "as-of", value_name = "VERSION")]
    version: Option<u64>,

    /// Draft lists that are tried as if they acted.
    #[arg(long = "draft", value_delimiter = ',', value_name = "LIST,...")]
    drafts: Vec<String>,

    /// Ask no service, and try the built-in examples.
    #[arg(long, conflicts_with_all = ["room", "version", "drafts", "server"])]
    built_in: bool,

    #[command(flatten)]
    pub(super) book: Book,
}

impl DryRun {
    pub(super) async fn run(&self) -> Outcome {
        let texts = match &self.file {
            Some(path) => {
                let text = files::utf8("--file", files::read(path)?)?;
                text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
            }
            None => Vec::new(),
        };
        if self.built_in {
            return self.without_a_service(&texts);
        }
        match self.book.api.ask(Question::post("dry-run", &self.said(&texts))).await {
            Err(Failure::Unreachable(_)) if self.book.api.is_anywhere() && self.needs_no_book() => {
                eprintln!("No service answers here, so this is what the built-in examples say.\n");
                self.without_a_service(&texts)
            }
            answer => answer?.judged(|tried: Tried| tried.told(), Tried::is_finding),
        }
    }

    /// As the API takes it.
    fn said(&self, texts: &[String]) -> Value {
        let mut said = json!({ "texts": texts, "role": self.role, "name": self.name, "drafts": self.drafts });
        for (field, value) in [
            ("text", self.text.as_deref().map(Value::from)),
            ("room", self.book.room.as_deref().map(Value::from)),
            ("version", self.version.map(Value::from)),
        ] {
            if let Some(value) = value {
                said[field] = value;
            }
        }
        said
    }

    /// Whether the built-in examples can stand for what was asked for.
    fn needs_no_book(&self) -> bool {
        self.book.room.is_none() && self.version.is_none() && self.drafts.is_empty()
    }

    fn without_a_service(&self, texts: &[String]) -> Outcome {
        let tried = built_in::try_on(self.text.as_deref(), texts, &self.role, &self.name)?;
        Answer::made(tried.to_string(), &self.book.api).judged(|tried: Tried| tried.told(), Tried::is_finding)
    }
}
