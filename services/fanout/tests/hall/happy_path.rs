//! What is said in a room is seen by all its viewers, in order, once, and by nobody else.

use crate::{
    client::{Handshake, Viewer},
    world::{World, config},
};

#[tokio::test]
async fn every_viewer_of_a_room_sees_what_is_said_in_order_and_once() {
    let mut world = World::start(config()).await;
    let rooms = ["demo", "弹幕", "third"];
    let mut viewers = Vec::new();
    for room in rooms {
        for _ in 0..5 {
            let raw: String = room.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let viewer = Viewer::enter(&world, &raw).await;
            assert_eq!(viewer.hellos[0].room, room);
            viewers.push((room, viewer));
        }
    }
    let said = |room: &str, index: usize| format!("{room} {index}");
    for index in 0..500 {
        for room in rooms {
            world.say(room, &said(room, index));
        }
    }
    world.acknowledged().await;
    for (room, viewer) in &mut viewers {
        viewer.until_all(500).await;
        let expected: Vec<_> = (0..500).map(|index| said(room, index)).collect();
        assert_eq!(viewer.all, expected);
        assert!(viewer.gaps.is_empty() && viewer.replayed.is_empty());
        assert!(viewer.batches < 500, "messages share frames");
    }
}

#[tokio::test]
async fn hello_tells_who_and_where() {
    let world = World::start(config()).await;
    let viewer = Viewer::enter(&world, "demo").await;
    let hello = &viewer.hellos[0];
    assert_eq!((&*hello.node, &*hello.room, hello.recovered), ("n1", "demo", None));
    assert_eq!((hello.ping_ms, hello.idle_ms, hello.online, hello.can_send), (30_000, 75_000, 1, false));
    assert_eq!(hello.user, None);
    assert!(!hello.version.is_empty() && !hello.connection.is_empty() && hello.now > 1_700_000_000_000);
    let cursor: proto::Cursor = hello.cursor.parse().unwrap();
    assert_eq!((cursor.generation, cursor.partition), (1, World::partition("demo")));
    let other = Viewer::enter(&world, "demo").await;
    assert_eq!(other.hellos[0].online, 2);
    assert_ne!(other.hellos[0].connection, hello.connection);
}

#[tokio::test]
async fn a_quiet_rooms_cursor_moves_with_its_partition() {
    let mut world = World::start(config()).await;
    // Two rooms of one partition.
    let neighbor =
        (0..).map(|n| format!("r{n}")).find(|room| World::partition(room) == World::partition("demo")).unwrap();
    let mut viewer = Viewer::enter(&world, "demo").await;
    let mut neighbors = Viewer::enter(&world, &neighbor).await;
    let before: proto::Cursor = viewer.ping(1).await.cursor.parse().unwrap();
    for index in 0..10 {
        world.say(&neighbor, &index.to_string());
    }
    neighbors.until_all(10).await;
    // Both may be on different shards, which hear of the records one after the other.
    loop {
        let after: proto::Cursor = viewer.ping(2).await.cursor.parse().unwrap();
        if after.next == before.next + 10 {
            assert_eq!(after.src_next, 10);
            break;
        }
    }
    assert!(viewer.all.is_empty());
}

#[tokio::test]
async fn a_pong_repeats_what_was_sent() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    let pong = viewer.ping(1234).await;
    assert_eq!((pong.at, pong.online), (1234, 1));
    assert!(pong.now > 1_700_000_000_000);
    viewer.send_frame(0x89, b"are you there").await;
    viewer.until("pong", |viewer| !viewer.ws_pongs.is_empty()).await;
    assert_eq!(viewer.ws_pongs[0], b"are you there");
}

#[tokio::test]
async fn a_frame_right_behind_the_handshake_is_heard() {
    let world = World::start(config()).await;
    let ping = crate::client::frame(0x81, br#"{"type":"ping","at":5}"#);
    let mut viewer = Handshake::new("demo").early(&ping).open(&world).await;
    viewer.until("pong", |viewer| !viewer.pongs.is_empty()).await;
    assert_eq!(viewer.pongs[0].at, 5);
}

#[tokio::test]
async fn an_announcement_is_seen_in_every_room_of_its_partition() {
    let mut world = World::start(config()).await;
    let neighbor =
        (0..).map(|n| format!("r{n}")).find(|room| World::partition(room) == World::partition("demo")).unwrap();
    let mut viewers = [Viewer::enter(&world, "demo").await, Viewer::enter(&world, &neighbor).await];
    world.say("demo", "only here");
    let item = world.item("demo", proto::v1::Fate::Lossless, "to all");
    let mut output = world.output("demo", vec![item]);
    output.room = String::new();
    world.write("demo", &output);
    viewers[0].until_all(2).await;
    viewers[1].until_all(1).await;
    assert_eq!(viewers[0].all, ["only here", "to all"]);
    assert_eq!(viewers[1].all, ["to all"]);
}
