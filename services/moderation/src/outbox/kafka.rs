//! Writing to Kafka: rules in transactions under one fixed name, control records by a plain idempotent producer.
//! What is written is decided elsewhere.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use chassis::{
    ground::Ground,
    kafka::{Failure, NotWritten, Outcome, Outgoing, Producer, ProducerSettings, Transactions},
};
use proto::{Topic, partition, record, v1};

/// How long Kafka may take for one step. A leader election takes 1 to 3 s.
pub(super) const TIMEOUT: Duration = Duration::from_secs(20);

/// Control records that may wait: a recall of 200 ids takes 6 KB. One parcel is written at a time, so this is never full.
const QUEUE_BYTES: usize = 16 << 20;

/// Both producers. To be thrown away after an error.
pub(super) struct Writer {
    transactions: Arc<Transactions>,
    input: Producer,
    rules_name: String,
    input_name: String,
    partitions: i32,
}

/// A record of `danmaku-rules`; none is a tombstone.
pub(super) type Rule = (String, Option<Vec<u8>>);

impl Writer {
    /// Begins to write, and fences whoever wrote before.
    pub(super) async fn begin(ground: &Ground) -> anyhow::Result<Self> {
        let settings =
            ProducerSettings { message_timeout: Some(TIMEOUT), linger: Duration::ZERO, queue_bytes: QUEUE_BYTES };
        let input = Producer::new(&ground.cluster, settings).context("no producer can be made")?;
        let rules_name = Topic::Rules.name(&ground.topic_prefix);
        let (cluster, name) = (ground.cluster.clone(), rules_name.clone());
        let transactions = tokio::task::spawn_blocking(move || Transactions::begin(&cluster, &name, TIMEOUT)).await?;
        Ok(Self {
            transactions: Arc::new(transactions.context("no transactions can be begun")?),
            input,
            rules_name,
            input_name: Topic::Input.name(&ground.topic_prefix),
            partitions: ground.partitions,
        })
    }

    /// Writes rules, all or none. Returns their bytes.
    pub(super) async fn rules(&self, rules: Vec<Rule>) -> Result<usize, NotWritten> {
        let bytes = rules.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum();
        if rules.is_empty() {
            return Ok(0);
        }
        let (transactions, topic) = (Arc::clone(&self.transactions), self.rules_name.clone());
        let write = move || {
            let records = rules.iter().map(|(key, value)| rule(&topic, key, value.as_deref()));
            transactions.write(&records.collect::<Vec<_>>())
        };
        tokio::task::spawn_blocking(write).await.unwrap_or(Err(NotWritten::Fenced))?;
        Ok(bytes)
    }

    /// Writes a control record into its room's partition, and tells its offset. One that Kafka will never take is passed over, so
    /// that it does not stop all that comes behind it.
    pub(super) async fn control(&self, input: &v1::Input) -> anyhow::Result<Option<u64>> {
        let value = record::encode(input);
        let outgoing = Outgoing {
            topic: &self.input_name,
            partition: partition::of(input.room.as_bytes(), self.partitions),
            key: Some(input.room.as_bytes()),
            value: Some(&value),
            headers: &[],
        };
        let outcome = match self.input.send(outgoing) {
            Ok(delivery) => delivery.await,
            Err(failure) => Outcome::Failed(failure),
        };
        match outcome {
            Outcome::Acked(offset) => Ok(Some(offset)),
            Outcome::Failed(Failure::BadRecord(why)) => {
                tracing::error!(
                    bytes = value.len(),
                    why,
                    "kafka takes no such control record, what it says does not act"
                );
                Ok(None)
            }
            Outcome::Failed(failure) => anyhow::bail!("a control record was not acknowledged: {failure:?}"),
        }
    }
}

fn rule<'a>(topic: &'a str, key: &'a str, value: Option<&'a [u8]>) -> Outgoing<'a> {
    Outgoing { topic, partition: 0, key: Some(key.as_bytes()), value, headers: &[] }
}
