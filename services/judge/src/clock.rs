//! The judge's time of one partition: it adds only the forward steps of append time.
//!
//! A broker whose clock is set back, or a new leader whose clock is behind, so stops nobody from speaking until the old time
//! is reached again; and time never runs backwards for what is remembered. It begins with the first record's own time, so
//! that it is the same whichever record was the first, as long as no clock was set back.

/// Judge time, in Unix milliseconds as long as no broker's clock was set back.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    now_ms: i64,
    last_append_ms: Option<i64>,
}

/// The end of the year 9999: no broker's clock is behind it, and sums with it fit.
const LATEST_MS: i64 = 253_402_300_800_000;

impl Clock {
    /// The judge's time at a record that was appended at `append_ms`.
    pub(crate) fn advance(&mut self, append_ms: i64) -> i64 {
        let append_ms = append_ms.clamp(0, LATEST_MS);
        let step = append_ms - self.last_append_ms.unwrap_or(0);
        self.now_ms = (self.now_ms + step.max(0)).min(LATEST_MS);
        self.last_append_ms = Some(append_ms);
        self.now_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_forward_steps_count() {
        let mut clock = Clock::default();
        let steps =
            [(1_000, 1_000), (1_500, 1_500), (1_500, 1_500), (200, 1_500), (700, 2_000), (600, 2_000), (1_600, 3_000)];
        for (append_ms, now_ms) in steps {
            assert_eq!(clock.advance(append_ms), now_ms, "at {append_ms}");
        }
        assert_eq!(clock.advance(i64::MIN), 3_000);
        assert_eq!(clock.advance(i64::MAX), LATEST_MS);
        assert_eq!((clock.advance(0), clock.advance(i64::MAX)), (LATEST_MS, LATEST_MS));
    }
}
