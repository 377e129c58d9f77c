//! What this process stands on, as operators are told of it: whether each answers, and how long that takes.
//! Kept out: how one is asked, which is its own affair, and what follows from a no.

use std::time::Duration;

use metrics::{Gauge, Histogram, describe_gauge, describe_histogram, gauge, histogram};

/// One of them: Kafka, Redis, a database. Clones tell of the same one.
#[derive(Clone)]
pub struct Dependency {
    up: Gauge,
    answer: Histogram,
}

impl Dependency {
    /// The one of this name, which has not answered yet.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        describe_gauge!(
            "danmaku_dependency_up",
            "Whether what this process stands on answers: 1 or 0, each asked for itself."
        );
        describe_histogram!("danmaku_dependency_answer_seconds", "How long it took to answer, when it did.");
        let up = gauge!("danmaku_dependency_up", "dependency" => name);
        up.set(0.0);
        Self { up, answer: histogram!("danmaku_dependency_answer_seconds", "dependency" => name) }
    }

    /// It answered, after so long.
    pub fn answered(&self, after: Duration) {
        self.up.set(1.0);
        self.answer.record(after.as_secs_f64());
    }

    /// It did not.
    pub fn is_silent(&self) {
        self.up.set(0.0);
    }
}
