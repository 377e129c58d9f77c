//! What a topic lets its asker do, found out by trying, and how its broker's clock stands. Nothing is written, and no group
//! is joined: a write is tried with a record that is too large to be taken.
//! Kept out: who should be allowed what, and what a topic should be like (`topics`).

use std::time::{Duration, Instant};

use rdkafka::{
    Message, Offset, TopicPartitionList,
    consumer::{BaseConsumer, Consumer},
    error::KafkaError,
    producer::{BaseProducer, BaseRecord, DeliveryResult, ProducerContext},
    types::RDKafkaErrorCode as Code,
};

use super::{Cluster, Error, context::Quiet, topic_settings};

/// How long each try may take.
const TRIED_WITHIN: Duration = Duration::from_secs(5);

/// No topic of ours takes records of this size; a broker that does is not tried.
const RECORD_BYTES_MAX: usize = 16 << 20;

/// What came of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    /// It may be done.
    Allowed,
    /// Kafka said no.
    Denied,
    /// Nobody knows, and why.
    Unknown(String),
}

/// What a reading of a topic's ends showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    /// Whether it may be read.
    pub read: Tried,
    /// The newest time that a broker (or, on the embedded one, a producer) gave a record; Unix milliseconds.
    pub newest_ms: Option<i64>,
}

/// Reads the last record of each of a topic's partitions.
pub async fn read_ends(cluster: &Cluster, topic: &str, partitions: i32) -> Ends {
    let (cluster, topic) = (cluster.clone(), topic.to_owned());
    blocking(move || ends(&cluster, &topic, partitions))
        .await
        .unwrap_or_else(|why| Ends { read: Tried::Unknown(why), newest_ms: None })
}

/// Tries to write to a topic what is too large for it: who may not write at all is told so first.
pub async fn try_write(cluster: &Cluster, topic: &str) -> Tried {
    let settings = match topic_settings(cluster, topic).await {
        Ok(Some(settings)) => settings,
        Ok(None) => return Tried::Unknown("its settings may not be read, so no size is surely too large".to_owned()),
        Err(why) => return Tried::Unknown(format!("{why}; without its settings no size is surely too large")),
    };
    let most = settings.get("max.message.bytes").and_then(|bytes| bytes.parse::<usize>().ok());
    let Some(most) = most.filter(|most| *most < RECORD_BYTES_MAX) else {
        return Tried::Unknown("it does not tell, or has no, size that is surely too large".to_owned());
    };
    let (cluster, topic) = (cluster.clone(), topic.to_owned());
    blocking(move || too_large(&cluster, &topic, most + 1)).await.unwrap_or_else(Tried::Unknown)
}

/// Asks what a group has committed, which who may join it may.
pub async fn try_group(cluster: &Cluster, group: &str, topic: &str) -> Tried {
    let (cluster, group, topic) = (cluster.clone(), group.to_owned(), topic.to_owned());
    blocking(move || committed(&cluster, &group, &topic)).await.unwrap_or_else(Tried::Unknown)
}

/// Librdkafka waits for a coordinator that it may not know, and says so only beside the answer.
fn committed(cluster: &Cluster, group: &str, topic: &str) -> Tried {
    let consumer: Result<BaseConsumer<Quiet>, _> = cluster.consumer(group).create_with_context(Quiet::default());
    let consumer = match consumer {
        Ok(consumer) => consumer,
        Err(error) => return Tried::Unknown(error.to_string()),
    };
    let mut list = TopicPartitionList::new();
    list.add_partition(topic, 0);
    let give_up = Instant::now() + TRIED_WITHIN;
    let mut why = String::new();
    while Instant::now() < give_up {
        match consumer.committed_offsets(list.clone(), Duration::from_millis(500)) {
            Ok(_) => return Tried::Allowed,
            Err(error) if is_denied(&error) => return Tried::Denied,
            Err(error) => why = error.to_string(),
        }
        while let Some(heard) = consumer.poll(Duration::ZERO) {
            if heard.is_err_and(|error| is_denied(&error)) {
                return Tried::Denied;
            }
        }
    }
    Tried::Unknown(why)
}

