//! How long something took, as a histogram of microseconds. Pure.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Longest time told apart: a run gives up long before.
const MICROS_MAX: u64 = 600_000_000;

/// Times, to three digits.
#[derive(Debug, Clone)]
pub struct Latency(Histogram<u64>);

/// What is said of times, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many were measured.
    pub count: u64,
    /// Half took at most this.
    pub p50_ms: f64,
    /// Nine of ten took at most this.
    pub p90_ms: f64,
    /// All but one in a hundred took at most this.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Default for Latency {
    #[allow(clippy::expect_used, reason = "the bounds are constants, which a test tries")]
    fn default() -> Self {
        Self(Histogram::new_with_bounds(1, MICROS_MAX, 3).expect("constant bounds"))
    }
}

impl Latency {
    /// Adds a time; what is above ten minutes counts as ten minutes.
    pub fn record(&mut self, took: Duration) {
        self.0.saturating_record(u64::try_from(took.as_micros()).unwrap_or(MICROS_MAX));
    }

    /// Its percentiles.
    pub fn summary(&self) -> Summary {
        let millis = |quantile| self.0.value_at_quantile(quantile) as f64 / 1000.0;
        Summary {
            count: self.0.len(),
            p50_ms: millis(0.5),
            p90_ms: millis(0.9),
            p99_ms: millis(0.99),
            max_ms: self.0.max() as f64 / 1000.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let mut latency = Latency::default();
        assert_eq!(latency.summary(), Summary::default());
        (1..=100).for_each(|ms| latency.record(Duration::from_millis(ms)));
        latency.record(Duration::from_secs(100_000));
        let summary = latency.summary();
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 0.002;
        assert_eq!(summary.count, 101);
        assert!(near(summary.p50_ms, 51.0) && near(summary.p90_ms, 91.0) && near(summary.p99_ms, 100.0), "{summary:?}");
        assert!(near(summary.max_ms, 600_000.0), "{summary:?}");
    }
}
