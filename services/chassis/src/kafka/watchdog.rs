//! Sees a partition that stands still although there is more to read, and one that is not the same any more. Pure.
//!
//! Librdkafka has bugs of that kind (a partition that stays paused, a fetch that is never sent again), and an offset that is
//! out of range is only an error in a log otherwise.

use std::time::{Duration, Instant};

use super::Watermarks;

/// How long unread records may lie there. A leader election takes 1 to 3 s, and building anew costs a connection.
const STILL_MAX: Duration = Duration::from_secs(5);

/// What is seen of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It moves, or there is nothing to read.
    Fine,
    /// It stands still although there is more: the consumer is to be built anew.
    Stuck,
    /// It ends before what was read: somebody recreated the topic, or lost its end.
    Shorter,
    /// It begins behind what was read: retention was faster than we are.
    CutOff,
}

/// The watch over one partition.
#[derive(Debug, Clone, Copy)]
pub struct Watchdog {
    next: u64,
    since: Instant,
    /// Whether it was shorter at the last look: a new leader may need a moment to know how far its partition goes.
    was_shorter: bool,
}

impl Watchdog {
    /// The partition is read from `next` on.
    pub fn new(next: u64, now: Instant) -> Self {
        Self { next, since: now, was_shorter: false }
    }

    /// Compares how far it was read, when the question was put, with how far it goes.
    pub fn look(&mut self, next: u64, marks: Watermarks, now: Instant) -> Seen {
        if marks.high < next {
            return if std::mem::replace(&mut self.was_shorter, true) { Seen::Shorter } else { Seen::Fine };
        }
        self.was_shorter = false;
        if marks.low > next {
            return Seen::CutOff;
        }
        if next != self.next || marks.high == next {
            *self = Self::new(next, now);
        }
        if now.saturating_duration_since(self.since) > STILL_MAX { Seen::Stuck } else { Seen::Fine }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(steps: &[(u64, u64, u64, u64)], expected: &[Seen]) {
        let start = Instant::now();
        let mut watchdog = Watchdog::new(0, start);
        let seen = steps.iter().map(|&(secs, low, next, high)| {
            watchdog.look(next, Watermarks { low, high }, start + Duration::from_secs(secs))
        });
        assert_eq!(seen.collect::<Vec<_>>(), expected, "{steps:?}");
    }

    #[test]
    fn what_moves_or_is_read_whole_is_fine() {
        check(&[(5, 0, 10, 20), (10, 0, 15, 20), (15, 0, 20, 20), (90, 0, 20, 20)], &[Seen::Fine; 4]);
        check(&[(60, 0, 20, 20), (65, 0, 20, 25)], &[Seen::Fine; 2]);
    }

    #[test]
    fn what_stands_still_before_unread_records_is_stuck() {
        check(
            &[(5, 0, 10, 10), (6, 0, 10, 11), (10, 0, 10, 30), (11, 0, 10, 30)],
            &[Seen::Fine, Seen::Fine, Seen::Fine, Seen::Stuck],
        );
    }

    #[test]
    fn what_is_not_the_same_any_more_is_seen() {
        check(&[(1, 0, 10, 9), (2, 0, 10, 9)], &[Seen::Fine, Seen::Shorter]);
        check(&[(1, 0, 10, 9), (2, 0, 10, 10), (3, 0, 10, 9)], &[Seen::Fine; 3]);
        check(&[(2, 11, 10, 30)], &[Seen::CutOff]);
    }
}
