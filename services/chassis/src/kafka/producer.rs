//! An idempotent producer with a bound in bytes, whose every record is answered for. Partitions are the caller's choice.

use std::{
    future::Future,
    pin::Pin,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    task::{Context, Poll},
    time::Duration,
};

use rdkafka::{
    ClientContext, Message,
    config::RDKafkaLogLevel,
    error::KafkaError,
    message::{Header, OwnedHeaders},
    producer::{BaseRecord, DeliveryResult, Producer as _, ProducerContext, ThreadedProducer},
    types::RDKafkaErrorCode,
};
use tokio::sync::oneshot;

use super::{Cluster, Error, context, context::FatalError};

/// What a service decides about its producer.
#[derive(Debug, Clone, Copy)]
pub struct ProducerSettings {
    /// A record that is not acknowledged for so long failed. `None`: it waits for ever, and its partition with it.
    pub message_timeout: Option<Duration>,
    /// How long a record may wait for company in its batch.
    pub linger: Duration,
    /// How many bytes may wait unacknowledged; above it a record is refused at once.
    pub queue_bytes: usize,
}

/// A record to write.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The topic's whole name.
    pub topic: &'a str,
    /// The partition.
    pub partition: i32,
    /// The key, if any.
    pub key: Option<&'a [u8]>,
    /// The value; `None` writes a tombstone.
    pub value: Option<&'a [u8]>,
    /// Headers, at most a few.
    pub headers: &'a [(&'a str, &'a [u8])],
}

/// What became of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All in-sync replicas have it, at this offset.
    Acked(u64),
    /// It was not written, or nobody knows.
    Failed(Failure),
}

/// Why a record was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The producer's memory is full; try later.
    Full,
    /// Not acknowledged in time; it may still have been written.
    TimedOut,
    /// The record itself is at fault: too large, or invalid. Writing it again will not help.
    BadRecord(String),
    /// The producer, or what it is allowed to do, is at fault; after a fatal one it must be thrown away.
    Broken(String),
}

/// The answer to come for one record. Dropping it does not take the record back.
pub struct Delivery(oneshot::Receiver<Outcome>);

impl Delivery {
    /// The outcome if it has come; the caller asks again otherwise.
    pub fn try_outcome(&mut self) -> Option<Outcome> {
        match self.0.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(oneshot::error::TryRecvError::Empty) => None,
            Err(oneshot::error::TryRecvError::Closed) => Some(gone()),
        }
    }

    /// Blocks this thread until the outcome has come.
    pub fn wait(self) -> Outcome {
        self.0.blocking_recv().unwrap_or_else(|_| gone())
    }
}

fn gone() -> Outcome {
    Outcome::Failed(Failure::Broken("the producer was thrown away".to_owned()))
}

impl Future for Delivery {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        Pin::new(&mut self.0).poll(cx).map(|outcome| outcome.unwrap_or_else(|_| gone()))
    }
}

/// Writes records in the order given, each exactly once within the life of this producer.
///
/// Dropping it forgets what is not acknowledged yet: such a record may or may not have been written.
pub struct Producer {
    inner: ThreadedProducer<Reports>,
    queue_bytes: usize,
}

#[derive(Default)]
struct Reports {
    fatal: FatalError,
    in_flight_bytes: AtomicUsize,
    has_id: AtomicBool,
}

/// What travels with a record until its report.
struct Waiting {
    tell: oneshot::Sender<Outcome>,
    bytes: usize,
}

impl ClientContext for Reports {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        context::log(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        context::note(&self.fatal, &error, reason);
    }

    // The statistics are the only place where librdkafka says whether the broker has given it a producer id.
    fn stats_raw(&self, statistics: &[u8]) {
        const ASSIGNED: &[u8] = br#""idemp_state": "Assigned""#;
        if !self.has_id.load(Ordering::Relaxed) && statistics.windows(ASSIGNED.len()).any(|window| window == ASSIGNED) {
            self.has_id.store(true, Ordering::Relaxed);
        }
    }
}

impl ProducerContext for Reports {
    type DeliveryOpaque = Box<Waiting>;

