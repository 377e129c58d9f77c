//! What was written for a partition's inputs and is not acknowledged yet; only a finished prefix may be stored (F5).
//! Pure but for asking each delivery whether its answer has come. Writing and committing are kept out.

use std::collections::VecDeque;

use chassis::kafka::{Delivery, Failure, Outcome};

/// A written record's answer, when it has come.
pub(crate) trait Answer {
    /// `None` while it is under way.
    fn outcome(&mut self) -> Option<Outcome>;
}

impl Answer for Delivery {
    fn outcome(&mut self) -> Option<Outcome> {
        self.try_outcome()
    }
}

/// Inputs in flight before a partition is paused (F3): what a busy partition writes in two seconds, so a healthy leader, which
/// answers in milliseconds, never meets it. When full, the partition is read no further until half has drained.
const INPUTS_MAX: usize = 4_096;

/// Bytes in flight before a partition is paused (F3).
pub(crate) const BYTES_MAX: usize = 2 << 20;

/// A partition's inputs that are judged and not finished, in the order of their offsets.
pub(crate) struct InFlight<A> {
    entries: VecDeque<Entry<A>>,
    bytes: usize,
    finished: u64,
}

struct Entry<A> {
    offset: u64,
    /// Its output, verdict and state records, or its dead letter; empty when all are acknowledged.
    waiting: Vec<A>,
    bytes: usize,
    /// `None` once it is set apart: of two records that cannot be written the first one tells.
    input: Option<Kept>,
}

/// An input as it was read, for a dead letter should one of its records turn out to be unwritable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) append_ms: i64,
    pub(crate) value: Vec<u8>,
}

/// What asking for answers came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// All that is acknowledged is finished.
    Quiet,
    /// A record of this input can never be written (F2). Its dead letter goes to [`InFlight::wait_also`]; then ask on.
    Unwritable {
        /// The input's offset.
        offset: u64,
        /// The input itself.
        input: Kept,
        /// Why.
        reason: String,
    },
    /// The producer failed and must be thrown away (F2).
    Broken(String),
}

impl<A: Answer> InFlight<A> {
    /// Nothing in flight; everything before `start` is finished.
    pub(crate) fn new(start: u64) -> Self {
        Self { entries: VecDeque::new(), bytes: 0, finished: start }
    }

    /// The input at `offset` is finished once `waiting` is acknowledged and all before are finished (F5). Without `input` it is
    /// set apart already.
    pub(crate) fn push(&mut self, offset: u64, waiting: Vec<A>, bytes: usize, input: Option<Kept>) {
        let bytes = bytes + input.as_ref().map_or(0, |input| input.value.len());
        self.bytes += bytes;
        self.entries.push_back(Entry { offset, waiting, bytes, input });
    }

    /// Nothing before `offset` is kept any more, so it is finished once all that is in flight is (F5). How many inputs nobody
    /// judged because of that.
    pub(crate) fn skip_to(&mut self, offset: u64) -> u64 {
        let end = self.entries.back().map_or(self.finished, |entry| entry.offset + 1);
        if offset > end {
            self.push(offset - 1, Vec::new(), 0, None);
        }
        offset.saturating_sub(end)
    }

    /// Finishes what is acknowledged, in order.
    pub(crate) fn settle(&mut self) -> Settled {
        while let Some(entry) = self.entries.front_mut() {
            while let Some(answer) = entry.waiting.last_mut() {
                match answer.outcome() {
                    None => return Settled::Quiet,
                    Some(Outcome::Acked(_)) => drop(entry.waiting.pop()),
                    Some(Outcome::Failed(Failure::BadRecord(reason))) => {
                        entry.waiting.pop();
                        if let Some(input) = entry.input.take() {
                            return Settled::Unwritable { offset: entry.offset, input, reason };
                        }
                    }
                    Some(Outcome::Failed(failure)) => return Settled::Broken(format!("{failure:?}")),
                }
            }
            self.finished = entry.offset + 1;
            self.bytes -= entry.bytes;
            self.entries.pop_front();
        }
        Settled::Quiet
    }

    /// The first input in flight waits for `answer` as well.
    pub(crate) fn wait_also(&mut self, answer: A) {
        if let Some(entry) = self.entries.front_mut() {
            entry.waiting.push(answer);
        }
    }

    /// The first input that is not finished: what may be committed.
    pub(crate) fn finished(&self) -> u64 {
        self.finished
    }

    /// How many inputs are in flight.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the partition must be paused (F3).
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= INPUTS_MAX || self.bytes >= BYTES_MAX
    }

    /// Whether a paused partition may be read on: at half, so that it is not stopped and started at every record.
    pub(crate) fn has_drained(&self) -> bool {
        self.entries.len() <= INPUTS_MAX / 2 && self.bytes <= BYTES_MAX / 2
    }
}

#[cfg(test)]
mod tests;
