//! How far behind a reader is, without comparing the clocks of two machines. Pure: the caller brings both times.
//!
//! A record that was read just before a partition's end was read as early as it could be: its difference between the
//! reader's monotonic clock and the broker's append time is the distance of the two clocks, plus a transit nobody can avoid.
//! The least such difference of the last 10 s is the baseline, and what a record has above it is lag.

use std::collections::VecDeque;

/// How long a difference counts: long enough that a busy partition meets its end now and then, short enough that a
/// drifting clock (50 ppm = 0.5 ms in 10 s) bends nothing.
pub const WINDOW_MS: i64 = 10_000;

/// The least difference between the reader's clock and append time, among records read at the end of a partition.
///
/// Bounded: within a bucket of a second only the least is kept, so it holds at most 11 entries.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// (second of the reader's clock, least difference in it), with rising differences, oldest first.
    least: VecDeque<(i64, i64)>,
    /// The last baseline that was known; it stays when no end was met for a whole window.
    last: Option<i64>,
    /// Whether an end was ever met.
    is_met: bool,
}

impl Baseline {
    /// No end met yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes `difference_ms` for the baseline until an end is met: a record of our own that was read back just now, say, so
    /// that what waited for us while nobody read does not look fresh. The first end replaces it, better or worse.
    pub fn expect(&mut self, difference_ms: i64) {
        self.last.get_or_insert(difference_ms);
    }

    /// The record appended at `append_ms` was read at `now_ms` of the reader's monotonic clock, and the end of its
    /// partition came right after it.
    pub fn observe_end(&mut self, now_ms: i64, append_ms: i64) {
        let difference = now_ms - append_ms;
        let second = now_ms.div_euclid(1000);
        // An entry that is neither younger nor less than a new one can never be the least again.
        while self.least.back().is_some_and(|&(_, last)| last >= difference) {
            self.least.pop_back();
        }
        if self.least.back().is_none_or(|&(last, _)| last < second) {
            self.least.push_back((second, difference));
        }
        self.forget(now_ms);
        self.last = self.least.front().map(|&(_, least)| least);
        self.is_met = true;
    }

    /// How much later than unavoidable the record appended at `append_ms` is read at `now_ms`.
    ///
    /// A partition that is busy from the start may not meet its end for long: librdkafka tells an end only when a fetch came
    /// back empty. Until then the least difference of any record stands for the baseline. It is not below the true one, so
    /// lag is told too small rather than too great: calling everything stale would hide a room that works.
    pub fn lag(&mut self, now_ms: i64, append_ms: i64) -> u64 {
        self.forget(now_ms);
        let difference = now_ms - append_ms;
        if let Some(&(_, least)) = self.least.front() {
            self.last = Some(least);
        } else if !self.is_met {
            self.last = Some(self.last.map_or(difference, |least| least.min(difference)));
        }
        self.last.map_or(0, |least| (difference - least).max(0).unsigned_abs())
    }

    /// Drops what is older than the window.
    fn forget(&mut self, now_ms: i64) {
        let oldest = (now_ms - WINDOW_MS).div_euclid(1000);
        while self.least.front().is_some_and(|&(second, _)| second < oldest) {
            self.least.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_an_end_the_earliest_record_is_the_measure() {
        let mut baseline = Baseline::new();
        assert_eq!(baseline.lag(50_000, 3), 0, "nothing is known");
        assert_eq!(baseline.lag(50_100, 203), 0, "earlier than the first");
        assert_eq!(baseline.lag(56_000, 203), 5_900);
        baseline.observe_end(57_000, 1_000);
        assert_eq!(baseline.lag(58_000, 1_000), 1_000, "an end is better knowledge");
    }

    #[test]
    fn lag_is_what_a_record_has_above_the_least_difference() {
        let mut baseline = Baseline::new();
        baseline.observe_end(1_000, 901_000); // clocks 900 s apart
        baseline.observe_end(1_500, 901_480); // read 20 ms later than needed
        assert_eq!(baseline.lag(1_600, 901_600), 0);
        assert_eq!(baseline.lag(4_800, 901_600), 3_200);
    }

    #[test]
    fn the_window_forgets_and_the_last_baseline_stays() {
        let mut baseline = Baseline::new();
        baseline.observe_end(0, 0);
        baseline.observe_end(6_000, 5_900);
        assert_eq!(baseline.lag(9_000, 8_900), 100);
        assert_eq!(baseline.lag(12_000, 11_900), 0, "the better one is over 10 s old");
        assert_eq!(baseline.lag(60_000, 59_000), 900, "no end for a long time: the last one stays");
    }

    #[test]
    fn an_expected_baseline_holds_until_the_first_end() {
        let mut baseline = Baseline::new();
        baseline.expect(-900_000);
        assert_eq!(baseline.lag(1_000, 601_000), 300_000);
        baseline.observe_end(2_000, 901_900);
        baseline.expect(-1_000_000);
        assert_eq!(baseline.lag(2_100, 902_000), 0);
    }

    #[test]
    fn a_clock_that_was_set_back_is_no_lag() {
        let mut baseline = Baseline::new();
        baseline.observe_end(1_000, 1_000);
        assert_eq!(baseline.lag(2_000, 9_000), 0);
    }

    proptest! {
        #[test]
        fn bounded_and_never_below_the_naive_least(steps in prop::collection::vec((0i64..3_000, 0i64..500), 1..200)) {
            let (mut baseline, mut now, mut seen) = (Baseline::new(), 0, Vec::new());
            for (step, delay) in steps {
                now += step;
                baseline.observe_end(now, now - delay);
                seen.push((now, delay));
                let least = seen.iter().filter(|(at, _)| *at >= now - WINDOW_MS).map(|(_, delay)| *delay).min().unwrap();
                // Seconds are whole, so up to a second more than the window may count.
                let loose = seen.iter().filter(|(at, _)| *at >= now - WINDOW_MS - 1_000).map(|(_, delay)| *delay).min().unwrap();
                let lag = baseline.lag(now, now - 5_000).cast_signed();
                prop_assert!(lag >= 5_000 - least && lag <= 5_000 - loose, "{lag} {least} {loose}");
                prop_assert!(baseline.least.len() <= 12);
            }
        }
    }
}
