//! The Kafka thread: reads the partitions that shards want, decodes each record once, and tells the shards.
//!
//! No group and no commits: what is read is decided by who watches. It waits for Kafka alone, 10 ms at most; shards are told
//! through inboxes that never make it wait, and questions that may block are the look-up thread's.

mod partition;
mod hear;
mod decode;
mod states;

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use chassis::{
    admin::Condition,
    kafka::{Cluster, Error, Heard, Reader, Seen},
};

use crate::{
    house::House,
    inbox::Inbox,
    lookup::{Answer, Question},
    metrics::ConsumeMetrics,
};
use partition::{Desk, Partition, Stage};
use states::States;

/// How long a poll may wait: also how long a new wish may wait for the thread.
const POLL_WAIT: Duration = Duration::from_millis(10);

/// The broker may gather records for this part of the shortest window: 10 ms of 50. A danmaku is later by half of it on
/// average. Of ten partitions an answer costs 0.2 to 0.4 ms of CPU here, whatever it carries: at 10 ms they are 2.4 % of a
/// core, at 25 ms 0.9 % (measured), and one of each record would be 8 %.
const GATHER_PART: u32 = 5;

/// But so long at least, whatever the window: a reader who hears nothing is answered as often. And no longer than this.
const GATHER_LEAST: Duration = Duration::from_millis(5);
const GATHER_MOST: Duration = Duration::from_millis(25);

/// After a burst the thread rests for this part of the shortest window, 3 ms of 50; no longer than a poll may wait.
const REST_PART: u32 = 16;

/// How long the thread waits at its start to learn where the topic's leaders are.
const PREPARE_WAIT: Duration = Duration::from_secs(5);

/// Records that are told together. At 3 µs each a shard hears of the first within 2 ms.
const BURST_RECORDS: usize = 512;

/// A partition nobody watches is let go after so long: who reloads a page finds it still read.
const RELEASE_AFTER: Duration = Duration::from_secs(60);

/// How often partitions are trimmed and released, and every other time compared with what Kafka has.
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(1);

/// What the thread is built from.
pub(crate) struct Consumer {
    cluster: Cluster,
    topic: String,
    reader: Reader,
    partitions: Vec<Partition>,
    states: States,
    desk: Desk,
    /// Until it is ready for the first time.
    condition: Option<Condition>,
    next_housekeeping: Instant,
    is_watching: bool,
    last_error: Option<Instant>,
}

impl Consumer {
    /// Reads `topic`, and what stands in its rooms from `states`, for these shards; `condition` says when it can.
    pub(crate) fn new(
        cluster: Cluster,
        topic: String,
        states: String,
        house: Arc<House>,
        shards: Vec<Arc<Inbox>>,
        condition: Condition,
    ) -> Result<Self, Error> {
        let now = Instant::now();
        let count = shards.len();
        let partition = |number| Partition::new(house.generation, number, count, now);
        Ok(Self {
            reader: Reader::gathering(&cluster, &topic, gather(&house))?,
            partitions: (0..house.partitions() as i32).map(partition).collect(),
            states: States::new(&cluster, states, house.partitions(), now)?,
            desk: Desk { house, shards, metrics: ConsumeMetrics::new() },
            cluster,
            topic,
            condition: Some(condition),
            next_housekeeping: now,
            is_watching: false,
            last_error: None,
        })
    }

    /// Reads until the hall is over.
    pub(crate) fn run(mut self) {
        self.begin();
        while !self.desk.house.is_over.load(Ordering::Acquire) {
            self.turn(Instant::now());
        }
    }

    fn begin(&mut self) {
        // If it fails, the first partition of all takes a second longer.
        let _ = self.reader.prepare(PREPARE_WAIT);
        self.states.prepare(PREPARE_WAIT);
        if self.cluster.embedded {
            // There is no look-up by time, so everything is read from the beginning and kept.
            (0..self.partitions.len()).for_each(|number| self.ask_start(number));
        } else {
            self.is_ready();
        }
    }

    fn turn(&mut self, now: Instant) {
        if self.desk.house.wants.take_changed() {
            self.hear_wishes(now);
        }
        for answer in self.desk.house.lookups.take_answers() {
            self.answered(answer, now);
        }
        let heard = self.read();
        self.states.read(&self.desk);
        self.tell();
        if now >= self.next_housekeeping {
            self.next_housekeeping = now + HOUSEKEEPING_EVERY;
            self.keep_house(now);
        }
        // Kafka's client hands records over a few at a time; this thread is not woken for each of them.
        if (1..BURST_RECORDS).contains(&heard) {
            std::thread::sleep((self.desk.house.config.window / REST_PART).min(POLL_WAIT));
        }
    }

    /// One burst of what Kafka has for us; how much that was.
    fn read(&mut self) -> usize {
        let mut wait = POLL_WAIT;
        for heard in 0..BURST_RECORDS {
            match self.reader.poll(wait) {
                Ok(Some(Heard::Record(record))) => {
                    if let Some(partition) = self.partitions.get_mut(record.partition() as usize) {
                        partition.hear(&record, &self.desk);
                    }
                }
                Ok(Some(Heard::End(number))) => {
                    if let Some(partition) = self.partitions.get_mut(number as usize) {
                        partition.ended();
                    }
                }
                Ok(None) => return heard,
                Err(error) => {
                    self.complain(&error);
                    return heard;
                }
            }
            wait = Duration::ZERO;
        }
        BURST_RECORDS
    }

