//! `danmaku-state` on the Kafka thread: read from its beginning for each partition that is assigned, and followed.
//!
//! A reader of its own, which is never waited for. What its records mean is `standing`'s.

use std::time::{Duration, Instant};

use chassis::kafka::{Cluster, Error, Heard, Reader, Record, Seen, Watchdog, Watermarks};
use proto::{
    RoomId, record,
    v1::{self, item},
};

use super::{
    BURST_RECORDS,
    partition::{Desk, Stage},
};
use crate::{house::House, lookup::Question};

/// How long an embedded broker holds a fetch of this topic. There all partitions are read from the start, so no join waits
/// for one; and modes are heard from the output first.
const EMBEDDED_FETCH_WAIT: Duration = Duration::from_millis(100);

/// The states of all partitions.
pub(super) struct States {
    cluster: Cluster,
    topic: String,
    reader: Reader,
    parts: Vec<Part>,
}

/// The states of one partition.
struct Part {
    stage: Stage,
    next: u64,
    /// Below this all was read. Compaction leaves holes, so the end counts too, as an event: with it everything below the
    /// high watermark that was known before is read.
    read_to: u64,
    high: u64,
    is_caught_up: bool,
    watchdog: Watchdog,
}

impl Part {
    fn new(marks: Watermarks, now: Instant) -> Self {
        let Watermarks { low, high } = marks;
        Self {
            stage: Stage::Idle,
            next: low,
            read_to: low,
            high,
            is_caught_up: false,
            watchdog: Watchdog::new(low, now),
        }
    }
}

impl States {
    /// Reads nothing of `topic` yet.
    pub(super) fn new(cluster: &Cluster, topic: String, partitions: usize, now: Instant) -> Result<Self, Error> {
        let mut cluster = cluster.clone();
        if cluster.embedded {
            cluster.fetch_wait = EMBEDDED_FETCH_WAIT;
        }
        let part = |_| Part::new(Watermarks { low: 0, high: 0 }, now);
        Ok(Self { reader: Reader::new(&cluster, &topic)?, parts: (0..partitions).map(part).collect(), cluster, topic })
    }

    /// As [`Reader::prepare`].
    pub(super) fn prepare(&self, timeout: Duration) {
        let _ = self.reader.prepare(timeout);
    }

    /// Whether what stands in the rooms of a partition is known.
    pub(super) fn is_caught_up(&self, number: usize) -> bool {
        self.parts[number].is_caught_up
    }

    /// Asks where a partition's states begin, unless that is done.
    pub(super) fn want(&mut self, number: usize, desk: &Desk) {
        if self.parts[number].stage == Stage::Idle {
            self.parts[number].stage = Stage::Asked;
            desk.house.lookups.ask(Question::States(number as i32));
        }
    }

    /// A partition is not read any more.
    pub(super) fn release(&mut self, number: usize, desk: &Desk) {
        // It fails only when it is not assigned.
        let _ = self.reader.release(number as i32);
        self.parts[number] = Part::new(Watermarks { low: 0, high: 0 }, Instant::now());
        desk.house.standing(number).clear();
    }

    /// Where a partition's states begin and end: a beginning, or for the watchdog to look at.
    pub(super) fn answered(&mut self, partition: i32, marks: Watermarks, now: Instant, desk: &Desk) {
        let number = partition as usize;
        let part = &mut self.parts[number];
        match part.stage {
            Stage::Idle => {}
            Stage::Asked => self.assign(number, marks, now, desk),
            Stage::Reading => {
                part.high = part.high.max(marks.high);
                match part.watchdog.look(part.read_to, marks, now) {
                    Seen::Fine => {}
                    Seen::Stuck => self.rebuild(now, desk),
                    seen @ (Seen::Shorter | Seen::CutOff) => {
                        tracing::warn!(partition, ?seen, "states go on elsewhere, they are read anew");
                        let _ = self.reader.release(partition);
                        if seen == Seen::Shorter {
                            desk.house.standing(number).clear();
                        }
                        self.assign(number, marks, now, desk);
                    }
                }
            }
        }
    }

