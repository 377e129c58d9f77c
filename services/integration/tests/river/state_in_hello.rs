//! Who comes late is told the room's mode and sticky events: from the output while it is there, and from `danmaku-state`
//! when all of that is older than the history, also by a node that has just started.

use std::time::{SystemTime, UNIX_EPOCH};

use integration::{Node, World, until};
use proto::{
    Topic,
    record::encode,
    v1::{self, Hello, Mode, Post, input::Body},
};

use crate::{SOON, world};

const ROOM: &str = "match";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn state_in_hello() {
    let world = world("state_in_hello").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let first = world.viewer(&fanout, ROOM).await;
    assert_eq!(told(&first.seen().hello.unwrap()), (None, vec![]));

    let slow = Mode { slow_ms: 3_000, ..Mode::default() };
    write(&world, Body::Mode(slow)).await;
    for (key, text) in [("score", "1:0"), ("pin", "welcome"), ("score", "2:0")] {
        let post = Post { kind: v1::Kind::Event as i32, text: text.into(), sticky: key.into(), ..Post::default() };
        write(&world, Body::Post(post)).await;
    }
    first.until("the events", SOON, |seen| seen.messages.len() == 3 && seen.modes.len() == 1).await;
    // The mode acts at its offset; the events are told once the state was written too.
    assert_eq!(hello(&world, &fanout).await.mode, Some(slow));
    let all = (Some(slow), vec!["welcome".to_owned(), "2:0".to_owned()]);
    until("the sticky events in hello", SOON, async || (told(&hello(&world, &fanout).await) == all).then_some(()))
        .await;

    // In a history that begins behind the events, they cannot be found.
    let neighbor = world.room_in(world.partition_of(ROOM), "neighbor");
    world.sender(&ingest, "later").say(&neighbor, "later").await.accepted();
    let last = world.viewer(&fanout, &neighbor).await;
    last.until("the last record", SOON, |seen| seen.all.len() == 1).await;
    assert!(fanout.stop().await.success());
    let fresh = world.fanout(&["--history", "1ms"]).await;
    let late = world.viewer(&fresh, ROOM).await;
    assert_eq!((told(&late.seen().hello.unwrap()), late.seen().all.len()), (all, 0));

    // What is taken back stands no more, for a new node too.
    write(&world, Body::Mode(Mode::default())).await;
    late.until("the mode", SOON, |seen| seen.modes.len() == 1).await;
    assert_eq!(hello(&world, &fresh).await.mode, None);
    assert!(fresh.stop().await.success());
    let fresh = world.fanout(&["--history", "1ms"]).await;
    assert_eq!(told(&hello(&world, &fresh).await), (None, vec!["welcome".to_owned(), "2:0".to_owned()]));
}

/// What a viewer who comes now is greeted with.
async fn hello(world: &World, fanout: &Node) -> Hello {
    world.viewer(fanout, ROOM).await.seen().hello.expect("a hello")
}

fn told(hello: &Hello) -> (Option<Mode>, Vec<String>) {
    (hello.mode, hello.state.iter().map(|message| message.text.clone()).collect())
}

/// An input record of somebody who runs the room.
async fn write(world: &World, body: Body) {
    let accepted_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    let role = v1::Role::Service as i32;
    let input =
        v1::Input { generation: 1, room: ROOM.into(), role, accepted_ms, body: Some(body), ..v1::Input::default() };
    world.write_raw(Topic::Input, world.partition_of(ROOM), ROOM.as_bytes(), &encode(&input)).await;
}
