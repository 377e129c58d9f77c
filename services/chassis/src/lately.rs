//! When something was last so: told by who sees it, asked by somebody else, so that the time since goes on when who saw it is gone.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The last time. It begins as now.
#[derive(Debug)]
pub struct Lately {
    began: Instant,
    /// Milliseconds after that.
    last_ms: AtomicU64,
}

impl Default for Lately {
    fn default() -> Self {
        Self { began: Instant::now(), last_ms: AtomicU64::new(0) }
    }
}

impl Lately {
    /// It is so at this moment.
    pub fn is_so(&self) {
        self.last_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    /// The time since.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Duration::from_millis(self.now_ms().saturating_sub(self.last_ms.load(Ordering::Relaxed)))
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_since_goes_on_until_it_is_so_again() {
        let long_ago = Instant::now() - Duration::from_secs(60);
        let lately = Lately { began: long_ago, last_ms: AtomicU64::new(20_000) };
        assert!(lately.elapsed() >= Duration::from_secs(40));
        lately.is_so();
        assert!(lately.elapsed() < Duration::from_secs(20));
    }
}
