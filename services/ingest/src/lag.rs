//! Is the judge behind? Per partition: the oldest acknowledged record above the filter group's committed offset, and its age.
//! What is asked and when stands at the foot; all above it is pure, with time as an argument.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chassis::kafka::LookUp;

use crate::metrics::Metrics;

/// Steps into which the age that closes is divided: at 10 s, 250 ms each, by which a partition may close late.
const STEPS: u32 = 40;

/// Samples a partition keeps: 1.6 times the age that closes. When full the oldest is dropped, and nothing is lost by that:
/// the next one is then over the age as well, and unjudged if the dropped one was. 64 × 40 B × 64 partitions = 160 kB.
const SAMPLES_MAX: usize = 64;

/// How often the group is asked. It commits each second, so the answer is at most two seconds old.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// How far the judge is, partition by partition.
pub(crate) struct Lag {
    partitions: Vec<Partition>,
    age_max: Duration,
}

#[derive(Default)]
struct Partition {
    samples: Mutex<Samples>,
    closed: AtomicBool,
}

/// What was acknowledged lately in one partition, one sample a step.
#[derive(Default)]
struct Samples(VecDeque<Sample>);

#[derive(Debug, Clone, Copy)]
struct Sample {
    opened: Instant,
    /// The highest offset, and when the last was acknowledged.
    last: u64,
    at: Instant,
}

impl Samples {
    fn acknowledged(&mut self, offset: u64, now: Instant, step: Duration) {
        match self.0.back_mut() {
            Some(sample) if now.saturating_duration_since(sample.opened) < step => {
                sample.last = sample.last.max(offset);
                sample.at = sample.at.max(now);
            }
            _ => {
                if self.0.len() == SAMPLES_MAX {
                    self.0.pop_front();
                }
                self.0.push_back(Sample { opened: now, last: offset, at: now });
            }
        }
    }

    /// Forgets what is judged (below `committed`) and tells how old the oldest of the rest was at `now`.
    fn oldest_unjudged(&mut self, committed: u64, now: Instant) -> Option<Duration> {
        self.0.retain(|sample| sample.last >= committed);
        self.0.front().map(|sample| now.saturating_duration_since(sample.at))
    }
}

impl Lag {
    /// Closes a partition at `age_max`; never if that is zero.
    pub(crate) fn new(partitions: i32, age_max: Duration) -> Self {
        Self { partitions: (0..partitions).map(|_| Partition::default()).collect(), age_max }
    }

    fn partition(&self, partition: i32) -> Option<&Partition> {
        self.partitions.get(usize::try_from(partition).ok()?)
    }

    /// Notes that Kafka has the record at `offset`.
    pub(crate) fn acknowledged(&self, partition: i32, offset: u64, now: Instant) {
        if let Some(partition) = self.partition(partition).filter(|_| !self.age_max.is_zero()) {
            lock(&partition.samples).acknowledged(offset, now, self.age_max / STEPS);
        }
    }

    /// Whether the rooms of `partition` are told `judge_behind`.
    pub(crate) fn is_closed(&self, partition: i32) -> bool {
        self.partition(partition).is_some_and(|partition| partition.closed.load(Ordering::Relaxed))
    }

    /// The partitions about which the group has to be asked: those with something acknowledged and not known to be judged.
    fn in_question(&self) -> Vec<i32> {
        let waits = |partition: &Partition| !lock(&partition.samples).0.is_empty();
        (0..).zip(&self.partitions).filter(|(_, partition)| waits(partition)).map(|(number, _)| number).collect()
    }

    /// Closes and opens what was asked about, by the group's answer to a question asked at `now`.
    ///
    /// A partition without a committed offset was never judged by this group, so all of it is unjudged. One that is not
    /// heard of keeps its last state: not being able to ask says nothing about the judge.
    fn heard(&self, asked: &[i32], committed: &BTreeMap<i32, u64>, now: Instant) {
        for &number in asked {
            let Some(partition) = self.partition(number) else { continue };
            let next = committed.get(&number).copied().unwrap_or(0);
            let age = lock(&partition.samples).oldest_unjudged(next, now);
            let closed = age.is_some_and(|age| age > self.age_max);
            if partition.closed.swap(closed, Ordering::Relaxed) != closed {
                log_change(number, next, closed);
            }
        }
    }

    /// How long the oldest record that is not known to be judged has waited.
    fn oldest_unjudged(&self, now: Instant) -> Duration {
        let oldest = |partition: &Partition| lock(&partition.samples).0.front().map(|sample| sample.at);
        let oldest = self.partitions.iter().filter_map(oldest).min();
        oldest.map_or(Duration::ZERO, |at| now.saturating_duration_since(at))
    }

    fn closed_count(&self) -> usize {
        self.partitions.iter().filter(|partition| partition.closed.load(Ordering::Relaxed)).count()
    }
}

/// A poisoned lock guards numbers only, which are whole after each statement.
fn lock(samples: &Mutex<Samples>) -> std::sync::MutexGuard<'_, Samples> {
    samples.lock().unwrap_or_else(PoisonError::into_inner)
}

fn log_change(partition: i32, committed: u64, closed: bool) {
    if closed {
        tracing::warn!(partition, committed, "partition closed: the judge is behind");
    } else {
        tracing::info!(partition, committed, "partition open: the judge has caught up");
    }
}

/// Asks the filter group each second how far it is, for ever; the owner of the task ends it.
///
/// When it cannot be asked the last answer holds: a door that closed for a group's coordinator being away would turn a
/// hiccup of Kafka into silence in every room.
pub(crate) async fn follow(lag: Arc<Lag>, look_up: Arc<LookUp>, topic: Arc<str>, metrics: Metrics) {
    let mut ticks = tokio::time::interval(ASK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut was_heard = true;
    loop {
        ticks.tick().await;
        let asked = lag.in_question();
        if asked.is_empty() {
            metrics.judge_lag.set(0.0);
            continue;
        }
        let now = Instant::now();
        let question = {
            let (look_up, topic, asked) = (Arc::clone(&look_up), Arc::clone(&topic), asked.clone());
            tokio::task::spawn_blocking(move || look_up.committed(&topic, &asked))
        };
        let failure = match question.await {
            Ok(Ok(committed)) => {
                lag.heard(&asked, &committed, now);
                None
            }
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        metrics.closed_partitions.set(lag.closed_count() as f64);
        metrics.judge_lag.set(lag.oldest_unjudged(Instant::now()).as_secs_f64());
        if let Some(error) = &failure {
            metrics.look_up_failures.increment(1);
            if was_heard {
                tracing::warn!(error, "the filter group's offsets cannot be asked for, the last answer holds");
            }
        }
        was_heard = failure.is_none();
    }
}

#[cfg(test)]
mod tests;
