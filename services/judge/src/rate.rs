//! How fast one user may speak in one room: GCRA on the judge's time, so that a replay limits as the first pass did.
//!
//! GCRA keeps one number a user: the time at which he would be even again. A message passes if that is less than a burst
//! ahead, and moves it by one interval once it is let through; a refused one moves nothing.

use crate::{recent::Recent, who::Who};

/// The users who are not even yet.
pub(crate) struct Rates {
    /// In microseconds, so that 3 a second are 3 a second.
    interval_us: i64,
    /// How far ahead of now the even time may be for one more message to pass.
    tolerance_us: i64,
    /// The even time of a user in a room, in microseconds of judge time.
    even_us: Recent<i64>,
}

impl Rates {
    /// `per_s` messages a second, `burst` at once; 0 a second = no limit.
    pub(crate) fn new(per_s: u32, burst: u32) -> Self {
        let interval_us = if per_s == 0 { 0 } else { 1_000_000 / i64::from(per_s) };
        let burst = i64::from(burst.max(1));
        // Nobody's even time is further ahead than a whole burst, so after that long he is even and can be forgotten.
        let window_ms = (interval_us * burst).div_euclid(1_000) + 1;
        Self { interval_us, tolerance_us: interval_us * (burst - 1), even_us: Recent::new(window_ms) }
    }

    /// How long to wait, in milliseconds, if this user is too fast.
    pub(crate) fn check(&mut self, who: Who, now_ms: i64) -> Option<u32> {
        if self.interval_us == 0 {
            return None;
        }
        let early_us = self.even_us(who, now_ms) - now_ms * 1_000 - self.tolerance_us;
        // Rounded up: who waits that long passes.
        (early_us > 0).then(|| u32::try_from(early_us.unsigned_abs().div_ceil(1_000)).unwrap_or(u32::MAX))
    }

    /// Counts a message that was let through.
    pub(crate) fn count(&mut self, who: Who, now_ms: i64) {
        if self.interval_us > 0 {
            let even_us = self.even_us(who, now_ms) + self.interval_us;
            self.even_us.put(who.user, even_us, now_ms);
        }
    }

    fn even_us(&mut self, who: Who, now_ms: i64) -> i64 {
        let now_us = now_ms * 1_000;
        self.even_us.get(who.user, now_ms).map_or(now_us, |found| (*found.value).max(now_us))
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.even_us.forgotten()
    }
}
