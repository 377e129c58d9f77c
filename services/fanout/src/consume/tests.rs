//! The Kafka thread, turn by turn, against an embedded broker: what shards are told of partitions that come, go, and stand
//! still.

use std::time::Duration;

use chassis::kafka::{Embedded, Outcome, Outgoing, Producer, ProducerSettings, TopicSpec};
use proto::v1::{Fate, Item, Message, Output, item};

use super::*;
use crate::{
    config::Config,
    house::tests::ground,
    inbox::{Event, Waiting},
    lookup::Answerer,
    places::Places,
    socket::ready::Bell,
};

const TOPIC: &str = "out";
const STATES: &str = "states";

struct Rig {
    consumer: Consumer,
    house: Arc<House>,
    inbox: Arc<Inbox>,
    producer: Producer,
    heard: Vec<Event>,
    _answerer: std::thread::JoinHandle<()>,
    _broker: Embedded,
}

impl Rig {
    fn new() -> Self {
        let spec = TopicSpec { name: TOPIC.into(), partitions: 2, settings: Vec::new(), retention_ms_min: None };
        let states = TopicSpec { name: STATES.into(), ..spec.clone() };
        let broker = Embedded::start(vec![spec, states]).unwrap();
        let ground = ground(broker.cluster(), 2);
        let inbox = Arc::new(Inbox::new(Bell::default()));
        let (places, _) = Places::new(1, vec![inbox.clone()], false);
        let house = Arc::new(House::new(&ground, Config::default(), 1, places));
        let answerer = Answerer::new(&ground.cluster, TOPIC, STATES, Duration::from_secs(75)).unwrap();
        let (asked, asked_by) = (house.clone(), vec![inbox.clone()]);
        let settings =
            ProducerSettings { message_timeout: None, linger: Duration::from_millis(1), queue_bytes: 1 << 20 };
        let condition = ground.readiness.condition("test");
        let mut consumer =
            Consumer::new(broker.cluster(), TOPIC.into(), STATES.into(), house.clone(), asked_by.clone(), condition)
                .unwrap();
        consumer.begin();
        Self {
            consumer,
            house,
            inbox,
            producer: Producer::new(&broker.cluster(), settings).unwrap(),
            heard: Vec::new(),
            _answerer: std::thread::spawn(move || answerer.run(&asked.lookups, &asked_by)),
            _broker: broker,
        }
    }

    fn write(&self, partition: i32, src: u64) {
        let message = Message { text: src.to_string(), ..Message::default() };
        let item = Item { fate: Fate::Lossy as i32, to_user: String::new(), body: Some(item::Body::Message(message)) };
        let output = Output { generation: 1, src: Some(src), room: "a".into(), items: vec![item], ..Output::default() };
        let value = proto::record::encode(&output);
        let outgoing = Outgoing { topic: TOPIC, partition, key: None, value: Some(&value), headers: &[] };
        assert!(matches!(self.producer.send(outgoing).unwrap().wait(), Outcome::Acked(_)));
    }

    /// Turns until it is so.
    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_so(self) {
            assert!(Instant::now() < deadline, "no {what}: {:?}", self.heard);
            self.consumer.turn(Instant::now());
            let mut waiting = Waiting::default();
            self.inbox.take(&mut waiting);
            self.heard.extend(waiting.events);
        }
    }

    /// The sources that the shard heard of.
    fn sources(&self) -> Vec<u64> {
        let records = self.heard.iter().filter_map(|event| match event {
            Event::Heard(heard) => Some(heard.records.iter().map(|record| record.at.src_next)),
            _ => None,
        });
        records.flatten().collect()
    }

    fn opened(&self) -> Vec<u32> {
        let opened = |event: &Event| if let Event::Opened(opened) = event { Some(opened.wish) } else { None };
        self.heard.iter().filter_map(opened).collect()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.house.lookups.end();
    }
}

#[test]
fn a_shard_hears_what_it_wants_from_the_moment_it_wants_it() {
    let mut rig = Rig::new();
    rig.until("start", |rig| rig.consumer.condition.is_none());
    rig.write(1, 1);
    rig.until("the first record", |rig| rig.consumer.partitions[1].next() == 1);
    rig.house.wants.set(0, 1, 7);
    rig.until("opening", |rig| rig.opened() == [7]);
    rig.write(1, 2);
    rig.write(0, 9);
    rig.until("the second record", |rig| rig.sources() == [2]);
    rig.house.wants.set(0, 1, 0);
    rig.write(1, 3);
    rig.until("the third record", |rig| rig.consumer.partitions[1].next() == 3);
    rig.house.wants.set(0, 1, 8);
    rig.until("opening again", |rig| rig.opened() == [7, 8]);
    rig.write(1, 4);
    rig.until("the fourth record", |rig| rig.sources().last() == Some(&4));
    assert_eq!(rig.sources(), [2, 4]);
    let room = proto::RoomId::new("a").unwrap();
    assert_eq!(rig.house.raw(1).since(&room, 0).count(), 4, "history has all of it");
}

#[test]
fn a_partition_that_stands_still_is_read_on_by_a_new_consumer() {
    let mut rig = Rig::new();
    rig.house.wants.set(0, 0, 1);
    rig.until("start", |rig| rig.consumer.condition.is_none());
    rig.write(0, 1);
    rig.until("the first record", |rig| rig.sources() == [1]);
    // As librdkafka sometimes does by itself.
    rig.consumer.reader.pause(0).unwrap();
    rig.write(0, 2);
    rig.write(1, 5);
    rig.until("the second record", |rig| rig.sources().last() == Some(&2));
    assert_eq!(rig.sources(), [1, 2]);
    rig.until("the neighbor's", |rig| rig.consumer.partitions[1].next() == 1);
}

#[test]
fn who_begins_to_listen_while_a_partition_is_looked_for_hears_a_beginning() {
    let mut rig = Rig::new();
    rig.house.wants.set(0, 0, 1);
    rig.until("start", |rig| rig.consumer.condition.is_none());
    rig.until("opening", |rig| rig.opened() == [1]);
    rig.consumer.restart(0, Seen::CutOff);
    // The last viewer went and another came, before the answer.
    rig.house.wants.set(0, 0, 2);
    rig.until("opening again", |rig| rig.opened() == [1, 2]);
}