    /// Tells the shards what the burst brought.
    fn tell(&mut self) {
        for (number, partition) in self.partitions.iter_mut().enumerate() {
            partition.tell(self.states.is_caught_up(number), &self.desk);
        }
        if self.condition.is_some() && self.partitions.iter().all(|partition| partition.is_told_caught_up) {
            self.is_ready();
        }
    }

    fn is_ready(&mut self) {
        if let Some(condition) = self.condition.take() {
            condition.ready();
        }
    }

    fn hear_wishes(&mut self, now: Instant) {
        for number in 0..self.partitions.len() {
            let partition = &mut self.partitions[number];
            if partition.hear_wishes(&self.desk, now) && partition.stage == Stage::Idle {
                self.ask_start(number);
            }
        }
    }

    fn ask_start(&mut self, number: usize) {
        self.partitions[number].asked(Instant::now());
        self.desk.house.lookups.ask(Question::Start(number as i32));
        self.states.want(number, &self.desk);
    }

    fn answered(&mut self, answer: Answer, now: Instant) {
        match answer {
            Answer::Start { partition: number, start, marks } => {
                let partition = &mut self.partitions[number as usize];
                if partition.stage != Stage::Asked {
                    return;
                }
                match self.reader.assign(number, start) {
                    Ok(()) => {
                        tracing::debug!(partition = number, start, high = marks.high, "partition assigned");
                        partition.assigned(start, marks.high, &self.desk, now);
                    }
                    Err(error) => {
                        tracing::warn!(partition = number, %error, "partition was not assigned, trying again");
                        self.ask_start(number as usize);
                    }
                }
            }
            Answer::States { partition, marks } => self.states.answered(partition, marks, now, &self.desk),
            Answer::Watch { partition: number, marks } => match self.partitions[number as usize].look(marks, now) {
                Seen::Fine => {}
                Seen::Stuck => self.rebuild(number, now),
                seen @ (Seen::Shorter | Seen::CutOff) => self.restart(number, seen),
            },
        }
    }

    /// The partition is not what was read: it is read anew from wherever it goes on.
    fn restart(&mut self, number: i32, seen: Seen) {
        tracing::warn!(partition = number, ?seen, "partition goes on elsewhere, viewers are told of a gap");
        self.desk.metrics.restarts.increment(1);
        // It fails only when it is not assigned.
        let _ = self.reader.release(number);
        self.partitions[number as usize].cut(seen);
        self.ask_start(number as usize);
    }

    /// Some consumers stand still for no reason of ours: a new one goes on where the old one stands.
    fn rebuild(&mut self, number: i32, now: Instant) {
        tracing::warn!(partition = number, "partition stands still, the consumer is built anew");
        let reader = match Reader::gathering(&self.cluster, &self.topic, gather(&self.desk.house)) {
            Ok(reader) => reader,
            Err(error) => return tracing::error!(%error, "no new consumer"),
        };
        self.desk.metrics.rebuilds.increment(1);
        let old = std::mem::replace(&mut self.reader, reader);
        // Ending a consumer may hang for as long as its broker does.
        let _ = std::thread::Builder::new().name("fanout-old-consumer".to_owned()).spawn(move || drop(old));
        for number in 0..self.partitions.len() {
            let partition = &mut self.partitions[number];
            if partition.stage == Stage::Reading {
                partition.rest(now);
                if let Err(error) = self.reader.assign(number as i32, partition.next()) {
                    tracing::warn!(partition = number, %error, "partition was not assigned, the watchdog will see");
                }
            }
        }
    }

    fn keep_house(&mut self, now: Instant) {
        let mut bytes = 0;
        self.is_watching = !self.is_watching;
        for partition in &mut self.partitions {
            let may_go = !self.cluster.embedded && partition.is_unwanted_for(RELEASE_AFTER, now);
            if may_go && partition.stage == Stage::Reading {
                let _ = self.reader.release(partition.number);
                partition.released(&self.desk);
                self.states.release(partition.number as usize, &self.desk);
                tracing::debug!(partition = partition.number, "partition released");
            }
            bytes += partition.trim(&self.desk, now);
            ConsumeMetrics::position_age(partition.number, partition.position_age(now));
            if self.is_watching {
                partition.ask_watch(&self.desk, now);
            }
        }
        let standing = self.states.keep_house(self.is_watching, &self.desk);
        let reading = self.partitions.iter().filter(|partition| partition.stage == Stage::Reading).count();
        self.desk.metrics.partitions.set(reading as f64);
        self.desk.metrics.raw_bytes.set(bytes as f64);
        self.desk.house.caps.partitions_take((bytes + standing) as u64);
    }

    /// A broker that is away says so many times a second.
    fn complain(&mut self, error: &Error) {
        let now = Instant::now();
        if self.last_error.is_none_or(|last| now.duration_since(last) > Duration::from_secs(5)) {
            self.last_error = Some(now);
            tracing::warn!(%error, "kafka cannot be read");
        }
    }
}

/// How long the broker may gather records for this hall.
fn gather(house: &House) -> Duration {
    (house.config.window / GATHER_PART).clamp(GATHER_LEAST, GATHER_MOST)
}

#[cfg(test)]
mod tests;
