//! Output records at an even pace, as a filter would write them. What they are judged by is nobody's here.
//!
//! By a producer of its own, which is not idempotent. One that is has five requests under way to a partition at most, and
//! while records wait behind them librdkafka's thread asks in a circle whether it may go on. Here it shares a core with the
//! broker that it waits for: it kept Kafka from running for a whole minute (measured), and then the records' time was over.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chassis::kafka::Cluster;
use proto::{MessageId, OwnerNumber, Topic, partition, record, v1};
use rdkafka::{
    ClientConfig, ClientContext,
    producer::{BaseRecord, DeliveryResult, Producer as _, ProducerContext, ThreadedProducer},
};

use crate::crowd::unix_ms;

/// A record that Kafka has not taken after so long ends the run.
const TAKEN_WITHIN: Duration = Duration::from_secs(60);

/// Writes to a river's output.
pub(crate) struct Feed {
    producer: ThreadedProducer<Answers>,
    answers: Answers,
    topic: String,
    partitions: i32,
    /// The next source, by partition. They begin high, so that ids are of one length.
    sources: Vec<u64>,
}

/// What Kafka has answered so far.
#[derive(Clone, Default)]
struct Answers(Arc<Sums>);

#[derive(Default)]
struct Sums {
    unanswered: AtomicUsize,
    longest_ms: AtomicU64,
    failure: OnceLock<String>,
}

impl ClientContext for Answers {}

impl ProducerContext for Answers {
    type DeliveryOpaque = Box<Instant>;

    fn delivery(&self, report: &DeliveryResult<'_>, said: Box<Instant>) {
        let took = said.elapsed();
        self.0.longest_ms.fetch_max(took.as_millis() as u64, Ordering::Relaxed);
        if let Err((error, _)) = report {
            // The first says enough.
            let _ = self.0.failure.set(format!("not taken in {:.1} s: {error}", took.as_secs_f64()));
        }
        self.0.unanswered.fetch_sub(1, Ordering::Release);
    }
}

impl Feed {
    /// A producer that knows its topic.
    pub(crate) fn new(cluster: &Cluster, prefix: &str, partitions: i32) -> anyhow::Result<Self> {
        let answers = Answers::default();
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &cluster.brokers)
            .set("acks", "all")
            .set("compression.type", "lz4")
            .set("linger.ms", "5")
            // Said once or not at all: a second time it might stand behind later ones.
            .set("message.send.max.retries", "0")
            .set("message.timeout.ms", TAKEN_WITHIN.as_millis().to_string())
            .set("queue.buffering.max.kbytes", "16384");
        let producer: ThreadedProducer<Answers> = config.create_with_context(answers.clone())?;
        let topic = Topic::Output.name(prefix);
        producer.client().fetch_metadata(Some(&topic), Duration::from_secs(30))?;
        Ok(Self { producer, answers, topic, partitions, sources: vec![1_000_000; partitions as usize] })
    }

    /// The longest that Kafka has taken for a record since this was last asked.
    pub(crate) fn longest(&self) -> Duration {
        Duration::from_millis(self.answers.0.longest_ms.swap(0, Ordering::Relaxed))
    }

    /// So many messages a second in each room, for so long, evenly and in turns; how many each room got.
    ///
    /// A message's stamp is taken before it is handed to Kafka's client, so times measured from it hold the append too.
    pub(crate) fn run(&mut self, rooms: &[String], a_second: u32, length: Duration) -> anyhow::Result<u64> {
        let each = u64::from(a_second) * length.as_millis() as u64 / 1000;
        let total = each * rooms.len() as u64;
        let step = length / total as u32;
        let began = Instant::now();
        for number in 0..total {
            let due = began + step * number as u32;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            self.say(&rooms[number as usize % rooms.len()])?;
        }
        // Each is answered in `TAKEN_WITHIN`, one way or the other.
        while self.answers.0.unanswered.load(Ordering::Acquire) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        self.all_is_well().map(|()| each)
    }

    fn all_is_well(&self) -> anyhow::Result<()> {
        let failure = self.answers.0.failure.get();
        failure.map_or(Ok(()), |why| anyhow::bail!("Kafka does not keep up, is its core too busy? A record was {why}"))
    }

    fn say(&mut self, room: &str) -> anyhow::Result<()> {
        self.all_is_well()?;
        let partition = partition::of(room.as_bytes(), self.partitions);
        let offset = self.sources[partition as usize];
        self.sources[partition as usize] += 1;
        let value = record::encode(&output(room, MessageId { generation: 1, partition, offset }));
        let record = BaseRecord::with_opaque_to(&self.topic, Box::new(Instant::now()));
        self.answers.0.unanswered.fetch_add(1, Ordering::Relaxed);
        let sent = self.producer.send(record.partition(partition).key(room.as_bytes()).payload(&value));
        sent.map_err(|(error, _)| anyhow::anyhow!("Kafka's client does not take a record: {error}"))
    }
}

/// A message that takes 100 bytes of JSON.
fn output(room: &str, id: MessageId) -> v1::Output {
    let message = v1::Message {
        id: id.to_string(),
        at: unix_ms(),
        user: Some(v1::User { id: format!("u{:04}", id.offset % 9_000 + 1_000), ..v1::User::default() }),
        text: "said by somebody in this room".to_owned(),
        ..v1::Message::default()
    };
    let item =
        v1::Item { fate: v1::Fate::Lossy.into(), body: Some(v1::item::Body::Message(message)), ..v1::Item::default() };
    let owner = OwnerNumber { bump: 0, group_generation: 1, rewinds: 0 };
    v1::Output {
        generation: id.generation,
        src: Some(id.offset),
        owner: Some(owner.into()),
        room: room.to_owned(),
        items: vec![item],
        ..v1::Output::default()
    }
}
