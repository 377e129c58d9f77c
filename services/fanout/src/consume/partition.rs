//! One partition on the Kafka thread: its stage, and which shards it tells what. Its records are heard in `hear`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::kafka::{Seen, Watchdog, Watermarks};
use proto::{lag::Baseline, reading::Reading};

use crate::{
    house::House,
    inbox::{Event, Heard, Inbox, Opened},
    lookup::Question,
    metrics::ConsumeMetrics,
    raw::Record,
};

/// What the thread's partitions share.
pub(super) struct Desk {
    pub(super) house: Arc<House>,
    pub(super) shards: Vec<Arc<Inbox>>,
    pub(super) metrics: ConsumeMetrics,
}

/// Where a partition is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody wants it.
    Idle,
    /// It was asked from where to read it.
    Asked,
    /// It is read.
    Reading,
}

/// A partition.
pub(super) struct Partition {
    pub(super) stage: Stage,
    pub(super) number: i32,
    pub(super) reading: Reading,
    /// The high watermark at its assignment: what stands below is history.
    pub(super) live_from: u64,
    pub(super) is_caught_up: bool,
    /// Whether viewers hear it already, and are to be told that it goes on elsewhere.
    is_cut: bool,
    /// The wish of each shard that is fulfilled, or will be with the assignment.
    wishes: Vec<u32>,
    /// The last that was.
    opened: Vec<u32>,
    unwanted_since: Option<Instant>,
    pub(super) baseline: Baseline,
    /// When the last record was read, when it was appended, and where it stands.
    pub(super) last: Option<(i64, i64, u64)>,
    /// What was read since the shards were last told: a burst at most, as each is told before the next is read.
    pub(super) burst: Vec<Arc<Record>>,
    told: u64,
    pub(super) is_told_caught_up: bool,
    watchdog: Watchdog,
    /// How far it was read when the watchdog's question was put, and when that was.
    asked_at: Option<(u64, Instant)>,
    /// When it was last known to be read to its end.
    confirmed: Instant,
    /// Where its end was, and when: once that is read, it is confirmed again.
    goal: Option<(u64, Instant)>,
}

impl Partition {
    pub(super) fn new(generation: u32, number: i32, shards: usize, now: Instant) -> Self {
        Self {
            stage: Stage::Idle,
            number,
            reading: Reading::new(generation, number, 0),
            live_from: 0,
            is_caught_up: false,
            is_cut: false,
            wishes: vec![0; shards],
            opened: vec![0; shards],
            unwanted_since: Some(now),
            baseline: Baseline::new(),
            last: None,
            burst: Vec::new(),
            told: 0,
            is_told_caught_up: false,
            watchdog: Watchdog::new(0, now),
            asked_at: None,
            confirmed: now,
            goal: None,
        }
    }

    /// The offset of the next record to read.
    pub(super) fn next(&self) -> u64 {
        self.reading.at().next
    }

    /// Hears what shards want, opens it to those whose wish is new, and tells whether anybody wants it.
    pub(super) fn hear_wishes(&mut self, desk: &Desk, now: Instant) -> bool {
        for shard in 0..self.wishes.len() {
            let wish = desk.house.wants.get(shard, self.number as usize);
            if std::mem::replace(&mut self.wishes[shard], wish) != wish && self.stage == Stage::Reading {
                self.open(shard, desk);
            }
        }
        let is_wanted = self.wishes.iter().any(|&wish| wish > 0);
        self.unwanted_since = if is_wanted { None } else { self.unwanted_since.or(Some(now)) };
        is_wanted
    }

    pub(super) fn is_unwanted_for(&self, time: Duration, now: Instant) -> bool {
        self.unwanted_since.is_some_and(|since| now.saturating_duration_since(since) > time)
    }

    fn open(&mut self, shard: usize, desk: &Desk) {
        let wish = self.wishes[shard];
        self.opened[shard] = wish;
        if wish > 0 {
            let opened = Opened { wish, at: self.reading.at(), is_caught_up: self.is_told_caught_up };
            desk.shards[shard].tell(Event::Opened(opened));
        }
    }

    pub(super) fn tell_all(&self, desk: &Desk, event: impl Fn() -> Event) {
        for (shard, _) in self.wishes.iter().enumerate().filter(|(_, wish)| **wish > 0) {
            desk.shards[shard].tell(event());
        }
    }

    /// It was asked from where to read it.
    pub(super) fn asked(&mut self, now: Instant) {
        if self.stage == Stage::Idle {
            self.confirmed = now;
        }
        self.stage = Stage::Asked;
    }

