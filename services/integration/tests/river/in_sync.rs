//! A broker of three is gone, and with it the in-sync replicas of all verdicts and of one output partition. That partition
//! waits; a room whose verdicts cannot be written goes on, but its offset is not stored; all others are unharmed.
//!
//! With replication 1 Kafka does not enforce in-sync replicas, so this takes three brokers and replicas placed by hand.

use std::collections::BTreeSet;

use chassis::kafka::LookUp;
use integration::{
    Answer, World,
    admin::{place_coordinator, place_topics},
    kafka::Plan,
    ledger, until,
};
use proto::{Topic, topics, v1};

use crate::{LATER, SOON, logs, program};

const STUCK: i32 = 2;
const UNRECORDED: i32 = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_replicas_stop_only_what_needs_them() {
    let plan = Plan { three: true, ..Plan::default() };
    let kafka = tokio::task::spawn_blocking(move || integration::Kafka::start(&plan)).await.unwrap().unwrap();
    let world = World::bare(kafka.into(), "in_sync", program(), &logs());
    // The group's coordinator goes too, so that filters are thrown out and look at their partitions' past again.
    place_coordinator(&world, &[3, 1, 2]).await.unwrap();
    place_topics(&world, |topic, partition| match topic {
        Topic::Verdicts => vec![3, 1],
        Topic::Output if partition == STUCK => vec![3, 1],
        _ => vec![1, 2],
    })
    .await
    .unwrap();
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let fanout = world.fanout(&[]).await;
    let rooms = [STUCK, UNRECORDED, 0].map(|partition| world.room_in(partition, "room"));
    let [stuck, unrecorded, neighbor] = &rooms;
    let mut viewers = Vec::new();
    for room in &rooms {
        viewers.push(world.viewer(&fanout, room).await);
    }
    let mut accepted = BTreeSet::new();
    for room in &rooms {
        accepted.insert(world.sender(&ingest, "a").say(room, "before").await.accepted());
    }
    for room in &rooms {
        let partition = world.partition_of(room);
        until("what was before is stored", SOON, async || (committed(&world, partition).await > 0).then_some(())).await;
    }

    world.kafka.kill(3).unwrap();
    // A door may say 503 while leaders move. Quickly, as doors close 10 s after the first message that is not stored.
    let say = async |user: &str, room: &str, text: &str| {
        let sender = world.sender(&ingest, user);
        until("the door is open", LATER, async || sender.say_as(room, text, user).await.id()).await
    };
    let waiting = say("b", stuck, "waits").await;
    let blocked = say("c", unrecorded, "blorfed").await;
    let shown = say("d", unrecorded, "goes on").await;
    let near = say("e", neighbor, "unharmed").await;
    accepted.extend([waiting, blocked, shown, near]);
    let careful = until("others are answered", LATER, async || {
        let careful = world.careful().await;
        [shown, near].iter().all(|id| careful.answers.contains_key(id)).then_some(careful)
    });
    assert!(!careful.await.answers.contains_key(&waiting), "what has no replicas waits");
    let stored = committed(&world, UNRECORDED).await;
    assert!(stored <= blocked.offset, "stored {stored} before the verdict of {blocked} was written");
    // Its door closes in time, and no other.
    let mut turn = 0;
    until("the stuck partition's door closes", LATER, async || {
        turn += 1;
        let answer = world.sender(&ingest, &format!("s{turn}")).say(stuck, "waits too").await;
        accepted.extend(answer.id());
        matches!(&answer, Answer::Refused { code, .. } if code == "judge_behind").then_some(())
    })
    .await;
    accepted.insert(say("f", neighbor, "still unharmed").await);

    world.kafka.restart(3).unwrap();
    world.until_judged(&accepted, LATER).await;
    // The answer in the output may be there first: the two are written side by side. The offset is stored after both.
    until("the offset is stored", SOON, async || (committed(&world, UNRECORDED).await > shown.offset).then_some(()))
        .await;
    let words = ledger::verdict_words(&world.verdicts().await);
    assert_eq!(words.get(&blocked), Some(&v1::Word::Blocked));
    let careful = world.careful().await;
    for (room, viewer) in rooms.iter().zip(&viewers) {
        let partition = world.partition_of(room);
        let here = accepted.iter().filter(|id| id.partition == partition).copied().collect();
        let shown = ledger::shown(&here, &careful);
        viewer.until("the books balance", LATER, |seen| ledger::is_balanced(seen, &shown)).await;
        ledger::check_viewer(room, &viewer.seen(), &shown);
    }
    drop(filter);
}

/// The next offset that the filters would judge.
async fn committed(world: &World, partition: i32) -> u64 {
    let (cluster, input) = (world.cluster(), Topic::Input.name(&world.prefix));
    let group = topics::filter_group(&world.prefix, world.generation);
    let asking = tokio::task::spawn_blocking(move || {
        let lookup = LookUp::new(&cluster, &group, SOON)?;
        lookup.committed(&input, &[partition])
    });
    asking.await.expect("an asking thread").expect("an answer").get(&partition).copied().unwrap_or_default()
}
