//! The moderators' numbers, each with a sentence. None has a label of room or user.

use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

/// Handles, looked up once.
#[derive(Clone)]
pub(crate) struct Metrics {
    published: Counter,
    number: Gauge,
    controls: Counter,
    lost: Counter,
    requests: Counter,
    refused: Counter,
    took: Histogram,
    parcels: Gauge,
    holds: Gauge,
    verdicts: Counter,
    streams: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        describe();
        Self {
            published: counter!("danmaku_moderation_versions_total"),
            number: gauge!("danmaku_moderation_rules_version"),
            controls: counter!("danmaku_moderation_controls_total"),
            lost: counter!("danmaku_moderation_publishers_lost_total"),
            requests: counter!("danmaku_moderation_requests_total"),
            refused: counter!("danmaku_moderation_refused_total"),
            took: histogram!("danmaku_moderation_request_seconds"),
            parcels: gauge!("danmaku_moderation_outbox_parcels"),
            holds: gauge!("danmaku_moderation_holds"),
            verdicts: counter!("danmaku_moderation_verdicts_total"),
            streams: gauge!("danmaku_moderation_streams"),
        }
    }

    pub(crate) fn version(&self, number: i64) {
        self.published.increment(1);
        self.number.set(number as f64);
    }

    pub(crate) fn control(&self) {
        self.controls.increment(1);
    }

    pub(crate) fn publisher_lost(&self) {
        self.lost.increment(1);
    }

    pub(crate) fn answered(&self, is_refused: bool, took: Duration) {
        self.requests.increment(1);
        self.took.record(took.as_secs_f64());
        if is_refused {
            self.refused.increment(1);
        }
    }
}

impl Metrics {
    pub(crate) fn waiting(&self, parcels: i64, holds: i64) {
        self.parcels.set(parcels as f64);
        self.holds.set(holds as f64);
    }

    pub(crate) fn verdicts(&self, count: usize) {
        self.verdicts.increment(count as u64);
    }

    pub(crate) fn stream_opened(&self) {
        self.streams.increment(1.0);
    }

    pub(crate) fn stream_closed(&self) {
        self.streams.decrement(1.0);
    }
}

fn describe() {
    describe_counter!("danmaku_moderation_versions_total", "Versions of the rule book written to danmaku-rules.");
    describe_gauge!("danmaku_moderation_rules_version", "The number of the last version written by this process.");
    describe_counter!("danmaku_moderation_controls_total", "Control records that Kafka acknowledged.");
    describe_counter!(
        "danmaku_moderation_publishers_lost_total",
        "Times publishing was given up and begun anew: Kafka or the database was away, or another process took over."
    );
    describe_counter!("danmaku_moderation_requests_total", "Requests answered.");
    describe_counter!("danmaku_moderation_refused_total", "Requests answered with 400 or above.");
    describe_histogram!("danmaku_moderation_request_seconds", "Until the answer to a request begins.");
    describe_gauge!(
        "danmaku_moderation_outbox_parcels",
        "Changes that are committed and not published, looked at each 5 s: none as a rule."
    );
    describe_gauge!("danmaku_moderation_holds", "Messages that wait for a decision, looked at each 5 s.");
    describe_counter!(
        "danmaku_moderation_verdicts_total",
        "Verdicts written down: held, decided, refused, or with hits."
    );
    describe_gauge!("danmaku_moderation_streams", "Streams of events that are open.");
}
