//! The Kafka room against the embedded broker: what is written is read, membership is a value, commits are seen.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use chassis::{
    admin::Readiness,
    kafka::{
        Change, Cluster, Embedded, Follower, Heard, LookUp, Membership, News, Outcome, Outgoing, Producer,
        ProducerSettings, Reader, Timing, TopicSpec, Watermarks, verify_topics,
    },
};

const TOPIC: &str = "river";

fn embedded(partitions: i32) -> (Embedded, Cluster) {
    let spec = TopicSpec { name: TOPIC.to_owned(), partitions, settings: Vec::new(), retention_ms_min: None };
    let embedded = Embedded::start(vec![spec]).unwrap();
    let cluster = embedded.cluster();
    (embedded, cluster)
}

fn producer(cluster: &Cluster, queue_bytes: usize) -> Producer {
    let settings = ProducerSettings { message_timeout: None, linger: Duration::from_millis(1), queue_bytes };
    Producer::new(cluster, settings).unwrap()
}

fn record(value: &[u8]) -> Outgoing<'_> {
    Outgoing { topic: TOPIC, partition: 0, key: Some(b"room"), value: Some(value), headers: &[("src", b"7")] }
}

/// For what takes up to 15 s of the mock broker's own waits on an idle machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Asks `poll` until it answers.
fn until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(answer) = poll() {
            return answer;
        }
    }
    panic!("nothing came in {} s", PATIENCE.as_secs());
}

fn change(member: &Membership) -> Option<Change> {
    member.poll(Duration::from_millis(50)).unwrap()
}

fn next_change(member: &Membership) -> Change {
    until(|| change(member))
}

const TIMING: Timing =
    Timing { session: Duration::from_secs(6), heartbeat: Duration::from_millis(500), poll: Duration::from_secs(10) };

#[test]
fn what_is_written_is_acknowledged_and_read_in_order() {
    let (_broker, cluster) = embedded(2);
    let producer = producer(&cluster, 1 << 20);
    let deliveries: Vec<_> = (0..100u8).map(|n| producer.send(record(&[n])).unwrap()).collect();
    for (expected, delivery) in (0..).zip(deliveries) {
        assert_eq!(delivery.wait(), Outcome::Acked(expected));
    }
    assert_eq!(producer.in_flight_bytes(), 0);

    let reader = Reader::new(&cluster, TOPIC).unwrap();
    reader.assign(0, 10).unwrap();
    let mut seen = Vec::new();
    until(|| match reader.poll(Duration::from_millis(100)).unwrap() {
        Some(Heard::Record(record)) => {
            assert_eq!((record.key(), record.header("src")), (Some(&b"room"[..]), Some(&b"7"[..])));
            seen.push((record.offset(), record.value().to_vec()));
            None
        }
        Some(Heard::End(0)) => Some(()),
        _ => None,
    });
    assert_eq!(seen, (10..100u8).map(|n| (u64::from(n), vec![n])).collect::<Vec<_>>());

    // The same partition can be read again from elsewhere.
    reader.release(0).unwrap();
    reader.assign(0, 99).unwrap();
    let again = until(|| match reader.poll(Duration::from_millis(100)).unwrap() {
        Some(Heard::Record(record)) => Some(record.offset()),
        _ => None,
    });
    assert_eq!(again, 99);
}

#[test]
fn a_full_producer_refuses_at_once() {
    let (broker, cluster) = embedded(1);
    let producer = producer(&cluster, 1000);
    assert_eq!(producer.send(record(b"first")).unwrap().wait(), Outcome::Acked(0));
    drop(broker);
    let mut taken = 0;
    while producer.send(record(&[0; 100])).is_ok() {
        taken += 1;
    }
    // 1,000 bytes hold five records of 100 + 4 + 64 bytes.
    assert_eq!(taken, 5);
}

#[test]
fn a_producer_is_full_of_bytes_and_not_of_records() {
    let (broker, cluster) = embedded(1);
    drop(broker);
    // As many as 64 partitions of a filter may have in flight at 4,096 each, of 4 + 64 bytes.
    let producer = producer(&cluster, 20 << 20);
    assert!((0..64 * 4_096).all(|_| producer.send(record(b"")).is_ok()));
}

#[test]
fn membership_is_a_value_and_commits_are_seen() {
    let (_broker, cluster) = embedded(4);
    let member = Membership::join(&cluster, "g", TOPIC, TIMING, None).unwrap();
    let change = next_change(&member);
    assert_eq!(change, Change::Assigned(vec![0, 1, 2, 3]));
    member.accept(&change).unwrap();
    assert!(member.generation() > 0);
    member.commit([(0, 7), (2, 9)]).unwrap();

    let lookup = LookUp::new(&cluster, "g", Duration::from_secs(5)).unwrap();
    let committed: Vec<_> = lookup.committed(TOPIC, &[0, 1, 2, 3]).unwrap().into_iter().collect();
    assert_eq!(committed, [(0, 7), (2, 9)]);
    assert_eq!(lookup.partitions(TOPIC).unwrap(), Some(4));
    assert_eq!(lookup.watermarks(TOPIC, 0).unwrap(), Watermarks { low: 0, high: 0 });
}

