//! The event stream: the same objects, read by anything that speaks HTTP.

use std::time::Instant;

use fanout::Config;
use serde_json::Value;
use tokio::{io::AsyncReadExt as _, net::TcpStream};

use crate::{
    client::{Handshake, Viewer},
    world::{PATIENCE, World, config},
};

/// What an event stream brought.
struct Events {
    stream: TcpStream,
    bytes: Vec<u8>,
    /// Event, id, data.
    events: Vec<(String, String, Value)>,
    is_over: bool,
}

fn ask(room: &str) -> Handshake {
    let mut handshake = Handshake::new(room).header("accept", "text/event-stream");
    handshake.headers.retain(|(name, _)| *name == "accept");
    handshake
}

impl Events {
    async fn open(world: &World, handshake: Handshake) -> Self {
        let (head, stream, bytes) = handshake.send(world.address).await;
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        assert!(head.contains("cache-control: no-store"), "{head}");
        Self { stream, bytes, events: Vec::new(), is_over: false }
    }

    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(!self.is_over, "over before {what}: {:?}", self.events);
            let mut buffer = vec![0; 4096];
            let left = deadline.saturating_duration_since(Instant::now());
            let read = tokio::time::timeout(left, self.stream.read(&mut buffer)).await;
            let len = read.unwrap_or_else(|_| panic!("no {what}: {:?}", self.events)).unwrap();
            self.bytes.extend_from_slice(&buffer[..len]);
            self.is_over = len == 0;
            self.fold();
        }
    }

    /// Takes whole chunks off the bytes, and each holds whole events here.
    fn fold(&mut self) {
        while let Some((chunk, len)) = whole_chunk(&self.bytes) {
            let text = String::from_utf8(chunk.to_vec()).unwrap();
            self.is_over |= text.is_empty();
            self.bytes.drain(..len);
            self.events.extend(text.split_terminator("\n\n").filter(|event| !event.starts_with(':')).map(event));
        }
    }

    fn texts(&self) -> Vec<String> {
        let batches = self.events.iter().filter(|(name, _, _)| name == "batch");
        let messages = batches.flat_map(|(_, _, data)| data["messages"].as_array().unwrap().clone());
        messages.map(|message| message["text"].as_str().unwrap().to_owned()).collect()
    }
}

fn event(text: &str) -> (String, String, Value) {
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap_or_default().to_owned()
    };
    (field("event"), field("id"), serde_json::from_str(&field("data")).unwrap())
}

fn whole_chunk(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = bytes.windows(2).position(|window| window == b"\r\n")?;
    let len = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
    let start = end + 2;
    Some((bytes.get(start..start + len)?, (bytes.len() >= start + len + 2).then_some(start + len + 2)?))
}

#[tokio::test]
async fn events_carry_the_same_objects_and_the_cursor() {
    let mut world = World::start(config()).await;
    let mut socket = Viewer::enter(&world, "demo").await;
    let mut events = Events::open(&world, ask("demo")).await;
    events.until("hello", |events| !events.events.is_empty()).await;
    let (name, id, data) = &events.events[0];
    assert_eq!((&**name, data["type"].as_str(), data["room"].as_str()), ("hello", Some("hello"), Some("demo")));
    assert_eq!(data["cursor"].as_str(), Some(&**id));
    for index in 0..200 {
        world.say("demo", &index.to_string());
    }
    events.until("200 messages", |events| events.texts().len() >= 200).await;
    socket.until_all(200).await;
    assert_eq!(events.texts(), socket.all);
    for (name, id, data) in &events.events {
        assert_eq!((data["type"].as_str(), data["cursor"].as_str()), (Some(&**name), Some(&**id)));
    }
}

#[tokio::test]
async fn the_last_event_id_goes_on_from_there() {
    let mut world = World::start(config()).await;
    let mut events = Events::open(&world, ask("demo")).await;
    world.say("demo", "0");
    events.until("a message", |events| !events.texts().is_empty()).await;
    let id = events.events.last().unwrap().1.clone();
    drop(events);
    let mut stays = Viewer::enter(&world, "demo").await;
    for index in 1..10 {
        world.say("demo", &index.to_string());
    }
    stays.until("the last", |viewer| viewer.all.last().is_some_and(|text| text == "9")).await;
    let mut events = Events::open(&world, ask("demo").header("last-event-id", &id)).await;
    events.until("what was missed", |events| events.texts().len() >= 9).await;
    assert_eq!(events.events[0].2["recovered"], true);
    assert_eq!(events.texts(), (1..10).map(|index| index.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_reader_that_is_slow_is_told_what_it_missed() {
    let mut world = World::start(config()).await;
    let mut slow = Events::open(&world, ask("demo").lazy()).await;
    let mut quick = Viewer::enter(&world, "demo").await;
    let text = "弹".repeat(100);
    for index in 0..4_000 {
        world.say("demo", &text);
        if index % 100 == 99 {
            quick.until_all(index + 1).await;
        }
    }
    world.say("demo", "last");
    slow.until("the last one", |events| events.texts().last().is_some_and(|text| text == "last")).await;
    let gaps = slow.events.iter().filter(|(name, _, _)| name == "gap");
    let dropped: u64 = gaps.map(|(_, _, data)| data["dropped"].as_u64().unwrap()).sum();
    assert!(dropped > 0, "not slow enough to be a test");
    assert_eq!(slow.texts().len() as u64 + dropped, 4_001);
}

#[tokio::test]
async fn the_end_is_an_event_of_its_own() {
    let world = World::start(config()).await;
    let mut events = Events::open(&world, ask("demo")).await;
    events.until("hello", |events| !events.events.is_empty()).await;
    world.leave().await;
    events.until("the end", |events| events.is_over).await;
    let names: Vec<_> = events.events.iter().map(|(name, _, _)| &**name).collect();
    assert_eq!(names, ["hello", "reconnect", "close"]);
    assert_eq!(events.events[2].2["code"], 1012);
}

#[tokio::test]
async fn who_goes_away_is_missed() {
    let world = World::start(config()).await;
    let mut events = Events::open(&world, ask("demo")).await;
    events.until("hello", |events| !events.events.is_empty()).await;
    drop(events);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let viewer = Viewer::enter(&world, "demo").await;
        if viewer.hellos[0].online == 1 {
            return;
        }
        assert!(Instant::now() < deadline, "still counted");
    }
}

#[tokio::test]
async fn without_a_token_where_one_is_needed_the_status_says_so() {
    let world = World::start(Config { anonymous: false, ..config() }).await;
    let (head, _, body) = ask("demo").send(world.address).await;
    assert!(head.starts_with("HTTP/1.1 401 "), "{head}");
    assert!(String::from_utf8_lossy(&body).contains("\"code\":\"unauthorized\""));
    let bad = ask("demo").header("authorization", "Bearer a.b.c").send(world.address).await.0;
    assert!(bad.starts_with("HTTP/1.1 401 "), "{bad}");
    let elsewhere = world.token("u7", |claims| claims.rooms = Some(vec!["other".into()]));
    let head = ask("demo").header("authorization", &format!("Bearer {elsewhere}")).send(world.address).await.0;
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
    let token = world.token("u7", |_| {});
    let mut events = Events::open(&world, ask("demo").header("authorization", &format!("Bearer {token}"))).await;
    events.until("hello", |events| !events.events.is_empty()).await;
    assert_eq!(events.events[0].2["user"]["id"], "u7");
}
