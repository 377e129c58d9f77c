//! One word to every room, under one id, at its place among what is said there: on every node, and for who comes later. When
//! one partition cannot take it, it is not accepted, and the retry is shown once.

use std::time::{Duration, SystemTime};

use chassis::tokens::Role;
use integration::{
    Answer, Node, Viewer, World,
    admin::{place_coordinator, place_topics},
    kafka::Plan,
    until,
};
use proto::Topic;

use crate::{LATER, SOON, logs, program, world};

/// Says something and waits until it is seen.
async fn say(world: &World, ingest: &Node, (room, viewer): (&str, &Viewer), text: &str) {
    let id = world.sender(ingest, &format!("{text} {room}")).say(room, text).await.accepted();
    viewer.until("it is seen", SOON, |seen| seen.ids().last() == Some(&id)).await;
}

fn announced(viewer: &Viewer) -> Vec<(String, String)> {
    viewer.seen().announcements
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_reaches_every_room_at_its_place_under_one_id() {
    let world = world("announcement").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));
    let rooms = [1, 6, 6].map(|partition| world.room_in(partition, if partition == 1 { "a" } else { "b" }));
    let viewers =
        tokio::join!(world.viewer(&one, &rooms[0]), world.viewer(&one, &rooms[1]), world.viewer(&two, &rooms[2]),);
    let viewers = [viewers.0, viewers.1, viewers.2];
    for (room, viewer) in [(&*rooms[0], &viewers[0]), (&*rooms[1], &viewers[1])] {
        say(&world, &ingest, (room, viewer), "before").await;
    }
    let platform = world.sender_as(&ingest, "platform", &[Role::Service]);
    let id = platform.announce("soon", "maintenance-1").await.unwrap();
    assert_eq!(platform.announce("soon", "maintenance-1").await.unwrap(), id, "a retry is the same one");
    for viewer in &viewers {
        viewer.until("the word", SOON, |seen| !seen.announcements.is_empty()).await;
    }
    for (room, viewer) in [(&*rooms[0], &viewers[0]), (&*rooms[1], &viewers[1])] {
        say(&world, &ingest, (room, viewer), "after").await;
    }
    viewers[2].until("the other node's", SOON, |seen| seen.messages.len() == 2).await;
    for viewer in &viewers {
        assert_eq!(viewer.seen().texts, ["before", "soon", "after"]);
        assert_eq!(announced(viewer), [(id.clone(), "soon".to_owned())]);
    }
    let late = world.viewer(&two, &rooms[0]).await;
    late.until("the past", SOON, |seen| seen.replayed.len() == 2).await;
    assert_eq!((late.seen().texts, announced(&late).len()), (vec!["before".into(), "soon".into(), "after".into()], 1));
    let refused = world.sender(&ingest, "somebody").announce("me too", "m-2").await;
    assert!(matches!(refused, Err(Answer::Refused { status: 403, .. })), "{refused:?}");
}

const STUCK: i32 = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_partition_cannot_take_is_not_accepted_and_shown_once_after_the_retry() {
    let plan = Plan { three: true, ..Plan::default() };
    let kafka = tokio::task::spawn_blocking(move || integration::Kafka::start(&plan)).await.unwrap().unwrap();
    let world = World::bare(kafka.into(), "announcement_partial", program(), &logs());
    place_coordinator(&world, &[1, 2, 3]).await.unwrap();
    place_topics(&world, |topic, partition| match topic {
        Topic::Input if partition == STUCK => vec![3, 1],
        _ => vec![1, 2],
    })
    .await
    .unwrap();
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let fanout = world.fanout(&[]).await;
    let (stuck, free) = (world.room_in(STUCK, "room"), world.room_in(0, "room"));
    let (in_stuck, in_free) = tokio::join!(world.viewer(&fanout, &stuck), world.viewer(&fanout, &free));
    say(&world, &ingest, (&stuck, &in_stuck), "before").await;
    say(&world, &ingest, (&free, &in_free), "before").await;

    world.kafka.kill(3).unwrap();
    let platform = world.sender_as(&ingest, "platform", &[Role::Service]);
    let answer = platform.announce("soon", "m-1").await;
    let Err(Answer::Refused { status: 503, code, retry_until: Some(retry_until), .. }) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(code, "unavailable");
    in_free.until("where it could be written", SOON, |seen| !seen.announcements.is_empty()).await;
    assert!(announced(&in_stuck).is_empty());

    world.kafka.restart(3).unwrap();
    until("it is accepted", LATER, async || platform.announce("soon", "m-1").await.ok()).await;
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::MAX).as_millis();
    assert!(now < u128::from(retry_until), "the machine was too slow to come again in the time that is promised");
    in_stuck.until("the rest", SOON, |seen| !seen.announcements.is_empty()).await;
    say(&world, &ingest, (&stuck, &in_stuck), "after").await;
    say(&world, &ingest, (&free, &in_free), "after").await;
    for viewer in [&in_stuck, &in_free] {
        assert_eq!(announced(viewer), [("a-m-1".to_owned(), "soon".to_owned())]);
        assert_eq!(viewer.seen().texts, ["before", "soon", "after"]);
    }
}
