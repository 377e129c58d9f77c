//! Reading partitions of one topic from explicit offsets, without a group. Who reads what, and from where, is the caller's.

use std::time::Duration;

use rdkafka::{
    ClientConfig, Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::KafkaError,
    message::{BorrowedMessage, Headers},
    types::RDKafkaErrorCode,
};

use super::{Cluster, Error, context::Quiet};

/// Enough to be worth an answer at once.
const GATHERED_BYTES: &str = "65536";

/// The group that readers name and nobody is in: librdkafka wants one, and asks for its coordinator.
pub const READERS: &str = "danmaku-reader";

/// A consumer that reads what it is told to.
pub struct Reader {
    consumer: BaseConsumer<Quiet>,
    topic: String,
}

/// What a poll brought.
pub enum Heard<'a> {
    /// A record.
    Record(Record<'a>),
    /// The end of a partition was reached: the record before this was its last at that moment.
    End(i32),
}

/// A record as the broker keeps it. It pins the whole fetch it came in, so do not keep it.
pub struct Record<'a>(BorrowedMessage<'a>);

impl Record<'_> {
    /// The partition it stands in.
    pub fn partition(&self) -> i32 {
        self.0.partition()
    }

    /// Its offset.
    pub fn offset(&self) -> u64 {
        self.0.offset().unsigned_abs()
    }

    /// When the broker appended it (or, on a broker that keeps the producer's time, when it was made); Unix milliseconds.
    pub fn time_ms(&self) -> i64 {
        self.0.timestamp().to_millis().unwrap_or_default()
    }

    /// Its key.
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key()
    }

    /// Its value; empty for a tombstone.
    pub fn value(&self) -> &[u8] {
        self.0.payload().unwrap_or_default()
    }

    /// The value of its header `name`.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.0.headers()?.iter().find(|header| header.key == name)?.value
    }
}

impl Reader {
    /// A reader of `topic` that reads nothing yet.
    pub fn new(cluster: &Cluster, topic: &str) -> Result<Self, Error> {
        Self::isolated(cluster.consumer(READERS), topic, "read_uncommitted")
    }

    /// As [`Reader::new`], for one who hears much: a real broker gathers records for at most `gather` before it answers. At
    /// 500 records a second it would answer 500 times, and each answer costs 60 µs of CPU here, whatever it carries.
    pub fn gathering(cluster: &Cluster, topic: &str, gather: Duration) -> Result<Self, Error> {
        let mut config = cluster.consumer(READERS);
        if !cluster.embedded {
            config.set("fetch.wait.max.ms", gather.as_millis().to_string()).set("fetch.min.bytes", GATHERED_BYTES);
        }
        Self::isolated(config, topic, "read_uncommitted")
    }

    /// As [`Reader::new`], and it hears what was written in a transaction once that is committed.
    pub fn of_committed(cluster: &Cluster, topic: &str) -> Result<Self, Error> {
        Self::isolated(cluster.consumer(READERS), topic, "read_committed")
    }

    fn isolated(mut config: ClientConfig, topic: &str, level: &str) -> Result<Self, Error> {
        config.set("enable.partition.eof", "true").set("isolation.level", level);
        Ok(Self { consumer: config.create_with_context(Quiet::default())?, topic: topic.to_owned() })
    }

    /// Asks where the topic's leaders are, for at most `timeout`. A client that knows nothing of a topic yet can take a second
    /// until the first assigned partition of it is read (measured); one that was prepared takes milliseconds.
    pub fn prepare(&self, timeout: Duration) -> Result<(), Error> {
        self.consumer.fetch_metadata(Some(&self.topic), timeout)?;
        Ok(())
    }

    /// Reads `partition` from `offset` on. Call [`Reader::release`] first if it is read already.
    pub fn assign(&self, partition: i32, offset: u64) -> Result<(), Error> {
        let list = self.list(partition, Offset::Offset(offset.cast_signed()))?;
        Ok(self.consumer.incremental_assign(&list)?)
    }

    /// Stops reading `partition`; records of it that were fetched already are not heard any more.
    pub fn release(&self, partition: i32) -> Result<(), Error> {
        Ok(self.consumer.incremental_unassign(&self.list(partition, Offset::Invalid)?)?)
    }

    /// Fetches no more of `partition` until it is released and assigned again: what a reader that lost its place looks like,
    /// for tests of those who must notice. Nobody else pauses; letting go needs no undoing that could be lost.
    pub fn pause(&self, partition: i32) -> Result<(), Error> {
        Ok(self.consumer.pause(&self.list(partition, Offset::Invalid)?)?)
    }

    /// Waits at most `timeout` for a record or an end. An error names a broker in trouble and heals by itself, except an
    /// offset that is out of range: the caller sees its partition stand still and must look up where it starts now.
    pub fn poll(&self, timeout: Duration) -> Result<Option<Heard<'_>>, Error> {
        match self.consumer.poll(timeout) {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some(Heard::Record(Record(message)))),
            Some(Err(KafkaError::PartitionEOF(partition))) => Ok(Some(Heard::End(partition))),
            // Librdkafka looks for a group's coordinator whether one joins it or not, and a reader's account need not know any.
            Some(Err(error)) if error.rdkafka_error_code() == Some(RDKafkaErrorCode::GroupAuthorizationFailed) => {
                Ok(None)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    fn list(&self, partition: i32, offset: Offset) -> Result<TopicPartitionList, Error> {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&self.topic, partition, offset)?;
        Ok(list)
    }
}
