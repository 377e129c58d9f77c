//! What viewers send on their sockets, with a door that answers as the text says: in the viewer's order, on the same socket,
//! and never at the cost of anybody else.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use chassis::{
    http::{Collected, Response, collect, json},
    listen::{self, Limits},
    shutdown::Shutdown,
    tokens::{Claims, HEADER_ADDRESS, HEADER_CLAIMS, Role},
};
use fanout::Config;
use hyper::{HeaderMap, Request, StatusCode, body::Incoming};
use proto::{frame::FromServer, v1::Ack};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    client::{Handshake, Viewer},
    world::{PATIENCE, World, config, unix_secs},
};

/// A request as the door got it.
#[derive(Debug, Clone)]
struct Brought {
    path: String,
    headers: HeaderMap,
    body: Value,
}

/// A door whose answer is chosen by the text: `held` waits until it is let go, a number is a status with the code
/// `code-{number}`, `nonsense` is no JSON, anything else is accepted.
struct Door {
    address: SocketAddr,
    brought: Arc<Mutex<Vec<Brought>>>,
    let_go: Arc<Semaphore>,
}

impl Door {
    fn open() -> Self {
        let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--listen").unwrap();
        let address = listener.local_addr().unwrap();
        let (brought, let_go) = (Arc::<Mutex<Vec<Brought>>>::default(), Arc::new(Semaphore::new(0)));
        let (book, gate) = (brought.clone(), let_go.clone());
        let handle = move |request: Request<Incoming>, _| answered(request, book.clone(), gate.clone());
        tokio::spawn(listen::serve(listener, Shutdown::new(), Limits::default(), handle));
        Self { address, brought, let_go }
    }

    fn config(&self) -> Config {
        Config { ingest: vec![self.address.to_string().parse().unwrap()], ..config() }
    }

    fn texts(&self) -> Vec<String> {
        let brought = self.brought.lock().unwrap();
        brought.iter().map(|one| one.body["text"].as_str().unwrap().to_owned()).collect()
    }

    async fn until_texts(&self, count: usize) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        while self.texts().len() < count {
            assert!(Instant::now() < deadline, "{:?}", self.texts());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.texts()
    }
}

async fn answered(request: Request<Incoming>, book: Arc<Mutex<Vec<Brought>>>, gate: Arc<Semaphore>) -> Response {
    let (head, body) = request.into_parts();
    let Collected::Whole(bytes) = collect(body, 4096, PATIENCE).await else { panic!("no body") };
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let text = body["text"].as_str().unwrap().to_owned();
    let number = {
        let mut book = book.lock().unwrap();
        book.push(Brought { path: head.uri.path().to_owned(), headers: head.headers, body });
        book.len()
    };
    if text == "held" {
        gate.acquire().await.unwrap().forget();
    }
    match text.parse() {
        Ok(status) => {
            let status = StatusCode::from_u16(status).unwrap();
            json(status, &json!({ "code": format!("code-{text}"), "retry_after_ms": 7 }))
        }
        Err(_) if text == "nonsense" => chassis::http::answer(StatusCode::ACCEPTED, "text/html", "<html>"),
        Err(_) => json(StatusCode::ACCEPTED, &json!({ "id": format!("1-0-{number}") })),
    }
}

impl Viewer {
    async fn send(&mut self, client_id: &str, text: &str) {
        let send = json!({ "type": "send", "client_id": client_id, "text": text });
        self.send_text(&send.to_string()).await;
    }

    fn acks(&self) -> Vec<&Ack> {
        let acks =
            self.others.iter().filter_map(|frame| if let FromServer::Ack(ack) = frame { Some(ack) } else { None });
        acks.collect()
    }

    /// The answers so far as `client_id` and id or code, once there are so many.
    async fn answers(&mut self, count: usize) -> Vec<(String, String)> {
        self.until(&format!("{count} acks"), |viewer| viewer.acks().len() >= count).await;
        let word = |ack: &Ack| if ack.ok { ack.id.clone() } else { ack.code.clone() };
        self.acks().into_iter().map(|ack| (ack.client_id.clone(), word(ack))).collect()
    }
}

