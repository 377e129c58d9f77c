//! Membership of a consumer group: which partitions are ours, since when, and what we have finished. It reads no records.
//!
//! A rebalance is a value, not a callback: [`Membership::poll`] returns a [`Change`], and the group waits until the caller
//! has acted on it and calls [`Membership::accept`]. So the caller can finish what it owes for a revoked partition in its
//! own loop, with its own state in its hands.

use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use rdkafka::{
    ClientContext, Offset, TopicPartitionList,
    config::RDKafkaLogLevel,
    consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, RebalanceProtocol},
    error::{KafkaError, KafkaResult},
    types::RDKafkaRespErr,
};

use super::{Cluster, Error, context, context::FatalError, generation};

/// What the group decided, about one partition at least. Hand it back to [`Membership::accept`] once acted on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// These partitions are ours from now on.
    Assigned(Vec<i32>),
    /// These partitions are to be given up; commits for them still count until the change is accepted.
    Revoked(Vec<i32>),
    /// These partitions already belong to somebody else: nothing can be committed any more.
    Lost(Vec<i32>),
}

/// How long a group waits for its members.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// A member that is not heard of for so long has crashed.
    pub session: Duration,
    /// How often it is heard of.
    pub heartbeat: Duration,
    /// A member that does not poll for so long hangs.
    pub poll: Duration,
}

/// One member of a cooperative-sticky group on one topic.
pub struct Membership {
    consumer: BaseConsumer<Changes>,
    topic: String,
}

#[derive(Default)]
struct Changes {
    fatal: FatalError,
    pending: Mutex<VecDeque<Change>>,
    commit_failures: AtomicU64,
    /// Changes that librdkafka waits to see accepted: pending, or in the caller's hands.
    owed: Mutex<VecDeque<Change>>,
    closing: AtomicBool,
}

impl ClientContext for Changes {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        context::log(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        context::note(&self.fatal, &error, reason);
    }
}

