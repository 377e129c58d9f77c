//! Room for so many and no more: who is one too many is told so, and operators are too.

use std::time::Duration;

use fanout::Config;
use proto::v1::{Message, State, state};

use crate::{
    client::{Handshake, Viewer},
    world::{PATIENCE, World, config},
};

/// What a refused handshake is told.
async fn refusal(world: &World, handshake: &Handshake) -> String {
    let (head, _, body) = handshake.send(world.address).await;
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let retry = head.lines().find_map(|line| line.strip_prefix("retry-after: ")).expect("when to come back");
    assert!((2..=4).contains(&retry.parse::<u32>().unwrap()), "{head}");
    String::from_utf8(body).unwrap()
}

async fn until_ready_is(world: &World, expected: bool) {
    let waiting = async {
        while world.readiness.is_ready() != expected {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{:?}", world.readiness.not_ready()));
}

/// Comes back until there is room.
async fn until_let_in(world: &World, handshake: &Handshake) -> Viewer {
    let entering = async {
        loop {
            let (head, stream, rest) = handshake.send(world.address).await;
            if head.starts_with("HTTP/1.1 101 ") {
                break Viewer::new(stream, rest);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, entering).await.expect("room")
}

#[tokio::test]
async fn a_full_node_says_so_and_lets_in_again() {
    let mut world = World::start(Config { viewers_max: 2, ..config() }).await;
    let first = Viewer::enter(&world, "demo").await;
    let mut second = Viewer::enter(&world, "demo").await;
    let told = refusal(&world, &Handshake::new("demo")).await;
    assert!(told.contains("\"code\":\"full\"") && told.contains("retry_after_ms"), "{told}");
    let events = Handshake::new("demo").header("upgrade", "").header("accept", "text/event-stream");
    assert!(refusal(&world, &events).await.contains("\"code\":\"full\""), "on every wire");
    until_ready_is(&world, false).await;
    let reasons = world.readiness.not_ready();
    assert!(reasons[0].condition == "admission" && reasons[0].reason.contains("--viewers-max"), "{reasons:?}");
    assert!(world.metric("danmaku_fanout_full_total{cap=\"viewers\"}") >= 2.0);

    world.say("demo", "for those inside");
    second.until_all(1).await;
    drop(first);
    until_ready_is(&world, true).await;
    let mut third = until_let_in(&world, &Handshake::new("demo")).await;
    third.until("hello", |viewer| !viewer.hellos.is_empty()).await;
}

#[tokio::test]
async fn an_address_has_a_cap_of_its_own() {
    let world = World::start(Config { address_connections_max: 1, ..config() }).await;
    let from = |address| Handshake::new("demo").header("x-forwarded-for", address);
    let first = from("192.0.2.1").enter(&world).await;
    assert!(refusal(&world, &from("192.0.2.1")).await.contains("from this address"));
    from("192.0.2.2").enter(&world).await;
    assert!(world.readiness.is_ready(), "the node is not full");
    drop(first);
    until_let_in(&world, &from("192.0.2.1")).await;
}

#[tokio::test]
async fn when_memory_is_used_up_the_newest_go_and_nobody_comes() {
    let mut world = World::start(Config { memory_max: 256 * 1024, ..config() }).await;
    let mut viewers = Vec::new();
    for _ in 0..8 {
        viewers.push(Viewer::enter(&world, "demo").await);
    }
    let long = "x".repeat(1_000);
    for _ in 0..300 {
        world.say("demo", &long);
    }
    world.acknowledged().await;
    let newest = &mut viewers[7];
    assert_eq!(newest.until_closed().await, 4004);
    assert_eq!(newest.reconnects[0].reason, "full");
    assert_eq!(newest.all.len() + newest.dropped(), 300, "what was due came before");
    until_ready_is(&world, false).await;
    let reasons = world.readiness.not_ready();
    assert!(reasons[0].reason.contains("--memory-max"), "{reasons:?}");
    assert!(refusal(&world, &Handshake::new("demo")).await.contains("\"code\":\"full\""));
}

#[tokio::test]
async fn what_stands_in_rooms_counts_as_memory() {
    let mut world = World::start(Config { memory_max: 256 * 1024, ..config() }).await;
    let _watching = Viewer::enter(&world, "demo").await;
    until_ready_is(&world, true).await;
    for src in 0..100 {
        let value = Some(state::Value::Message(Message { text: "x".repeat(3_000), ..Message::default() }));
        // Of one room 16 would be kept.
        let state = State { room: format!("room-{src}"), key: "sticky/score".into(), src, generation: 1, value };
        world.set_state("demo", &state);
    }
    until_ready_is(&world, false).await;
    let reasons = world.readiness.not_ready();
    assert!(reasons[0].reason.contains("--memory-max"), "{reasons:?}");
}
