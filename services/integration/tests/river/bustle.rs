//! A river on which everything happens that a metric tells of, round after round: words of many fates, people of every kind,
//! moderators at work, a filter that joins later. No test of its own: what it is good for is to be watched.

use chassis::tokens::Role;
use fastwebsockets::OpCode;
use hyper::Method;
use integration::{
    Moderator, Node, Redis, Viewer, World,
    goim::{Caller, op, packet},
    moderator::in_force,
    viewer::{Ticket, Wire},
};
use serde_json::json;
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::{SOON, by_the_book};

/// Where people are; a room's name, like a user's, is in no metric.
pub(crate) const ROOM: &str = "bustle-room";

/// What every user's id begins with.
pub(crate) const USERS: &str = "bustle-user";

/// Everybody and everything, in the order in which it ends.
pub(crate) struct Bustle {
    rounds: usize,
    viewers: Vec<Viewer>,
    _stream: TcpStream,
    admin: Moderator,
    filters: Vec<Node>,
    ingest: Node,
    halls: [Node; 2],
    desk: Node,
    world: World,
    _redis: Redis,
}

impl Bustle {
    /// Starts all services on real Kafka; `None` on a machine without Redis.
    pub(crate) async fn start(name: &str) -> Option<Self> {
        let redis = Redis::start().await?;
        let world = by_the_book(name).await;
        let desk = world.moderation(&[]).await;
        let admin = world.moderator(&desk, "bustle-admin", &[Role::Admin]);
        let number = rules(&admin).await;
        // A limit that nobody meets and that the door has to remember somebody for.
        let rates = ["--door-user-rate", "1", "--door-user-burst", "10000"];
        let (ingest, filter) = tokio::join!(world.ingest(&rates), world.filter(&["--say-burst", "2"]));
        let (door, url) = (format!("http://{}", ingest.address()), redis.url());
        let flags = ["--redis", &url, "--places", "1", "--ingest", &door];
        let halls = tokio::join!(world.fanout(&flags), world.fanout(&flags)).into();
        in_force(&[&filter], number).await;
        let stream = stream(&world, &desk).await;
        let filters = vec![filter];
        let viewers = Vec::new();
        Some(Self { rounds: 0, viewers, _stream: stream, admin, filters, ingest, halls, desk, world, _redis: redis })
    }

    /// All processes.
    pub(crate) fn nodes(&self) -> Vec<&Node> {
        let [one, two] = &self.halls;
        [&self.ingest, one, two, &self.desk].into_iter().chain(&self.filters).collect()
    }

    /// Everything once.
    pub(crate) async fn round(&mut self) {
        self.rounds += 1;
        if self.rounds == 2 {
            // It takes partitions over, and learns what was said in them.
            self.filters.push(self.world.filter(&["--say-burst", "2"]).await);
        }
        self.people_come().await;
        self.people_talk().await;
        self.moderators_work().await;
        self.people_go().await;
    }

    fn user(&self, name: &str) -> String {
        format!("{USERS}-{name}-{}", self.rounds)
    }

