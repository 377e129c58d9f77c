//! What a judging thread does besides judging: commits what is finished (F5), looks after partitions that stand still, and says
//! whether it is ready.

use std::{
    mem,
    ops::ControlFlow::{self, Break, Continue},
    time::{Duration, Instant},
};

use chassis::kafka::{Failure, Watermarks};
use proto::OwnerNumber;

use crate::{
    consume::{Interruption, Member},
    hear::or_rewind,
    partition::{Judging, Partition},
    survey::About,
    watch::Finding,
    write::Writer,
};

/// A member that has no partition after so long is not needed, which is as good as ready.
const WITHOUT_PARTITIONS: Duration = Duration::from_secs(5);

impl Member<'_> {
    /// F5: commits what is finished, without waiting. What a failed commit was for is committed again.
    pub(crate) fn commit(&mut self) {
        let failures = self.membership.commit_failures();
        let failed = failures - mem::replace(&mut self.commit_failures, failures);
        self.works.metrics.commit_failures.increment(failed);
        let mut finished = Vec::new();
        for partition in self.partitions.values_mut() {
            let number = partition.number;
            let Some(judging) = partition.judging() else { continue };
            if failed > 0 {
                judging.committed = judging.stored;
            }
            finished.extend(judging.to_commit().map(|offset| (number, offset)));
        }
        match self.membership.commit_soon(finished.iter().copied()) {
            Ok(()) => finished.iter().for_each(|&(number, offset)| {
                if let Some(judging) = self.partitions.get_mut(&number).and_then(Partition::judging) {
                    judging.committed = offset;
                }
            }),
            Err(error) => {
                self.works.metrics.commit_failures.increment(1);
                tracing::warn!(%error, "a commit failed, it is repeated");
            }
        }
    }

    /// Writes what was thinned or shed in the last second.
    pub(crate) fn write_tallies(&mut self) -> ControlFlow<Interruption> {
        for partition in self.partitions.values_mut() {
            let (number, owner) = (partition.number, partition.owner);
            if let Some(judging) = partition.judging() {
                or_rewind(judging.write_tally(&self.writer, number, owner))?;
            }
        }
        Continue(())
    }

    /// Asks about partitions that stand still, and tells how far each lags and what memories forgot.
    pub(crate) fn watch(&mut self, now: Instant) {
        let mut still = Vec::new();
        for partition in self.partitions.values_mut() {
            let number = partition.number;
            let Some(judging) = partition.judging() else { continue };
            judging.tell_lag(self.works.clock.now_ms());
            let forgotten = judging.judge.forgotten();
            self.works.metrics.forgotten.increment(forgotten - mem::replace(&mut judging.forgotten, forgotten));
            if judging.reading && judging.watch.tick(now, judging.next) {
                still.push(number);
            }
        }
        for number in still {
            let ticket = self.ask(number, About::Input);
            if let Some(judging) = self.partitions.get_mut(&number).and_then(Partition::judging) {
                judging.watch_ticket = ticket;
            }
        }
    }

    /// The watermarks of a partition that stands still.
    pub(crate) fn take_watermarks(
        &self,
        number: i32,
        judging: &mut Judging,
        marks: Watermarks,
        now: Instant,
    ) -> ControlFlow<Interruption> {
        if !judging.reading {
            return Continue(());
        }
        match judging.watch.answer(now, judging.next, marks) {
            Finding::Fine => {}
            Finding::ReadAnewFrom(offset) => {
                let deleted = judging.in_flight.skip_to(offset);
                self.works.metrics.reader_restarts.increment(1);
                self.works.metrics.deleted.increment(deleted);
                tracing::warn!(partition = number, offset, deleted, "a partition stood still, it is read anew");
                judging.next = offset;
                judging.stop_reading(&self.reader, number);
                judging.read_on(&self.reader, number);
            }
            // F10: taken anew, it is refused if that is still so.
            Finding::Shorter => {
                return Break(Interruption::Rewind(format!(
                    "the input's partition {number} ends at {}, before what was judged, {}",
                    marks.high, judging.next
                )));
            }
        }
        Continue(())
    }

    /// Ready once all partitions are judged, and from then on unless one is refused (F10): a rebalance is no reason to stop a
    /// rollout.
    pub(crate) fn tell_whether_ready(&mut self, now: Instant) {
        let judged = self.partitions.values().filter(|partition| partition.is_judged()).count();
        let all = self.partitions.len();
        if let Some(refused) = self.partitions.values().find_map(|partition| partition.refused.as_deref()) {
            self.condition.not_ready(refused);
        } else if self.was_ready || (all > 0 && judged == all) || self.is_not_needed(now) {
            self.was_ready = true;
            self.condition.ready();
        } else if all == 0 {
            self.condition.not_ready(format!("joining the group {}", self.works.group));
        } else {
            self.condition.not_ready(format!("taking over: {judged} of {all} partitions are judged"));
        }
    }

    /// Whether it is a member and the group has no partition for it.
    fn is_not_needed(&mut self, now: Instant) -> bool {
        if !self.partitions.is_empty() || self.membership.generation() < 0 {
            self.joined = None;
            return false;
        }
        now - *self.joined.get_or_insert(now) >= WITHOUT_PARTITIONS
    }
}

impl Judging {
    /// Writes what was counted. `Err` is the producer's failure.
    pub(crate) fn write_tally(&mut self, writer: &Writer, number: i32, owner: OwnerNumber) -> Result<(), Failure> {
        let due = self.tally.due();
        writer.tally(number, owner, &mut self.tally, due)
    }
}
