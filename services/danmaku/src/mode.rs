//! `danmaku mode`: how a room may be spoken in. What a mode does is the judge's, and the hall's for its delay.

use std::{fmt::Write as _, process::ExitCode, time::Duration};

use chassis::settings::parse_duration;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    api::{self, Api, Failure, Outcome, Question, part},
    show::{left, plain},
    token::{now_ms, room},
};

/// Shows how a room may be spoken in, or sets it.
///
/// What is set takes the place of what was: a mode that is not named is off. Moderators and services are exempt.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku mode",
    after_help = "Examples:
  danmaku mode --room demo                                how it is
  danmaku mode --room demo --slow 10s --followers 10m
  danmaku mode --room demo --shield --for 20m             a storm: slow, followers, moderators see it first
  danmaku mode --room demo --off"
)]
#[command(group = clap::ArgGroup::new("some").multiple(true).args(["slow", "level", "followers", "emotes", "emergency", "delay", "shield"]))]
pub struct Mode {
    /// Which room.
    #[arg(long, value_parser = room)]
    room: String,

    /// At least so long between two messages of a user; at most 10m.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    slow: Option<Duration>,

    /// Only users of this level and above.
    #[arg(long, value_name = "LEVEL")]
    level: Option<u32>,

    /// Only who has followed for so long.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    followers: Option<Duration>,

    /// Nothing but emotes.
    #[arg(long)]
    emotes: bool,

    /// Nobody but those who run the room.
    #[arg(long)]
    emergency: bool,

    /// Everybody sees the room so much later than its moderators; at most 6s.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    delay: Option<Duration>,

    /// All that helps in a storm at once; ends by itself after 20 minutes unless --for says otherwise.
    #[arg(long, conflicts_with_all = ["slow", "level", "followers", "emotes", "emergency", "delay"])]
    shield: bool,

    /// It ends by itself after so long, and the room is as it was.
    #[arg(long = "for", id = "lasts", requires = "some", value_name = "DURATION", value_parser = parse_duration)]
    lasts: Option<Duration>,

    /// Everybody may speak freely.
    #[arg(long, conflicts_with = "some")]
    off: bool,

    /// For the audit log.
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,

    #[command(flatten)]
    api: Api,
}

/// A mode as the API says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Said {
    slow_ms: u64,
    level_min: u32,
    followers_min_s: u64,
    emote_only: bool,
    emergency: bool,
    delay_ms: u64,
}

#[derive(Deserialize)]
struct Told {
    mode: Said,
    ends_ms: Option<i64>,
    #[serde(default)]
    by: String,
}

/// Does what was asked.
pub async fn run(mode: Mode) -> ExitCode {
    api::end(mode.ask().await, mode.api.json)
}

impl Mode {
    async fn ask(&self) -> Outcome {
        self.api.ask(self.question()?).await?.told(|told: Told| told.told(now_ms()))
    }

    fn question(&self) -> Result<Question, Failure> {
        let path = format!("rooms/{}/mode", part(&self.room));
        let wanted = self.wanted();
        if wanted == Said::default() && !self.off && !self.shield {
            return match self.is_named() {
                true => Err(Failure::Usage("a mode of 0 is none; --off lets everybody speak freely".to_owned())),
                false => Ok(Question::get(path)),
            };
        }
        let seconds = self.lasts.map(|lasts| lasts.as_secs().max(1));
        if self.shield {
            let minutes = seconds.map(|seconds| seconds.div_ceil(60));
            let said = json!({ "minutes": minutes, "reason": self.reason });
            return Ok(Question::post(format_args!("rooms/{}/shield", part(&self.room)), &said));
        }
        Ok(Question::put(path, &json!({ "mode": wanted, "lasts_s": seconds, "reason": self.reason })))
    }

    fn is_named(&self) -> bool {
        self.slow.is_some() || self.level.is_some() || self.followers.is_some() || self.delay.is_some()
    }

    fn wanted(&self) -> Said {
        let ms =
            |lasts: Option<Duration>| lasts.map_or(0, |lasts| u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX));
        Said {
            slow_ms: ms(self.slow),
            level_min: self.level.unwrap_or_default(),
            followers_min_s: self.followers.map_or(0, |lasts| lasts.as_secs()),
            emote_only: self.emotes,
            emergency: self.emergency,
            delay_ms: ms(self.delay),
        }
    }
}

impl Told {
    fn told(&self, now_ms: i64) -> String {
        let Said { slow_ms, level_min, followers_min_s, emote_only, emergency, delay_ms } = self.mode;
        let seconds = |ms: u64| format!("{} s", ms as f64 / 1000.0);
        let lines = [
            (slow_ms > 0, format!("slow: {} between two messages of a user", seconds(slow_ms))),
            (level_min > 0, format!("level: {level_min} and above")),
            (followers_min_s > 0, format!("followers: of at least {followers_min_s} s")),
            (emote_only, "emotes: nothing else".to_owned()),
            (emergency, "emergency: nobody but those who run the room".to_owned()),
            (delay_ms > 0, format!("delay: moderators see it {} earlier", seconds(delay_ms))),
        ];
        let mut text: String = lines.into_iter().filter(|(is_so, _)| *is_so).map(|(_, line)| line + "\n").collect();
        if text.is_empty() {
            text.push_str("everybody may speak freely\n");
        }
        if let Some(ends_ms) = self.ends_ms.filter(|ends_ms| *ends_ms > 0) {
            // Writing into a string does not fail.
            let _ = writeln!(text, "it ends by itself in {}", left(ends_ms, now_ms));
        }
        if !self.by.is_empty() {
            let _ = writeln!(text, "set by {}", plain(&self.by));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn mode(line: &[&str]) -> Mode {
        Mode::try_parse_from([&["mode", "--room=demo"], line].concat()).unwrap()
    }

    #[test]
    fn what_is_named_is_set_and_nothing_named_only_asks() {
        assert_eq!(mode(&[]).question().unwrap(), Question::get("rooms/demo/mode"));
        let wanted = mode(&["--slow=10s", "--followers=10m", "--emotes", "--delay=2s"]).wanted();
        let expected =
            Said { slow_ms: 10_000, followers_min_s: 600, emote_only: true, delay_ms: 2_000, ..Said::default() };
        assert_eq!(wanted, expected);
        assert!(mode(&["--slow=0"]).question().is_err(), "who means off says so");
        assert!(Mode::try_parse_from(["mode", "--room=demo", "--off", "--slow=1s"]).is_err());
        assert!(Mode::try_parse_from(["mode", "--room=demo", "--for=1m"]).is_err());
    }

    #[test]
    fn a_mode_is_told_in_words() {
        let told = |mode, ends_ms| Told { mode, ends_ms, by: String::new() }.told(0);
        assert_eq!(told(Said::default(), None), "everybody may speak freely\n");
        let slow = Said { slow_ms: 2_500, ..Said::default() };
        assert_eq!(
            told(slow, Some(60_000)),
            "slow: 2.5 s between two messages of a user\nit ends by itself in 1 min\n"
        );
    }
}
