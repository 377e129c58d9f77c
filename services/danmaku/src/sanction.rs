//! `danmaku mute`, `unmute`, `ban` and `unban`: who may not speak, in a room or anywhere. What it does to him is the judge's, the
//! door's and the hall's.

mod told;

use std::{process::ExitCode, time::Duration};

use chassis::settings::parse_duration;
use proto::ban::Subject;
use serde_json::{Value, json};

use crate::{
    api::{self, Api, Failure, Outcome, Question, part},
    show::plain,
    token::{now_ms, room},
};
use told::{Sanction, Sanctions, table};

/// Mutes somebody in a room, or shows who is muted there.
///
/// It acts at once, and still after any restart. Nobody else sees that he is muted.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku mute",
    after_help = "Examples:
  danmaku mute --room demo                                   who is muted
  danmaku mute --room demo alice --for 10m --reason spam
  danmaku mute --room demo alice --broadcast --also device   a new name on his device is not a new person
  danmaku unmute --room demo alice"
)]
pub struct Mute {
    /// Whom: a user's id, or user/ID, device/ID, address/HASH. Without it, all who are muted are shown.
    #[arg(value_parser = subject)]
    who: Option<Subject>,

    /// In which room.
    #[arg(long, value_parser = room)]
    room: String,

    /// As long as this broadcast lasts.
    #[arg(long, requires = "who", conflicts_with = "lasts")]
    broadcast: bool,

    #[command(flatten)]
    how: How,
}

/// Bans somebody from every room, or shows who is banned.
///
/// What he has open is closed, and he is not let in again, at the latest after two seconds.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku ban",
    after_help = "Examples:
  danmaku ban                                                who is banned
  danmaku ban mallory --reason 'third warning'
  danmaku ban mallory --for 7d --also device,address --seen-in demo
  danmaku unban mallory"
)]
pub struct Ban {
    /// Whom: a user's id, or user/ID, device/ID, address/HASH. Without it, all who are banned are shown.
    #[arg(value_parser = subject)]
    who: Option<Subject>,

    /// A room in which he was seen within the last hour: there the ban acts in its place among what is said, and there it is
    /// looked by what else he is known.
    #[arg(long, requires = "who", value_name = "ROOM", value_parser = room)]
    seen_in: Option<String>,

    #[command(flatten)]
    how: How,
}

/// How somebody is kept from speaking.
#[derive(Debug, Clone, clap::Args)]
struct How {
    /// For so long, such as 10m or 7d; without it, for good.
    #[arg(long = "for", id = "lasts", requires = "who", value_name = "DURATION", value_parser = parse_duration)]
    lasts: Option<Duration>,

    /// Also by what else he was known in the room within the last hour.
    #[arg(long, requires = "who", value_delimiter = ',', value_name = "device,address", value_parser = ["device", "address"])]
    also: Vec<String>,

    /// For the audit log, and for other moderators.
    #[arg(long, requires = "who", default_value = "", hide_default_value = true)]
    reason: String,

    #[command(flatten)]
    api: Api,
}

/// Lets somebody speak in a room again, and all he was muted by.
///
/// Example: danmaku unmute --room demo alice
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku unmute")]
pub struct Unmute {
    /// In which room.
    #[arg(long, value_parser = room)]
    room: String,

    #[command(flatten)]
    whom: Whom,
}

/// Ends a ban, and all that was banned with it.
///
/// Example: danmaku unban mallory
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku unban")]
pub struct Unban {
    #[command(flatten)]
    whom: Whom,
}

/// Whose is lifted.
#[derive(Debug, Clone, clap::Args)]
struct Whom {
    /// Whom: a user's id, or user/ID, device/ID, address/HASH.
    #[arg(value_parser = subject)]
    who: Subject,

    /// For the audit log, and for other moderators.
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,

    #[command(flatten)]
    api: Api,
}

/// A user's id alone is what is mostly meant.
fn subject(text: &str) -> Result<Subject, String> {
    let is_named = ["user/", "device/", "address/"].iter().any(|kind| text.starts_with(kind));
    let named = if is_named { text.to_owned() } else { format!("user/{text}") };
    named.parse().map_err(|_| "a user's id, or user/ID, device/ID, address/ and 32 hexadecimal digits".to_owned())
}

