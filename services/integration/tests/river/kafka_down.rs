//! Kafka is gone: the door says 503 and never 202, and when Kafka returns nothing accepted is lost.

use std::collections::BTreeSet;

use integration::{Answer, Sender, kafka::Plan, ledger, until};
use proto::MessageId;

use crate::{LATER, SOON, world_alone};

const ROOM: &str = "down";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_kafka_nothing_is_accepted_and_nothing_accepted_is_lost() {
    let world = world_alone("kafka_down", Plan::default()).await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let fanout = world.fanout(&[]).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let mut accepted = BTreeSet::new();
    for user in 0..50 {
        accepted.insert(world.sender(&ingest, &format!("u{user}")).say(ROOM, "before").await.accepted());
    }
    world.kafka.kill(1).unwrap();
    let sender = world.sender(&ingest, "persistent");
    let answer = sender.say_as(ROOM, "into the dark", "dark-1").await;
    let Answer::Refused { status, code, retry_until, .. } = &answer else { panic!("{answer:?}") };
    assert_eq!((*status, code.as_str()), (503, "unavailable"));
    assert!(retry_until.is_some(), "how long a retry is safe is told: {answer:?}");

    world.kafka.restart(1).unwrap();
    // The unknown one may have been written or not; with the same client_id it cannot be shown twice.
    let again =
        until("the door works again", LATER, async || sender.say_as(ROOM, "into the dark", "dark-1").await.id());
    accepted.insert(again.await);
    accepted.insert(insist(&world.sender(&ingest, "last"), "after", "after-1").await);
    world.until_judged(&accepted, LATER).await;

    // 50 before, one in the dark, one after; what the judge came to late is counted in a gap.
    viewer.until("the books balance", SOON, |seen| seen.messages.len() as u64 + seen.dropped() == 52).await;
    let now = insist(&world.sender(&ingest, "now"), "now", "now-1").await;
    viewer.until("he is live again", SOON, |seen| seen.ids().last() == Some(&now)).await;
    let seen = viewer.seen();
    ledger::check_once_in_order("the viewer", &seen.all);
    assert!(seen.messages.iter().filter(|heard| heard.text == "into the dark").count() <= 1, "shown once");
    assert_eq!(seen.messages.len() as u64 + seen.dropped(), 53);
}

/// Says it until it is accepted: the door is closed while nobody judges, which is some seconds longer than Kafka is gone.
async fn insist(sender: &Sender, text: &str, client_id: &str) -> MessageId {
    until("the door works again", LATER, async || sender.say_as(ROOM, text, client_id).await.id()).await
}
