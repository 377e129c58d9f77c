//! `danmaku recall`: takes back what was shown. How it leaves the screens is the hall's.

use std::{process::ExitCode, time::Duration};

use chassis::settings::parse_duration;
use proto::MessageId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    api::{self, Api, Outcome, Question, part},
    token::room,
};

/// How far back it is looked for words unless it is said.
const LAST: Duration = Duration::from_secs(60);

/// Takes messages back: they leave every screen and every history.
///
/// It is looked for words and users among what was said within an hour: so long Kafka keeps it.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku recall",
    after_help = "Examples:
  danmaku recall --room demo 1-3-42 1-3-43              these messages
  danmaku recall --room demo --user alice               all that she said so far
  danmaku recall --room demo --user alice --last 60s    what she said in the last minute
  danmaku recall --room demo --word blorp --last 5m --dry-run"
)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["ids", "user", "words"]))]
pub struct Recall {
    /// These messages, by their ids.
    #[arg(value_name = "ID", value_parser = id)]
    ids: Vec<MessageId>,

    /// In which room.
    #[arg(long, value_parser = room)]
    room: String,

    /// What this user said.
    #[arg(long)]
    user: Option<String>,

    /// What this word would have been found in; may be given again.
    #[arg(long = "word", id = "words", value_name = "TEXT")]
    words: Vec<String>,

    /// How far back; at most 1h. [default: all for a user, 60s for words]
    #[arg(long, value_name = "DURATION", conflicts_with = "ids", value_parser = parse_duration)]
    last: Option<Duration>,

    /// Only tell what would be taken back.
    #[arg(long)]
    dry_run: bool,

    /// For the audit log, and for who is told of the recall.
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,

    #[command(flatten)]
    api: Api,
}

fn id(text: &str) -> Result<MessageId, String> {
    text.parse().map_err(|_| "a message's id is three numbers, such as 1-3-42".to_owned())
}

#[derive(Deserialize)]
struct Recalled {
    count: Option<u64>,
    ids: Vec<String>,
    whole: bool,
}

/// Does what was asked.
pub async fn run(recall: Recall) -> ExitCode {
    api::end(recall.ask().await, recall.api.json)
}

impl Recall {
    async fn ask(&self) -> Outcome {
        let question = Question::post(format_args!("rooms/{}/recall", part(&self.room)), &self.said());
        self.api.ask(question).await?.told(|done: Recalled| done.told(self.dry_run))
    }

    /// As the API takes it.
    fn said(&self) -> Value {
        let seconds = |last: Duration| last.as_secs().max(1);
        let mut said = json!({ "dry_run": self.dry_run, "reason": self.reason });
        if let Some(user) = &self.user {
            said["user"] = user.as_str().into();
            said["seconds"] = self.last.map(seconds).into();
        } else if self.words.is_empty() {
            said["ids"] = self.ids.iter().map(MessageId::to_string).collect();
        } else {
            said["entries"] = self.words.iter().map(|word| json!({ "text": word })).collect();
            said["seconds"] = seconds(self.last.unwrap_or(LAST)).into();
        }
        said
    }
}

impl Recalled {
    fn told(&self, is_tried: bool) -> String {
        let done = if is_tried { "would be taken back" } else { "taken back" };
        let what = match self.count {
            None => "all that he said so far".to_owned(),
            Some(1) => "1 message".to_owned(),
            Some(count) => format!("{count} messages"),
        };
        let mut text = format!("{what} {done}\n");
        if is_tried {
            self.ids.iter().for_each(|id| text += &format!("  {id}\n"));
        }
        if !self.whole {
            text += "not all of the time could be looked through: so far back Kafka keeps nothing\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn one_thing_is_taken_back_at_a_time() {
        let said = |line: &[&str]| {
            let line = [&["recall", "--room=demo"], line].concat();
            Recall::try_parse_from(line).ok().map(|recall| recall.said())
        };
        let with = |more: Value| {
            let mut said = json!({ "dry_run": false, "reason": "" });
            more.as_object().unwrap().iter().for_each(|(key, value)| said[key] = value.clone());
            Some(said)
        };
        assert_eq!(said(&["1-3-42", "1-3-43"]), with(json!({ "ids": ["1-3-42", "1-3-43"] })));
        assert_eq!(said(&["--user=ann"]), with(json!({ "user": "ann", "seconds": null })));
        assert_eq!(said(&["--user=ann", "--last=2m"]), with(json!({ "user": "ann", "seconds": 120 })));
        assert_eq!(
            said(&["--word=x", "--word=y"]),
            with(json!({ "entries": [{ "text": "x" }, { "text": "y" }], "seconds": 60 }))
        );
        for line in
            [&[][..], &["1-3"], &["1-3-42", "--user=ann"], &["--user=ann", "--word=x"], &["1-3-42", "--last=1m"]]
        {
            assert_eq!(said(line), None, "{line:?}");
        }
    }
}
