//! A partition that stands still while its end moves: a client that lost its place, or a place that is kept no more; and one that
//! ends before what was read. Pure: the caller brings the time, asks for the watermarks, and reads the partition anew.

use std::time::{Duration, Instant};

use chassis::kafka::Watermarks;

/// A partition that stood still for so long is asked about, and again as often: a look-up each, so 64 idle partitions cost
/// six a second.
const STILL: Duration = Duration::from_secs(10);

/// A first answer can cross with the record that it tells of, and a new leader may need a moment to know how far its partition
/// goes; so it is asked once more after this.
const AGAIN: Duration = Duration::from_secs(5);

/// Watches where one partition is read.
#[derive(Debug)]
pub(crate) struct Watch {
    position: u64,
    ask_at: Instant,
    /// What the last answer would mean, if the next one says the same.
    suspected: Finding,
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Nothing is wrong, or it is too early to tell.
    Fine,
    /// Release the partition and read it from here.
    ReadAnewFrom(u64),
    /// It ends before what was read: somebody recreated the topic, or it lost its end.
    Shorter,
}

impl Watch {
    pub(crate) fn new(now: Instant, position: u64) -> Self {
        Self { position, ask_at: now + STILL, suspected: Finding::Fine }
    }

    /// Whether to ask for the partition's watermarks, given that `position` is to be read next.
    pub(crate) fn tick(&mut self, now: Instant, position: u64) -> bool {
        if position != self.position {
            *self = Self::new(now, position);
        }
        let due = now >= self.ask_at;
        if due {
            self.ask_at = now + STILL;
        }
        due
    }

    /// Takes the watermarks that were asked for.
    pub(crate) fn answer(&mut self, now: Instant, position: u64, marks: Watermarks) -> Finding {
        let finding = match position == self.position {
            true if marks.high < position => Finding::Shorter,
            true if marks.high > position => Finding::ReadAnewFrom(position.max(marks.low)),
            _ => Finding::Fine,
        };
        let is_sure = marks.low > position || self.suspected == finding;
        self.suspected = finding;
        match finding {
            Finding::Fine => {}
            Finding::ReadAnewFrom(from) if is_sure => *self = Self::new(now, from),
            Finding::Shorter if is_sure => *self = Self::new(now, position),
            _ => {
                self.ask_at = now + AGAIN;
                return Finding::Fine;
            }
        }
        finding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: Watermarks = Watermarks { low: 0, high: 7 };
    const MORE: Watermarks = Watermarks { low: 0, high: 8 };

    #[test]
    fn an_idle_partition_is_asked_about_seldom_and_left_alone() {
        let start = Instant::now();
        let mut watch = Watch::new(start, 7);
        let asked: Vec<u64> = (0..60).filter(|&s| watch.tick(start + Duration::from_secs(s), 7)).collect();
        assert_eq!(asked, [10, 20, 30, 40, 50]);
        assert_eq!(watch.answer(start, 7, EMPTY), Finding::Fine);
        assert_eq!(watch.answer(start, 7, EMPTY), Finding::Fine);
    }

    #[test]
    fn one_that_stands_still_with_more_to_read_is_read_anew() {
        let start = Instant::now();
        let after = |s| start + Duration::from_secs(s);
        let mut watch = Watch::new(start, 7);
        assert!(watch.tick(after(10), 7));
        assert_eq!(watch.answer(after(10), 7, MORE), Finding::Fine);
        assert!(!watch.tick(after(14), 7));
        assert!(watch.tick(after(15), 7));
        assert_eq!(watch.answer(after(15), 7, MORE), Finding::ReadAnewFrom(7));
        // And again, should that not have helped.
        assert!(!watch.tick(after(24), 7));
        assert!(watch.tick(after(25), 7));
    }

    #[test]
    fn one_that_moves_is_not_suspected() {
        let start = Instant::now();
        let after = |s| start + Duration::from_secs(s);
        let mut watch = Watch::new(start, 7);
        assert_eq!(watch.answer(after(10), 7, MORE), Finding::Fine);
        assert!(!watch.tick(after(12), 8));
        assert_eq!(watch.answer(after(15), 8, Watermarks { low: 0, high: 9 }), Finding::Fine);
        // An answer about another position than the present one says nothing.
        assert_eq!(watch.answer(after(16), 9, Watermarks { low: 0, high: 10 }), Finding::Fine);
    }

    #[test]
    fn one_that_ends_before_what_was_read_is_seen_at_the_second_look() {
        let start = Instant::now();
        let after = |s| start + Duration::from_secs(s);
        let shorter = Watermarks { low: 0, high: 6 };
        let mut watch = Watch::new(start, 7);
        assert_eq!(watch.answer(after(10), 7, shorter), Finding::Fine);
        assert!(watch.tick(after(15), 7));
        assert_eq!(watch.answer(after(15), 7, shorter), Finding::Shorter);
        // A new leader that knew better a moment later.
        assert_eq!(watch.answer(after(25), 7, shorter), Finding::Fine);
        assert_eq!(watch.answer(after(30), 7, EMPTY), Finding::Fine);
        assert_eq!(watch.answer(after(40), 7, shorter), Finding::Fine);
    }

    #[test]
    fn one_whose_place_is_kept_no_more_goes_to_what_is_kept() {
        let now = Instant::now();
        assert_eq!(Watch::new(now, 7).answer(now, 7, Watermarks { low: 20, high: 30 }), Finding::ReadAnewFrom(20));
    }
}
