//! The judge's time of one partition: it adds only the forward steps of append time.
//!
//! A broker whose clock is set back, or a new leader whose clock is behind, so stops nobody from speaking until the old time
//! is reached again; and time never runs backwards for what is remembered.

/// Judge time, in milliseconds since the first record heard.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    now_ms: i64,
    last_append_ms: Option<i64>,
}

impl Clock {
    /// The judge's time at a record that was appended at `append_ms`.
    pub(crate) fn advance(&mut self, append_ms: i64) -> i64 {
        if let Some(last) = self.last_append_ms {
            self.now_ms = self.now_ms.saturating_add(append_ms.saturating_sub(last).max(0));
        }
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
        let steps = [(1_000, 0), (1_500, 500), (1_500, 500), (200, 500), (700, 1_000), (600, 1_000), (1_600, 2_000)];
        for (append_ms, now_ms) in steps {
            assert_eq!(clock.advance(append_ms), now_ms, "at {append_ms}");
        }
        assert_eq!(clock.advance(i64::MIN), 2_000);
        assert!(clock.advance(i64::MAX) > 2_000);
    }
}
