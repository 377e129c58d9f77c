//! Output records at an even pace, as a filter would write them. What they are judged by is nobody's here.

use std::{
    thread,
    time::{Duration, Instant},
};

use chassis::kafka::{Cluster, Outcome, Outgoing, Producer, ProducerSettings};
use proto::{MessageId, OwnerNumber, Topic, partition, record, v1};

use crate::crowd::unix_ms;

/// Writes to a river's output.
pub(crate) struct Feed {
    producer: Producer,
    topic: String,
    partitions: i32,
    /// The next source, by partition. They begin high, so that ids are of one length.
    sources: Vec<u64>,
}

impl Feed {
    /// A producer that is warm.
    pub(crate) fn new(cluster: &Cluster, prefix: &str, partitions: i32) -> anyhow::Result<Self> {
        let settings = ProducerSettings {
            message_timeout: Some(Duration::from_secs(60)),
            linger: Duration::from_millis(5),
            queue_bytes: 16 << 20,
        };
        let producer = Producer::new(cluster, settings)?;
        let topic = Topic::Output.name(prefix);
        while !producer.warm_up(&topic, Duration::from_secs(5))? {
            thread::sleep(Duration::from_millis(100));
        }
        Ok(Self { producer, topic, partitions, sources: vec![1_000_000; partitions as usize] })
    }

    /// So many messages a second in each room, for so long, evenly and in turns; how many each room got.
    ///
    /// A message's stamp is taken before it is handed to Kafka's client, so times measured from it hold the append too.
    pub(crate) fn run(&mut self, rooms: &[String], a_second: u32, length: Duration) -> anyhow::Result<u64> {
        let each = u64::from(a_second) * length.as_millis() as u64 / 1000;
        let total = each * rooms.len() as u64;
        let step = length / total as u32;
        let began = Instant::now();
        let mut deliveries = Vec::new();
        for number in 0..total {
            let due = began + step * number as u32;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            deliveries.push(self.say(&rooms[number as usize % rooms.len()])?);
        }
        for delivery in deliveries {
            if let Outcome::Failed(why) = delivery.wait() {
                anyhow::bail!("Kafka did not take a record: {why:?}");
            }
        }
        Ok(each)
    }

    fn say(&mut self, room: &str) -> anyhow::Result<chassis::kafka::Delivery> {
        let partition = partition::of(room.as_bytes(), self.partitions);
        let offset = self.sources[partition as usize];
        self.sources[partition as usize] += 1;
        let output = output(room, MessageId { generation: 1, partition, offset });
        let value = record::encode(&output);
        let outgoing =
            Outgoing { topic: &self.topic, partition, key: Some(room.as_bytes()), value: Some(&value), headers: &[] };
        self.producer.send(outgoing).map_err(|why| anyhow::anyhow!("Kafka does not take a record: {why:?}"))
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
