//! A moderator's edit acts on every filter and in every room, without a restart of anybody; taken back, it does not act any
//! more. A room's own entry acts there alone.

use std::{collections::BTreeSet, time::Instant};

use chassis::tokens::Role;
use integration::{Node, World, moderator::in_force, world::PARTITIONS};
use proto::v1::Word;
use serde_json::json;

use crate::{SOON, by_the_book};

/// Edits whose way is timed, so that what it takes is seen; nothing is proved by it.
const TIMED: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edit_in_force() {
    let world = by_the_book("edit_in_force").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let first = ann.block("house", "blorp").await;
    let (ingest, one, two, three) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.filter(&[]), world.filter(&[]));
    let filters = [&one, &two, &three];
    in_force(&filters, first).await;
    let rooms: Vec<String> = (0..PARTITIONS).map(|partition| world.room_in(partition, "edit")).collect();
    assert_eq!(came_to(&world, &ingest, &rooms, "a", "Ｂ.l.o.r.p").await, [Word::Blocked].into());
    assert_eq!(came_to(&world, &ingest, &rooms, "b", "gruntle").await, [Word::Passed].into());

    in_force(&filters, ann.block("house", "gruntle").await).await;
    assert_eq!(came_to(&world, &ingest, &rooms, "c", "gruntle").await, [Word::Blocked].into());
    in_force(&filters, ann.remove("house", "gruntle").await).await;
    assert_eq!(came_to(&world, &ingest, &rooms, "d", "gruntle").await, [Word::Passed].into());

    // A room's own moderator, and his room's own book.
    let room = &rooms[0];
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    mo.put(&format!("lists/mine?room={room}"), &json!({})).await;
    let entry = json!({ "add": [{ "text": "fnord", "action": "block" }] });
    let made = mo.post(&format!("lists/mine/entries?room={room}"), &entry).await;
    in_force(&filters, made["version"]["number"].as_u64().unwrap()).await;
    assert_eq!(came_to(&world, &ingest, &rooms[..1], "e", "fnord").await, [Word::Blocked].into());
    assert_eq!(came_to(&world, &ingest, &rooms[1..], "e", "fnord").await, [Word::Passed].into());

    let mut took = Vec::with_capacity(TIMED);
    for turn in 0..TIMED {
        let began = Instant::now();
        in_force(&filters, ann.block("house", &format!("xyzzy{turn}")).await).await;
        took.push(began.elapsed());
    }
    took.sort();
    println!(
        "from the edit to judging by it, on three filters: p50 {:?}, at most {:?}",
        took[TIMED / 2],
        took[TIMED - 1]
    );
}

/// What becomes of a text in each of these rooms, said by somebody new.
async fn came_to(world: &World, ingest: &Node, rooms: &[String], user: &str, text: &str) -> BTreeSet<Word> {
    let mut ids = BTreeSet::new();
    for room in rooms {
        ids.insert(world.sender(ingest, user).say(room, text).await.accepted());
    }
    world.came_to(&ids, SOON).await.into_values().collect()
}
