//! The filter's own knobs, each with the reason for its default. What all services share is kept out (`chassis`).

use std::{path::PathBuf, time::Duration};

use chassis::settings::{Common, parse_duration};
use judge::Limits;

use crate::book_feed::Source;

/// What the filter is told besides the common settings.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
// Unnamed: in one process it stands beside other services' `Config` on one command line.
#[group(skip)]
pub struct Config {
    /// Words that block a message, instead of the lists of danmaku-rules: a UTF-8 file, one word a line, # comments; it is
    /// read anew when it changes. For development.
    #[arg(long, env = "DANMAKU_WORDS", value_name = "FILE")]
    pub words: Option<PathBuf>,

    /// The words where no file is named and the topic has no list for all rooms yet; without any the filter is not ready,
    /// because "no rules yet" is not "allow all".
    #[arg(skip)]
    pub words_built_in: Option<String>,

    /// Threads that judge, each a member of the group with its own partitions.
    /// [default: one a core; one on the embedded broker]
    #[arg(long, env = "DANMAKU_JUDGE_THREADS", value_name = "NUMBER",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub judge_threads: Option<u16>,

    /// A name that stays the same over restarts: the group then waits a session for this filter to come back instead of
    /// giving its partitions to others at once.
    // None: a rollout would otherwise darken rooms for a session (F1).
    #[arg(long, env = "DANMAKU_INSTANCE_ID", value_name = "NAME")]
    pub instance_id: Option<String>,

    /// Messages a second that one user may say in one room; 0 = no limit.
    // One a second is as fast as anybody types something worth reading.
    #[arg(long, env = "DANMAKU_SAY_RATE", value_name = "PER_SECOND", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub say_rate: u32,

    /// Messages that one user may say at once in one room after a pause.
    // Three short ones in a row are how people talk.
    #[arg(long, env = "DANMAKU_SAY_BURST", value_name = "MESSAGES", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub say_burst: u32,

    /// How long the same text of the same user is refused in one room; 0 = never.
    // Longer than a cheer takes to fly by, shorter than a moment worth cheering twice.
    #[arg(long, env = "DANMAKU_DUPLICATE_WINDOW", value_name = "DURATION", default_value = "10s",
          value_parser = within_a_minute)]
    pub duplicate_window: Duration,

    /// How long a third text of a user that is nearly the same as two before is refused in one room; 0 = never.
    // Of 23,183 messages of a live room it refuses one, of 3,090 of another two: people do not do that by the minute.
    #[arg(long, env = "DANMAKU_SIMILAR_WINDOW", value_name = "DURATION", default_value = "60s",
          value_parser = within_a_minute)]
    pub similar_window: Duration,

    /// Plain chat of one room that is shown in a second, where the room's policy says nothing else; 0 = all of it.
    // Ten times what anybody reads; above it a crowd sees a fair share of itself.
    #[arg(long, env = "DANMAKU_ROOM_BUDGET", value_name = "PER_SECOND", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub room_budget: u32,
}

/// Memories are as large as what a busy partition says in 60 s; a longer window would be forgiven early there. What a restart
/// replays, 112.5 s, reaches further back than that (F8).
fn within_a_minute(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    if duration <= Duration::from_secs(60) { Ok(duration) } else { Err("the most is 60s".into()) }
}

impl Default for Config {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            words: None,
            words_built_in: None,
            judge_threads: None,
            instance_id: None,
            say_rate: limits.rate_per_s,
            say_burst: limits.burst,
            duplicate_window: Duration::from_millis(limits.duplicate_ms.into()),
            similar_window: Duration::from_millis(limits.similar_ms.into()),
            room_budget: limits.budget_per_s,
        }
    }
}

impl Config {
    /// The same, with `words` in force where no file is named.
    #[must_use]
    pub fn with_words_or(self, words: impl Into<String>) -> Self {
        Self { words_built_in: Some(words.into()), ..self }
    }

    /// Where its rules come from.
    pub(crate) fn rules(&self) -> Source {
        match (&self.words, &self.words_built_in) {
            (Some(file), _) => Source::File(file.clone()),
            (None, Some(words)) => Source::TopicOr(words.clone()),
            (None, None) => Source::Topic,
        }
    }

    /// What is wrong with these knobs on so many partitions.
    #[must_use]
    pub fn problems(&self, partitions: i32) -> Vec<String> {
        let threads = self.judge_threads.filter(|threads| i32::from(*threads) > partitions);
        let idle = threads.map(|threads| {
            format!(
                "--judge-threads (DANMAKU_JUDGE_THREADS): {threads} are more than the {partitions} of --partitions, and a \
                 partition has one judge; give at most {partitions}"
            )
        });
        idle.into_iter().collect()
    }

    /// The limits in the judge's terms.
    pub(crate) fn limits(&self) -> Limits {
        let ms = |window: Duration| u32::try_from(window.as_millis()).unwrap_or(u32::MAX);
        Limits {
            rate_per_s: self.say_rate,
            burst: self.say_burst,
            duplicate_ms: ms(self.duplicate_window),
            similar_ms: ms(self.similar_window),
            budget_per_s: self.room_budget,
        }
    }

    /// How many threads judge.
    pub(crate) fn threads(&self, embedded: bool) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        match self.judge_threads {
            Some(threads) => threads.into(),
            // One mock broker on one thread feeds no more than one judge.
            None if embedded => 1,
            None => cores(),
        }
    }
}

/// Everything the filter is told when it runs alone.
#[derive(Debug, Clone, clap::Parser)]
#[command(name = "filter", version, about = "The judge of Danmaku: what is said passes here before it is shown")]
pub struct Settings {
    /// What every service is told.
    #[command(flatten)]
    pub common: Common,

    /// What only the filter is told.
    #[command(flatten)]
    pub own: Config,
}

impl chassis::settings::Settings for Settings {
    // It serves no clients; its admin port is one that no other service has by default.
    const DEFAULTS: &'static [(&'static str, &'static str)] = &[("listen", "127.0.0.1:0"), ("admin", "127.0.0.1:9092")];

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.common.without_brokers().into_iter().collect();
        problems.extend(self.common.problems());
        problems.extend(self.own.problems(self.common.partitions));
        problems
    }
}
