//! The only room that names rdkafka: a producer, transactions, a group's membership, a reader, a follower, look-ups, topics, an embedded
//! broker.
//!
//! Reading and membership are two things here: [`Membership`] says which partitions are this process's and commits for them,
//! [`Reader`] reads any partition from any offset. What is read, and what is written for it, is not decided in this room.

mod access;
mod context;
mod embedded;
mod examine;
mod follow;
mod generation;
mod lookup;
mod membership;
mod producer;
mod pulse;
mod reader;
mod topics;
mod transaction;
mod watchdog;

use std::time::Duration;

use rdkafka::ClientConfig;

pub use access::{Access, let_in, reach};
pub use embedded::Embedded;
pub use examine::{Ends, Tried, read_ends, try_group, try_settings, try_write};
pub use follow::{Follower, News};
pub use lookup::{LookUp, Watermarks};
pub use membership::{Change, Membership, Timing};
pub use producer::{Delivery, Failure, Outcome, Outgoing, Producer, ProducerSettings};
pub use pulse::keep_asking;
pub use reader::{Heard, READERS, Reader, Record};
pub use topics::{Applied, Mismatch, TopicSpec, apply_topics, keep_verifying, topic_settings, verify_topics};
pub use transaction::{NotWritten, Transactions};
pub use watchdog::{Seen, Watchdog};

/// An error of a Kafka call, for an operator's eyes.
#[derive(Debug, thiserror::Error)]
#[error("kafka: {0}")]
pub struct Error(rdkafka::error::KafkaError);

// By hand, as a derived one would make it the source too, and a chain of causes would say it twice.
impl From<rdkafka::error::KafkaError> for Error {
    fn from(error: rdkafka::error::KafkaError) -> Self {
        Self(error)
    }
}

impl Error {
    /// Whether a topic is not for who asks.
    pub fn is_denied(&self) -> bool {
        self.0.rdkafka_error_code() == Some(rdkafka::types::RDKafkaErrorCode::TopicAuthorizationFailed)
    }

    /// Whether the group does not know this member, or not in its generation, any more: it must join anew.
    pub fn is_out_of_group(&self) -> bool {
        use rdkafka::types::RDKafkaErrorCode as Code;
        matches!(
            self.0.rdkafka_error_code(),
            Some(Code::UnknownMemberId | Code::IllegalGeneration | Code::FencedInstanceId | Code::AssignmentLost)
        )
    }
}

/// Which cluster, and how patiently it is read.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Bootstrap servers, `host:port` joined by commas.
    pub brokers: String,
    /// How long the broker may hold a fetch for more to come. The mock broker holds every empty fetch that long.
    pub fetch_wait: Duration,
    /// As whom it is asked.
    pub access: Access,
    /// Librdkafka's own mock broker: no times, no topic administration, no long poll.
    pub embedded: bool,
}

impl Cluster {
    /// A real cluster. A fetch is held for 50 ms: a real broker answers at the first record anyway, and a newly assigned
    /// partition waits for the fetch that is under way (measured: up to 169 ms at 100, 31 ms at 5).
    pub fn real(brokers: impl Into<String>) -> Self {
        Self {
            brokers: brokers.into(),
            fetch_wait: Duration::from_millis(50),
            access: Access::default(),
            embedded: false,
        }
    }

    /// The same, asked as `access` says.
    #[must_use]
    pub fn asked_as(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Settings that every client has.
    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.brokers)
            .set("socket.keepalive.enable", "true")
            .set("reconnect.backoff.max.ms", "2000")
            // An idle connection that the broker closes is no event.
            .set("log.connection.close", "false")
            .set("enable.metrics.push", "false")
            .set("allow.auto.create.topics", "false");
        for (key, value) in self.access.pairs() {
            config.set(key, value);
        }
        config
    }

    /// Settings that every consumer has. Nothing is committed or stored behind the caller's back.
    fn consumer(&self, group: &str) -> ClientConfig {
        let mut config = self.client();
        config
            // Librdkafka wants a group id even from a consumer that never joins one.
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "error")
            .set("isolation.level", "read_uncommitted")
            .set("fetch.wait.max.ms", self.fetch_wait.as_millis().to_string())
            .set("fetch.min.bytes", "1")
            // The default pauses a partition for a whole second once the local queue is full.
            .set("fetch.queue.backoff.ms", "20")
            .set("fetch.error.backoff.ms", "50")
            // Bounds of what waits in memory unread: 16 MiB a client.
            .set("queued.min.messages", "10000")
            .set("queued.max.messages.kbytes", "16384");
        config
    }
}
