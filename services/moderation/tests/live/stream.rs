//! The stream of events: in order, of one room or of all, and on from where it broke. Reports by viewers, who are heard on it.

use std::time::Duration;

use bytes::Bytes;
use chassis::tokens::{Claims, Role};
use http_body_util::{BodyExt as _, Empty};
use hyper::{Request, body::Incoming};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use proto::v1::{Hit, Word};
use serde_json::{Value, json};

use crate::{
    holds::until_held,
    rig::{PATIENCE, Rig},
    river::{River, hit},
};

/// One who listens.
pub(crate) struct Listener {
    pub(crate) status: u16,
    body: Incoming,
    heard: String,
}

/// An event as it was heard.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) name: String,
    id: i64,
    pub(crate) data: Value,
}

impl Listener {
    pub(crate) async fn on(rig: &Rig, path: &str, role: Role, last: Option<i64>) -> Self {
        Self::with(rig, path, &rig.token("li", role), last).await
    }

    async fn with(rig: &Rig, path: &str, token: &str, last: Option<i64>) -> Self {
        let mut request = Request::get(rig.url(path)).header("authorization", format!("Bearer {token}"));
        if let Some(last) = last {
            request = request.header("last-event-id", last.to_string());
        }
        let client = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
        let answered = client.request(request.body(Empty::new()).unwrap());
        let response = tokio::time::timeout(PATIENCE, answered).await.expect("no answer").unwrap();
        let status = response.status().as_u16();
        Self { status, body: response.into_body(), heard: String::new() }
    }

    /// Listens until so many events were heard, and gives them all.
    pub(crate) async fn events(&mut self, least: usize) -> Vec<Event> {
        loop {
            let events: Vec<Event> = self.heard.split("\n\n").filter_map(event).collect();
            if events.len() >= least {
                return events;
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await;
            let frame = frame.unwrap_or_else(|_| panic!("{least} events were not heard, but {events:?}"));
            let bytes = frame.expect("the stream ended").unwrap().into_data().unwrap();
            self.heard.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// Listens until the stream ends.
    async fn end(mut self) {
        while let Ok(Some(frame)) =
            tokio::time::timeout(PATIENCE, self.body.frame()).await.map(Option::transpose).unwrap()
        {
            drop(frame);
        }
    }
}

fn event(text: &str) -> Option<Event> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    Some(Event {
        name: field("event: ")?.to_owned(),
        id: field("id: ").unwrap_or("0").parse().unwrap(),
        data: serde_json::from_str(field("data: ")?).unwrap(),
    })
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.name.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_heard_in_order_and_a_stream_goes_on_where_it_broke() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let mut of_room = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, None).await;
    let mut of_all = Listener::on(&rig, "stream", Role::Admin, None).await;
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    moderator.post(&format!("holds/{id}/approve"), json!({ "text": "flower" })).await.ok();
    moderator.put("rooms/other/mode", json!({ "mode": { "slow_ms": 1000 } })).await.ok();
    moderator.post("rooms/demo/mutes", json!({ "subject": "user/ann", "seconds": 5 })).await.ok();

    let heard = of_room.events(4).await;
    assert_eq!(names(&heard), ["hits", "held", "decided", "sanction"]);
    assert_eq!((&heard[1].data["id"], &heard[1].data["text"]), (&json!(id), &json!("blorp?")));
    assert_eq!(heard[1].data["room"], "demo");
    assert_eq!((&heard[2].data["by"], &heard[2].data["edited"]), (&json!("mo"), &json!(true)));
    assert_eq!(heard[3].data["subjects"], json!(["user/ann"]));
    assert!(heard.windows(2).all(|pair| pair[0].id < pair[1].id));
    let all = of_all.events(5).await;
    assert_eq!(names(&all), ["hits", "held", "decided", "mode", "sanction"]);
    assert_eq!((&all[3].data["room"], &all[3].data["mode"]["slow_ms"]), (&json!("other"), &json!(1_000)));

    // It broke behind the second, and comes back.
    let mut again = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, Some(heard[1].id)).await;
    assert_eq!(again.events(2).await, heard[2..]);
    let mut since =
        Listener::on(&rig, &format!("rooms/demo/stream?since={}", heard[2].id), Role::Moderator, None).await;
    assert_eq!(since.events(1).await, heard[3..]);
    // One whose place is from elsewhere is told so, and hears what comes.
    let mut lost = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, Some(1_000_000)).await;
    assert_eq!(names(&lost.events(1).await), ["gap"]);
    moderator.delete("rooms/demo/mutes?subject=user/ann").await.ok();
    assert_eq!(names(&lost.events(2).await), ["gap", "sanction"]);
    rig.ground.shutdown.trigger();
    lost.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_token() {
    let rig = Rig::start().await;
    let token = rig.mint(&Claims::new("li", [Role::Moderator].into_iter().collect()), 3);
    let listener = Listener::with(&rig, "rooms/demo/stream", &token, None).await;
    assert_eq!(listener.status, 200);
    let ended = tokio::time::timeout(PATIENCE, listener.end()).await;
    ended.expect("it outlives its token");
}

