//! A river's topics: made, read back whole, and written to past every service. Who breaks them is `admin`.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chassis::kafka::{Outcome, Outgoing, Producer, ProducerSettings, TopicSpec, apply_topics};
use proto::{MessageId, Topic, record, topics, v1};

use super::{PARTITIONS, World};
use crate::{
    ledger,
    records::{self, At, Careful},
    until,
};

/// How long reading a topic may take, while brokers come back and all.
const READ_WITHIN: Duration = Duration::from_secs(60);

impl World {
    /// Creates the topics that are not there.
    ///
    /// # Panics
    /// When Kafka refuses.
    pub async fn apply_topics(&self, partitions: i32) {
        let specs: Vec<_> = Topic::ALL.into_iter().map(|topic| self.spec(topic, partitions)).collect();
        // −1: as many replicas as the cluster's own default.
        apply_topics(&self.cluster(), &specs, -1).await.expect("topics are created");
    }

    /// A topic as it should be.
    pub fn spec(&self, topic: Topic, partitions: i32) -> TopicSpec {
        topic.described(&self.prefix, partitions, topics::OUTPUT_RETENTION_MS).into()
    }

    /// All records of a topic as it is now. A broker that comes back answers nonsense for a moment, so it is asked again.
    ///
    /// # Panics
    /// When Kafka does not answer.
    pub async fn raw(&self, topic: Topic) -> Vec<records::Raw> {
        until("a topic is read", READ_WITHIN, async || {
            let (cluster, name) = (self.cluster(), topic.name(&self.prefix));
            let partitions = topic.partitions(PARTITIONS);
            let reading = tokio::task::spawn_blocking(move || records::read(&cluster, &name, partitions));
            reading.await.expect("a reading thread").ok()
        })
        .await
    }

    /// All output records.
    pub async fn outputs(&self) -> Vec<At<v1::Output>> {
        records::decode(&self.raw(Topic::Output).await)
    }

    /// Output as a careful reader takes it.
    pub async fn careful(&self) -> Careful {
        records::careful(&self.outputs().await)
    }

    /// All verdict records.
    pub async fn verdicts(&self) -> Vec<At<v1::Verdict>> {
        records::decode(&self.raw(Topic::Verdicts).await)
    }

    /// The same, once at least `count` are there: a verdict is written beside its output, and may come after it.
    ///
    /// # Panics
    /// When some are still missing after `within`.
    pub async fn verdicts_when(&self, count: usize, within: Duration) -> Vec<At<v1::Verdict>> {
        let verdicts = async || Some(self.verdicts().await).filter(|verdicts| verdicts.len() >= count);
        until("verdicts are on record", within, verdicts).await
    }

    /// All dead letters.
    pub async fn dead_letters(&self) -> Vec<At<v1::DeadLetter>> {
        records::decode(&self.raw(Topic::DeadLetter).await)
    }

    /// Waits until every accepted id is in output or in verdicts.
    ///
    /// # Panics
    /// When some are still missing after `within`.
    pub async fn until_judged(&self, accepted: &BTreeSet<MessageId>, within: Duration) {
        let deadline = tokio::time::Instant::now() + within;
        loop {
            let words = ledger::verdict_words(&self.verdicts().await);
            let lost = ledger::lost(accepted, &self.careful().await, &words);
            if lost.is_empty() {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "{} accepted and lost: {lost:?}", lost.len());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// What became of accepted messages, once all are judged: the word that stands in the verdicts, else in the output.
    ///
    /// # Panics
    /// When some are still missing after `within`.
    pub async fn came_to(&self, accepted: &BTreeSet<MessageId>, within: Duration) -> BTreeMap<MessageId, v1::Word> {
        self.until_judged(accepted, within).await;
        let words = ledger::verdict_words(&self.verdicts().await);
        let careful = self.careful().await;
        let word = |id: &MessageId| words.get(id).copied().unwrap_or_else(|| careful.answers[id].verdict());
        accepted.iter().map(|id| (*id, word(id))).collect()
    }

    /// The mutes, bans and their ends that stand in the input.
    pub async fn sanctions(&self) -> Vec<v1::Sanction> {
        let inputs: Vec<At<v1::Input>> = records::decode(&self.raw(Topic::Input).await);
        let of = |at: At<v1::Input>| match at.record.body {
            Some(v1::input::Body::Sanction(sanction)) => Some(sanction),
            _ => None,
        };
        inputs.into_iter().filter_map(of).collect()
    }

    /// Waits until so many sanctions stand in the input: what is said from then on is said behind them.
    ///
    /// # Panics
    /// When they do not `within` the time.
    pub async fn until_sanctioned(&self, count: usize, within: Duration) {
        until("sanctions stand in the input", within, async || (self.sanctions().await.len() >= count).then_some(()))
            .await;
    }

    /// Writes what a moderator does to a room; returns its id.
    ///
    /// # Panics
    /// When Kafka does not take it.
    pub async fn moderate(&self, room: &str, body: v1::input::Body) -> MessageId {
        self.bring(room, v1::Role::Moderator, body).await
    }

    /// Writes an input record of any role, past every door; returns its id.
    ///
    /// # Panics
    /// When Kafka does not take it.
    pub async fn bring(&self, room: &str, role: v1::Role, body: v1::input::Body) -> MessageId {
        let (generation, partition) = (self.generation, self.partition_of(room));
        let user = Some(v1::User { id: "mod".to_owned(), ..v1::User::default() });
        let role = role as i32;
        let input =
            v1::Input { generation, room: room.to_owned(), user, role, body: Some(body), ..v1::Input::default() };
        let offset = self.write_raw(Topic::Input, partition, room.as_bytes(), &record::encode(&input)).await;
        MessageId { generation, partition, offset }
    }

    /// Writes a record as it stands, past every service.
    ///
    /// # Panics
    /// When Kafka does not take it.
    pub async fn write_raw(&self, topic: Topic, partition: i32, key: &[u8], value: &[u8]) -> u64 {
        let settings = ProducerSettings {
            message_timeout: Some(Duration::from_secs(10)),
            linger: Duration::ZERO,
            queue_bytes: 1 << 20,
        };
        let producer = Producer::new(&self.cluster(), settings).expect("a producer");
        let name = topic.name(&self.prefix);
        let record = Outgoing { topic: &name, partition, key: Some(key), value: Some(value), headers: &[] };
        match producer.send(record).expect("room for a record").await {
            Outcome::Acked(offset) => offset,
            Outcome::Failed(why) => panic!("a record was not written: {why:?}"),
        }
    }
}
