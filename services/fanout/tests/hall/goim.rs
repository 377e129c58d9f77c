//! The goim wire: live head only, one packet a frame, each version as it was asked for, and the words it has for what a
//! moderator does. What is wrong on it, and clients from elsewhere, are the river's tests.

use std::io::Read as _;

use fanout::Config;
use proto::v1::{Fate, Item, Mode, Recall, Told, Word, item};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    client::{Handshake, frame, whole_frame},
    world::{PATIENCE, World, config},
};

/// A client, and all commands it heard.
struct Goim {
    stream: TcpStream,
    bytes: Vec<u8>,
    commands: Vec<Value>,
    /// The versions of the packets that brought them.
    versions: Vec<u16>,
    online: Vec<u32>,
    closed: Option<u16>,
}

fn packet(op: u32, body: &str) -> Vec<u8> {
    let mut packet = (16 + body.len() as u32).to_be_bytes().to_vec();
    packet.extend([0, 16, 0, 1]);
    packet.extend(op.to_be_bytes());
    packet.extend([0, 0, 0, 1]);
    packet.extend(body.as_bytes());
    packet
}

impl Goim {
    /// Sends a handshake, and `early` right behind it, before it is answered.
    async fn call(world: &World, early: &[u8]) -> Self {
        let mut handshake = Handshake::new("").header("sec-websocket-protocol", "").early(early);
        handshake.target = "/sub".into();
        let (head, stream, bytes) = handshake.send(world.address).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        Self { stream, bytes, commands: Vec::new(), versions: Vec::new(), online: Vec::new(), closed: None }
    }