#[tokio::test(flavor = "multi_thread")]
async fn hits_are_told_by_entry_and_room() {
    let rig = Rig::start().await;
    let river = River::of(&rig.ground.cluster);
    let mut listener = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, None).await;
    let (id, input) = river.say("demo", "ann", "blorp");
    river.verdict(id, &input, Word::Passed, vec![Hit { observe: true, ..hit("e9") }]);
    let heard = listener.events(1).await;
    assert_eq!(names(&heard), ["hits"]);
    let expected = json!({ "room": "demo", "entry": "e9", "list": "house", "category": "spam", "hits": 1, "observed": 1,
        "last_id": id.to_string() });
    assert_eq!(heard[0].data, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_listen() {
    let rig = Rig::start().await;
    for (path, role, expected) in [
        ("rooms/demo/stream", Role::Viewer, 403),
        ("rooms/demo/stream", Role::LogViewer, 403),
        ("stream", Role::Moderator, 403),
        ("rooms/demo/stream?since=x", Role::Moderator, 400),
    ] {
        assert_eq!(Listener::on(&rig, path, role, None).await.status, expected, "{path} {role:?}");
    }
    // Streams are bounded; one that ends makes room.
    let mut open = Vec::new();
    for _ in 0..64 {
        let listener = Listener::on(&rig, "stream", Role::Admin, None).await;
        assert_eq!(listener.status, 200);
        open.push(listener);
    }
    assert_eq!(Listener::on(&rig, "stream", Role::Admin, None).await.status, 429);
    open.clear();
    let deadline = std::time::Instant::now() + PATIENCE;
    while Listener::on(&rig, "stream", Role::Admin, None).await.status != 200 {
        assert!(std::time::Instant::now() < deadline, "a stream that ended takes its place still");
        // Whoever is gone is noticed by what is told.
        rig.as_("mo", Role::Moderator).put("rooms/demo/mode", json!({ "mode": {} })).await.ok();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_enough_viewers_report_is_put_before_the_moderators_once() {
    let rig = Rig::start().await;
    let river = River::of(&rig.ground.cluster);
    let mut listener = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, None).await;
    let (id, _) = river.say("demo", "ann", "blorp");
    let report = json!({ "id": id.to_string(), "reason": "rude" });
    let path = "/v1/rooms/demo/reports";
    for (viewer, again) in [("v1", false), ("v1", true), ("v2", false), ("v2", true), ("v3", false), ("v4", false)] {
        let answer = rig.as_(viewer, Role::Viewer).post(path, report.clone()).await;
        assert_eq!((answer.status, answer.body["again"] == json!(true)), (202, again), "{viewer}: {}", answer.text);
    }
    let heard = listener.events(1).await;
    assert_eq!(names(&heard), ["reported"]);
    let expected =
        json!({ "room": "demo", "id": id.to_string(), "reports": 3, "user": "ann", "text": "blorp", "reason": "rude" });
    assert_eq!(heard[0].data, expected);
    let listed = rig.as_("mo", Role::Moderator).get("rooms/demo/reports?least=2").await.ok();
    assert_eq!((&listed["messages"][0]["id"], &listed["messages"][0]["reports"]), (&json!(id.to_string()), &json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_reports_five_messages_a_minute_and_no_nonsense() {
    let rig = Rig::start().await;
    let river = River::of(&rig.ground.cluster);
    let (id, _) = river.say("demo", "ann", "blorp");
    let viewer = rig.as_("v1", Role::Viewer);
    let path = "/v1/rooms/demo/reports";
    let report = |offset: u64| json!({ "id": format!("3-{}-{offset}", id.partition) });
    for offset in 0..5 {
        assert_eq!(viewer.post(path, report(offset)).await.status, 202);
    }
    let limited = viewer.post(path, report(5)).await;
    assert_eq!(limited.is(), (429, "rate_limited"));
    assert!(limited.body["retry_after_ms"].as_i64().unwrap() > 0);
    // A repeat costs nothing, and another viewer is not held to it.
    assert_eq!(viewer.post(path, report(0)).await.status, 202);
    assert_eq!(rig.as_("v2", Role::Viewer).post(path, report(5)).await.status, 202);
    for (bad, expected) in [
        (json!({ "id": "x" }), (422, "invalid")),
        (json!({ "id": format!("3-{}-0", (id.partition + 1) % 8) }), (422, "invalid")),
        (json!({ "id": "3-8-0" }), (422, "invalid")),
        (json!({ "id": format!("4-{}-0", id.partition) }), (422, "invalid")),
        (json!({}), (400, "malformed")),
        (json!({ "id": id.to_string(), "reason": "x".repeat(201) }), (400, "malformed")),
    ] {
        let answer = rig.as_("v3", Role::Viewer).post(path, bad.clone()).await;
        assert_eq!(answer.is(), expected, "{bad}");
    }
    let later = rig.as_("v3", Role::Viewer).post(path, json!({ "id": format!("4-{}-0", id.partition) })).await;
    assert_eq!(later.body["problems"][0]["message"], "id: there is no generation 4; this is 3");
    assert_eq!(rig.with_token(None).post(path, report(0)).await.is(), (401, "unauthorized"));
    let elsewhere = rig.with_token(Some(rig.token_for("v4", Role::Viewer, Some(&["other"]))));
    assert_eq!(elsewhere.post(path, report(0)).await.is(), (403, "forbidden"));
}
