//! The door's own knobs, each with the reason for its default. What all services share is kept out (`chassis`).

use std::time::Duration;

use chassis::settings::parse_duration;

/// What the door is told besides the common settings.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
// Unnamed: in one process it stands beside other services' `Config` on one command line.
#[group(skip)]
pub struct Config {
    /// Messages a second that one user may send through this node, over all rooms; 0 = no limit.
    // The judge allows 1/s in one room; five leave room for somebody who watches several streams.
    #[arg(long, env = "DANMAKU_DOOR_USER_RATE", value_name = "PER_SECOND", default_value_t = 5)]
    pub door_user_rate: u32,

    /// Messages that one user may send at once after a pause.
    // Two seconds' worth of the rate.
    #[arg(long, env = "DANMAKU_DOOR_USER_BURST", value_name = "MESSAGES", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub door_user_burst: u32,

    /// Messages a second from one address (an IPv6 /64 counts as one) through this node; 0 = no limit.
    // A campus or a mobile carrier speaks through one address: 20 users at their own limit, or 100 at the judge's.
    #[arg(long, env = "DANMAKU_DOOR_ADDRESS_RATE", value_name = "PER_SECOND", default_value_t = 100)]
    pub door_address_rate: u32,

    /// Messages that one address may send at once after a pause.
    // Two seconds' worth of the rate.
    #[arg(long, env = "DANMAKU_DOOR_ADDRESS_BURST", value_name = "MESSAGES", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub door_address_burst: u32,

    /// Characters a message may have, counted as readers count them (grapheme clusters).
    // What flies over a picture in 8 s is read while it flies. 1,000 Chinese characters take 3 KB of the 4 KiB body.
    #[arg(long, env = "DANMAKU_TEXT_MAX", value_name = "CHARACTERS", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub text_max: u32,

    /// How long Kafka may take to acknowledge a message before its sender is told 503 unavailable.
    // A leader election on a healthy cluster takes 1 to 3 s; a person waits 5 s for his own words, not longer. At most 8 s:
    // a retry's own way to Kafka (this and 2 s) has to end within the judge's 60 s of memory, 50 s of which clients are given.
    #[arg(long, env = "DANMAKU_PRODUCE_TIMEOUT", value_name = "DURATION", default_value = "5s",
          value_parser = produce_timeout)]
    pub produce_timeout: Duration,

    /// How old the oldest unjudged message of a partition may be before its rooms are told 503 judge_behind, 3s at
    /// least; 0 = never.
    // A crashed filter is replaced within 10 s; one that takes longer has left a hall in which nobody is seen.
    #[arg(long, env = "DANMAKU_JUDGE_BEHIND_AFTER", value_name = "DURATION", default_value = "10s",
          value_parser = judge_behind_after)]
    pub judge_behind_after: Duration,

    /// How long a request's body may take to arrive.
    // 16 KiB in 5 s are 26 kbit/s, which every modem has.
    #[arg(long, env = "DANMAKU_BODY_TIMEOUT", value_name = "DURATION", default_value = "5s",
          value_parser = parse_duration)]
    pub body_timeout: Duration,
}

/// Librdkafka looks for late messages once a second, so less than that cannot be kept.
fn produce_timeout(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    if (Duration::from_secs(1)..=Duration::from_secs(8)).contains(&duration) {
        Ok(duration)
    } else {
        Err("it must be from 1s to 8s".into())
    }
}

/// The group commits each second and is asked each second, so what was judged at once is heard of after two, and a third is for
/// asking; less would close partitions that nobody is behind in.
fn judge_behind_after(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() || duration >= Duration::from_secs(3) {
        Ok(duration)
    } else {
        Err("it must be 0 or at least 3s".into())
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            door_user_rate: 5,
            door_user_burst: 10,
            door_address_rate: 100,
            door_address_burst: 200,
            text_max: 100,
            produce_timeout: Duration::from_secs(5),
            judge_behind_after: Duration::from_secs(10),
            body_timeout: Duration::from_secs(5),
        }
    }
}

/// Everything the door is told when it runs alone.
#[derive(Debug, Clone, clap::Parser)]
#[command(name = "ingest", version, about = "The door of Danmaku: what viewers say comes in here")]
pub struct Settings {
    /// What every service is told.
    #[command(flatten)]
    pub common: chassis::settings::Common,
    /// The door's own.
    #[command(flatten)]
    pub own: Config,
}

impl chassis::settings::Settings for Settings {
    const DEFAULTS: &'static [(&'static str, &'static str)] =
        &[("listen", "127.0.0.1:8081"), ("admin", "127.0.0.1:9091")];

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.common.without_brokers().into_iter().collect();
        if self.common.keys.is_none() {
            problems.push("--keys (DANMAKU_KEYS): tokens are checked against keys; give --keys <FILE>".to_owned());
        }
        problems.extend(self.common.problems());
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_in_code_and_on_the_line_are_the_same() {
        let line = ["ingest", "--brokers", "localhost:9092", "--keys", "keys.json"];
        let settings: Settings = chassis::settings::parse_from(line).unwrap();
        assert_eq!(settings.own, Config::default());
    }

    #[test]
    fn a_judge_is_not_behind_before_it_can_be_heard_of() {
        for (text, taken) in [("0", true), ("500ms", false), ("2999ms", false), ("3s", true), ("1h", true)] {
            assert_eq!(judge_behind_after(text).is_ok(), taken, "{text}");
        }
    }
}
