//! A river moves to other topics, as on another cluster, by the steps of docs/operations.md: nothing accepted is lost, the order
//! holds, and the rule book comes along with its mutes, and the rooms' modes.

use std::collections::BTreeSet;

use chassis::tokens::Role;
use integration::{ledger, moderator::in_force, until, world::PARTITIONS};
use proto::{Topic, v1::Word};
use serde_json::json;

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "moving";
const CLOSED: &str = "moving-closed";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moved() {
    let mut world = by_the_book("moved").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let version = ann.block("house", "blorp").await;
    ann.post(&format!("rooms/{ROOM}/mutes"), &json!({ "subject": "user/eve", "permanent": true })).await;
    ann.put(&format!("rooms/{CLOSED}/mode"), &json!({ "mode": { "emergency": true } })).await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], version).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let mut accepted = BTreeSet::new();
    for number in 0..20 {
        accepted.insert(world.sender(&ingest, &format!("u{number}")).say(ROOM, "before").await.accepted());
    }

    // The door first, then whoever is behind it, each when it has nothing left to do.
    assert!(ingest.stop().await.success());
    world.until_judged(&accepted, LATER).await;
    assert!(filter.stop().await.success());
    assert!(desk.stop().await.success());
    viewer.until("all that was accepted", SOON, |seen| seen.messages.len() == accepted.len()).await;
    let cursor = viewer.seen().cursor.clone();
    assert!(fanout.stop().await.success());

    // Other topics, the next generation, the same database.
    world.prefix = "moved-elsewhere-".to_owned();
    world.generation = 2;
    world.apply_topics(PARTITIONS).await;
    let desk = world.moderation(&[]).await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], version).await;
    let back = world.viewer_since(&fanout, ROOM, &cursor).await;
    assert_eq!(back.seen().hello.as_ref().and_then(|hello| hello.recovered), Some(false), "he is told");
    let after = world.sender(&ingest, "u0").say(ROOM, "after").await.accepted();
    assert_eq!(after.generation, 2);
    back.until("what is said now", SOON, |seen| seen.ids().contains(&after)).await;
    ledger::check_once_in_order("the viewer", &back.seen().all);
    until("the mode is kept", SOON, async || (!world.raw(Topic::State).await.is_empty()).then_some(())).await;
    for (user, room, text, word) in [
        ("ann", ROOM, "blorp", Word::Blocked),
        ("eve", ROOM, "hello", Word::Muted),
        ("ann", CLOSED, "hello", Word::Limited),
    ] {
        let id = world.sender(&ingest, user).say(room, text).await.accepted();
        assert_eq!(world.came_to(&[id].into(), LATER).await[&id], word, "{user}");
    }
    drop(desk);
}