/// Does what was asked.
pub async fn mute(mute: Mute) -> ExitCode {
    let path = format!("rooms/{}/mutes", part(&mute.room));
    let outcome = match &mute.who {
        None => list(&mute.how.api, &path, "nobody is muted here").await,
        Some(who) => mute.how.impose(&path, who, mute.broadcast, None, "muted").await,
    };
    api::end(outcome, mute.how.api.json)
}

/// Does what was asked.
pub async fn ban(ban: Ban) -> ExitCode {
    let outcome = match &ban.who {
        None => list(&ban.how.api, "bans", "nobody is banned").await,
        Some(who) => ban.how.impose("bans", who, false, ban.seen_in.as_deref(), "banned").await,
    };
    api::end(outcome, ban.how.api.json)
}

/// Does what was asked.
pub async fn unmute(unmute: Unmute) -> ExitCode {
    let path = format!("rooms/{}/mutes", part(&unmute.room));
    unmute.whom.lift(&path, "may speak again").await
}

/// Does what was asked.
pub async fn unban(unban: Unban) -> ExitCode {
    unban.whom.lift("bans", "may come again").await
}

async fn list(api: &Api, path: &str, nobody: &str) -> Outcome {
    let answer = api.ask(Question::get(path).with("limit", Some(1_000))).await?;
    answer.told(|sanctions: Sanctions| table(&sanctions, nobody, now_ms()))
}

impl How {
    async fn impose(&self, path: &str, who: &Subject, broadcast: bool, seen_in: Option<&str>, word: &str) -> Outcome {
        let said = self.said(who, broadcast, seen_in)?;
        self.api.ask(Question::post(path, &said)).await?.told(|done: Sanctions| {
            let mut text = String::new();
            for sanction in &done.sanctions {
                text += &format!("{} is {word} for {}\n", plain(&sanction.subject), sanction.imposed_for());
            }
            if !done.unknown.is_empty() {
                text += &format!("by {} he is not known in this room of late\n", done.unknown.join(" and "));
            }
            text
        })
    }

    /// As the API takes it.
    fn said(&self, who: &Subject, broadcast: bool, seen_in: Option<&str>) -> Result<Value, Failure> {
        let seconds = self.lasts.map(|lasts| lasts.as_secs());
        if seconds == Some(0) {
            return Err(Failure::Usage("--for: give at least 1s; unmute and unban end at once".to_owned()));
        }
        let mut said = json!({
            "subject": who.to_string(), "broadcast": broadcast, "permanent": seconds.is_none() && !broadcast,
            "also": self.also, "reason": self.reason,
        });
        if let Some(seconds) = seconds {
            said["seconds"] = seconds.into();
        }
        if let Some(room) = seen_in {
            said["room"] = room.into();
        }
        Ok(said)
    }
}

impl Whom {
    async fn lift(&self, path: &str, word: &str) -> ExitCode {
        let lifting = async {
            let question = Question::delete(path).with("subject", Some(&self.who));
            let question = question.with("reason", Some(&self.reason).filter(|reason| !reason.is_empty()));
            self.api.ask(question).await?.told(|done: Sanctions| {
                let line = |sanction: &Sanction| format!("{} {word}\n", plain(&sanction.subject));
                done.sanctions.iter().map(line).collect()
            })
        };
        api::end(lifting.await, self.api.json)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn what_the_line_says_is_asked() {
        let said = |line: &[&str]| {
            let mute = Mute::try_parse_from([&["mute", "--room=demo", "alice"], line].concat()).unwrap();
            mute.how.said(mute.who.as_ref().unwrap(), mute.broadcast, None).unwrap()
        };
        let expected = |seconds: Value, permanent: bool, broadcast: bool| {
            let mut said = json!({ "subject": "user/alice", "permanent": permanent, "broadcast": broadcast, "also": [], "reason": "" });
            if !seconds.is_null() {
                said["seconds"] = seconds;
            }
            said
        };
        assert_eq!(said(&[]), expected(Value::Null, true, false));
        assert_eq!(said(&["--for=10m"]), expected(600.into(), false, false));
        assert_eq!(said(&["--broadcast"]), expected(Value::Null, false, true));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for line in [
            &["mute", "alice"][..],
            &["mute", "--room=demo", "alice", "--for=1m", "--broadcast"],
            &["mute", "--room=demo", "--for=1m"],
            &["mute", "--room=demo", "address/nobody"],
            &["mute", "--room=demo", "alice", "--also=shoe"],
        ] {
            assert!(Mute::try_parse_from(line).is_err(), "{line:?}");
        }
    }
}
