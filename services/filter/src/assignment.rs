//! How a partition comes into our hands: from the group's word to the first record (F6–F10), and again after a rewind (F11).

use std::{
    mem,
    ops::ControlFlow::{self, Break, Continue},
    time::{Duration, Instant},
};

use chassis::kafka::{Error, Outcome};
use proto::{OwnerNumber, lag::Baseline};

use crate::{
    consume::{Interruption, Member},
    deliver::InFlight,
    metrics::Lag,
    ownership::{Inheritance, Standing, Start, standing},
    partition::{Judging, Partition, Stage},
    survey::{About, Answer, Found, Past},
    tally::Tally,
    trace::Traces,
    watch::Watch,
};

/// How long judging waits for rules as new as its predecessor's (F9).
const RULES_WAIT: Duration = Duration::from_secs(2);

/// Between two looks at a past that could not be seen.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Between two looks at a topic that somebody recreated.
const REFUSED_LOOK_AGAIN: Duration = Duration::from_secs(1);

/// An answer that is not here after so long will not come: its helper died.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

impl Member<'_> {
    /// Takes every partition that is not judged yet as far as it goes without waiting.
    pub(crate) fn advance(&mut self, now: Instant) -> ControlFlow<Interruption> {
        let waiting: Vec<i32> = self.partitions.values().filter(|one| !one.is_judged()).map(|one| one.number).collect();
        waiting.into_iter().try_for_each(|number| self.with(number, |member, partition| member.step(partition, now)))
    }

    /// Takes an answer of the survey, unless the partition has gone on since it was asked.
    pub(crate) fn take_answer(&mut self, answer: Answer, now: Instant) -> ControlFlow<Interruption> {
        let Answer { ticket, partition, found } = answer;
        self.with(partition, |member, partition| match (&mut partition.stage, found) {
            (&mut Stage::Surveying { claim, ticket: asked, .. }, found) if ticket == asked => match found {
                Ok(Found::Past(past)) => member.take_past(partition, claim, past, now),
                Ok(Found::Input(_)) => Continue(()),
                Err(error) => {
                    member.works.metrics.survey_failures.increment(1);
                    let error = format!("{error:#}");
                    tracing::warn!(partition = partition.number, error, "its past is looked at again");
                    partition.stage = Stage::Claimed { claim, ask_at: now + LOOK_AGAIN };
                    Continue(())
                }
            },
            (Stage::Judging(judging), found) if judging.watch_ticket == Some(ticket) => {
                judging.watch_ticket = None;
                match found {
                    Ok(Found::Input(marks)) => member.take_watermarks(partition.number, judging, marks, now),
                    _ => Continue(()),
                }
            }
            // It was rewound, or given up and taken again, since it was asked about.
            _ => Continue(()),
        })
    }

    fn step(&mut self, partition: &mut Partition, now: Instant) -> ControlFlow<Interruption> {
        match &mut partition.stage {
            Stage::Waiting { until } if *until <= now => self.claim(partition)?,
            Stage::Claiming { claim } => match claim.try_outcome() {
                None => {}
                Some(Outcome::Acked(claim)) => {
                    tracing::debug!(partition = partition.number, owner = ?partition.owner, claim, "partition claimed");
                    partition.stage = Stage::Claimed { claim, ask_at: now };
                }
                Some(Outcome::Failed(failure)) => {
                    return Break(Interruption::Rewind(format!("an owner record failed: {failure:?}")));
                }
            },
            &mut Stage::Claimed { claim, ask_at } if ask_at <= now => self.ask_for_the_past(partition, claim, now)?,
            &mut Stage::Surveying { claim, until, .. } if until <= now => {
                partition.stage = Stage::Claimed { claim, ask_at: now };
            }
            Stage::AwaitingRules { past, until, .. } if self.rules_will_do(past, *until <= now) => {
                let stage = mem::replace(&mut partition.stage, Stage::Waiting { until: now });
                if let Stage::AwaitingRules { past, start, .. } = stage {
                    self.begin(partition, *past, start, now);
                }
            }
            _ => {}
        }
        Continue(())
    }

    /// F6: writes our owner record. Outside a group nothing can be claimed; the group will tell.
    fn claim(&mut self, partition: &mut Partition) -> ControlFlow<Interruption> {
        let group_generation = self.membership.generation();
        if group_generation < 0 {
            return Continue(());
        }
        partition.owner = OwnerNumber { bump: partition.bump, group_generation, rewinds: self.rewinds };
        match self.writer.claim(partition.number, partition.owner) {
            Ok(claim) => {
                partition.stage = Stage::Claiming { claim };
                Continue(())
            }
            Err(failure) => Break(Interruption::Rewind(format!("an owner record was not taken: {failure:?}"))),
        }
    }

    fn ask_for_the_past(&mut self, partition: &mut Partition, claim: u64, now: Instant) -> ControlFlow<Interruption> {
        let again = Stage::Claimed { claim, ask_at: now + LOOK_AGAIN };
        // F6: after a dispute the commit is repeated behind the owner record, so that a member which went stale in between
        // does not judge.
        if let Some(offset) = partition.commit_again {
            if !self.is_committed(partition.number, offset)? {
                partition.stage = again;
                return Continue(());
            }
            partition.commit_again = None;
        }
        partition.stage = match self.ask(partition.number, About::Past { claim }) {
            Some(ticket) => Stage::Surveying { claim, ticket, until: now + ANSWER_TIMEOUT },
            None => again,
        };
        Continue(())
    }

    fn take_past(
        &mut self,
        partition: &mut Partition,
        claim: u64,
        past: Box<Past>,
        now: Instant,
    ) -> ControlFlow<Interruption> {
        let (start, deleted) = match past.start {
            Start::At { offset, deleted } => (offset, deleted),
            Start::Recreated { end, expected } => {
                partition.refused = Some(self.recreated(partition.number, end, expected));
                partition.stage = Stage::Claimed { claim, ask_at: now + REFUSED_LOOK_AGAIN };
                return Continue(());
            }
        };
        partition.refused = None;
        if let Standing::Disputed { bump } = standing(partition.owner, &past.tail) {
            return self.settle_dispute(partition, claim, start, bump, now);
        }
        if deleted > 0 {
            self.works.metrics.deleted.increment(deleted);
            tracing::error!(partition = partition.number, deleted, "inputs were deleted before they were judged");
        }
        partition.stage = Stage::AwaitingRules { past, start, until: now + RULES_WAIT };
        Continue(())
    }

    /// F10, in a sentence for the operator.
    fn recreated(&self, partition: i32, end: u64, expected: u64) -> String {
        let (input, generation) = (&self.works.names.input, self.works.generation);
        format!(
            "{input} partition {partition} ends at offset {end}, but inputs up to {expected} were judged: the topic was \
             recreated; start all services with --generation {} (DANMAKU_GENERATION)",
            generation + 1
        )
    }

    /// F6: the tail has a higher owner number than ours. If the group takes our commit, it lost its memory and we come back
    /// above the tail; if it refuses, we are stale.
    fn settle_dispute(
        &mut self,
        partition: &mut Partition,
        claim: u64,
        start: u64,
        bump: u64,
        now: Instant,
    ) -> ControlFlow<Interruption> {
        self.works.metrics.disputes.increment(1);
        tracing::warn!(partition = partition.number, ours = ?partition.owner, bump, "a higher owner wrote before");
        if self.is_committed(partition.number, start)? {
            partition.bump = bump;
            partition.commit_again = Some(start);
            partition.stage = Stage::Waiting { until: now };
        } else {
            partition.stage = Stage::Claimed { claim, ask_at: now + LOOK_AGAIN };
        }
        Continue(())
    }

    /// Commits and waits for the answer; `false` if nobody could give one. Refused means that we are stale (F6).
    fn is_committed(&mut self, partition: i32, offset: u64) -> ControlFlow<Interruption, bool> {
        match self.membership.commit([(partition, offset)]) {
            Ok(()) => Continue(true),
            Err(error) if Error::is_out_of_group(&error) => {
                Break(Interruption::Rejoin(format!("a commit was refused: {error}")))
            }
            Err(error) => {
                tracing::warn!(partition, %error, "a commit failed, it is tried again");
                Continue(false)
            }
        }
    }

    /// F9: rules at least as new as those that judged last, or whatever there is once the wait is over.
    fn rules_will_do(&self, past: &Past, waited: bool) -> bool {
        let before = past.tail.rules_version;
        let new_enough = self.works.shelf.load().as_ref().is_some_and(|book| book.is_as_new_as(before));
        if !new_enough && waited {
            self.works.metrics.rules_behind.increment(1);
            tracing::warn!(before, "judging with other rules than before");
        }
        new_enough || waited
    }

    /// F8: reads on from where the replay begins.
    fn begin(&mut self, partition: &mut Partition, past: Past, start: u64, now: Instant) {
        tracing::info!(
            partition = partition.number, owner = ?partition.owner, start, replayed_from = past.read_from,
            answered_to = ?past.tail.highest, "partition taken"
        );
        let mut baseline = Baseline::new();
        if let Some(difference_ms) = past.clock_difference_ms {
            baseline.expect(difference_ms);
        }
        let stored = past.stored.unwrap_or(0);
        let mut judging = Judging {
            judge: self.judge_who_knows(partition.number, &past, start),
            inheritance: Inheritance::new(start, past.tail),
            in_flight: InFlight::new(start),
            tally: Tally::new(),
            traces: Traces::default(),
            next: past.read_from,
            reading: false,
            leaving: false,
            caught_up: past.read_from >= start,
            hole: None,
            baseline,
            lag: Lag::of(partition.number),
            last_read: None,
            stored,
            committed: stored,
            watch: Watch::new(now, past.read_from),
            watch_ticket: None,
            forgotten: 0,
            foreign_told: false,
            failures: 0,
        };
        judging.read_on(&self.reader, partition.number);
        partition.stage = Stage::Judging(Box::new(judging));
    }
}
