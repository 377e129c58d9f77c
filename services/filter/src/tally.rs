//! What is only counted: messages that were thinned or shed, as ranges of offsets by room, until a verdict record that names them
//! is acknowledged. Pure but for asking each delivery whether its answer has come; writing is kept out.
//!
//! F5 holds for them too: the offset of a message that no acknowledged record names is not finished, and nothing behind it is.

use std::collections::{BTreeMap, VecDeque};

use chassis::kafka::{Failure, Outcome};
use proto::v1::{OffsetRange, Word};

use crate::deliver::Answer;

/// Ranges of one record. A room that is thinned to a fifth has some 200 of them in a thousand messages.
const RANGES_MAX: usize = 256;

/// Rooms that are counted at once: 1,024 × (128 B + 256 × 16 B) = 4.3 MB a partition. When full, all are written at once.
const ROOMS_MAX: usize = 1_024;

/// What was counted of each room and not written yet, and what was written and is not acknowledged yet.
pub(crate) struct Tally<A> {
    open: BTreeMap<(i32, String), Count>,
    waiting: VecDeque<(u64, A)>,
    /// The first message of a record that could not be written: until the partition is taken anew, nothing from it on is
    /// finished.
    unwritten: Option<u64>,
}

struct Count {
    ranges: Vec<OffsetRange>,
    rules_version: u64,
}

/// A record that is due.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Due {
    pub(crate) word: Word,
    pub(crate) room: String,
    pub(crate) rules_version: u64,
    /// In rising order; never empty.
    pub(crate) ranges: Vec<OffsetRange>,
}

impl Due {
    /// The first message that it names.
    pub(crate) fn first(&self) -> u64 {
        self.ranges.first().map_or(0, |range| range.first)
    }
}

impl<A: Answer> Tally<A> {
    pub(crate) fn new() -> Self {
        Self { open: BTreeMap::new(), waiting: VecDeque::new(), unwritten: None }
    }

    /// Counts a message; what is due because of it, as a rule nothing.
    pub(crate) fn count(&mut self, word: Word, room: String, offset: u64, rules_version: u64) -> Vec<Due> {
        let key = (word as i32, room);
        let mut due = Vec::new();
        if self.open.len() >= ROOMS_MAX && !self.open.contains_key(&key) {
            due = self.due();
        }
        let count = self.open.entry(key.clone()).or_insert_with(|| Count { ranges: Vec::new(), rules_version });
        count.rules_version = rules_version;
        match count.ranges.last_mut() {
            Some(range) if range.last + 1 == offset => range.last = offset,
            _ => count.ranges.push(OffsetRange { first: offset, last: offset }),
        }
        if count.ranges.len() >= RANGES_MAX
            && let Some(count) = self.open.remove(&key)
        {
            due.push(record(key, count));
        }
        due
    }

    /// All that was counted, each second and before a partition is given up.
    pub(crate) fn due(&mut self) -> Vec<Due> {
        std::mem::take(&mut self.open).into_iter().map(|(key, count)| record(key, count)).collect()
    }

    /// A record whose first message is `first` was written.
    pub(crate) fn wait(&mut self, first: u64, answer: A) {
        self.waiting.push_back((first, answer));
    }

    /// A record whose first message is `first` could not be written.
    pub(crate) fn give_up(&mut self, first: u64) {
        self.unwritten = Some(self.unwritten.map_or(first, |before| before.min(first)));
    }

    /// Forgets what is acknowledged; `Err` is the producer's failure. A record that can never be written is told by `lost`.
    pub(crate) fn settle(&mut self, mut lost: impl FnMut(String)) -> Result<(), String> {
        while let Some((_, answer)) = self.waiting.front_mut() {
            match answer.outcome() {
                None => break,
                Some(Outcome::Acked(_)) => {}
                Some(Outcome::Failed(Failure::BadRecord(why))) => lost(why),
                Some(Outcome::Failed(failure)) => return Err(format!("{failure:?}")),
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// The first message that no acknowledged record names.
    pub(crate) fn first_unnamed(&self) -> Option<u64> {
        let open = self.open.values().filter_map(|count| count.ranges.first()).map(|range| range.first);
        open.chain(self.waiting.iter().map(|(first, _)| *first)).chain(self.unwritten).min()
    }

    /// How many records are written and not acknowledged.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
}

fn record((word, room): (i32, String), count: Count) -> Due {
    let word = Word::try_from(word).unwrap_or(Word::Thinned);
    Due { word, room, rules_version: count.rules_version, ranges: count.ranges }
}

#[cfg(test)]
mod tests;