impl ConsumerContext for Changes {
    // Librdkafka waits for the matching (un)assign call, which `accept` makes; only a closing consumer is answered here.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, kind: RDKafkaRespErr, list: &mut TopicPartitionList) {
        let mut partitions: Vec<i32> = list.elements().iter().map(|element| element.partition()).collect();
        partitions.sort_unstable();
        let change = match kind {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Change::Assigned(partitions),
            _ if consumer.assignment_lost() => Change::Lost(partitions),
            _ => Change::Revoked(partitions),
        };
        if partitions_of(&change).is_empty() || self.closing.load(Ordering::Acquire) {
            let _ = answer(consumer, &change, list);
        } else if let (Ok(mut pending), Ok(mut owed)) = (self.pending.lock(), self.owed.lock()) {
            owed.push_back(change.clone());
            pending.push_back(change);
        }
    }

    fn commit_callback(&self, result: KafkaResult<()>, _: &TopicPartitionList) {
        if let Err(error) = result {
            tracing::debug!(target: "kafka", %error, "a commit failed");
            self.commit_failures.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn partitions_of(change: &Change) -> &[i32] {
    match change {
        Change::Assigned(partitions) | Change::Revoked(partitions) | Change::Lost(partitions) => partitions,
    }
}

/// The call that librdkafka waits for after it has told of a change.
fn answer(consumer: &BaseConsumer<Changes>, change: &Change, list: &TopicPartitionList) -> Result<(), KafkaError> {
    let cooperative = matches!(consumer.rebalance_protocol(), RebalanceProtocol::Cooperative);
    match (change, cooperative) {
        (Change::Assigned(_), true) => consumer.incremental_assign(list),
        (Change::Assigned(_), false) => consumer.assign(list),
        (_, true) => consumer.incremental_unassign(list),
        (_, false) => consumer.unassign(),
    }
}

impl Membership {
    /// Joins `group` for `topic`. The first poll starts the joining; `instance_id` makes it a static member.
    pub fn join(
        cluster: &Cluster,
        group: &str,
        topic: &str,
        timing: Timing,
        instance_id: Option<&str>,
    ) -> Result<Self, Error> {
        let mut config = cluster.consumer(group);
        config
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", timing.session.as_millis().to_string())
            .set("heartbeat.interval.ms", timing.heartbeat.as_millis().to_string())
            .set("max.poll.interval.ms", timing.poll.as_millis().to_string());
        if let Some(id) = instance_id {
            config.set("group.instance.id", id);
        }
        let consumer: BaseConsumer<Changes> = config.create_with_context(Changes::default())?;
        consumer.subscribe(&[topic])?;
        Ok(Self { consumer, topic: topic.to_owned() })
    }

    /// Serves the group for at most `timeout` and tells what it decided. Must be called within `Timing::poll`.
    pub fn poll(&self, timeout: Duration) -> Result<Option<Change>, Error> {
        if let Some(change) = self.next_change() {
            return Ok(Some(change));
        }
        match self.consumer.poll(timeout) {
            // The partitions are paused; a record that slipped in before the pause is not ours to read.
            None | Some(Ok(_) | Err(KafkaError::PartitionEOF(_))) => Ok(self.next_change()),
            Some(Err(error)) => match self.next_change() {
                Some(change) => Ok(Some(change)),
                None => Err(error.into()),
            },
        }
    }

    fn next_change(&self) -> Option<Change> {
        self.consumer.context().pending.lock().ok()?.pop_front()
    }

    /// Tells the group that `change` was acted on. The group stands still until then.
    pub fn accept(&self, change: &Change) -> Result<(), Error> {
        if let Ok(mut owed) = self.consumer.context().owed.lock() {
            owed.pop_front();
        }
        let assigned = matches!(change, Change::Assigned(_));
        // Explicit offsets, and paused: records are read by a `Reader`, this consumer only holds the place.
        let offset = if assigned { Offset::End } else { Offset::Invalid };
        let list = self.list(partitions_of(change).iter().map(|&partition| (partition, offset)))?;
        answer(&self.consumer, change, &list)?;
        if assigned {
            self.consumer.pause(&list)?;
        }
        Ok(())
    }

    /// Commits the offset of the next record to judge, per partition, and waits for the answer. Refused (an error) if this
    /// member's generation is not the group's any more.
    pub fn commit(&self, next: impl IntoIterator<Item = (i32, u64)>) -> Result<(), Error> {
        let list =
            self.list(next.into_iter().map(|(partition, offset)| (partition, Offset::Offset(offset.cast_signed()))))?;
        if list.count() > 0 {
            self.consumer.commit(&list, CommitMode::Sync)?;
        }
        Ok(())
    }

    /// Like [`Membership::commit`], without waiting; a failure is counted in [`Membership::commit_failures`].
    pub fn commit_soon(&self, next: impl IntoIterator<Item = (i32, u64)>) -> Result<(), Error> {
        let list =
            self.list(next.into_iter().map(|(partition, offset)| (partition, Offset::Offset(offset.cast_signed()))))?;
        if list.count() > 0 {
            self.consumer.commit(&list, CommitMode::Async)?;
        }
        Ok(())
    }

    /// How many commits failed or were refused so far; what they were for must be committed again.
    pub fn commit_failures(&self) -> u64 {
        self.consumer.context().commit_failures.load(Ordering::Relaxed)
    }

    /// The group's generation as this member knows it; −1 outside a group. It grows with every rebalance.
    pub fn generation(&self) -> i32 {
        generation::of(&self.consumer)
    }

    /// The first fatal error, after which this member must be dropped and join anew.
    pub fn fatal(&self) -> Option<&str> {
        self.consumer.context().fatal.get().map(String::as_str)
    }

    fn list(&self, partitions: impl IntoIterator<Item = (i32, Offset)>) -> Result<TopicPartitionList, Error> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in partitions {
            list.add_partition_offset(&self.topic, partition, offset)?;
        }
        Ok(list)
    }
}

impl Drop for Membership {
    // Dropping leaves the group; the rebalance that this causes is answered by the context.
    fn drop(&mut self) {
        self.consumer.context().closing.store(true, Ordering::Release);
        // Closing would wait for ever for a change that nobody will accept.
        let owed = self.consumer.context().owed.lock().map(|owed| owed.clone()).unwrap_or_default();
        for change in owed {
            let _ = self.accept(&change);
        }
    }
}
