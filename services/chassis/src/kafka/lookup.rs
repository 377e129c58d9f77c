//! Questions to the cluster that may block while a leader is away: watermarks, times, committed offsets, partition counts.
//! They run on a client of their own, so that no reading waits for them.

use std::{collections::BTreeMap, time::Duration};

use rdkafka::{
    Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::{KafkaError, KafkaResult},
    metadata::MetadataTopic,
    types::RDKafkaErrorCode,
};

use super::{Cluster, Error, context::Quiet};

/// The first offset that is still kept, and the one that the next record will get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watermarks {
    /// The first offset that is still kept.
    pub low: u64,
    /// One above the last record.
    pub high: u64,
}

/// A client that only asks. With a group's name it can read what the group has committed; it never joins.
pub struct LookUp {
    consumer: BaseConsumer<Quiet>,
    timeout: Duration,
}

impl LookUp {
    /// Asks in the name of `group`, each question for at most `timeout`.
    pub fn new(cluster: &Cluster, group: &str, timeout: Duration) -> Result<Self, Error> {
        Ok(Self { consumer: cluster.consumer(group).create_with_context(Quiet::default())?, timeout })
    }

    /// How many partitions `topic` has; `None` if there is no such topic.
    pub fn partitions(&self, topic: &str) -> Result<Option<i32>, Error> {
        let metadata = self.consumer.fetch_metadata(Some(topic), self.timeout)?;
        let found = metadata.topics().iter().find(|found| found.name() == topic);
        // Who may not see a topic is told so; whoever took that for no topic would look for it in vain.
        if let Some(error) = found.and_then(MetadataTopic::error)
            && RDKafkaErrorCode::from(error) == RDKafkaErrorCode::TopicAuthorizationFailed
        {
            return Err(KafkaError::MetadataFetch(error.into()).into());
        }
        let found = found.filter(|found| found.error().is_none());
        Ok(found.map(|found| i32::try_from(found.partitions().len()).unwrap_or(i32::MAX)).filter(|&count| count > 0))
    }

    /// The watermarks of a partition, asked of its leader.
    pub fn watermarks(&self, topic: &str, partition: i32) -> Result<Watermarks, Error> {
        let ask = || self.consumer.fetch_watermarks(topic, partition, self.timeout);
        let (low, high) = self.with_known_leaders(topic, ask)?;
        Ok(Watermarks { low: low.unsigned_abs(), high: high.unsigned_abs() })
    }

    /// The first offset whose record was appended at or after `time_ms`; `None` if there is none yet. Not on the mock broker,
    /// which always answers "none".
    pub fn offset_at(&self, topic: &str, partition: i32, time_ms: i64) -> Result<Option<u64>, Error> {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, Offset::Offset(time_ms))?;
        let answer = self.with_known_leaders(topic, || self.consumer.offsets_for_times(list.clone(), self.timeout))?;
        let found = answer.find_partition(topic, partition).map(|element| element.offset());
        Ok(match found {
            Some(Offset::Offset(offset)) => Some(offset.unsigned_abs()),
            _ => None,
        })
    }

    /// What the group has committed: the next offset to judge, per partition that has one.
    pub fn committed(&self, topic: &str, partitions: &[i32]) -> Result<BTreeMap<i32, u64>, Error> {
        let mut list = TopicPartitionList::new();
        for &partition in partitions {
            list.add_partition(topic, partition);
        }
        let answer = self.consumer.committed_offsets(list, self.timeout)?;
        Ok(answer
            .elements()
            .iter()
            .filter_map(|element| match element.offset() {
                Offset::Offset(offset) => Some((element.partition(), offset.unsigned_abs())),
                _ => None,
            })
            .collect())
    }

    /// Asks, and once more after asking for the topic's leaders if that failed.
    ///
    /// Librdkafka takes leaders from its cache and calls a partition unknown for good when the cache was filled while the
    /// topic had a partition without a leader; nothing refreshes it then for five minutes (seen when a broker of three died).
    fn with_known_leaders<T>(&self, topic: &str, ask: impl Fn() -> KafkaResult<T>) -> Result<T, Error> {
        ask().or_else(|_| {
            self.consumer.fetch_metadata(Some(topic), self.timeout)?;
            Ok(ask()?)
        })
    }
}