fn pair(client_id: &str, word: &str) -> (String, String) {
    (client_id.to_owned(), word.to_owned())
}

async fn enter(world: &World, room: &str, user: &str) -> Viewer {
    let token = world.token(user, |claims| claims.level = 3);
    Handshake::new(room).header("authorization", &format!("Bearer {token}")).enter(world).await
}

#[tokio::test]
async fn the_door_hears_the_person_and_he_hears_the_door() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut viewer = enter(&world, "a%20%E5%BC%B9", "u7").await;
    assert!(viewer.hellos[0].can_send);
    let send = r##"{"type":"send","client_id":"c1","text":"好\u0001","color":"#ff8800","position":"top"}"##;
    viewer.send_text(send).await;
    viewer.send("", "").await;
    assert_eq!(viewer.answers(2).await, [pair("c1", "1-0-1"), pair("", "1-0-2")]);
    let brought = door.brought.lock().unwrap().clone();
    let Brought { path, headers, body } = &brought[0];
    assert_eq!(path, "/v1/rooms/a%20%E5%BC%B9/danmaku");
    assert_eq!(body, &json!({ "client_id": "c1", "text": "好\u{1}", "color": "#ff8800", "position": "top" }));
    assert_eq!(brought[1].body, json!({ "text": "" }));
    let header = |name: &str| headers[name].to_str().unwrap();
    assert_eq!((header(HEADER_ADDRESS), header("content-type")), ("127.0.0.1", "application/json"));
    let claims = Claims::from_header(header(HEADER_CLAIMS)).unwrap();
    assert_eq!((&*claims.sub, claims.level, claims.has(Role::Sender)), ("u7", 3, true));
    let token = header("authorization").strip_prefix("Bearer ").unwrap();
    let relay = world.signer.verifier().unwrap().verify(token, unix_secs()).unwrap();
    assert!(relay.has(Role::Relay) && !relay.has(Role::Sender));
}

#[tokio::test]
async fn a_viewers_sends_keep_their_order_and_hold_nobody_up() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let (mut slow, mut other) = (enter(&world, "demo", "u1").await, enter(&world, "demo", "u2").await);
    for (client_id, text) in [("c1", "held"), ("c2", "second"), ("c3", "third")] {
        slow.send(client_id, text).await;
    }
    assert_eq!(door.until_texts(1).await, ["held"]);
    other.send("d1", "another's").await;
    assert_eq!(other.answers(1).await, [pair("d1", "1-0-2")]);
    assert_eq!(slow.ping(1).await.at, 1);
    assert!(slow.acks().is_empty());
    door.let_go.add_permits(1);
    assert_eq!(slow.answers(3).await, [pair("c1", "1-0-1"), pair("c2", "1-0-3"), pair("c3", "1-0-4")]);
    assert_eq!(door.texts(), ["held", "another's", "second", "third"]);
}

#[tokio::test]
async fn who_leaves_takes_back_his_answer_and_nothing_else() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut leaver = enter(&world, "demo", "u1").await;
    for (client_id, text) in [("c1", "held"), ("c2", "second")] {
        leaver.send(client_id, text).await;
    }
    door.until_texts(1).await;
    // Everything he said is handed over once his ping is answered.
    leaver.ping(1).await;
    drop(leaver);
    let mut next = enter(&world, "demo", "u2").await;
    door.let_go.add_permits(1);
    assert_eq!(door.until_texts(2).await, ["held", "second"]);
    next.send("d1", "mine").await;
    assert_eq!(next.answers(1).await, [pair("d1", "1-0-3")]);
}

#[tokio::test]
async fn the_doors_no_is_told_and_what_it_says_besides_is_our_trouble() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    let texts = ["400", "403", "413", "422", "429", "401", "404", "500", "503", "nonsense"];
    for (turn, text) in texts.iter().enumerate() {
        viewer.send(&format!("c{turn}"), text).await;
        viewer.answers(turn + 1).await;
    }
    let told = viewer.acks().into_iter().map(|ack| (&*ack.code, ack.retry_after_ms)).collect::<Vec<_>>();
    let (noes, troubles) = told.split_at(5);
    let codes = ["code-400", "code-403", "code-413", "code-422", "code-429"].map(|code| (code, 7));
    assert_eq!(noes, codes);
    assert!(troubles.iter().all(|told| *told == ("unavailable", 1_000)), "{troubles:?}");
    assert!(viewer.acks().iter().all(|ack| !ack.ok));
}

