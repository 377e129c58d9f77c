//! Two clients of the goim wire that nobody here wrote hear a whole room: every danmaku once, gifts and super-chats field by
//! field, and their heartbeats answered; each version of the wire, and the client that comes back by itself.
//!
//! The order is checked where the client keeps it: bilibili-live-ws unpacks several compressed frames at a time.
//!
//! They are installed from their registries under `target`. Where those cannot be reached the test says so and is skipped.

use std::{collections::BTreeSet, path::PathBuf, process::Command};

use integration::{
    Node, World,
    stranger::{self, Stranger},
};
use proto::MessageId;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{LATER, SOON, logs, world};

/// A number, because one of the clients takes no other name of a room.
const ROOM: &str = "1001";

/// Enough at once that several share a frame.
const PEOPLE: usize = 40;

fn cache() -> PathBuf {
    logs().join("strangers")
}

fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("clients").join(name)
}

fn address(fanout: &Node) -> String {
    format!("ws://{}/sub", fanout.address())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bilibili_live_ws_hears_the_room_in_each_version() {
    let modules = match stranger::npm(&cache(), "bilibili-live-ws@6.3.1").await {
        Ok(modules) => modules,
        Err(not_here) => return not_here.tell(),
    };
    let river = River::start("goim_node").await;
    let clients = [("0", ""), ("2", ""), ("3", ""), ("3", "keep")].map(|(version, kind)| {
        let mut command = Command::new("node");
        command
            .arg(script("listen.js"))
            .args([&address(&river.fanout), ROOM, version, kind])
            .env("NODE_PATH", &modules);
        Stranger::start(&format!("node-{version}{kind}"), command, &river.logs)
    });
    for client in &clients {
        client.until("live", 1, SOON).await;
    }
    river.is_heard_by(&clients).await;
    for client in &clients {
        assert_eq!(client.heard("live").len(), 1, "auth is answered once");
    }
    check_order(&clients[0]);
    let [.., keeps] = &clients;
    river.goes_and_comes_back_for(keeps).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bili_listener_hears_the_room() {
    let python = match stranger::pip(&cache(), "bili-listener==1.1.8").await {
        Ok(python) => python,
        Err(not_here) => return not_here.tell(),
    };
    let river = River::start("goim_python").await;
    let mut command = Command::new(python);
    command.arg(script("listen.py")).args([&address(&river.fanout), ROOM]);
    let client = [Stranger::start("python", command, &river.logs)];
    river.is_heard_by(&client).await;
    check_order(&client[0]);
    river.goes_and_comes_back_for(&client[0]).await;
}

/// Danmaku came in Kafka's order.
fn check_order(client: &Stranger) {
    let id = |one: &Value| one["id"].as_str().and_then(|id| id.parse::<MessageId>().ok()).expect("an id");
    assert!(client.heard("danmaku").iter().map(id).is_sorted());
}

struct River {
    logs: PathBuf,
    ingest: Node,
    fanout: Node,
    _filter: Node,
    // Its nodes go before it.
    world: World,
}

impl River {
    async fn start(name: &str) -> Self {
        let world = world(name).await;
        let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
        Self { logs: logs().join(name), ingest, fanout, _filter: filter, world }
    }

    /// Says everything there is to say, and checks that each client was told all of it and complained of nothing.
    async fn is_heard_by(&self, clients: &[Stranger]) {
        for client in clients {
            // It beats when auth was answered; everybody is counted.
            client.until("heartbeat", 1, LATER).await;
            let online = client.heard("heartbeat")[0]["online"].as_u64().expect("four bytes are a number");
            assert!((1..=clients.len() as u64).contains(&online), "{online} watch");
        }
        let texts = self.talk().await;
        for client in clients {
            client.until("super", 1, SOON).await;
            client.until("danmaku", texts.len(), SOON).await;
            let danmaku = client.heard("danmaku");
            let heard: BTreeSet<_> =
                danmaku.iter().map(|one| one["text"].as_str().unwrap_or_default().to_owned()).collect();
            assert_eq!((heard, danmaku.len()), (texts.clone(), texts.len()), "every danmaku once");
            for one in &danmaku {
                assert!(one["face"].as_str().is_some_and(|face| !face.is_empty()), "{one}");
            }
            let styled = danmaku.iter().find(|one| one["uid"] == 7000).expect("the first speaker's");
            assert_eq!(
                (&styled["mode"], &styled["color"], &styled["name"]),
                (&json!(1), &json!(0xff_ffff), &json!("7000"))
            );
            let gift = json!({ "event": "gift", "name": "玫瑰", "count": 3, "value": 30, "sender": "小明" });
            assert_eq!(client.heard("gift"), [gift]);
            let chat = json!({ "event": "super", "text": "加油！", "price": 30, "sender": "小明", "seconds": 60 });
            assert_eq!(client.heard("super"), [chat]);
            for trouble in ["error", "crash", "close", "stopped"] {
                assert!(client.heard(trouble).is_empty(), "{:?}", client.heard(trouble));
            }
        }
    }

    /// Kills the hall and starts another in its place, which the client finds by itself.
    async fn goes_and_comes_back_for(self, client: &Stranger) {
        let address = self.fanout.address().to_string();
        self.fanout.kill();
        let _another = self.world.fanout(&["--listen", &address]).await;
        client.until("heartbeat", 2, LATER).await;
        self.world.sender(&self.ingest, "back").say(ROOM, "back").await.accepted();
        client.until("danmaku", PEOPLE + 1, SOON).await;
        let texts = client.heard("danmaku");
        assert_eq!(texts[PEOPLE..].iter().map(|one| &one["text"]).collect::<Vec<_>>(), ["back"], "nothing old again");
    }

    /// One danmaku of each of many people, all at once, then a gift and a super-chat. Returns the texts.
    async fn talk(&self) -> BTreeSet<String> {
        let mut people = JoinSet::new();
        for number in 0..PEOPLE {
            let sender = self.world.sender(&self.ingest, &format!("{}", 7000 + number));
            let text = format!("弹幕 {number} \"<好>\" 🎉");
            people.spawn(async move {
                sender.say(ROOM, &text).await.accepted();
                text
            });
        }
        let texts = people.join_all().await.into_iter().collect();
        let (platform, user) = (self.world.service(&self.ingest), json!({ "id": "u1", "name": "小明" }));
        let gift = json!({ "gift": "rose", "name": "玫瑰", "count": 3, "value": 30 });
        let gift = json!({ "kind": "gift", "client_id": "g1", "user": user, "data": gift });
        platform.give(ROOM, &gift).await.accepted();
        let chat = json!({ "amount_minor": 3000, "currency": "CNY", "show_ms": 60_000 });
        let chat = json!({ "kind": "super", "client_id": "s1", "user": user, "text": "加油！", "data": chat });
        platform.give(ROOM, &chat).await.accepted();
        texts
    }
}
