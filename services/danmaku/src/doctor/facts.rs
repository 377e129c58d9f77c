//! All that there is to know before anything is judged: what each process, Kafka and Redis said, and what the operator told.
//! Kept out: asking, and what any of it means.

use std::{collections::BTreeMap, time::Duration};

use chassis::{
    admin::About,
    kafka::{Ends, Mismatch, Tried},
    redis::Seen,
    settings::parse_duration,
};
use proto::Topic;

/// What was found out about a deployment.
pub(crate) struct Facts {
    pub(crate) nodes: Vec<Node>,
    /// None where no process said where its Kafka is.
    pub(crate) kafka: Option<Kafka>,
    /// Its address and what a look at it showed.
    pub(crate) redis: Option<(String, Seen)>,
    /// Whose account Kafka was asked with.
    pub(crate) account: Option<Service>,
    pub(crate) gateway_idle: Option<Duration>,
}

/// A process, by its admin port.
pub(crate) struct Node {
    pub(crate) address: String,
    /// What it said, or why it said nothing.
    pub(crate) said: Result<Said, String>,
}

/// What a process said of itself.
#[derive(Clone)]
pub(crate) struct Said {
    pub(crate) about: About,
    /// By how much its clock is ahead of this machine's.
    pub(crate) ahead_ms: i64,
    /// How wrong that may be: half of the time that the answer took.
    pub(crate) give_or_take_ms: i64,
    /// What it is not ready for: the condition, and why.
    pub(crate) not_ready: Vec<(String, String)>,
    /// What it tells of parts that it can do without: the part, and how it is.
    pub(crate) notes: Vec<(String, String)>,
    /// Its numbers, those of one name added up.
    pub(crate) numbers: BTreeMap<String, f64>,
}

impl Said {
    /// A setting that is a length of time.
    pub(crate) fn duration(&self, setting: &str) -> Option<Duration> {
        parse_duration(self.about.settings.get(setting)?).ok()
    }

    /// Whether this process does a service's work.
    pub(crate) fn is(&self, service: Service) -> bool {
        self.about.program == "danmaku" || self.about.program == service.name()
    }
}

/// What Kafka said.
pub(crate) struct Kafka {
    pub(crate) brokers: String,
    pub(crate) is_embedded: bool,
    /// Whether it answers, or what it says instead.
    pub(crate) answers: Result<(), String>,
    pub(crate) topics: Vec<TopicFacts>,
    /// The filters' group, and whether its offsets may be asked for.
    pub(crate) group: (String, Tried),
    /// The group that readers name without being in it, and whether it may be asked for.
    pub(crate) readers: (String, Tried),
    /// This machine's clock when the topics' ends were read, Unix milliseconds.
    pub(crate) read_ms: i64,
}

/// What trying showed of a topic.
pub(crate) struct TopicFacts {
    pub(crate) topic: Topic,
    pub(crate) name: String,
    /// What is not as it should be with it, or why nobody knows.
    pub(crate) mismatches: Result<Vec<Mismatch>, String>,
    pub(crate) ends: Ends,
    pub(crate) write: Tried,
    /// Whether its settings may be read.
    pub(crate) settings: Tried,
}

/// A service, by its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Service {
    Ingest,
    Filter,
    Fanout,
    Moderation,
}

impl Service {
    pub(crate) const ALL: [Self; 4] = [Self::Ingest, Self::Filter, Self::Fanout, Self::Moderation];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Filter => "filter",
            Self::Fanout => "fanout",
            Self::Moderation => "moderation",
        }
    }
}