    /// By every wire; one twice, so that he is replaced, and some who do it wrong.
    async fn people_come(&mut self) {
        let [one, two] = &self.halls;
        let events = Ticket { room: ROOM.into(), wire: Wire::Events, ..Ticket::default() };
        self.viewers.push(self.world.viewer_with(one, &events).await);
        self.viewers.push(self.world.speaker(one, ROOM, &self.user("speaker")).await);
        self.viewers.push(self.world.viewer_named(one, ROOM, &self.user("twice")).await);
        self.viewers.push(self.world.viewer_named(two, ROOM, &self.user("twice")).await);
        let lost = Ticket { room: ROOM.into(), since: Some("no cursor".into()), ..Ticket::default() };
        self.viewers.push(self.world.viewer_with(two, &lost).await);
        self.world.get(one, &format!("/v1/rooms/{ROOM}/live")).await;
        let mut caller = Caller::enter(one.address(), r#"{"uid":0,"roomid":1001,"protover":0}"#).await;
        caller.say(&packet(op::HEARTBEAT, b"")).await;
        caller.say(&packet(999, b"")).await;
        caller.told().await;
    }

    async fn people_talk(&self) {
        let say =
            async |user: &str, text: &str| self.world.sender(&self.ingest, &self.user(user)).say(ROOM, text).await;
        for number in 0..20 {
            say(&format!("many-{number}"), &format!("word {number} of round {}", self.rounds)).await;
        }
        for text in ["blorfed", "holdme", "shademe"] {
            say(text, text).await;
        }
        let fast = self.world.sender(&self.ingest, &self.user("fast"));
        for number in 0..6 {
            fast.say(ROOM, &format!("faster and faster {number}")).await;
        }
        let muted = self.world.sender(&self.ingest, &format!("{USERS}-muted"));
        muted.say(ROOM, "is anybody there").await;
        muted.say(ROOM, "").await;
        let platform = self.world.service(&self.ingest);
        platform.gift(ROOM, &self.user("giver"), "rose", 1, 1).await;
        let _ = platform.announce("to everybody", &format!("announcement-{}", self.rounds)).await;
        let speaker = &self.viewers[self.viewers.len() - 4];
        speaker.sent("c1", "on the socket", SOON).await;
        // It fails only when he is gone.
        let _ = speaker.send_raw(OpCode::Text, b"{").await;
        let notice = format!(r#"{{"id":"n{}","text":"for you alone"}}"#, self.rounds);
        self.world.notify(&self.halls[0], &self.user("speaker"), &notice).await;
    }

    /// An edit that acts, a mode, and a path that is none.
    async fn moderators_work(&self) {
        let number = self.admin.block("house", &format!("blorp{}", self.rounds)).await;
        in_force(&self.filters.iter().collect::<Vec<_>>(), number).await;
        let mode = json!({ "mode": { "slow_ms": 1 + self.rounds % 2 }, "lasts_s": 600, "reason": "" });
        self.admin.ask(Method::PUT, &format!("rooms/{ROOM}/mode"), Some(&mode)).await;
        self.admin.ask(Method::GET, "nothing", None).await;
    }

    /// Some of those who came, and one comes back for what he missed.
    async fn people_go(&mut self) {
        let speaker = &self.viewers[self.viewers.len() - 4];
        let cursor = speaker.seen().cursor;
        self.viewers.push(self.world.viewer_since(&self.halls[0], ROOM, &cursor).await);
        let stay = self.viewers.len().saturating_sub(12);
        self.viewers.drain(..stay);
    }
}

/// Lists of all kinds, and people who may not speak; the number of the last version.
async fn rules(admin: &Moderator) -> u64 {
    admin.list("house", "enforce").await;
    admin.add("house", json!({ "text": "holdme", "action": "hold" })).await;
    admin.add("house", json!({ "text": "shademe", "action": "shadow" })).await;
    admin.put(&format!("lists/own?room={ROOM}"), &json!({ "mode": "enforce" })).await;
    admin.post(&format!("lists/own/entries?room={ROOM}"), &json!({ "add": ["onlyhere"] })).await;
    let muted = json!({ "subject": format!("user/{USERS}-muted"), "seconds": 3_600, "reason": "" });
    admin.post(&format!("rooms/{ROOM}/mutes"), &muted).await;
    let banned = json!({ "subject": format!("user/{USERS}-banned"), "seconds": 3_600, "reason": "" });
    admin.post("bans", &banned).await;
    admin.block("house", "blorfed").await
}

/// Somebody who hears what moderators do.
async fn stream(world: &World, desk: &Node) -> TcpStream {
    let mut stream = TcpStream::connect(desk.address()).await.expect("a desk listens");
    let token = world.token("bustle-listener", &[Role::Admin]);
    let request = format!(
        "GET /v1/moderation/rooms/{ROOM}/stream HTTP/1.1\r\nhost: desk\r\naccept: text/event-stream\r\n\
         authorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("a request is taken");
    stream
}
