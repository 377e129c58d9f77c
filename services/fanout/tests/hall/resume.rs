//! Coming back with a cursor: nothing twice, nothing missing, and never a hole that is not told.

use proto::{Cursor, v1::GapReason};
use tokio::io::AsyncReadExt as _;

use crate::{
    client::{Handshake, Viewer},
    world::{World, config},
};

fn texts(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|index| index.to_string()).collect()
}

#[tokio::test]
async fn what_was_missed_is_replayed_once() {
    let mut world = World::start(config()).await;
    let mut stays = Viewer::enter(&world, "demo").await;
    let mut leaves = Viewer::enter(&world, "demo").await;
    for index in 0..30 {
        world.say("demo", &index.to_string());
    }
    leaves.until_all(30).await;
    let cursor = leaves.cursor.clone();
    drop(leaves);
    for index in 30..70 {
        world.say("demo", &index.to_string());
    }
    stays.until_all(70).await;
    let mut back = Handshake::new("demo").since(&cursor).enter(&world).await;
    assert_eq!((back.hellos[0].recovered, &back.hellos[0].cursor), (Some(true), &cursor));
    for index in 70..80 {
        world.say("demo", &index.to_string());
    }
    back.until_all(50).await;
    assert_eq!(back.all, texts(30..80));
    assert!(back.gaps.is_empty());
}

#[tokio::test]
async fn a_connection_that_breaks_inside_a_frame_loses_nothing() {
    let mut world = World::start(config()).await;
    let mut stays = Viewer::enter(&world, "demo").await;
    let mut cut = Handshake::new("demo").lazy().enter(&world).await;
    world.say("demo", "0");
    cut.until_all(1).await;
    // A client that reads a few bytes of a frame more, and no further.
    let long = "x".repeat(3_000);
    for index in 1..40 {
        world.say("demo", &format!("{index} {long}"));
    }
    let mut few = [0; 50];
    cut.stream.read_exact(&mut few).await.unwrap();
    let cursor = cut.cursor.clone();
    drop(cut);
    stays.until_all(40).await;
    let mut back = Handshake::new("demo").since(&cursor).enter(&world).await;
    back.until_all(39).await;
    let expected: Vec<_> = (1..40).map(|index| format!("{index} {long}")).collect();
    assert_eq!(back.all, expected);
    assert_eq!(back.hellos[0].recovered, Some(true));
}

#[tokio::test]
async fn in_a_quiet_room_nothing_is_missing_and_nothing_is_said() {
    let mut world = World::start(config()).await;
    let neighbor =
        (0..).map(|n| format!("r{n}")).find(|room| World::partition(room) == World::partition("demo")).unwrap();
    let mut quiet = Viewer::enter(&world, "demo").await;
    let mut loud = Viewer::enter(&world, &neighbor).await;
    world.say("demo", "0");
    quiet.until_all(1).await;
    for index in 0..50 {
        world.say(&neighbor, &index.to_string());
    }
    loud.until_all(50).await;
    let cursor = quiet.ping(1).await.cursor;
    drop(quiet);
    for index in 50..90 {
        world.say(&neighbor, &index.to_string());
    }
    loud.until_all(90).await;
    let mut back = Handshake::new("demo").since(&cursor).enter(&world).await;
    assert_eq!(back.hellos[0].recovered, Some(true));
    world.say("demo", "1");
    back.until_all(1).await;
    assert_eq!(back.all, ["1"]);
    assert!(back.gaps.is_empty());
}

#[tokio::test]
async fn another_node_serves_it_as_well() {
    let mut world = World::start(config()).await;
    let other = world.neighbor(config()).await;
    let mut first = Viewer::enter(&world, "demo").await;
    let mut heard = Vec::new();
    for round in 0..10 {
        for index in 0..20 {
            world.say("demo", &(round * 20 + index).to_string());
        }
        // The other node may be ahead or behind; it says hello once it is not behind.
        first.until("some", |viewer| !viewer.all.is_empty()).await;
        heard.append(&mut first.all);
        let cursor = first.cursor.clone();
        let address = if round % 2 == 0 { other.address } else { world.address };
        first = Handshake::new("demo").since(&cursor).enter_at(address).await;
        assert_eq!(first.hellos[0].recovered, Some(true), "round {round}");
    }
    world.say("demo", "200");
    first.until("the last one", |viewer| viewer.all.last().is_some_and(|text| text == "200")).await;
    heard.append(&mut first.all);
    assert_eq!(heard, texts(0..201));
}

#[tokio::test]
async fn a_cursor_that_means_nothing_here_is_told_so() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.say("demo", "0");
    viewer.until_all(1).await;
    let place: Cursor = viewer.cursor.parse().unwrap();
    let others = [
        Cursor { generation: 2, ..place }.to_string(),
        Cursor { partition: place.partition + 1, ..place }.to_string(),
        // Further than the partition goes.
        Cursor { next: place.next + 1_000, ..place }.to_string(),
        "yesterday".to_owned(),
    ];
    for cursor in others {
        let mut back = Handshake::new("demo").since(&cursor).enter(&world).await;
        assert_eq!(back.hellos[0].recovered, Some(false), "{cursor}");
        back.until_all(1).await;
        let gap = &back.gaps[0];
        assert_eq!((gap.dropped, gap.reason), (None, GapReason::Node as i32), "nobody knows how much");
        assert_eq!(back.replayed, ["0"]);
    }
}

#[tokio::test]
async fn far_too_much_is_counted_and_the_newest_shown() {
    let mut world = World::start(config()).await;
    let mut stays = Viewer::enter(&world, "demo").await;
    let cursor = stays.cursor.clone();
    let long = "x".repeat(1_000);
    for index in 0..400 {
        world.say("demo", &format!("{index} {long}"));
    }
    stays.until_all(400).await;
    let mut back = Handshake::new("demo").since(&cursor).enter(&world).await;
    assert_eq!(back.hellos[0].recovered, Some(false));
    back.until_all(50).await;
    assert_eq!((back.dropped(), back.all.len()), (350, 50));
    assert!(back.all[0].starts_with("350 "));
}
