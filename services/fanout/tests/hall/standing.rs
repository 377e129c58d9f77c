//! Who comes late is told what stands in the room: its mode, and its sticky events.

use std::time::Instant;

use proto::v1::{Fate, Hello, Item, Message, Mode, State, item, state};

use crate::{
    client::{Handshake, Viewer},
    world::{PATIENCE, World, config},
};

fn sticky(room: &str, key: &str, src: u64, text: &str) -> State {
    let message = Message { id: format!("1-0-{src}"), text: text.into(), ..Message::default() };
    let value = Some(state::Value::Message(message));
    State { room: room.into(), key: format!("sticky/{key}"), src, generation: 1, value }
}

fn slow(slow_ms: u32) -> Mode {
    Mode { slow_ms, ..Mode::default() }
}

fn mode(room: &str, src: u64, mode: Mode) -> State {
    State { room: room.into(), key: "mode".into(), src, generation: 1, value: Some(state::Value::Mode(mode)) }
}

fn texts(hello: &Hello) -> Vec<&str> {
    hello.state.iter().map(|message| &*message.text).collect()
}

/// Comes until hello is so.
async fn until_hello(world: &World, room: &str, is_so: impl Fn(&Hello) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let viewer = Viewer::enter(world, room).await;
        if is_so(&viewer.hellos[0]) {
            return;
        }
        assert!(Instant::now() < deadline, "hello is {:?}", viewer.hellos[0]);
    }
}

#[tokio::test]
async fn hello_tells_what_the_state_topic_says_and_a_new_node_at_once() {
    let mut world = World::start(config()).await;
    let empty = Viewer::enter(&world, "demo").await;
    assert_eq!((empty.hellos[0].mode, empty.hellos[0].state.len()), (None, 0));
    for state in [
        mode("demo", 3, slow(3_000)),
        sticky("demo", "score", 4, "1:0"),
        sticky("demo", "pin", 5, "welcome"),
        sticky("demo", "score", 6, "2:0"),
        sticky("other", "score", 7, "9:9"),
    ] {
        world.set_state("demo", &state);
    }
    world.acknowledged().await;
    until_hello(&world, "demo", |hello| texts(hello) == ["welcome", "2:0"] && hello.mode == Some(slow(3_000))).await;

    let node = world.neighbor(config()).await;
    let viewer = Handshake::new("demo").enter_at(node.address).await;
    assert_eq!((texts(&viewer.hellos[0]), viewer.hellos[0].mode), (vec!["welcome", "2:0"], Some(slow(3_000))));

    world.write_to(proto::Topic::State, World::partition("demo"), "demo/sticky/pin", None);
    world.set_state("demo", &mode("demo", 8, Mode::default()));
    until_hello(&world, "demo", |hello| texts(hello) == ["2:0"] && hello.mode.is_none()).await;
}

#[tokio::test]
async fn a_mode_that_acts_stands_from_its_offset_on() {
    let mut world = World::start(config()).await;
    let mut first = Viewer::enter(&world, "demo").await;
    let set = Item { fate: Fate::Lossless as i32, to_user: String::new(), body: Some(item::Body::Mode(slow(500))) };
    let output = world.output("demo", vec![set]);
    world.write("demo", &output);
    first.until("the mode", |viewer| !viewer.others.is_empty()).await;
    let second = Viewer::enter(&world, "demo").await;
    assert_eq!(second.hellos[0].mode, Some(slow(500)), "no state was written at all");
}
