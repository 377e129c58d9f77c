//! Who is let in, and with which status the others are told why not.

use crate::{
    client::{Handshake, Viewer},
    world::{World, config},
};

async fn check(world: &World, handshake: Handshake, status: u16, contains: &str) {
    let (head, _, body) = handshake.send(world.address).await;
    let whole = format!("{head}{}", String::from_utf8_lossy(&body));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{whole}");
    assert!(whole.contains(contains), "{contains} is not in {whole}");
}

#[tokio::test]
async fn what_is_no_handshake() {
    let world = World::start(config()).await;
    let good = || Handshake::new("demo");
    check(&world, good().header("sec-websocket-version", "12"), 426, "sec-websocket-version: 13").await;
    check(&world, good().header("sec-websocket-key", ""), 400, "\"code\":\"malformed\"").await;
    check(&world, good().header("sec-websocket-key", "abc"), 400, "\"code\":\"malformed\"").await;
    check(&world, good().header("connection", "keep-alive"), 400, "\"code\":\"malformed\"").await;
    check(&world, good().header("sec-websocket-protocol", "chat"), 400, "danmaku.v1.json").await;
    check(&world, good().header("upgrade", ""), 426, "text/event-stream").await;
    check(&world, good().header("origin", "https://evil.example"), 403, "\"code\":\"forbidden\"").await;
}

#[tokio::test]
async fn pages_of_allowed_origins_and_our_own_are_let_in() {
    let world = World::start(config()).await;
    let own = format!("http://{}", world.address);
    for origin in [&*own, "https://live.example.com"] {
        Handshake::new("demo").header("origin", origin).enter(&world).await;
    }
}

#[tokio::test]
async fn names_that_are_no_rooms() {
    let world = World::start(config()).await;
    let long = "x".repeat(129);
    for name in ["", &*long, "%00", "a%2Fb", "..", ".", "%2e%2e", "%ff", "%zz", "a%0Ab"] {
        check(&world, Handshake::new(name), 400, "\"code\":\"bad_room\"").await;
    }
    let mut elsewhere = Handshake::new("demo");
    elsewhere.target = "/v1/rooms/demo/dead".into();
    check(&world, elsewhere, 404, "\"code\":\"not_found\"").await;
    let full = "x".repeat(128);
    Viewer::enter(&world, &full).await;
}

#[tokio::test]
async fn only_the_real_protocol_is_echoed() {
    let world = World::start(config()).await;
    let token = world.token("u7", |_| {});
    let with_token = format!("danmaku.v1.json, bearer.{token}");
    let (head, _, _) = Handshake::new("demo").header("sec-websocket-protocol", &with_token).send(world.address).await;
    assert!(head.contains("sec-websocket-protocol: danmaku.v1.json\r\n"), "{head}");
    assert!(head.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "{head}");
    assert!(!head.contains("bearer"), "{head}");
    let (head, _, _) = Handshake::new("demo").header("sec-websocket-protocol", "").send(world.address).await;
    assert!(head.starts_with("HTTP/1.1 101 ") && !head.contains("sec-websocket-protocol"), "{head}");
}
