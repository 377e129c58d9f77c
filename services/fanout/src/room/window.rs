//! When what waits in a room leaves: a quiet room's first message at once, then together at the end of each window.
//!
//! Pure: times in, times out. How long a window is, is the shard's pace.

use std::time::{Duration, Instant};

/// Flushes in a window when much is said: at 16 KiB and 50 ms this is 2.6 MB a second for each viewer, more than most can
/// read, and a viewer's socket has 6 ms to take one before the next comes.
const EARLY_MAX: u32 = 8;

/// A room's windows: a grid of instants, shifted by the room's own phase so that rooms do not all write at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    epoch: Instant,
    /// In 256ths of a window.
    phase: u8,
    last: Option<Instant>,
}

impl Window {
    /// Windows from `epoch` on, shifted by `phase` 256ths of a window.
    pub(crate) fn new(epoch: Instant, phase: u8) -> Self {
        Self { epoch, phase, last: None }
    }

    /// Something was written.
    pub(crate) fn flushed(&mut self, now: Instant) {
        self.last = Some(now);
    }

    /// When a message that comes at `now` may leave, at windows of this `length`; `is_full` when so much waits that it should
    /// not wait for the window.
    pub(crate) fn due(&self, now: Instant, is_full: bool, length: Duration) -> Instant {
        let Some(last) = self.last.filter(|last| now < *last + length) else { return now };
        if is_full {
            return now.max(last + length / EARLY_MAX);
        }
        // At least half a window apart; from then on the grid makes it a whole one.
        self.on_grid(last + length / 2, length)
    }

    /// The first instant of the grid at or after `at`.
    fn on_grid(&self, at: Instant, length: Duration) -> Instant {
        let origin = self.epoch + length * u32::from(self.phase) / 256;
        let Some(since) = at.checked_duration_since(origin) else { return origin };
        let length = length.as_nanos().max(1);
        let into = since.as_nanos() % length;
        let wait = if into == 0 { 0 } else { length - into };
        // Less than a window, which is at most a second.
        at + Duration::from_nanos(wait as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const LENGTH: Duration = Duration::from_millis(50);

    #[test]
    fn a_quiet_room_writes_at_once_and_a_busy_one_once_a_window() {
        let epoch = Instant::now();
        let mut window = Window::new(epoch, 0);
        let now = epoch + 1_007 * MS;
        assert_eq!(window.due(now, false, LENGTH), now);
        window.flushed(now);
        // 25 ms after the first is 1,032: the next instant of the grid is 1,050.
        assert_eq!(window.due(now + MS, false, LENGTH), epoch + 1_050 * MS);
        window.flushed(epoch + 1_050 * MS);
        assert_eq!(window.due(epoch + 1_051 * MS, false, LENGTH), epoch + 1_100 * MS);
        assert_eq!(window.due(epoch + 1_100 * MS, false, LENGTH), epoch + 1_100 * MS, "a whole window was quiet");
    }

    #[test]
    fn a_first_message_late_in_a_window_waits_for_the_one_after() {
        let epoch = Instant::now();
        let mut window = Window::new(epoch, 128);
        window.flushed(epoch + 170 * MS);
        assert_eq!(
            window.due(epoch + 171 * MS, false, LENGTH),
            epoch + 225 * MS,
            "the grid is 25 ms out of phase, 175 is too soon"
        );
    }

    #[test]
    fn much_leaves_early_but_not_all_at_once() {
        let epoch = Instant::now();
        let mut window = Window::new(epoch, 0);
        let now = epoch + 1_000 * MS;
        assert_eq!(window.due(now, true, 48 * MS), now);
        window.flushed(now);
        assert_eq!(window.due(now + MS, true, 48 * MS), now + 6 * MS);
        assert_eq!(window.due(now + 7 * MS, true, 48 * MS), now + 7 * MS);
    }

    #[test]
    fn a_room_older_than_its_phase_waits_for_it() {
        let epoch = Instant::now();
        let mut window = Window::new(epoch, 255);
        window.flushed(epoch);
        assert!(window.due(epoch + MS, false, LENGTH) >= epoch + 49 * MS);
    }
}
