//! How long a shard's rooms gather messages: the busier the shard, the longer, because a write costs the same whatever it
//! carries.
//!
//! Pure: times in, a window out. When a room writes within its windows is `room::window`'s.

use std::time::{Duration, Instant};

/// The share of its thread's time that a shard is to spend. Work falls in inverse proportion to the window, so a shard that
/// would need 1.2 at 50 ms comes to 0.24 at 250 ms. A quarter leaves the rest for bursts, and for the threads that share
/// its core: Kafka's reader, handshakes, the kernel.
const BUSY_TARGET: f64 = 0.25;

/// A shard rests for this part of a window after each turn, whoever rings: records come one by one, and waking up for each costs
/// more than hearing them together (1,250 a second cost 5 % of a shard that writes 50,000 times, measured). That is 3 ms
/// of 50, which nobody feels, and 16 ms of 250, where each wake-up counts. Who comes to a shard at rest waits for nothing.
const REST_PART: u32 = 16;

/// How often the window is looked at: a few windows of the longest kind, so that each change is felt before the next.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(1);

/// A shard's pace.
#[derive(Debug)]
pub(super) struct Pace {
    shortest: Duration,
    longest: Duration,
    window: Duration,
    since: Instant,
    worked: Duration,
    busy: f64,
}

impl Pace {
    /// Windows between these two, the shortest at first.
    pub(super) fn new(shortest: Duration, longest: Duration, now: Instant) -> Self {
        Self {
            shortest,
            longest: longest.max(shortest),
            window: shortest,
            since: now,
            worked: Duration::ZERO,
            busy: 0.0,
        }
    }

    /// The window in force.
    pub(super) fn window(&self) -> Duration {
        self.window
    }

    /// The share of its time that the shard worked until it was last looked at.
    pub(super) fn busy(&self) -> f64 {
        self.busy
    }

    /// How long to rest after a turn with nothing more to write.
    pub(super) fn rest(&self) -> Duration {
        self.window / REST_PART
    }

    /// A turn took so long; tells whether the window was looked at.
    pub(super) fn worked(&mut self, took: Duration, now: Instant) -> bool {
        self.worked += took;
        let passed = now.saturating_duration_since(self.since);
        if passed < LOOKED_AT_EVERY {
            return false;
        }
        self.busy = self.worked.as_secs_f64() / passed.as_secs_f64();
        // The window at which the same work would have been right; halfway there, so that it does not swing.
        let right = self.window.mul_f64((self.busy / BUSY_TARGET).clamp(0.1, 10.0));
        self.window = ((self.window + right) / 2).clamp(self.shortest, self.longest);
        (self.since, self.worked) = (now, Duration::ZERO);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a shard whose work is `at_50_ms` of its time at the shortest window for a while.
    fn settled(pace: &mut Pace, at_50_ms: f64) -> Duration {
        for _ in 0..30 {
            let busy = at_50_ms * 50.0 / pace.window().as_millis() as f64;
            let now = pace.since + LOOKED_AT_EVERY;
            assert!(pace.worked(LOOKED_AT_EVERY.mul_f64(busy.min(1.0)), now));
        }
        pace.window()
    }

    #[test]
    fn the_busier_the_longer_within_the_bounds() {
        let ms = Duration::from_millis;
        let mut pace = Pace::new(ms(50), ms(250), Instant::now());
        assert_eq!(settled(&mut pace, 0.1), ms(50));
        let settled_at = settled(&mut pace, 0.5);
        assert!((ms(95)..=ms(105)).contains(&settled_at), "half the time at 50 ms is a quarter at 100: {settled_at:?}");
        assert_eq!(settled(&mut pace, 3.0), ms(250));
        assert_eq!(settled(&mut pace, 0.01), ms(50));
    }

    #[test]
    fn it_is_looked_at_once_a_second() {
        let now = Instant::now();
        let mut pace = Pace::new(Duration::from_millis(400), Duration::from_millis(250), now);
        assert!(!pace.worked(Duration::from_secs(5), now + Duration::from_millis(999)));
        assert!(pace.worked(Duration::ZERO, now + Duration::from_secs(1)));
        assert_eq!(pace.window(), Duration::from_millis(400), "the shortest holds");
    }
}
