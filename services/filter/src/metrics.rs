//! The filter's numbers, each with a sentence. None has a label of room or user, and one has the partition.

use std::sync::atomic::{AtomicU64, Ordering};

use judge::Book;
use judge::verdict::CODES;
use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};
use proto::v1::Word;

use crate::dead_letter::Reason;

/// Handles, looked up once: a macro on the hot path costs 60 ns, a handle 4 (measured).
pub(crate) struct Metrics {
    judged: Vec<Counter>,
    /// By code, in the order of [`CODES`].
    refused: Vec<Counter>,
    /// Per partition, one above the highest input counted in `judged` by this process: an input that is judged again after
    /// a rewind, or closed as superseded, was counted when its judgement was first made.
    counted: Vec<AtomicU64>,
    dead_letters: [Counter; Reason::ALL.len()],
    pub(crate) superseded: Counter,
    pub(crate) stood: Counter,
    pub(crate) learned: Counter,
    pub(crate) rewinds: Counter,
    pub(crate) rebalances: Counter,
    pub(crate) disputes: Counter,
    pub(crate) rejoins: Counter,
    pub(crate) survey_failures: Counter,
    pub(crate) rules_behind: Counter,
    pub(crate) commit_failures: Counter,
    pub(crate) reader_restarts: Counter,
    pub(crate) deleted: Counter,
    pub(crate) forgotten: Counter,
    pub(crate) turn: Histogram,
    pub(crate) lag: Histogram,
}

/// The words that this release gives, each with its label.
const WORDS: [Word; 14] = [
    Word::Passed,
    Word::Flagged,
    Word::Masked,
    Word::Blocked,
    Word::Held,
    Word::Approved,
    Word::Rejected,
    Word::Shadowed,
    Word::Muted,
    Word::Limited,
    Word::Repeated,
    Word::Thinned,
    Word::Shed,
    Word::Superseded,
];

impl Metrics {
    pub(crate) fn new(partitions: i32) -> Self {
        describe();
        let counted = (0..partitions).map(|_| AtomicU64::new(0)).collect();
        Self {
            // In the order of their numbers, which are their places.
            judged: WORDS.map(|word| counter!("danmaku_filter_judged_total", "verdict" => word.as_word())).into(),
            refused: CODES.map(|code| counter!("danmaku_filter_verdict_codes_total", "code" => code)).into(),
            counted,
            dead_letters: Reason::ALL
                .map(|reason| counter!("danmaku_filter_dead_letters_total", "reason" => reason.label())),
            superseded: counter!("danmaku_filter_superseded_total"),
            stood: counter!("danmaku_filter_stood_total"),
            learned: counter!("danmaku_filter_learned_total"),
            rewinds: counter!("danmaku_filter_rewinds_total"),
            rebalances: counter!("danmaku_filter_rebalances_total"),
            disputes: counter!("danmaku_filter_disputes_total"),
            rejoins: counter!("danmaku_filter_rejoins_total"),
            survey_failures: counter!("danmaku_filter_survey_failures_total"),
            rules_behind: counter!("danmaku_filter_rules_behind_total"),
            commit_failures: counter!("danmaku_filter_commit_failures_total"),
            reader_restarts: counter!("danmaku_filter_reader_restarts_total"),
            deleted: counter!("danmaku_filter_deleted_unjudged_total"),
            forgotten: counter!("danmaku_filter_forgotten_total"),
            turn: histogram!("danmaku_filter_turn_seconds"),
            lag: histogram!("danmaku_hop_seconds", "hop" => "judged"),
        }
    }

    /// Counts the verdict on an input and its code, unless it was counted before.
    pub(crate) fn judged(&self, partition: i32, offset: u64, word: Word, code: &str) {
        if !self.is_first(partition, offset) {
            return;
        }
        let place = CODES.iter().position(|known| *known == code);
        let counters = [self.judged.get(word as usize), place.and_then(|place| self.refused.get(place))];
        counters.into_iter().flatten().for_each(|counter| counter.increment(1));
    }

    /// Whether no input of the partition was counted from `offset` on; from now on one was.
    fn is_first(&self, partition: i32, offset: u64) -> bool {
        let counted = usize::try_from(partition).ok().and_then(|partition| self.counted.get(partition));
        counted.is_none_or(|counted| counted.fetch_max(offset + 1, Ordering::Relaxed) <= offset)
    }

    pub(crate) fn dead_letter(&self, reason: Reason) {
        self.dead_letters[reason as usize].increment(1);
    }
}

/// A gauge that several threads share: each adds what it has, and takes it away when it ends.
pub(crate) struct Share {
    gauge: Gauge,
    mine: f64,
}

impl Share {
    /// Partitions that are ours, judged or about to be.
    pub(crate) fn of_partitions() -> Self {
        Self { gauge: gauge!("danmaku_filter_partitions"), mine: 0.0 }
    }

    /// Inputs that are judged and not finished.
    pub(crate) fn of_in_flight() -> Self {
        Self { gauge: gauge!("danmaku_filter_in_flight_inputs"), mine: 0.0 }
    }

    /// Says how much is this thread's.
    pub(crate) fn set(&mut self, mine: usize) {
        let mine = mine as f64;
        self.gauge.increment(mine - self.mine);
        self.mine = mine;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.gauge.decrement(self.mine);
    }
}

/// How far a partition's judging lags, as long as it is this process's.
pub(crate) struct Lag(Gauge);

impl Lag {
    pub(crate) fn of(partition: i32) -> Self {
        Self(gauge!("danmaku_filter_lag_seconds", "partition" => partition.to_string()))
    }

    pub(crate) fn set(&self, lag_ms: u64) {
        self.0.set(lag_ms as f64 / 1_000.0);
    }
}

