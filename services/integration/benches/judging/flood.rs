//! A backlog on the input, as doors would have written it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chassis::kafka::{Failure, Outcome, Outgoing, Producer, ProducerSettings};
use integration::World;
use proto::{Topic, partition, record, v1};

use crate::SPREAD;

/// Acknowledgements that are waited for at a time.
const BATCH: usize = 20_000;

/// Writes `count` messages to as many different users in turn over `rooms`; blocks until they are acknowledged.
pub(crate) fn write(world: &World, count: u64, rooms: u64, texts: &[String]) -> anyhow::Result<()> {
    let settings = ProducerSettings {
        message_timeout: Some(Duration::from_secs(60)),
        linger: Duration::from_millis(20),
        queue_bytes: 64 << 20,
    };
    let producer = Producer::new(&world.cluster(), settings)?;
    let topic = Topic::Input.name(&world.prefix);
    while !producer.warm_up(&topic, Duration::from_secs(5))? {}
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis() as i64;
    let mut waiting = Vec::with_capacity(BATCH);
    for number in 0..count {
        let input = input(number, rooms, &texts[number as usize % texts.len()], now_ms);
        let partition = partition::of(input.room.as_bytes(), SPREAD);
        let (key, value) = (input.room.clone(), record::encode(&input));
        let outgoing =
            Outgoing { topic: &topic, partition, key: Some(key.as_bytes()), value: Some(&value), headers: &[] };
        match producer.send(outgoing) {
            Ok(delivery) => waiting.push(delivery),
            Err(Failure::Full) => anyhow::bail!("the producer is full with {} records", waiting.len()),
            Err(why) => anyhow::bail!("Kafka does not take a record: {why:?}"),
        }
        if waiting.len() == BATCH || number + 1 == count {
            for delivery in waiting.drain(..) {
                if let Outcome::Failed(why) = delivery.wait() {
                    anyhow::bail!("Kafka did not take a record: {why:?}");
                }
            }
        }
    }
    Ok(())
}

fn input(number: u64, rooms: u64, text: &str, now_ms: i64) -> v1::Input {
    let user =
        v1::User { id: format!("u{number}"), name: format!("viewer {}", number % 50_000), ..v1::User::default() };
    v1::Input {
        generation: 1,
        room: format!("room-{}", number % rooms),
        user: Some(user),
        role: v1::Role::Sender.into(),
        accepted_ms: now_ms,
        client_id: format!("c{number}"),
        body: Some(v1::input::Body::Say(v1::Say { text: text.to_owned(), ..v1::Say::default() })),
        ..v1::Input::default()
    }
}