/// Asks for a topic's settings.
pub async fn try_settings(cluster: &Cluster, topic: &str) -> Tried {
    match topic_settings(cluster, topic).await {
        Ok(Some(_)) => Tried::Allowed,
        Ok(None) => Tried::Denied,
        Err(Error(error)) => tried(&error),
    }
}

/// A try on a thread that may block; its error, or that there was none.
async fn blocking<T: Send + 'static>(attempt: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(attempt).await.map_err(|error| error.to_string())
}

fn ends(cluster: &Cluster, topic: &str, partitions: i32) -> Ends {
    let mut newest_ms = None;
    let read = match last_records(cluster, topic, partitions, &mut newest_ms) {
        Ok(true) => Tried::Allowed,
        Ok(false) => Tried::Unknown(format!("nothing was heard for {} s", TRIED_WITHIN.as_secs())),
        Err(error) => tried(&error),
    };
    Ends { read, newest_ms }
}

/// Whether every partition was read to its end.
fn last_records(
    cluster: &Cluster,
    topic: &str,
    partitions: i32,
    newest_ms: &mut Option<i64>,
) -> Result<bool, KafkaError> {
    let mut config = cluster.consumer("danmaku-doctor");
    // The last record may have been deleted.
    config.set("enable.partition.eof", "true").set("auto.offset.reset", "latest");
    let consumer: BaseConsumer<Quiet> = config.create_with_context(Quiet::default())?;
    let mut list = TopicPartitionList::new();
    for partition in 0..partitions {
        list.add_partition_offset(topic, partition, Offset::OffsetTail(1))?;
    }
    consumer.assign(&list)?;
    let (give_up, mut ended) = (Instant::now() + TRIED_WITHIN, 0);
    while ended < partitions && Instant::now() < give_up {
        match consumer.poll(Duration::from_millis(100)) {
            Some(Ok(record)) => *newest_ms = record.timestamp().to_millis().max(*newest_ms),
            Some(Err(KafkaError::PartitionEOF(_))) => ended += 1,
            // Of a group, which librdkafka looks for all the same, nothing is asked here.
            Some(Err(error)) if error.rdkafka_error_code() == Some(Code::TopicAuthorizationFailed) => {
                return Err(error);
            }
            Some(Err(_)) | None => {}
        }
    }
    Ok(ended == partitions)
}

/// What became of the one record.
#[derive(Default)]
struct Reported(std::sync::OnceLock<Option<KafkaError>>);

impl rdkafka::ClientContext for Reported {}

impl ProducerContext for Reported {
    type DeliveryOpaque = ();

    fn delivery(&self, report: &DeliveryResult<'_>, (): ()) {
        let _ = self.0.set(report.as_ref().err().map(|(error, _)| error.clone()));
    }
}

fn too_large(cluster: &Cluster, topic: &str, bytes: usize) -> Tried {
    let mut config = cluster.client();
    // Librdkafka is to let through what the broker is to refuse; 64 KiB are more than any header.
    config
        .set("message.max.bytes", (bytes + (64 << 10)).to_string())
        .set("message.timeout.ms", TRIED_WITHIN.as_millis().to_string());
    let producer: BaseProducer<Reported> = match config.create_with_context(Reported::default()) {
        Ok(producer) => producer,
        Err(error) => return Tried::Unknown(error.to_string()),
    };
    let value = vec![0; bytes];
    let record = BaseRecord::to(topic).partition(0).key("danmaku-doctor").payload(&value);
    if let Err((error, _)) = producer.send(record) {
        return tried(&error);
    }
    let give_up = Instant::now() + 2 * TRIED_WITHIN;
    while Instant::now() < give_up {
        producer.poll(Duration::from_millis(100));
        match rdkafka::producer::Producer::context(&producer).0.get() {
            Some(Some(error)) => return tried(error),
            Some(None) => return Tried::Allowed,
            None => {}
        }
    }
    Tried::Unknown("no answer".to_owned())
}

fn tried(error: &KafkaError) -> Tried {
    match error.rdkafka_error_code() {
        _ if is_denied(error) => Tried::Denied,
        Some(Code::MessageSizeTooLarge) => Tried::Allowed,
        _ => Tried::Unknown(error.to_string()),
    }
}

fn is_denied(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(Code::TopicAuthorizationFailed | Code::GroupAuthorizationFailed | Code::ClusterAuthorizationFailed)
    )
}
