//! One partition in the hands of a judging thread: the stages of its life, and what is known in each. What moves it from one to
//! the next stands in `assignment`, what happens while it is judged in `consume`.
//!
//! ```text
//!  assigned ─▶ Waiting ─▶ Claiming ─▶ Claimed ─▶ Surveying ─▶ AwaitingRules ─▶ Judging ─▶ given up
//!     F6      (a rewind    owner       F6: commit  tail, start,  F9: ≤ 2 s        learns (F8), closes (F7), judges
//!              begins      record      if it was   replay
//!              here anew)  awaited     disputed    F6–F10
//! ```

use std::{mem, time::Instant};

use chassis::kafka::{Delivery, Reader};
use judge::Judge;
use proto::{OwnerNumber, lag::Baseline};

use crate::{
    deliver::InFlight, metrics::Lag, ownership::Inheritance, survey::Past, tally::Tally, trace::Traces, watch::Watch,
};

/// A partition that the group gave us.
pub(crate) struct Partition {
    pub(crate) number: i32,
    /// The number on our latest owner record, and on everything written since.
    pub(crate) owner: OwnerNumber,
    /// Raised when the group lost its memory (F6); 0 as a rule.
    pub(crate) bump: u64,
    /// F6: a disputed claim is only good when this commit is taken once more after the owner record.
    pub(crate) commit_again: Option<u64>,
    /// F10: why it cannot be judged.
    pub(crate) refused: Option<String>,
    pub(crate) stage: Stage,
}

/// Where in its life a partition is.
pub(crate) enum Stage {
    /// Its owner record is written at this time.
    Waiting { until: Instant },
    /// Its owner record is awaited.
    Claiming { claim: Delivery },
    /// Our owner record stands at `claim`; the past is asked about at `ask_at`.
    Claimed { claim: u64, ask_at: Instant },
    /// Its past is being looked at.
    Surveying { claim: u64, ticket: u64, until: Instant },
    /// All is known, but our rules may be older than those that judged last.
    AwaitingRules { past: Box<Past>, start: u64, until: Instant },
    /// It is read.
    Judging(Box<Judging>),
}

/// What is known of a partition that is read.
pub(crate) struct Judging {
    pub(crate) judge: Judge,
    pub(crate) inheritance: Inheritance,
    pub(crate) in_flight: InFlight<Delivery>,
    /// What was thinned or shed and is not yet named by a record.
    pub(crate) tally: Tally<Delivery>,
    pub(crate) traces: Traces,
    /// The offset to read next.
    pub(crate) next: u64,
    /// Whether the reader has it; not while it is paused at its cap (F3), and never again once it is being given up (F11).
    pub(crate) reading: bool,
    /// It is being given up (F11).
    pub(crate) leaving: bool,
    /// All that was finished before is learned, or the end was met.
    pub(crate) caught_up: bool,
    /// The offset at which the reader left a hole and was asked again.
    pub(crate) hole: Option<u64>,
    pub(crate) baseline: Baseline,
    pub(crate) lag: Lag,
    /// When the last record was read, by our clock, and when it was appended.
    pub(crate) last_read: Option<(i64, i64)>,
    /// What the group had stored when it came to us; 0 if nothing, which the door takes it for as well.
    pub(crate) stored: u64,
    /// What was last sent to be committed. At first that is what is stored and not where judging starts: a start beyond it is
    /// committed with the first second, or a door would wait for inputs that are kept no more.
    pub(crate) committed: u64,
    pub(crate) watch: Watch,
    pub(crate) watch_ticket: Option<u64>,
    /// What the judge's memories forgot early, as far as it is counted.
    pub(crate) forgotten: u64,
    /// A record of another generation was met and told of.
    pub(crate) foreign_told: bool,
    /// Records in a row at which the judge panicked.
    pub(crate) failures: u32,
}

/// So many failures in a row are not the records': something that the judge remembers is not whole any more. A single one leaves
/// it whole, as far as one can tell: a memory is changed in one piece, after what is said was looked at.
const FAILURES_MAX: u32 = 32;

impl Partition {
    /// One just assigned.
    pub(crate) fn new(number: i32, now: Instant) -> Self {
        Self {
            number,
            owner: OwnerNumber::default(),
            bump: 0,
            commit_again: None,
            refused: None,
            stage: Stage::Waiting { until: now },
        }
    }

    /// What is known while it is read.
    pub(crate) fn judging(&mut self) -> Option<&mut Judging> {
        match &mut self.stage {
            Stage::Judging(judging) => Some(judging),
            _ => None,
        }
    }

    /// Whether its viewers get what is said now.
    pub(crate) fn is_judged(&self) -> bool {
        matches!(&self.stage, Stage::Judging(judging) if judging.caught_up)
    }
}

impl Judging {
    /// Reads on at the next offset.
    pub(crate) fn read_on(&mut self, reader: &Reader, number: i32) {
        match reader.assign(number, self.next) {
            Ok(()) => self.reading = true,
            // The watch asks about what stands still, and reads it anew.
            Err(error) => tracing::error!(partition = number, %error, "a partition cannot be read"),
        }
    }

    /// Reads no further (F3, F11). The partition is let go, not paused: one that is paused near an assignment can stay paused
    /// for ever (librdkafka #5591), and letting go needs no undoing that a rebalance could lose.
    pub(crate) fn stop_reading(&mut self, reader: &Reader, number: i32) {
        if mem::take(&mut self.reading)
            && let Err(error) = reader.release(number)
        {
            tracing::error!(partition = number, %error, "a partition cannot be let go");
        }
    }

    /// Whether what the judge remembers cannot be gone on with. The partition is read no further, and taken anew once all is
    /// finished: those that were set apart are not judged again.
    pub(crate) fn is_spoilt(&self) -> bool {
        self.failures >= FAILURES_MAX
    }

    /// Whether all that was read is finished, and was sent to be committed.
    pub(crate) fn is_done(&self) -> bool {
        self.committed >= self.next
    }

    /// The end of the partition was met: what was read last was read as early as it could be.
    pub(crate) fn met_end(&mut self) {
        self.caught_up = true;
        if let Some((read_ms, append_ms)) = self.last_read.take() {
            self.baseline.observe_end(read_ms, append_ms);
        }
    }

    /// Tells how far it lags: what comes behind the last record that was read waits about as long as that one would by now.
    pub(crate) fn tell_lag(&mut self, now_ms: i64) {
        let lag_ms = self.last_read.map_or(0, |(_, append_ms)| self.baseline.lag(now_ms, append_ms));
        self.lag.set(lag_ms);
    }

    /// The first input that is not finished (F5).
    pub(crate) fn finished(&self) -> u64 {
        let finished = self.in_flight.finished();
        self.tally.first_unnamed().map_or(finished, |first| finished.min(first))
    }

    /// What may be committed and is not yet (F5).
    pub(crate) fn to_commit(&self) -> Option<u64> {
        let finished = self.finished();
        (finished > self.committed).then_some(finished)
    }
}
