//! The six topics: their names, partitions and settings. Nobody is created or asked here.

/// A topic of the river.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// What was said, as accepted.
    Input,
    /// What may be shown.
    Output,
    /// Every message that did not simply pass, and why.
    Verdicts,
    /// Each room's mode and sticky events.
    State,
    /// The rule book, mutes and bans.
    Rules,
    /// Records that could not be decoded or judged.
    DeadLetter,
}

const HOUR_MS: u64 = 3_600_000;
const WEEK_MS: u64 = 7 * 24 * HOUR_MS;

impl Topic {
    /// All of them, in the order a danmaku meets them.
    pub const ALL: [Topic; 6] =
        [Topic::Input, Topic::Output, Topic::Verdicts, Topic::State, Topic::Rules, Topic::DeadLetter];

    /// The topic's name behind `prefix`, which lets several rivers share a cluster.
    pub fn name(self, prefix: &str) -> String {
        let name = match self {
            Topic::Input => "danmaku-input",
            Topic::Output => "danmaku-output",
            Topic::Verdicts => "danmaku-verdicts",
            Topic::State => "danmaku-state",
            Topic::Rules => "danmaku-rules",
            Topic::DeadLetter => "danmaku-dead-letter",
        };
        format!("{prefix}{name}")
    }

    /// How many partitions it has when rooms are spread over `rooms_over`.
    pub fn partitions(self, rooms_over: i32) -> i32 {
        match self {
            Topic::Input | Topic::Output | Topic::Verdicts | Topic::State => rooms_over,
            Topic::Rules | Topic::DeadLetter => 1,
        }
    }

    /// The broker settings it is created with, and which of them a service insists on.
    pub fn config(self, output_retention_ms: u64) -> Vec<Setting> {
        let retention = |ms: u64| Setting { name: "retention.ms", value: ms.to_string(), insist: false };
        let must = |name, value: &str| Setting { name, value: value.to_owned(), insist: true };
        match self {
            Topic::Input => vec![
                retention(HOUR_MS),
                must("message.timestamp.type", "LogAppendTime"),
                must("cleanup.policy", "delete"),
            ],
            Topic::Output => vec![
                retention(output_retention_ms),
                must("message.timestamp.type", "LogAppendTime"),
                must("cleanup.policy", "delete"),
            ],
            Topic::Verdicts | Topic::DeadLetter => vec![retention(WEEK_MS), must("cleanup.policy", "delete")],
            Topic::State | Topic::Rules => vec![must("cleanup.policy", "compact")],
        }
    }
}

/// A topic in plain values, the form in which `chassis::kafka::TopicSpec::from` takes it: name, partitions, settings with
/// whether another value is a mismatch, least retention in milliseconds.
pub type Described = (String, i32, Vec<(String, String, bool)>, Option<u64>);

impl Topic {
    /// The topic as it should be behind `prefix`, with rooms spread over `rooms_over` partitions.
    pub fn described(self, prefix: &str, rooms_over: i32, output_retention_ms: u64) -> Described {
        let settings = self.config(output_retention_ms).into_iter();
        let settings = settings.map(|setting| (setting.name.to_owned(), setting.value, setting.insist)).collect();
        let replayed = matches!(self, Topic::Input | Topic::Output);
        (self.name(prefix), self.partitions(rooms_over), settings, replayed.then_some(RETENTION_MS_MIN))
    }
}

/// How long output is kept unless a setting says otherwise: one hour.
pub const OUTPUT_RETENTION_MS: u64 = HOUR_MS;

/// The shortest retention of input and output with which a restart still finds its limit windows and history: 5 minutes.
pub const RETENTION_MS_MIN: u64 = 300_000;

/// One broker setting of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The broker's name for it.
    pub name: &'static str,
    /// The value it is created with.
    pub value: String,
    /// Whether a service refuses to become ready with another value.
    pub insist: bool,
}

/// The consumer group of the filters. A new generation is a new group.
pub fn filter_group(prefix: &str, generation: u32) -> String {
    format!("{prefix}danmaku-filter-g{generation}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_partitions() {
        let named: Vec<_> = Topic::ALL.iter().map(|topic| (topic.name("t1-"), topic.partitions(64))).collect();
        let expected = [
            ("t1-danmaku-input", 64),
            ("t1-danmaku-output", 64),
            ("t1-danmaku-verdicts", 64),
            ("t1-danmaku-state", 64),
            ("t1-danmaku-rules", 1),
            ("t1-danmaku-dead-letter", 1),
        ];
        assert_eq!(named, expected.map(|(name, partitions)| (name.to_owned(), partitions)));
        assert_eq!(filter_group("t1-", 2), "t1-danmaku-filter-g2");
    }
}
