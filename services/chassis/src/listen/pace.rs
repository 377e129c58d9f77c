//! How fast connections are let in: a token bucket that holds a second's worth. Pure: time is an argument.

use std::time::{Duration, Instant};

/// As many as come in a second may come at once: nobody waits unless the pace itself is too fast.
const BURST: Duration = Duration::from_secs(1);

/// A pace, and how much of the last second it has used.
#[derive(Debug)]
pub(super) struct Pace {
    /// Between two connections on average; zero is as fast as they come.
    interval: Duration,
    /// When the bucket is full again, if nobody comes until then.
    full_at: Instant,
}

impl Pace {
    /// So many a second; 0 is as fast as they come.
    pub(super) fn new(per_second: u32, now: Instant) -> Self {
        let interval = Duration::from_secs(1).checked_div(per_second).unwrap_or_default();
        Self { interval, full_at: now }
    }

    /// How long the next one has to wait.
    pub(super) fn wait(&self, now: Instant) -> Duration {
        (self.full_at.saturating_duration_since(now) + self.interval).saturating_sub(BURST)
    }

    /// One came.
    pub(super) fn take(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_a_second_then_the_pace() {
        let start = Instant::now();
        let mut pace = Pace::new(4, start);
        for _ in 0..4 {
            assert_eq!(pace.wait(start), Duration::ZERO);
            pace.take(start);
        }
        assert_eq!(pace.wait(start), Duration::from_millis(250));
        let later = start + Duration::from_millis(250);
        assert_eq!(pace.wait(later), Duration::ZERO);
        pace.take(later);
        assert_eq!(pace.wait(later), Duration::from_millis(250));
        // After a long rest it is a burst again, and no more than that.
        let rested = start + Duration::from_secs(60);
        (0..4).for_each(|_| pace.take(rested));
        assert_eq!(pace.wait(rested), Duration::from_millis(250));
    }

    #[test]
    fn without_a_pace_nobody_waits() {
        let start = Instant::now();
        let mut pace = Pace::new(0, start);
        (0..100_000).for_each(|_| pace.take(start));
        assert_eq!(pace.wait(start), Duration::ZERO);
    }
}
