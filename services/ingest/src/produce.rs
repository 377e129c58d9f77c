//! Writes what was admitted to `danmaku-input` and waits for Kafka's acknowledgement. Whether it may be written is decided
//! before; what the sender is told is decided behind.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use chassis::{
    ground::Ground,
    kafka::{self, Cluster, Failure, Outcome, Outgoing, Producer, ProducerSettings},
    trace::Tracer,
};
use proto::{
    MessageId, Topic, partition,
    record::{HEADER_TRACEPARENT, encode},
    v1,
};
use tokio_util::task::TaskTracker;

use crate::{
    lag::Lag,
    metrics::Metrics,
    trace::{Caller, Sending},
};

/// Long enough to gather a batch when it is busy (at 20,000 messages a second, 20 of them), too short to be felt.
const LINGER: Duration = Duration::from_millis(1);

/// What may wait for acknowledgements: 64 MiB ÷ about 400 B a record = 160,000 records, 5 s at 32,000 a second. When it is
/// full the next message is refused at once, as `unavailable`.
const QUEUE_BYTES: usize = 64 * 1024 * 1024;

/// The input topic as the door writes it.
pub(crate) struct InputTopic {
    cluster: Cluster,
    settings: ProducerSettings,
    producer: ArcSwap<Producer>,
    /// Held while a producer is replaced.
    replacing: Mutex<()>,
    name: Arc<str>,
    partitions: i32,
    lag: Arc<Lag>,
    metrics: Metrics,
    tracer: Tracer,
    /// Writes in hand, which go on when their client has gone; each ends with the produce timeout.
    writes: TaskTracker,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Written {
    /// Kafka has it.
    Acknowledged(MessageId),
    /// Nobody knows: not acknowledged in time, or not taken at all.
    Unknown,
    /// Kafka will never take such a record.
    Refused,
}

impl InputTopic {
    pub(crate) fn open(
        ground: &Ground,
        timeout: Duration,
        lag: Arc<Lag>,
        metrics: Metrics,
    ) -> Result<Self, kafka::Error> {
        let settings = ProducerSettings { message_timeout: Some(timeout), linger: LINGER, queue_bytes: QUEUE_BYTES };
        Ok(Self {
            producer: ArcSwap::from_pointee(Producer::new(&ground.cluster, settings)?),
            replacing: Mutex::new(()),
            cluster: ground.cluster.clone(),
            settings,
            name: Topic::Input.name(&ground.topic_prefix).into(),
            partitions: ground.partitions,
            lag,
            metrics,
            tracer: ground.tracer.of("ingest"),
            writes: TaskTracker::new(),
        })
    }

    /// The topic's whole name.
    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// Where a room's records stand.
    pub(crate) fn partition_of(&self, room: &str) -> i32 {
        partition::of(room.as_bytes(), self.partitions)
    }

    /// All partitions, which an announcement goes to.
    pub(crate) fn partitions(&self) -> Range<i32> {
        0..self.partitions
    }

    /// Writes a record to each of these partitions and waits for what becomes of it; acknowledged is what all of them have,
    /// under the id of the last.
    ///
    /// Tasks of their own do so: a client that goes away takes his answer back, not his message, and an accepted message is
    /// counted whether or not anybody is left to hear of it.
    pub(crate) async fn write(self: &Arc<Self>, to: Range<i32>, input: v1::Input, caller: Caller) -> Written {
        let input = Arc::new(input);
        let begin = |partition| {
            let (this, input) = (Arc::clone(self), Arc::clone(&input));
            self.writes.spawn(async move { this.write_now(partition, &input, caller).await })
        };
        // All are begun before the first is awaited.
        let writing: Vec<_> = to.map(begin).collect();
        let mut written = Written::Unknown;
        for one in writing {
            written = one.await.unwrap_or(Written::Unknown);
            if !matches!(written, Written::Acknowledged(_)) {
                break;
            }
        }
        written
    }

    async fn write_now(&self, partition: i32, input: &v1::Input, caller: Caller) -> Written {
        let sending = Sending::begin(&self.tracer, caller);
        let outcome = self.produce(partition, input, sending.header().as_deref()).await;
        let now = Instant::now();
        let written = match outcome {
            Outcome::Acked(offset) => {
                self.lag.acknowledged(partition, offset, now);
                self.metrics.accepted(now - sending.began);
                Written::Acknowledged(input.id_at(partition, offset))
            }
            Outcome::Failed(Failure::BadRecord(error)) => {
                tracing::warn!(error, partition, "kafka takes no such record");
                Written::Refused
            }
            Outcome::Failed(failure) => {
                tracing::debug!(?failure, partition, "not acknowledged");
                Written::Unknown
            }
        };
        sending.end(&self.tracer, (&self.name, partition), input.accepted_ms, &written, now);
        written
    }

    async fn produce(&self, partition: i32, input: &v1::Input, traceparent: Option<&str>) -> Outcome {
        let headers = traceparent.map(|value| (HEADER_TRACEPARENT, value.as_bytes()));
        let value = encode(input);
        let sent = self.producer().send(Outgoing {
            topic: &self.name,
            partition,
            key: Some(input.room.as_bytes()),
            value: Some(&value),
            headers: headers.as_slice(),
        });
        match sent {
            Ok(delivery) => delivery.await,
            Err(failure) => Outcome::Failed(failure),
        }
    }

    /// The producer in use. After a fatal error librdkafka wants it thrown away, and the next takes its place.
    fn producer(&self) -> Arc<Producer> {
        let producer = self.producer.load_full();
        if producer.fatal().is_none() {
            return producer;
        }
        let _replacing = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.producer.load_full();
        if current.fatal().is_none() {
            return current;
        }
        match Producer::new(&self.cluster, self.settings) {
            Ok(fresh) => {
                self.metrics.producers_lost.increment(1);
                tracing::warn!(error = current.fatal(), "producer replaced after a fatal error");
                let fresh = Arc::new(fresh);
                let lost = self.producer.swap(Arc::clone(&fresh));
                // Dropping it fails what it still holds, and may block for half a second.
                tokio::task::spawn_blocking(move || drop((lost, current)));
                fresh
            }
            Err(error) => {
                tracing::error!(%error, "no new producer can be made");
                current
            }
        }
    }

    /// Prepares the producer, so that the first message does not wait for what can be known before; true when it is done.
    pub(crate) async fn warm_up(&self) -> Result<bool, kafka::Error> {
        let (producer, name) = (self.producer(), self.name());
        let asked = tokio::task::spawn_blocking(move || producer.warm_up(&name, Duration::from_secs(5))).await;
        // The task ends early only when the runtime does.
        asked.unwrap_or(Ok(false))
    }

    /// Bytes that wait for their acknowledgement.
    pub(crate) fn in_flight_bytes(&self) -> usize {
        self.producer.load().in_flight_bytes()
    }

    /// Waits until what is in hand is acknowledged, or given up.
    pub(crate) async fn finished(&self) {
        self.writes.close();
        self.writes.wait().await;
    }
}
