//! What was said, who was there to see it, and who saw it. Pure: time comes with each call.
//!
//! A message is due at those who were connected when it was said. Who comes back in time reads it with his cursor; who does not
//! has lost it. What was refused, or nobody knows to be accepted, is due nowhere.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Messages that are open at a time: one a second for a minute are 60.
const OPEN_MAX: usize = 128;

/// The ratio is of so many: an hour of one watcher at 5 s, five minutes of twelve.
const RATIO_OF: usize = 720;

/// The books of a canary.
pub(super) struct Book {
    within: Duration,
    connected: Vec<bool>,
    open: VecDeque<Said>,
    /// Of those that were due lately: whether they were seen.
    lately: VecDeque<bool>,
}

struct Said {
    text: String,
    at: Instant,
    is_accepted: bool,
    seen: Vec<Fate>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The watcher was not there.
    NotDue,
    Due,
    Seen,
}

/// What a sight of a message was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// The first, so long after it was said.
    First(Duration),
    /// Not the first.
    Again,
    /// Of what is not open any more, or was due elsewhere, or somebody else said.
    Stray,
}

/// What became of a message that is open no more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Settled {
    /// The watchers it was due at.
    pub(super) due: Vec<usize>,
    /// Those of them who did not see it.
    pub(super) lost: Vec<usize>,
}

impl Book {
    pub(super) fn new(watchers: usize, within: Duration) -> Self {
        Self { within, connected: vec![false; watchers], open: VecDeque::new(), lately: VecDeque::new() }
    }

    pub(super) fn set_connected(&mut self, watcher: usize, is_connected: bool) {
        self.connected[watcher] = is_connected;
    }

    pub(super) fn are_all_connected(&self) -> bool {
        self.connected.iter().all(|connected| *connected)
    }

    pub(super) fn is_connected(&self, watcher: usize) -> bool {
        self.connected[watcher]
    }

    /// Something is about to be said; it may be seen before the door has answered.
    pub(super) fn say(&mut self, text: String, now: Instant) {
        if self.open.len() == OPEN_MAX {
            // Longer than any `within`: nobody settles, which is a fault of whoever keeps this book.
            self.open.pop_front();
        }
        let seen = self.connected.iter().map(|connected| if *connected { Fate::Due } else { Fate::NotDue });
        self.open.push_back(Said { text, at: now, is_accepted: false, seen: seen.collect() });
    }

    /// The door has accepted it: from now on it is owed.
    pub(super) fn accepted(&mut self, text: &str) {
        self.open.iter_mut().filter(|said| said.text == text).for_each(|said| said.is_accepted = true);
    }

    /// It is owed to nobody: it was refused, or the judge stopped it, or nobody knows. Whether it was open.
    pub(super) fn stopped(&mut self, text: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|said| said.text != text);
        self.open.len() < before
    }

    /// A watcher sees a message.
    pub(super) fn saw(&mut self, watcher: usize, text: &str, now: Instant) -> Sight {
        let Some(said) = self.open.iter_mut().find(|said| said.text == text) else { return Sight::Stray };
        match std::mem::replace(&mut said.seen[watcher], Fate::Seen) {
            Fate::Due => Sight::First(now.saturating_duration_since(said.at)),
            Fate::Seen => Sight::Again,
            Fate::NotDue => {
                said.seen[watcher] = Fate::NotDue;
                Sight::Stray
            }
        }
    }

    /// Whether all have seen it to whom it is due.
    pub(super) fn is_seen_by_all(&self, text: &str) -> bool {
        self.open.iter().any(|said| said.text == text && said.is_accepted && !said.seen.contains(&Fate::Due))
    }

    /// Closes what has had its time, the oldest first. What the door has not answered by then is closed, and due nowhere.
    pub(super) fn settle(&mut self, now: Instant) -> Vec<Settled> {
        let mut settled = Vec::new();
        while self.open.front().is_some_and(|said| now.saturating_duration_since(said.at) > self.within) {
            settled.extend(self.open.pop_front().filter(|said| said.is_accepted).map(|said| self.close(&said)));
        }
        settled
    }

    fn close(&mut self, said: &Said) -> Settled {
        let of = |wanted: fn(&Fate) -> bool| {
            said.seen.iter().enumerate().filter(|(_, seen)| wanted(seen)).map(|(watcher, _)| watcher).collect()
        };
        for seen in said.seen.iter().filter(|seen| **seen != Fate::NotDue) {
            if self.lately.len() == RATIO_OF {
                self.lately.pop_front();
            }
            self.lately.push_back(*seen == Fate::Seen);
        }
        Settled { due: of(|seen| *seen != Fate::NotDue), lost: of(|seen| *seen == Fate::Due) }
    }

    /// The share of what was due lately that was seen; none before anything was due.
    pub(super) fn ratio(&self) -> Option<f64> {
        let seen = self.lately.iter().filter(|seen| **seen).count();
        (!self.lately.is_empty()).then(|| seen as f64 / self.lately.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_secs(10);

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn what_was_accepted_is_owed_to_who_was_there() {
        let start = Instant::now();
        let mut book = Book::new(3, WITHIN);
        book.set_connected(0, true);
        book.set_connected(1, true);
        book.say("a".into(), start);
        assert_eq!(book.saw(0, "a", at(start, 30)), Sight::First(Duration::from_millis(30)), "before the door answers");
        book.accepted("a");
        assert!(!book.is_seen_by_all("a"));
        assert_eq!(book.saw(0, "a", at(start, 40)), Sight::Again);
        assert_eq!(book.saw(2, "a", at(start, 50)), Sight::Stray, "he was not there");
        assert_eq!(book.saw(1, "other", at(start, 50)), Sight::Stray);
        assert_eq!((book.settle(at(start, 10_000)), book.ratio()), (vec![], None), "it has time yet");
        assert_eq!(book.settle(at(start, 10_001)), [Settled { due: vec![0, 1], lost: vec![1] }]);
        assert_eq!(book.ratio(), Some(0.5));
        assert_eq!(book.saw(1, "a", at(start, 10_002)), Sight::Stray, "too late");
    }

    #[test]
    fn what_was_refused_or_never_answered_is_owed_to_nobody() {
        let start = Instant::now();
        let mut book = Book::new(1, WITHIN);
        book.set_connected(0, true);
        book.say("refused".into(), start);
        assert!(book.stopped("refused") && !book.stopped("refused"));
        book.say("silent".into(), start);
        assert_eq!((book.settle(at(start, 20_000)), book.ratio()), (vec![], None));
    }

    #[test]
    fn the_ratio_forgets_what_is_long_past() {
        let start = Instant::now();
        let mut book = Book::new(1, WITHIN);
        book.set_connected(0, true);
        for turn in 0..2 * RATIO_OF as u64 {
            let now = at(start, turn * 20_000);
            book.say("x".into(), now);
            book.accepted("x");
            if turn >= RATIO_OF as u64 {
                book.saw(0, "x", now);
            }
            book.settle(at(now, 15_000));
        }
        assert_eq!((book.ratio(), book.lately.len(), book.open.len()), (Some(1.0), RATIO_OF, 0));
    }

    #[test]
    fn a_book_that_nobody_settles_stays_small() {
        let mut book = Book::new(1, WITHIN);
        for turn in 0..1_000 {
            book.say(turn.to_string(), Instant::now());
        }
        assert_eq!(book.open.len(), OPEN_MAX);
    }
}
