//! Following the group: taking what it gives, and giving up what it wants back, politely while that is possible; and taking all
//! anew when the producer failed (F11).

use std::{
    ops::ControlFlow::{self, Break, Continue},
    time::{Duration, Instant},
};

use chassis::kafka::{Change, Error};

use crate::{
    consume::{Interruption, Member},
    deliver::InFlight,
    partition::{Judging, Partition, Stage},
    tally::Tally,
    trace::Traces,
};

/// How long acknowledgements are waited for before partitions are given up: the group stands still meanwhile (F11).
const ACKNOWLEDGEMENTS_WAIT: Duration = Duration::from_secs(1);

/// The wait after a rewind, doubled while one follows another within [`REWIND_CALM`].
pub(crate) const REWIND_WAIT: Duration = Duration::from_millis(100);
const REWIND_WAIT_MAX: Duration = Duration::from_secs(5);
const REWIND_CALM: Duration = Duration::from_secs(30);

/// Partitions on their way out.
pub(crate) struct Leaving {
    /// What the group waits for; `None` when we leave on our own account.
    change: Option<Change>,
    numbers: Vec<i32>,
    until: Instant,
}

impl Member<'_> {
    /// Serves the group, and does what it decided.
    pub(crate) fn follow_the_group(&mut self, now: Instant) -> ControlFlow<Interruption> {
        if let Some(why) = self.membership.fatal() {
            return Break(Interruption::Rejoin(format!("fatal group error: {why}")));
        }
        // A second or less, in which the group waits for us anyway.
        if self.leaving.is_some() {
            return self.let_go(now);
        }
        if self.works.is_stopping() {
            let all = self.partitions.keys().copied().collect();
            self.stop_judging(None, all, now);
            return Continue(());
        }
        match self.membership.poll(Duration::ZERO) {
            Ok(None) => Continue(()),
            Ok(Some(change)) => self.act_on(change, now),
            Err(error) => {
                tracing::debug!(%error, "while following the group");
                Continue(())
            }
        }
    }

    fn act_on(&mut self, change: Change, now: Instant) -> ControlFlow<Interruption> {
        self.works.metrics.rebalances.increment(1);
        tracing::info!(?change, generation = self.membership.generation(), "the group decided");
        match &change {
            Change::Assigned(numbers) => {
                for &number in numbers {
                    self.drop_partition(number);
                    self.partitions.insert(number, Partition::new(number, now));
                }
                self.accept(&change)
            }
            Change::Revoked(numbers) => {
                let numbers = numbers.clone();
                self.stop_judging(Some(change), numbers, now);
                Continue(())
            }
            // F11: they are somebody else's already. What we have under way for them must not be written any more, so the
            // producer goes; and with it go the others' partitions' outputs, which are therefore taken anew.
            Change::Lost(numbers) => {
                numbers.iter().for_each(|&number| self.drop_partition(number));
                self.accept(&change)?;
                Break(Interruption::Rewind("partitions were lost".to_owned()))
            }
        }
    }

    /// F11: stops judging; then acknowledgements are waited for.
    fn stop_judging(&mut self, change: Option<Change>, numbers: Vec<i32>, now: Instant) {
        for &number in &numbers {
            let Some(partition) = self.partitions.get_mut(&number) else { continue };
            let owner = partition.owner;
            match partition.judging() {
                Some(judging) => {
                    judging.leaving = true;
                    judging.stop_reading(&self.reader, number);
                    if let Err(failure) = judging.write_tally(&self.writer, number, owner) {
                        // The next owner judges it, or closes it as superseded.
                        tracing::warn!(partition = number, ?failure, "what was thinned or shed was not recorded");
                    }
                }
                // Nothing was written for it yet.
                None => self.drop_partition(number),
            }
        }
        self.leaving = Some(Leaving { change, numbers, until: now + ACKNOWLEDGEMENTS_WAIT });
    }

    /// F11: once all is acknowledged, or the wait is over, stores, commits and lets go.
    fn let_go(&mut self, now: Instant) -> ControlFlow<Interruption> {
        let Some(leaving) = &self.leaving else { return Continue(()) };
        let (mut unfinished, mut finished) = (0, Vec::new());
        for number in &leaving.numbers {
            if let Some(judging) = self.partitions.get_mut(number).and_then(Partition::judging) {
                unfinished += judging.in_flight.len() + judging.tally.len();
                finished.extend(judging.worth_committing().map(|offset| (*number, offset)));
            }
        }
        let waited = now >= leaving.until;
        if unfinished > 0 && !waited {
            return Continue(());
        }
        if let Err(error) = self.membership.commit(finished) {
            if !waited && !error.is_out_of_group() {
                return Continue(());
            }
            // The next owner finds in the output what was answered.
            self.works.metrics.commit_failures.increment(1);
            tracing::warn!(%error, "the last commit failed");
        }
        let Some(Leaving { change, numbers, .. }) = self.leaving.take() else { return Continue(()) };
        numbers.iter().for_each(|&number| self.drop_partition(number));
        tracing::info!(?numbers, unfinished, "partitions given up");
        match change {
            Some(change) => self.accept(&change),
            None => Break(Interruption::Left),
        }
    }

    /// F11: throws the producer away, and with it what its partitions remember; they are taken anew under a higher number.
    pub(crate) fn rewind(&mut self, why: &str) -> Result<(), Error> {
        let now = Instant::now();
        self.rewinds += 1;
        self.works.metrics.rewinds.increment(1);
        self.rewind_wait = match self.rewound.replace(now) {
            Some(before) if now - before < REWIND_CALM => (self.rewind_wait * 2).min(REWIND_WAIT_MAX),
            _ => REWIND_WAIT,
        };
        tracing::warn!(why, rewinds = self.rewinds, "the producer is thrown away, its partitions are taken anew");
        self.writer = self.works.writer()?;
        for partition in self.partitions.values_mut() {
            let number = partition.number;
            match partition.judging() {
                Some(judging) if judging.leaving => judging.give_up_unfinished(),
                Some(judging) => {
                    judging.stop_reading(&self.reader, number);
                    partition.stage = Stage::Waiting { until: now + self.rewind_wait };
                }
                None => partition.stage = Stage::Waiting { until: now + self.rewind_wait },
            }
        }
        Ok(())
    }

    fn accept(&mut self, change: &Change) -> ControlFlow<Interruption> {
        match self.membership.accept(change) {
            Ok(()) => Continue(()),
            Err(error) => Break(Interruption::Rejoin(format!("{change:?} could not be accepted: {error}"))),
        }
    }

    /// Drops a partition and all that was known about its users.
    fn drop_partition(&mut self, number: i32) {
        if let Some(mut partition) = self.partitions.remove(&number)
            && let Some(judging) = partition.judging()
        {
            judging.stop_reading(&self.reader, number);
        }
    }
}

impl Judging {
    /// What is worth a last commit (F5): whatever is not what was stored, also if it was sent before; that one may have failed.
    fn worth_committing(&self) -> Option<u64> {
        let finished = self.finished();
        (finished > self.stored).then_some(finished)
    }

    /// Its producer is gone: what is not finished by now will not be.
    pub(crate) fn give_up_unfinished(&mut self) {
        self.in_flight = InFlight::new(self.finished());
        self.tally = Tally::new();
        self.traces = Traces::default();
    }
}
