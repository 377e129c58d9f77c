//! `danmaku holds`: what waits for a moderator, and his yes or no. The first decision is the one that counts.

use std::process::ExitCode;

use serde::Deserialize;
use serde_json::json;

use crate::{
    api::{self, Api, Outcome, Question, part},
    show::{Table, ago, left, plain},
    token::{now_ms, room},
};

/// Looks through the messages that wait for a moderator, lets them through, or does not.
///
/// What nobody decides on in time is decided by the room's rule: it is not shown, unless the room says otherwise.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku holds",
    after_help = "Examples:
  danmaku holds list --room demo
  danmaku holds approve 1-3-42
  danmaku holds approve 1-3-42 --text 'what may be shown'
  danmaku holds reject 1-3-42 --reason advertising

Exit code of approve and reject: 1 also if somebody else was faster; it says who, and how he decided."
)]
pub struct Holds {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Shows what waits, the oldest first.
    List {
        /// In which room.
        #[arg(long, value_parser = room)]
        room: String,
        /// What was decided on instead, the newest first.
        #[arg(long)]
        decided: bool,
        /// At most so many.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=200))]
        limit: u32,
        #[command(flatten)]
        api: Api,
    },
    /// Lets a message through: it is shown under its id, in its place among what is said now.
    Approve {
        /// Which.
        id: String,
        /// Shown instead of what was said, and marked as edited.
        #[arg(long)]
        text: Option<String>,
        /// For the audit log.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        #[command(flatten)]
        api: Api,
    },
    /// Does not let a message through; its sender is told.
    Reject {
        /// Which.
        id: String,
        /// For the audit log.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        #[command(flatten)]
        api: Api,
    },
}

#[derive(Deserialize)]
struct Told {
    holds: Vec<Hold>,
}

#[derive(Deserialize)]
struct Hold {
    id: String,
    user: String,
    name: String,
    text: String,
    held_ms: i64,
    deadline_ms: i64,
    rule: String,
    decision: Option<Decision>,
}

#[derive(Deserialize)]
struct Decision {
    outcome: String,
    by: String,
}

/// Does what was asked.
pub async fn run(holds: Holds) -> ExitCode {
    let (outcome, as_it_stands) = match holds.verb {
        Verb::List { room, decided, limit, api } => (list(&api, &room, decided, limit).await, api.json),
        Verb::Approve { id, text, reason, api } => {
            let mut said = json!({ "reason": reason });
            if let Some(text) = text {
                said["text"] = text.into();
            }
            (decide(&api, &id, "approve", &said).await, api.json)
        }
        Verb::Reject { id, reason, api } => (decide(&api, &id, "reject", &json!({ "reason": reason })).await, api.json),
    };
    api::end(outcome, as_it_stands)
}

async fn list(api: &Api, room: &str, decided: bool, limit: u32) -> Outcome {
    let question = Question::get("holds").with("room", Some(room)).when("decided", decided).with("limit", Some(limit));
    api.ask(question).await?.told(|told: Told| table(&told.holds, now_ms()))
}

fn table(holds: &[Hold], now_ms: i64) -> String {
    let mut table = Table::of(&["id", "held", "left", "user", "text", "entry"]);
    for hold in holds {
        let (held, left) = (ago(hold.held_ms, now_ms), hold.left(now_ms));
        let user = if hold.name == hold.user { hold.user.clone() } else { format!("{} ({})", hold.name, hold.user) };
        table.row([&hold.id, &held, &left, &user, &hold.text, &hold.rule]);
    }
    table.told("nothing waits")
}

impl Hold {
    fn left(&self, now_ms: i64) -> String {
        match &self.decision {
            Some(Decision { outcome, by }) => format!("{outcome} by {by}"),
            None => left(self.deadline_ms, now_ms),
        }
    }
}

async fn decide(api: &Api, id: &str, how: &str, said: &serde_json::Value) -> Outcome {
    let question = Question::post(format_args!("holds/{}/{how}", part(id)), said);
    api.ask(question).await?.told(|hold: Hold| {
        let outcome = hold.decision.as_ref().map_or("decided", |decision| &decision.outcome);
        format!("{} of {} is {outcome}: {}", hold.id, plain(&hold.user), plain(&hold.text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_told_with_the_time_that_is_left() {
        let text = r#"[{"id":"1-3-42","room":"demo","user":"u1","name":"Ann","text":"坏词语?","held_ms":1000,"deadline_ms":61000,"rule":"e1"},
            {"id":"1-3-43","room":"demo","user":"bob","name":"bob","text":"x","held_ms":1000,"deadline_ms":61000,"rule":"e1",
             "decision":{"outcome":"rejected","by":"mo","at_ms":2,"reason":""}}]"#;
        let told = table(&serde_json::from_str::<Vec<Hold>>(text).unwrap(), 31_000);
        let lines: Vec<&str> = told.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "1-3-42  30 s ago  30 s            Ann (u1)  坏词语?  e1",
                "1-3-43  30 s ago  rejected by mo  bob       x        e1",
            ]
        );
    }
}