    async fn enter(world: &World, room: &str, protover: u8, key: &str) -> Self {
        let auth = format!(r#"{{"uid":0,"roomid":"{room}","protover":{protover},"key":"{key}"}}"#);
        let mut client = Self::call(world, &frame(0x82, &packet(7, &auth))).await;
        let first = client.payload().await;
        assert_eq!((&first[6..12], &first[16..]), (&[0, 1, 0, 0, 0, 8][..], &br#"{"code":0}"#[..]));
        client
    }

    async fn payload(&mut self) -> Vec<u8> {
        loop {
            if let Some((first, payload, len)) = whole_frame(&self.bytes) {
                let payload = payload.to_vec();
                self.bytes.drain(..len);
                if first == 0x88 {
                    self.closed = Some(u16::from_be_bytes([payload[0], payload[1]]));
                    return Vec::new();
                }
                assert_eq!(first, 0x82, "nothing but bytes");
                return payload;
            }
            let mut buffer = vec![0; 4096];
            let len = tokio::time::timeout(PATIENCE, self.stream.read(&mut buffer)).await.expect("something").unwrap();
            assert!(len > 0, "cut off");
            self.bytes.extend_from_slice(&buffer[..len]);
        }
    }

    /// Reads until `count` commands were heard.
    async fn until(&mut self, count: usize) {
        while self.commands.len() < count && self.closed.is_none() {
            let payload = self.payload().await;
            self.take(&payload);
        }
    }

    /// Beats, and reads up to the answer.
    async fn beat(&mut self) -> u32 {
        self.stream.write_all(&frame(0x82, &packet(2, ""))).await.unwrap();
        let before = self.online.len();
        while self.online.len() == before {
            let payload = self.payload().await;
            self.take(&payload);
        }
        self.online[before]
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (packet, rest) = bytes.split_at(u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize);
            bytes = rest;
            let (version, op) = (u16::from_be_bytes([packet[6], packet[7]]), packet[11]);
            let body = &packet[16..];
            let mut inner = Vec::new();
            match (op, version) {
                (3, 1) => self.online.push(u32::from_be_bytes(body.try_into().unwrap())),
                (5, 0) => {
                    self.commands.push(serde_json::from_slice(body).unwrap());
                    continue;
                }
                (5, 2) => drop(flate2::read::ZlibDecoder::new(body).read_to_end(&mut inner).unwrap()),
                (5, 3) => drop(brotli::Decompressor::new(body, 4096).read_to_end(&mut inner).unwrap()),
                other => panic!("{other:?}"),
            }
            self.versions.extend((op == 5).then_some(version));
            self.take(&inner);
        }
    }

    fn texts(&self) -> Vec<&str> {
        let danmaku = self.commands.iter().filter(|command| command["cmd"] == "DANMU_MSG");
        danmaku.map(|command| command["info"][1].as_str().unwrap()).collect()
    }
}

#[tokio::test]
async fn each_hears_the_live_head_in_its_version() {
    // So long that all of it is one batch.
    let window = std::time::Duration::from_millis(500);
    let mut world = World::start(Config { window, window_max: window, ..config() }).await;
    world.say("demo", "before");
    world.acknowledged().await;
    // He has read it, so it is in the past for who comes now.
    let mut viewer = Handshake::new("demo").enter(&world).await;
    viewer.until_all(1).await;
    let mut clients = Vec::new();
    for protover in [0, 1, 2, 3, 9] {
        clients.push(Goim::enter(&world, "demo", protover, "tok").await);
    }
    let texts: Vec<String> = (0..20).map(|number| format!("{number} 好")).collect();
    for text in &texts {
        world.say("demo", text);
    }
    world.acknowledged().await;
    for (client, version) in clients.iter_mut().zip([None, None, Some(2), Some(3), None]) {
        client.until(texts.len()).await;
        assert_eq!(client.texts(), texts, "live only, once, in order");
        // The first of a quiet room goes at once, and what is alone is not compressed.
        assert!(client.versions.iter().all(|found| Some(*found) == version), "{:?}", client.versions);
        assert_eq!(client.versions.is_empty(), version.is_none());
        assert_eq!(client.beat().await, 6);
    }
}

#[tokio::test]
async fn what_moderators_do_has_words_that_clients_do_not_take_for_danmaku() {
    let mut world = World::start(config()).await;
    let (mut muted, mut other) =
        (Goim::enter(&world, "demo", 3, &world.token("7", |_| {})).await, Goim::enter(&world, "demo", 0, "").await);
    let item = |to_user: &str, body| Item { fate: Fate::Lossless as i32, to_user: to_user.into(), body: Some(body) };
    let told = Told { verdict: Word::Muted as i32, until: 5, ..Told::default() };
    let recall = Recall { ids: vec!["1-2-3".into()], ..Recall::default() };
    let mode = Mode { emergency: true, ..Mode::default() };
    for items in [
        vec![item("", item::Body::Mode(mode))],
        vec![item("7", item::Body::Told(told))],
        vec![item("", item::Body::Recall(recall))],
    ] {
        let output = world.output("demo", items);
        world.write("demo", &output);
    }
    world.acknowledged().await;
    let names = |client: &Goim| -> Vec<String> {
        client.commands.iter().map(|command| command["cmd"].as_str().unwrap().to_owned()).collect()
    };
    muted.until(3).await;
    assert_eq!(names(&muted), ["ROOM_SILENT_ON", "ROOM_BLOCK_MSG", "MESSAGE_RECALL"]);
    assert_eq!(muted.commands[1]["data"]["uid"], 7);
    other.until(2).await;
    other.beat().await;
    assert_eq!(names(&other), ["ROOM_SILENT_ON", "MESSAGE_RECALL"], "what is for one is for him alone");
}

#[tokio::test]
async fn a_hall_that_leaves_closes_who_is_in_and_who_is_at_the_door() {
    let world = World::start(config()).await;
    let mut seated = Goim::enter(&world, "demo", 2, "").await;
    let mut at_the_door = Goim::call(&world, &[]).await;
    let read = async move {
        seated.until(1).await;
        at_the_door.until(1).await;
        (seated.closed, at_the_door.closed)
        // Both go here, and the hall need not wait for them.
    };
    assert_eq!(tokio::join!(world.leave(), read).1, (Some(1012), Some(1012)));
}

/// One of these clients stops for good at a status but 101, another comes back at once after a close.
#[tokio::test]
async fn a_full_hall_takes_the_call_and_holds_it() {
    let world = World::start(Config { viewers_max: 1, ..config() }).await;
    let _seated = Goim::enter(&world, "demo", 0, "").await;
    let begun = std::time::Instant::now();
    let mut late = Goim::call(&world, &frame(0x82, &packet(7, r#"{"roomid":"demo"}"#))).await;
    late.until(1).await;
    assert_eq!((late.closed, late.commands.len()), (Some(4004), 0));
    assert!(begun.elapsed() >= std::time::Duration::from_secs(5));
}
