//! The door's numbers, each with a sentence. None has a label of room or user.

use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use crate::refusal::Refusal;

/// Handles, looked up once: a macro on the hot path costs 60 ns, a handle 4 (measured).
#[derive(Clone)]
pub(crate) struct Metrics {
    accepted: Counter,
    refused: [Counter; Refusal::CODES.len()],
    produce: Histogram,
    /// Users that the limiter remembers.
    pub(crate) user_keys: Gauge,
    /// Addresses that the limiter remembers.
    pub(crate) address_keys: Gauge,
    /// Bytes that wait for Kafka's acknowledgement.
    pub(crate) in_flight_bytes: Gauge,
    /// Partitions whose rooms are told `judge_behind`.
    pub(crate) closed_partitions: Gauge,
    /// How long the oldest record that is acknowledged and not known to be judged has waited.
    pub(crate) judge_lag: Gauge,
    /// Times the filter group's committed offsets could not be asked for.
    pub(crate) look_up_failures: Counter,
    /// Bans known.
    pub(crate) bans: Gauge,
    /// Bans that are not kept.
    pub(crate) bans_lost: Counter,
    /// Producers thrown away after a fatal error.
    pub(crate) producers_lost: Counter,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        describe();
        Self {
            accepted: counter!("danmaku_ingest_accepted_total"),
            refused: Refusal::CODES.map(|code| counter!("danmaku_ingest_refused_total", "code" => code)),
            produce: histogram!("danmaku_hop_seconds", "hop" => "appended"),
            user_keys: gauge!("danmaku_ingest_limit_keys", "of" => "user"),
            address_keys: gauge!("danmaku_ingest_limit_keys", "of" => "address"),
            in_flight_bytes: gauge!("danmaku_ingest_in_flight_bytes"),
            closed_partitions: gauge!("danmaku_ingest_closed_partitions"),
            judge_lag: gauge!("danmaku_ingest_judge_lag_seconds"),
            look_up_failures: counter!("danmaku_ingest_look_up_failures_total"),
            bans: gauge!("danmaku_ingest_bans"),
            bans_lost: counter!("danmaku_ingest_bans_lost_total"),
            producers_lost: counter!("danmaku_ingest_producers_lost_total"),
        }
    }

    pub(crate) fn accepted(&self, took: Duration) {
        self.accepted.increment(1);
        self.produce.record(took.as_secs_f64());
    }

    pub(crate) fn refused(&self, refusal: &Refusal) {
        let code = refusal.code();
        for (known, counter) in Refusal::CODES.iter().zip(&self.refused) {
            if *known == code {
                counter.increment(1);
            }
        }
    }
}

fn describe() {
    describe_counter!(
        "danmaku_ingest_accepted_total",
        "Records that Kafka acknowledged: a message is one, an announcement one a partition."
    );
    describe_counter!("danmaku_ingest_refused_total", "Requests that were not accepted, by the code of the answer.");
    describe_histogram!(
        "danmaku_hop_seconds",
        "Time a danmaku takes to a stamp from the one before: appended, judged, encoded, written."
    );
    describe_gauge!("danmaku_ingest_limit_keys", "Users and addresses that the limiters remember.");
    describe_gauge!("danmaku_ingest_in_flight_bytes", "Bytes that wait for Kafka's acknowledgement.");
    describe_gauge!("danmaku_ingest_closed_partitions", "Partitions whose rooms are told judge_behind.");
    describe_gauge!(
        "danmaku_ingest_judge_lag_seconds",
        "Age of the oldest record of this door that is not known to be judged; the group commits each second. 0 with \
         --judge-behind-after 0."
    );
    describe_counter!(
        "danmaku_ingest_look_up_failures_total",
        "Times the filter group's committed offsets could not be asked for; the last answer holds meanwhile."
    );
    describe_gauge!("danmaku_ingest_bans", "Bans known, with those that ended of late.");
    describe_counter!(
        "danmaku_ingest_bans_lost_total",
        "Bans not kept: unreadable, or over 200,000; they do not act here."
    );
    describe_counter!("danmaku_ingest_producers_lost_total", "Producers thrown away after a fatal error.");
}