#[tokio::test]
async fn more_than_twenty_refusals_close() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    for turn in 0..20 {
        viewer.send(&format!("c{turn}"), "422").await;
        viewer.answers(turn + 1).await;
    }
    assert_eq!(viewer.ping(1).await.at, 1, "twenty are borne");
    viewer.send("c20", "422").await;
    assert_eq!(viewer.until_closed().await, 4506);
    assert_eq!(viewer.acks().len(), 21, "the last one is told too");
}

#[tokio::test]
async fn a_burst_beyond_the_doors_own_is_told_at_once() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    viewer.send("c0", "held").await;
    door.until_texts(1).await;
    for turn in 1..=10 {
        viewer.send(&format!("c{turn}"), "hi").await;
    }
    // One is under way and eight wait.
    assert_eq!(viewer.answers(2).await, [pair("c9", "rate_limited"), pair("c10", "rate_limited")]);
    door.let_go.add_permits(1);
    assert_eq!(viewer.answers(11).await.len(), 11);
    assert_eq!(door.texts().len(), 9);
}

#[tokio::test]
async fn no_door_at_all_is_nobodys_fault() {
    let nowhere = Config { ingest: vec!["127.0.0.1:1".parse().unwrap()], ..config() };
    let mut world = World::start(nowhere).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    for turn in 0..25 {
        viewer.send(&format!("c{turn}"), "hi").await;
        viewer.answers(turn + 1).await;
    }
    assert!(viewer.acks().iter().all(|ack| (&*ack.code, ack.retry_after_ms) == ("unavailable", 1_000)));
    world.say("demo", "another's");
    viewer.until_all(1).await;
    assert_eq!(viewer.ping(1).await.at, 1);
}

#[tokio::test]
async fn of_two_doors_one_is_enough() {
    let door = Door::open();
    let config = door.config();
    let ingest = vec!["127.0.0.1:1".parse().unwrap(), config.ingest[0].clone()];
    let world = World::start(Config { ingest, ..config }).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    for turn in 0..4 {
        viewer.send(&format!("c{turn}"), "hi").await;
    }
    assert!(viewer.answers(4).await.iter().all(|(_, word)| word.starts_with("1-0-")));
}

#[tokio::test]
async fn a_door_that_hangs_costs_what_was_on_its_way_there_and_no_more() {
    let door = Door::open();
    // The kernel takes connections for it, and nobody ever answers.
    let hung = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let config = door.config();
    let ingest = vec![hung.local_addr().unwrap().to_string().parse().unwrap(), config.ingest[0].clone()];
    let world = World::start(Config { ingest, ..config }).await;
    let mut viewer = enter(&world, "demo", "u1").await;
    for turn in 0..8 {
        viewer.send(&format!("c{turn}"), "hi").await;
        viewer.answers(turn + 1).await;
    }
    let words: Vec<_> = viewer.answers(8).await.into_iter().map(|(_, word)| word).collect();
    assert_eq!(words[0], "unavailable");
    assert!(words[1..].iter().all(|word| word.starts_with("1-0-")), "{words:?}");
}

#[tokio::test]
async fn who_may_not_is_told_here() {
    let door = Door::open();
    let world = World::start(door.config()).await;
    let mut nobody = Viewer::enter(&world, "demo").await;
    let token = world.token("u7", |claims| claims.roles = [Role::Viewer].into_iter().collect());
    let mut watcher = Handshake::new("demo").header("authorization", &format!("Bearer {token}")).enter(&world).await;
    for (viewer, code) in [(&mut nobody, "unauthorized"), (&mut watcher, "forbidden")] {
        assert!(!viewer.hellos[0].can_send);
        viewer.send("c1", "hi").await;
        assert_eq!(viewer.answers(1).await, [pair("c1", code)]);
    }
    assert!(door.texts().is_empty());
}
