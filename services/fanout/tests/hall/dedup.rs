//! What a partition repeats, what an old filter wrote, and what is no record at all.

use proto::{
    OwnerNumber,
    v1::{Fate, Item, Told, item},
};

use crate::{
    client::Viewer,
    world::{World, config},
};

#[tokio::test]
async fn a_source_is_shown_once() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    let before = world.metric("danmaku_fanout_repeated_total");
    let items = vec![world.item("demo", Fate::Lossy, "once")];
    let output = world.output("demo", items);
    for _ in 0..3 {
        world.write("demo", &output);
    }
    world.say("demo", "next");
    viewer.until_all(2).await;
    assert_eq!(viewer.all, ["once", "next"]);
    world.metric_reaches("danmaku_fanout_repeated_total", before + 2.0).await;
}

#[tokio::test]
async fn records_of_an_old_owner_are_passed_over() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.say("demo", "first owner");
    let old = world.owner;
    world.owner = OwnerNumber { group_generation: 2, ..old };
    world.write("demo", &proto::v1::Output::claim(1, world.owner));
    world.owner = old;
    let before = world.metric("danmaku_fanout_passed_over_total");
    world.say("demo", "a filter that woke too late");
    world.owner = OwnerNumber { group_generation: 2, ..old };
    world.say("demo", "second owner");
    viewer.until_all(2).await;
    assert_eq!(viewer.all, ["first owner", "second owner"]);
    world.metric_reaches("danmaku_fanout_passed_over_total", before + 1.0).await;
}

#[tokio::test]
async fn what_is_for_one_user_is_shown_to_nobody_else() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    let told = Item { fate: 1, to_user: "u1".into(), body: Some(item::Body::Told(Told::default())) };
    let shadowed = Item { to_user: "u1".into(), ..world.item("demo", Fate::Lossy, "shadowed") };
    let output = world.output("demo", vec![told, shadowed]);
    world.write("demo", &output);
    world.say("demo", "for all");
    viewer.until_all(1).await;
    assert_eq!(viewer.all, ["for all"]);
    world.metric_reaches("danmaku_fanout_private_total", 2.0).await;
    // The place behind it counts as read.
    let cursor: proto::Cursor = viewer.cursor.parse().unwrap();
    assert_eq!((cursor.src_next, cursor.next), (2, 2));
}

#[tokio::test]
async fn what_is_no_record_is_left_behind() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.write_bytes("demo", &[0xff; 20]);
    world.write_bytes("demo", b"");
    let items = vec![world.item("demo", Fate::Lossy, "in no room")];
    let mut output = world.output("demo", items);
    output.room = "a/b".into();
    world.write("demo", &output);
    world.say("demo", "next");
    viewer.until_all(1).await;
    assert_eq!(viewer.all, ["next"]);
    world.metric_reaches("danmaku_fanout_undecodable_total", 2.0).await;
}

#[tokio::test]
async fn a_new_generation_begins_anew_and_viewers_are_told_of_it() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    for _ in 0..5 {
        world.say("demo", "old");
    }
    viewer.until_all(5).await;
    let old_cursor = viewer.cursor.clone();
    world.begin_generation(2);
    world.say("demo", "new");
    viewer.until_all(6).await;
    assert_eq!(viewer.all.last().unwrap(), "new");
    assert_eq!((viewer.gaps.len(), viewer.gaps[0].dropped), (1, None));
    let cursor: proto::Cursor = viewer.cursor.parse().unwrap();
    assert_eq!((cursor.generation, cursor.src_next), (2, 1));
    let back = crate::client::Handshake::new("demo").since(&old_cursor).enter(&world).await;
    assert_eq!(back.hellos[0].recovered, Some(false));
}