    fn assign(&mut self, number: usize, marks: Watermarks, now: Instant, desk: &Desk) {
        if let Err(error) = self.reader.assign(number as i32, marks.low) {
            tracing::warn!(partition = number, %error, "states were not assigned, trying again");
            self.parts[number].stage = Stage::Idle;
            return self.want(number, desk);
        }
        // Who watches already stays answered while they are read anew.
        let was_caught_up = self.parts[number].is_caught_up;
        let is_caught_up = was_caught_up || marks.low >= marks.high;
        self.parts[number] = Part { stage: Stage::Reading, is_caught_up, ..Part::new(marks, now) };
    }

    /// As [`super::Consumer::rebuild`].
    fn rebuild(&mut self, now: Instant, desk: &Desk) {
        let reader = match Reader::new(&self.cluster, &self.topic) {
            Ok(reader) => reader,
            Err(error) => return tracing::error!(%error, "no new consumer of states"),
        };
        tracing::warn!("states stand still, their consumer is built anew");
        desk.metrics.rebuilds.increment(1);
        let old = std::mem::replace(&mut self.reader, reader);
        let _ = std::thread::Builder::new().name("fanout-old-states".to_owned()).spawn(move || drop(old));
        for (number, part) in self.parts.iter_mut().enumerate().filter(|(_, part)| part.stage == Stage::Reading) {
            part.watchdog = Watchdog::new(part.read_to, now);
            if let Err(error) = self.reader.assign(number as i32, part.next) {
                tracing::warn!(partition = number, %error, "states were not assigned, the watchdog will see");
            }
        }
    }

    /// One burst of what there is, without waiting.
    pub(super) fn read(&mut self, desk: &Desk) {
        for _ in 0..BURST_RECORDS {
            match self.reader.poll(Duration::ZERO) {
                Ok(Some(Heard::Record(record))) => {
                    if let Some(part) = self.parts.get_mut(record.partition() as usize) {
                        part.hear(&record, desk);
                    }
                }
                Ok(Some(Heard::End(partition))) => {
                    if let Some(part) = self.parts.get_mut(partition as usize) {
                        part.read_to = part.read_to.max(part.high);
                        part.is_caught_up |= part.stage == Stage::Reading;
                    }
                }
                Ok(None) => return,
                // The output's reader hears of the same brokers, and complains.
                Err(error) => return tracing::debug!(%error, "states cannot be read"),
            }
        }
    }

    /// Publishes how many bytes there are, which it tells, and every other time asks how far it should be read.
    pub(super) fn keep_house(&mut self, is_watching: bool, desk: &Desk) -> usize {
        let (mut bytes, mut forgotten) = (0, 0);
        for (number, part) in self.parts.iter().enumerate() {
            let mut standing = desk.house.standing(number);
            bytes += standing.bytes();
            forgotten += standing.take_forgotten();
            if is_watching && part.stage == Stage::Reading {
                desk.house.lookups.ask(Question::States(number as i32));
            }
        }
        desk.metrics.state_bytes.set(bytes as f64);
        desk.metrics.state_forgotten.increment(forgotten);
        bytes
    }
}

impl Part {
    fn hear(&mut self, record: &Record<'_>, desk: &Desk) {
        // Late ones of a partition that was let go, or that a new consumer reads again.
        if self.stage != Stage::Reading || record.offset() < self.next {
            return;
        }
        self.next = record.offset() + 1;
        self.read_to = self.read_to.max(self.next);
        self.is_caught_up |= self.next >= self.high;
        let mut standing = desk.house.standing(record.partition() as usize);
        let taken = match record.value() {
            [] => standing.remove(record.key().unwrap_or_default()).map_err(|error| error.to_string()),
            value => record::decode::<v1::State>(value)
                .map_err(|error| error.to_string())
                .and_then(|state| standing.hear(state).map_err(|error| error.to_string())),
        };
        desk.metrics.state_records.increment(1);
        if let Err(error) = taken {
            desk.metrics.undecodable.increment(1);
            tracing::warn!(partition = record.partition(), offset = record.offset(), error, "state record passed over");
        }
    }
}

/// A mode acts at its offset in the output, for those who join later too; the state that remembers it may be read later.
pub(super) fn note_modes(output: &v1::Output, room: Option<&RoomId>, number: i32, house: &House) {
    let (Some(room), Some(source)) = (room, output.source()) else { return };
    for item in output.items.iter().filter(|item| item.to_user.is_empty()) {
        if let Some(item::Body::Mode(mode)) = &item.body {
            house.standing(number as usize).set_mode(room, source, *mode);
        }
    }
}