impl Drop for Lag {
    fn drop(&mut self) {
        // Somebody else tells of it now.
        self.0.set(0.0);
    }
}

/// The rule book's numbers.
pub(crate) struct RulesMetrics {
    version: Gauge,
    entries: Gauge,
    rooms: Gauge,
    mutes: Gauge,
    bans: Gauge,
    pub(crate) bad: Counter,
    pub(crate) in_force_seconds: Histogram,
}

impl RulesMetrics {
    pub(crate) fn new() -> Self {
        Self {
            version: gauge!("danmaku_filter_rules_version"),
            entries: gauge!("danmaku_filter_rules_entries"),
            rooms: gauge!("danmaku_filter_rules_rooms"),
            mutes: gauge!("danmaku_filter_rules_mutes"),
            bans: gauge!("danmaku_filter_rules_bans"),
            bad: counter!("danmaku_filter_rules_bad_total"),
            in_force_seconds: histogram!("danmaku_filter_rules_in_force_seconds"),
        }
    }

    /// Told by a task of its own.
    pub(crate) fn age_seconds() -> Gauge {
        gauge!("danmaku_filter_rules_age_seconds")
    }

    /// Records of the topic that are not kept; counted by who follows it.
    pub(crate) fn refused() -> Counter {
        counter!("danmaku_filter_rules_refused_total")
    }

    pub(crate) fn put_in_force(&self, book: &Book) {
        self.version.set(book.version as f64);
        self.entries.set(book.entries() as f64);
        self.rooms.set(book.rooms() as f64);
        self.mutes.set(book.mutes().len() as f64);
        self.bans.set(book.bans().len() as f64);
    }
}

fn describe() {
    for (name, meaning) in [
        ("danmaku_filter_judged_total", "Inputs by the verdict that was first given on them."),
        ("danmaku_filter_verdict_codes_total", "Inputs by the code of that verdict, for those that have one."),
        ("danmaku_filter_superseded_total", "Inputs closed because a later one was already answered."),
        ("danmaku_filter_stood_total", "Inputs that a predecessor's output answers already."),
        ("danmaku_filter_learned_total", "Finished inputs replayed into limits and memories."),
        ("danmaku_filter_dead_letters_total", "Records set apart because they cannot be judged or written."),
        ("danmaku_filter_rewinds_total", "Times a producer was thrown away and its partitions taken anew."),
        ("danmaku_filter_rebalances_total", "Changes of partitions that the group made."),
        ("danmaku_filter_disputes_total", "Times the output's tail had a higher owner number than ours."),
        ("danmaku_filter_rejoins_total", "Times a member left the group and joined it anew after a failure."),
        ("danmaku_filter_survey_failures_total", "Looks at a partition's past that failed and are repeated."),
        ("danmaku_filter_rules_behind_total", "Partitions judged with other rules than their predecessor had."),
        ("danmaku_filter_commit_failures_total", "Commits that failed or were refused."),
        ("danmaku_filter_reader_restarts_total", "Partitions read anew because they stood still or had a hole."),
        ("danmaku_filter_deleted_unjudged_total", "Inputs that Kafka deleted before anybody judged them."),
        ("danmaku_filter_forgotten_total", "Limits forgiven early because a memory was full."),
        (
            "danmaku_filter_rules_bad_total",
            "Versions, builds of them, or looks at a word file, that could not be used.",
        ),
        ("danmaku_filter_rules_refused_total", "Records of the rule book that could not be kept."),
    ] {
        describe_counter!(name, meaning);
    }
    describe_gauge!("danmaku_filter_partitions", "Partitions that are ours, judged or about to be.");
    describe_gauge!(
        "danmaku_filter_lag_seconds",
        "How much later than unavoidable a partition is judged; 0 at its end, and for one that is not this process's."
    );
    describe_gauge!("danmaku_filter_in_flight_inputs", "Inputs that are judged and not finished.");
    describe_gauge!("danmaku_filter_rules_version", "The number of the rules in force.");
    describe_gauge!("danmaku_filter_rules_entries", "Entries in force in all rooms.");
    describe_gauge!("danmaku_filter_rules_rooms", "Rooms with lists of their own.");
    describe_gauge!("danmaku_filter_rules_mutes", "Mutes known, with those that ended of late.");
    describe_gauge!("danmaku_filter_rules_bans", "Bans known, with those that ended of late.");
    describe_gauge!(
        "danmaku_filter_rules_age_seconds",
        "Since the rules in force were last the newest known, or since danmaku-rules could last be asked for newer ones."
    );
    describe_histogram!("danmaku_filter_rules_in_force_seconds", "From hearing of new rules to judging by them.");
    describe_histogram!("danmaku_filter_turn_seconds", "One turn of a judging thread: up to 256 records.");
    describe_histogram!(
        "danmaku_hop_seconds",
        "Time a danmaku takes to a stamp from the one before: appended, judged, encoded, written."
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_its_place() {
        for (place, word) in WORDS.into_iter().enumerate() {
            assert_eq!(word as usize, place);
        }
        assert!(Word::try_from(WORDS.len() as i32).is_err(), "a word is missing");
    }

    #[test]
    fn an_input_is_counted_once() {
        let metrics = Metrics::new(2);
        // Judged, again after a rewind, one before it that is closed as superseded, and what comes next.
        let first = [7, 7, 5, 8].map(|offset| metrics.is_first(1, offset));
        assert_eq!(first, [true, false, false, true]);
        assert!(metrics.is_first(0, 0), "partitions are counted apart");
        // A partition that nobody has is nobody's fault here.
        metrics.judged(9, 0, Word::Passed, "a later release's");
    }
}
