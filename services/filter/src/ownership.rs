//! Whose a partition is and what its predecessor left: the owner number, the output's tail, where to start, what is
//! superseded (F6, F7, F10). Pure: `survey` asks and reads, `assignment` acts.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

use chassis::kafka::Watermarks;
use judge::Stood;
use proto::{OwnerNumber, Source, v1::Output};

/// What matters of one record of the output's tail.
#[derive(Debug, Clone)]
pub(crate) struct TailRecord {
    owner: OwnerNumber,
    /// `None` for a record that only claims the partition.
    source: Option<Source>,
    rules_version: u64,
    stood: Stood,
}

impl TailRecord {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            owner: output.owner_number(),
            source: output.source(),
            rules_version: output.rules_version,
            stood: Stood::of_output(output),
        }
    }
}

/// The first block of the tail, in records; each further one is twice as long (F6). One turn's worth: after a polite leave
/// the first block is enough.
const FIRST_BLOCK: u64 = 256;

/// Reading the tail backwards, block by block, from our own owner record (F6).
pub(crate) struct TailReading {
    generation: u32,
    stored: Option<u64>,
    low: u64,
    claim: u64,
    /// What was read begins here.
    from: u64,
    block: u64,
    /// Oldest first.
    records: VecDeque<TailRecord>,
}

impl TailReading {
    /// `claim` is where our owner record stands, `low` where the output begins, `stored` the group's committed offset.
    pub(crate) fn new(generation: u32, stored: Option<u64>, low: u64, claim: u64) -> Self {
        Self { generation, stored, low, claim, from: claim, block: FIRST_BLOCK, records: VecDeque::new() }
    }

    /// Where our owner record stands.
    pub(crate) fn claim(&self) -> u64 {
        self.claim
    }

    /// The offsets to read next, just before what was read; `None` once it is enough.
    pub(crate) fn next_block(&self) -> Option<Range<u64>> {
        if self.from <= self.low || self.reaches_below_the_stored() {
            return None;
        }
        Some(self.from.saturating_sub(self.block).max(self.low)..self.from)
    }

    /// Takes the block that was asked for, oldest record first.
    pub(crate) fn take(&mut self, block: Range<u64>, records: Vec<TailRecord>) {
        records.into_iter().rev().for_each(|record| self.records.push_front(record));
        self.from = block.start;
        self.block *= 2;
    }

    /// Whether readers have seen an answer in it below the stored offset (any, without one): answers rise, so those before it
    /// are lower still.
    ///
    /// A record that was passed over does not count, or the late writing of a member that was away would hide what its
    /// successor answered. Should nothing but such writing fill the blocks, its end is believed: what is then judged a second
    /// time readers drop by its `src`.
    fn reaches_below_the_stored(&self) -> bool {
        let below = |src| self.stored.is_none_or(|stored| src < stored);
        self.seen().any(|record| self.source_of(record).is_some_and(below))
    }

    /// The records that readers have seen, oldest first: they pass over one with a lower owner than the highest before it.
    fn seen(&self) -> impl Iterator<Item = &TailRecord> {
        self.records
            .iter()
            .scan(None, |highest, record| {
                let seen = highest.is_none_or(|highest| record.owner >= highest);
                *highest = Some(record.owner).max(*highest);
                Some(seen.then_some(record))
            })
            .flatten()
    }

    /// The input that a record answers, if it is of our generation.
    fn source_of(&self, record: &TailRecord) -> Option<u64> {
        record.source.filter(|source| source.generation == self.generation).map(|source| source.offset)
    }

    /// What readers have seen of the tail.
    pub(crate) fn finish(self) -> Tail {
        let mut tail = Tail::default();
        for record in self.seen() {
            tail.owner = Some(record.owner);
            if let Some(src) = self.source_of(record) {
                tail.highest = tail.highest.max(Some(src));
                tail.rules_version = record.rules_version;
                tail.stood.insert(src, record.stood.clone());
            }
        }
        tail
    }
}

/// The end of the output as readers have seen it, up to our owner record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    /// The highest owner number.
    pub(crate) owner: Option<OwnerNumber>,
    /// The highest `src` of our generation.
    pub(crate) highest: Option<u64>,
    /// The rules that judged last; 0 if nothing was judged.
    pub(crate) rules_version: u64,
    /// The inputs that stand answered.
    stood: BTreeMap<u64, Stood>,
}

/// What our owner number is worth against the tail's (F6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Ours is the highest: readers look at us.
    Ours,
    /// It is not: we are stale, or the group lost its memory. The group's answer to a commit tells which; if it takes ours,
    /// this is the bump to come back with.
    Disputed {
        /// One above the tail's.
        bump: u64,
    },
}

/// An equal number is another's too: a static member that was killed comes back in the same generation of the group.
pub(crate) fn standing(ours: OwnerNumber, tail: &Tail) -> Standing {
    match tail.owner {
        Some(theirs) if theirs >= ours => Standing::Disputed { bump: theirs.bump + 1 },
        _ => Standing::Ours,
    }
}

/// Where to start judging (F10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// At this input.
    At {
        /// The first input that is not finished.
        offset: u64,
        /// So many inputs before it were deleted unjudged: they were kept too short.
        deleted: u64,
    },
    /// Nowhere: the input ends before what was already judged, so somebody recreated the topic.
    Recreated {
        /// Where the input ends.
        end: u64,
        /// The first offset that it should still get.
        expected: u64,
    },
}

/// The start, from the group's committed offset, the input's watermarks and the output's tail (F10).
pub(crate) fn start(stored: Option<u64>, input: Watermarks, tail: &Tail) -> Start {
    let answered = tail.highest.map(|src| src + 1);
    let expected = answered.max(stored).unwrap_or(0);
    if input.high < expected {
        return Start::Recreated { end: input.high, expected };
    }
    let offset = stored.or(answered).unwrap_or(input.low);
    Start::At { offset: offset.max(input.low), deleted: input.low.saturating_sub(offset) }
}

/// What is to be done with an input.
#[derive(Debug, PartialEq)]
pub(crate) enum Treatment {
    /// It is finished; it only feeds the memory (F8).
    Learn,
    /// It stands answered in the output; its other records are written again (F7).
    Stood(Stood),
    /// A later one is answered and it is not: too late for a yes (F7).
    Superseded,
    /// It is ours to judge.
    Judge,
}

/// What is taken over with a partition: which inputs are finished, answered or superseded.
#[derive(Debug)]
pub(crate) struct Inheritance {
    start: u64,
    highest: Option<u64>,
    stood: BTreeMap<u64, Stood>,
}

impl Inheritance {
    pub(crate) fn new(start: u64, mut tail: Tail) -> Self {
        Self { start, highest: tail.highest, stood: tail.stood.split_off(&start) }
    }

    /// The first input that is not finished.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// What is to be done with the input at `offset`; each is asked about once.
    pub(crate) fn treatment(&mut self, offset: u64) -> Treatment {
        if offset < self.start {
            return Treatment::Learn;
        }
        if self.highest.is_none_or(|highest| offset > highest) {
            return Treatment::Judge;
        }
        self.stood.remove(&offset).map_or(Treatment::Superseded, Treatment::Stood)
    }
}

#[cfg(test)]
mod tests;