    fn delivery(&self, report: &DeliveryResult<'_>, waiting: Box<Waiting>) {
        self.in_flight_bytes.fetch_sub(waiting.bytes, Ordering::Relaxed);
        let outcome = match report {
            Ok(message) => Outcome::Acked(message.offset().unsigned_abs()),
            Err((error, _)) => Outcome::Failed(classify(error)),
        };
        // Nobody waits any more: the answer has gone stale, not the record.
        let _ = waiting.tell.send(outcome);
    }
}

fn classify(error: &KafkaError) -> Failure {
    use RDKafkaErrorCode as Code;
    match error.rdkafka_error_code() {
        Some(Code::QueueFull) => Failure::Full,
        Some(Code::MessageTimedOut | Code::RequestTimedOut | Code::OperationTimedOut) => Failure::TimedOut,
        Some(
            Code::MessageSizeTooLarge
            | Code::InvalidMessage
            | Code::InvalidMessageSize
            | Code::InvalidRecord
            | Code::InvalidTimestamp,
        ) => Failure::BadRecord(error.to_string()),
        _ => Failure::Broken(error.to_string()),
    }
}

impl Producer {
    /// An idempotent producer with acks=all and lz4.
    pub fn new(cluster: &Cluster, settings: ProducerSettings) -> Result<Self, Error> {
        let mut config = cluster.client();
        config
            .set("enable.idempotence", "true")
            .set("compression.type", "lz4")
            .set("linger.ms", settings.linger.as_millis().to_string())
            .set("message.timeout.ms", settings.message_timeout.map_or(0, |timeout| timeout.as_millis()).to_string())
            // No bound of its own: our count of bytes has 64 for each record, and small records count by it.
            .set("queue.buffering.max.messages", "0")
            // For `warm_up`; at 64 partitions a report is about 50 kB, once a second.
            .set("statistics.interval.ms", "1000")
            // Our own count refuses first; this is the same bound in librdkafka's terms.
            .set("queue.buffering.max.kbytes", (settings.queue_bytes / 1024 + 1024).to_string());
        Ok(Self { inner: config.create_with_context(Reports::default())?, queue_bytes: settings.queue_bytes })
    }

    /// Hands a record over. `Err` means that it was not taken and never will be written.
    pub fn send(&self, record: Outgoing<'_>) -> Result<Delivery, Failure> {
        let bytes = record.value.map_or(0, <[u8]>::len) + record.key.map_or(0, <[u8]>::len) + 64;
        let count = &self.inner.context().in_flight_bytes;
        if count.fetch_add(bytes, Ordering::Relaxed) + bytes > self.queue_bytes {
            count.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Failure::Full);
        }
        let (tell, told) = oneshot::channel();
        let mut out =
            BaseRecord::<[u8], [u8], Box<Waiting>>::with_opaque_to(record.topic, Box::new(Waiting { tell, bytes }))
                .partition(record.partition);
        out.key = record.key;
        out.payload = record.value;
        if !record.headers.is_empty() {
            let headers = record
                .headers
                .iter()
                .fold(OwnedHeaders::new(), |headers, (key, value)| headers.insert(Header { key, value: Some(*value) }));
            out = out.headers(headers);
        }
        self.inner.send(out).map(|()| Delivery(told)).map_err(|(error, _)| {
            count.fetch_sub(bytes, Ordering::Relaxed);
            classify(&error)
        })
    }

    /// Looks up the leaders of `topic`, for at most `timeout`, and tells whether the broker has given this producer its id.
    ///
    /// A first record waits for both, 0.5 to 1.1 s (measured), so call it until it says yes before calling oneself ready.
    pub fn warm_up(&self, topic: &str, timeout: Duration) -> Result<bool, Error> {
        self.inner.client().fetch_metadata(Some(topic), timeout)?;
        Ok(self.inner.context().has_id.load(Ordering::Relaxed))
    }

    /// The first fatal error, after which this producer must be thrown away.
    pub fn fatal(&self) -> Option<&str> {
        self.inner.context().fatal.get().map(String::as_str)
    }

    /// Bytes that wait for their acknowledgement.
    pub fn in_flight_bytes(&self) -> usize {
        self.inner.context().in_flight_bytes.load(Ordering::Relaxed)
    }
}