    /// It is read from `start` on, and has caught up at `high`.
    pub(super) fn assigned(&mut self, start: u64, high: u64, desk: &Desk, now: Instant) {
        self.stage = Stage::Reading;
        if self.is_cut {
            self.reading.move_to(start);
        } else {
            self.reading = Reading::new(desk.house.generation, self.number, start);
        }
        desk.house.raw(self.number as usize).restart(start);
        self.live_from = high;
        self.goal = Some((high, now));
        self.is_caught_up = start >= high;
        self.is_told_caught_up = false;
        self.told = start;
        self.rest(now);
        let is_cut = std::mem::take(&mut self.is_cut);
        for shard in 0..self.wishes.len() {
            // Who began to listen while it was looked for hears a beginning.
            let wish = self.wishes[shard];
            if is_cut && wish > 0 && self.opened[shard] == wish {
                desk.shards[shard].tell(Event::Restarted(self.reading.at()));
            } else {
                self.open(shard, desk);
            }
        }
    }

    /// Nobody wants it, and it is not read any more.
    pub(super) fn released(&mut self, desk: &Desk) {
        let now = Instant::now();
        desk.house.raw(self.number as usize).restart(0);
        let wishes = std::mem::take(&mut self.wishes);
        *self = Self::new(desk.house.generation, self.number, 0, now);
        self.wishes = wishes;
    }

    /// It is not what was read: what comes after this is told as a new beginning.
    pub(super) fn cut(&mut self, seen: Seen) {
        self.is_cut = true;
        self.is_caught_up = false;
        if seen == Seen::Shorter {
            // Its sources begin anew too.
            self.reading = Reading::new(self.reading.at().generation, self.number, 0);
        }
    }

    /// The consumer starts again here.
    pub(super) fn rest(&mut self, now: Instant) {
        self.watchdog = Watchdog::new(self.next(), now);
        self.asked_at = None;
    }

    /// Tells the shards what was read since they were last told; the raw records have it first. Joins are answered once what
    /// stands in the rooms is known too.
    pub(super) fn tell(&mut self, is_state_known: bool, desk: &Desk) {
        if self.stage != Stage::Reading {
            return;
        }
        if self.next() != self.told {
            self.told = self.next();
            let records: Arc<[Arc<Record>]> = self.burst.drain(..).collect();
            if !records.is_empty() {
                let mut raw = desk.house.raw(self.number as usize);
                records.iter().for_each(|record| raw.push(record.clone()));
            }
            let to = self.reading.at();
            self.tell_all(desk, || Event::Heard(Heard { records: records.clone(), to }));
        }
        if self.is_caught_up && is_state_known && !std::mem::replace(&mut self.is_told_caught_up, true) {
            self.tell_all(desk, || Event::CaughtUp(self.number));
        }
    }

    /// Drops raw records that are too old; tells how many bytes are left.
    pub(super) fn trim(&self, desk: &Desk, now: Instant) -> usize {
        let mut raw = desk.house.raw(self.number as usize);
        raw.trim(now);
        raw.bytes()
    }

    /// Since when it is not known to be read to its end; `None` if nobody wants it.
    pub(super) fn position_age(&mut self, now: Instant) -> Option<Duration> {
        let next = self.next();
        if let Some((_, at)) = self.goal.take_if(|(high, _)| next >= *high) {
            self.confirmed = at;
        }
        (self.stage != Stage::Idle).then(|| now.saturating_duration_since(self.confirmed))
    }

    /// Puts the watchdog's question, unless it is open already.
    pub(super) fn ask_watch(&mut self, desk: &Desk, now: Instant) {
        if self.stage == Stage::Reading && self.asked_at.is_none() {
            self.asked_at = Some((self.next(), now));
            desk.house.lookups.ask(Question::Watch(self.number));
        }
    }

    /// What the watchdog says to the answer.
    pub(super) fn look(&mut self, marks: Watermarks, now: Instant) -> Seen {
        let asked = self.asked_at.take().filter(|_| self.stage == Stage::Reading);
        let Some((asked_at, asked)) = asked else { return Seen::Fine };
        self.goal.get_or_insert((marks.high, asked));
        match self.watchdog.look(asked_at, marks, now) {
            // It has gone on since.
            Seen::CutOff if marks.low <= self.next() => Seen::Fine,
            Seen::Stuck if self.next() != asked_at => Seen::Fine,
            seen => seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_as_old_as_the_last_end_that_was_read() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut partition = Partition::new(1, 0, 1, start);
        let age = |partition: &mut Partition, seconds| partition.position_age(at(seconds)).map(|age| age.as_secs());
        assert_eq!(age(&mut partition, 5), None, "nobody wants it");
        partition.asked(at(5));
        assert_eq!(age(&mut partition, 8), Some(3), "it is not known where to begin");
        partition.stage = Stage::Reading;
        partition.reading.move_to(10);
        for (asked, high) in [(8, 20), (10, 30)] {
            partition.asked_at = Some((10, at(asked)));
            partition.look(Watermarks { low: 0, high }, at(asked));
        }
        assert_eq!(age(&mut partition, 12), Some(7), "it is asked again and again, and not read");
        partition.reading.move_to(20);
        assert_eq!(age(&mut partition, 12), Some(4), "what was its end at 8 is read");
        assert_eq!(age(&mut partition, 13), Some(5));
        partition.asked_at = Some((20, at(14)));
        partition.look(Watermarks { low: 0, high: 20 }, at(14));
        assert_eq!(age(&mut partition, 14), Some(0));
    }
}
