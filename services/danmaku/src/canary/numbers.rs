//! What a canary exports. Halls are a label: there are as many as --halls names.

use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

/// The numbers of a canary.
pub(super) struct Numbers {
    pub(super) accepted: Counter,
    pub(super) refused: Counter,
    pub(super) silent: Counter,
    pub(super) stopped: Counter,
    pub(super) ratio: Gauge,
    pub(super) healthy: Gauge,
    pub(super) halls: Vec<HallNumbers>,
}

/// Those of one hall.
pub(super) struct HallNumbers {
    pub(super) connected: Gauge,
    pub(super) due: Counter,
    pub(super) received: Counter,
    pub(super) lost: Counter,
    pub(super) repeated: Counter,
    seconds: Histogram,
}

impl Numbers {
    pub(super) fn new(halls: &[String]) -> Self {
        describe();
        let said = |outcome| counter!("danmaku_canary_said_total", "outcome" => outcome);
        Self {
            accepted: said("accepted"),
            refused: said("refused"),
            silent: said("silent"),
            stopped: said("stopped"),
            ratio: gauge!("danmaku_canary_delivery_ratio"),
            healthy: gauge!("danmaku_canary_healthy"),
            halls: halls.iter().map(|hall| HallNumbers::new(hall)).collect(),
        }
    }
}

impl HallNumbers {
    fn new(hall: &str) -> Self {
        let hall = hall.to_owned();
        Self {
            connected: gauge!("danmaku_canary_connected", "hall" => hall.clone()),
            due: counter!("danmaku_canary_due_total", "hall" => hall.clone()),
            received: counter!("danmaku_canary_received_total", "hall" => hall.clone()),
            lost: counter!("danmaku_canary_lost_total", "hall" => hall.clone()),
            repeated: counter!("danmaku_canary_repeated_total", "hall" => hall.clone()),
            seconds: histogram!("danmaku_canary_seconds", "hall" => hall),
        }
    }

    pub(super) fn saw(&self, after: Duration) {
        self.seconds.record(after.as_secs_f64());
    }
}

fn describe() {
    describe_counter!(
        "danmaku_canary_said_total",
        "What the canary said, by what became of it at the door and the judge."
    );
    describe_gauge!(
        "danmaku_canary_delivery_ratio",
        "Of the last 720 that were due at a hall, the share that was seen there."
    );
    describe_gauge!("danmaku_canary_healthy", "Whether every hall is there, and the last thing said was seen at each.");
    describe_gauge!("danmaku_canary_connected", "Whether the canary's viewer is at the hall.");
    describe_counter!("danmaku_canary_due_total", "Accepted messages that were due at the hall: received and lost.");
    describe_counter!("danmaku_canary_received_total", "Messages seen at the hall in time.");
    describe_counter!("danmaku_canary_lost_total", "Messages not seen at the hall in time.");
    describe_counter!("danmaku_canary_repeated_total", "Messages seen at the hall once more.");
    describe_histogram!("danmaku_canary_seconds", "From before a message is sent to its being seen at the hall.");
}