#[test]
fn a_second_member_waits_for_the_first_to_let_go() {
    let (_broker, cluster) = embedded(4);
    let first = Membership::join(&cluster, "g", TOPIC, TIMING, None).unwrap();
    let all = next_change(&first);
    first.accept(&all).unwrap();
    let generation = first.generation();

    let second = Membership::join(&cluster, "g", TOPIC, TIMING, None).unwrap();
    let revoked = until(|| {
        assert_eq!(change(&second), None);
        change(&first)
    });
    let Change::Revoked(given_up) = &revoked else { panic!("{revoked:?}") };
    assert_eq!(given_up.len(), 2);
    // What is finished late still counts. A coordinator that is just counting its members asks to be asked again.
    until(|| first.commit(given_up.iter().map(|&partition| (partition, 5))).ok());
    first.accept(&revoked).unwrap();
    let assigned = until(|| {
        let _ = first.poll(Duration::from_millis(50)).unwrap();
        second.poll(Duration::from_millis(50)).unwrap()
    });
    assert_eq!(assigned, Change::Assigned(given_up.clone()));
    second.accept(&assigned).unwrap();
    assert!(second.generation() > generation);

    // Leaving is at once, also with an unaccepted change waiting.
    drop(second);
    let back = next_change(&first);
    assert_eq!(back, Change::Assigned(given_up.clone()));
    drop(first);
}

/// Follows the topic, and writes down what it is told: values, and the end as `None`.
fn follow(cluster: &Cluster, readiness: &Readiness) -> (Follower, mpsc::Receiver<Option<Vec<u8>>>) {
    let (tell, told) = mpsc::sync_channel(1_000);
    let hear = move |news: News<'_>| {
        let _ = match news {
            News::Record(record) => tell.send(Some(record.value().to_vec())),
            News::CaughtUp => tell.send(None),
            News::Anew => panic!("the topic is the same all the time"),
        };
    };
    (Follower::start(cluster, TOPIC, readiness.condition("follower"), hear).unwrap(), told)
}

#[test]
fn a_follower_tells_what_there_is_then_the_end_then_what_comes() {
    let (_broker, cluster) = embedded(1);
    let next = |told: &mpsc::Receiver<_>| told.recv_timeout(PATIENCE).unwrap();
    let readiness = Readiness::new();
    let (_first, of_empty) = follow(&cluster, &readiness);
    assert_eq!(next(&of_empty), None);
    until(|| readiness.is_ready().then_some(()));

    let producer = producer(&cluster, 1 << 20);
    let tombstone = Outgoing { value: None, ..record(b"") };
    for outgoing in [record(b"one"), tombstone, record(b"two")] {
        assert!(matches!(producer.send(outgoing).unwrap().wait(), Outcome::Acked(_)));
    }
    let three = [&b"one"[..], b"", b"two"].map(|value| Some(value.to_vec()));
    assert_eq!([(); 3].map(|()| next(&of_empty)), three);

    let (_second, of_three) = follow(&cluster, &readiness);
    assert_eq!([(); 3].map(|()| next(&of_three)), three);
    assert_eq!(next(&of_three), None);
    assert!(matches!(producer.send(record(b"live")).unwrap().wait(), Outcome::Acked(3)));
    assert_eq!(next(&of_three), Some(b"live".to_vec()));
}

#[test]
fn a_follower_whose_broker_is_away_asked_long_ago() {
    let (broker, cluster) = embedded(1);
    let readiness = Readiness::new();
    let (following, _told) = follow(&cluster, &readiness);
    let (asked, second) = (following.asked(), Duration::from_secs(1));
    until(|| (asked.elapsed() > second).then_some(()));
    until(|| (asked.elapsed() < second).then_some(()));
    drop(broker);
    until(|| (asked.elapsed() > 4 * second).then_some(()));
    assert!(readiness.is_ready(), "what is known stays known");
}

#[test]
fn a_follower_of_no_topic_says_so() {
    let (_broker, cluster) = embedded(1);
    let readiness = Readiness::new();
    let condition = readiness.condition("follower");
    let _following = Follower::start(&cluster, "elsewhere", condition, |_| {}).unwrap();
    let told = until(|| readiness.not_ready().into_iter().find(|why| why.reason.contains("cannot be read")));
    assert!(told.reason.starts_with("elsewhere "), "{}", told.reason);
}

#[test]
fn an_error_says_its_cause_once() {
    let error = chassis::kafka::Error::from(rdkafka::error::KafkaError::Canceled);
    assert!(std::error::Error::source(&error).is_none() && error.to_string().starts_with("kafka: "), "{error:?}");
}

#[tokio::test]
async fn a_wrong_partition_count_is_told_with_its_remedy() {
    let (_broker, cluster) = embedded(4);
    let spec = |name: &str, partitions| TopicSpec {
        name: name.to_owned(),
        partitions,
        settings: Vec::new(),
        retention_ms_min: None,
    };
    assert_eq!(verify_topics(&cluster, &[spec(TOPIC, 4)]).await.unwrap(), []);
    let told = verify_topics(&cluster, &[spec(TOPIC, 64)]).await.unwrap()[0].to_string();
    assert!(told.contains("has 4 partitions, --partitions says 64"), "{told}");
}
