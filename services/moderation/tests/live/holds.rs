//! Held messages: decided once, by whoever comes first or by time, whatever dies in between.

use std::time::{Duration, Instant};

use chassis::tokens::Role;
use prost::Message as _;
use proto::v1::{self, Word, input::Body};
use serde_json::{Value, json};

use crate::{
    rig::{Answer, Asker, Folder, PATIENCE, PREFIX, Rig, broker},
    river::{GENERATION, River, hit},
    rooms::recalls,
};

/// What waits in a room, once `done` makes something of it.
pub(crate) async fn until<T>(asker: &Asker<'_>, path: &str, done: impl Fn(&Value) -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = asker.get(path).await;
        if let Some(found) = done(&answer.body) {
            return found;
        }
        assert!(Instant::now() < deadline, "{path}: not seen, but {}", answer.text);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until a message waits.
pub(crate) async fn until_held(asker: &Asker<'_>, room: &str, id: &str) -> Value {
    let is_it = |answer: &Value| answer["holds"].as_array()?.iter().find(|hold| hold["id"] == id).cloned();
    until(asker, &format!("holds?room={room}"), is_it).await
}

/// Waits until the judge's answer to a decision was heard.
async fn until_came_to(asker: &Asker<'_>, id: &str) -> String {
    let came_to = |hold: &Value| hold["decision"]["verdict"].as_str().map(str::to_owned);
    until(asker, &format!("holds/{id}"), came_to).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_is_let_through_once_under_its_id() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let id = river.hold("demo", "ann", "blorp?").to_string();
    let held = until_held(&moderator, "demo", &id).await;
    assert_eq!((held["user"].as_str(), held["name"].as_str()), (Some("ann"), Some("ann's name")));
    assert_eq!((held["text"].as_str(), held["rule"].as_str()), (Some("blorp?"), Some("e1")));
    assert_eq!(held["hits"][0]["end"], 5);

    let approved = moderator.post(&format!("holds/{id}/approve"), json!({ "reason": "fine" })).await.ok();
    assert_eq!((&approved["decision"]["outcome"], &approved["decision"]["by"]), (&json!("approved"), &json!("mo")));
    let decisions = river.decisions("demo", 1);
    let decision = &decisions[0];
    assert_eq!(
        (decisions.len(), decision.held_id.as_str(), decision.approved, decision.edited),
        (1, id.as_str(), true, false)
    );
    assert_eq!((decision.client_id.as_str(), decision.at), ("c-ann", 7));
    let say = decision.say.as_ref().unwrap();
    assert_eq!((say.text.as_str(), say.color), ("blorp?", Some(5)));

    // The second to decide hears who was first.
    let second = rig.as_("lu", Role::Moderator).post(&format!("holds/{id}/reject"), json!({})).await;
    assert_eq!(second.is(), (409, "conflict"));
    assert!(second.body["message"].as_str().unwrap().contains("approved by mo at"), "{}", second.text);
    assert_eq!(river.decisions("demo", 1).len(), 1);

    // What the judge makes of it is told too.
    let (at, input) = river.input("demo").pop().unwrap();
    river.verdict(at, &input, Word::Approved, Vec::new());
    assert_eq!(until_came_to(&moderator, &id).await, "approved");
    let statistics = moderator.get("statistics").await.ok();
    let entry = &statistics["entries"][0];
    assert_eq!((&entry["entry"], &entry["held"], &entry["approved"]), (&json!("e1"), &json!(1), &json!(1)));
    assert_eq!(entry["approve_rate"], 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_decide_at_once_one_does() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    let askers: Vec<Asker<'_>> = (0..8).map(|number| rig.as_(&format!("mo-{number}"), Role::Moderator)).collect();
    let paths = [format!("holds/{id}/approve"), format!("holds/{id}/reject")];
    let decide = |number: usize| askers[number].post(&paths[number % 2], json!({}));
    let (a, b, c, d, e, f, g, h) =
        tokio::join!(decide(0), decide(1), decide(2), decide(3), decide(4), decide(5), decide(6), decide(7));
    let statuses: Vec<u16> = [a, b, c, d, e, f, g, h].iter().map(|answer: &Answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 7, "{statuses:?}");
    assert_eq!(river.decisions("demo", 1).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_may_carry_another_text() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    let path = format!("holds/{id}/approve");
    for text in ["", " ", "\u{202e}\u{200b}"] {
        assert_eq!(moderator.post(&path, json!({ "text": text })).await.is(), (422, "invalid"), "{text:?}");
    }
    let approved = moderator.post(&path, json!({ "text": " \u{202e}flower?\u{202c} " })).await.ok();
    assert_eq!((&approved["text"], &approved["decision"]["text"]), (&json!("blorp?"), &json!("flower?")));
    let decision = river.decisions("demo", 1).remove(0);
    assert_eq!((decision.say.unwrap().text.as_str(), decision.edited), ("flower?", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_decides_on_is_decided_by_the_rooms_rule_also_after_a_restart() {
    let (folder, broker) = (Folder::new(), broker());
    let cluster = chassis::kafka::Cluster { embedded: false, ..broker.cluster() };
    let river = River::of(&cluster);
    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    let moderator = rig.as_("mo", Role::Moderator);
    for (room, on_timeout) in [("strict", "deny"), ("lenient", "allow")] {
        let rule = json!({ "hold_ms": 5_000, "on_timeout": on_timeout });
        moderator.put(&format!("rooms/{room}/holding"), rule.clone()).await.ok();
        assert_eq!(moderator.get(&format!("rooms/{room}/holding")).await.ok(), rule);
    }
    let strict = river.hold("strict", "ann", "blorp?").to_string();
    let lenient = river.hold("lenient", "bob", "blorp!").to_string();
    // On a machine that is slow enough they may be decided on already; what is read back is the same.
    for id in [&strict, &lenient] {
        until(&moderator, &format!("holds/{id}"), |hold| hold["held_ms"].as_i64()).await;
    }
    rig.leave().await;

    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    let (rejected, approved) = (river.decisions("strict", 1).remove(0), river.decisions("lenient", 1).remove(0));
    assert_eq!((rejected.held_id, rejected.approved, rejected.reason.as_str()), (strict.clone(), false, "timeout"));
    assert_eq!((approved.held_id, approved.approved, approved.reason.as_str()), (lenient, true, "timeout"));
    let moderator = rig.as_("mo", Role::Moderator);
    let hold = moderator.get(&format!("holds/{strict}")).await.ok();
    assert_eq!((&hold["decision"]["by"], &hold["decision"]["outcome"]), (&json!("danmaku"), &json!("rejected")));
    // Nobody's decision says nothing about the entry.
    let statistics = moderator.get("statistics").await.ok();
    assert_eq!((&statistics["entries"][0]["held"], &statistics["entries"][0]["rejected"]), (&json!(2), &json!(0)));
    let late = moderator.post(&format!("holds/{strict}/approve"), json!({})).await;
    assert_eq!(late.is(), (409, "conflict"));
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_count_once_over_restarts_and_owners() {
    let (folder, broker) = (Folder::new(), broker());
    let cluster = chassis::kafka::Cluster { embedded: false, ..broker.cluster() };
    let river = River::of(&cluster);
    let (id, input) = river.say("demo", "ann", "blorp");
    river.verdict(id, &input, Word::Blocked, vec![hit("e1"), hit("e1"), hit("e2")]);
    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    rig.leave().await;
    // The next owner writes the last verdict again, and goes on.
    river.next_owner();
    river.verdict(id, &input, Word::Blocked, vec![hit("e1"), hit("e2")]);
    let (later, input) = river.say("demo", "ann", "blorp!");
    river.verdict(later, &input, Word::Blocked, vec![hit("e1")]);
    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    let moderator = rig.as_("mo", Role::Moderator);
    let hits = |answer: &Value| {
        let entries = answer["entries"].as_array()?;
        let hits: Vec<_> = entries.iter().map(|entry| (entry["entry"].as_str(), entry["hits"].as_i64())).collect();
        (hits == [(Some("e1"), Some(2)), (Some("e2"), Some(1))]).then_some(())
    };
    until(&moderator, "statistics", hits).await;
    let refusals = moderator.get("refusals?room=demo&user=ann").await.ok();
    let told: Vec<_> = refusals["refusals"].as_array().unwrap().iter().map(|refusal| refusal["id"].as_str()).collect();
    assert_eq!(told.len(), 2, "{refusals}");
    assert_eq!(
        (&refusals["refusals"][0]["verdict"], &refusals["refusals"][0]["rule"]),
        (&json!("blocked"), &json!("e1"))
    );
}

/// What the outbox keeps of a decision or mute; the service's own, written down here again so that a change of it shows.
#[derive(Clone, PartialEq, prost::Message)]
struct Parcel {
    #[prost(message, repeated, tag = "2")]
    controls: Vec<v1::Input>,
    #[prost(message, optional, tag = "3")]
    mute: Option<v1::MuteRule>,
}

/// Leaves a control record in the outbox, as a publisher that died before it could delete it.
pub(crate) async fn left_in_outbox(database: &str, sequence: i64, control: v1::Input, mute: Option<v1::MuteRule>) {
    sqlx::any::install_default_drivers();
    let pool = sqlx::AnyPool::connect(database).await.unwrap();
    let body = Parcel { controls: vec![control], mute }.encode_to_vec();
    sqlx::query("INSERT INTO outbox (sequence, place, body) VALUES ($1, 0, $2)")
        .bind(sequence)
        .bind(body)
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_publisher_that_comes_back_approves_nothing_that_was_judged() {
    let (folder, broker) = (Folder::new(), broker());
    let cluster = chassis::kafka::Cluster { embedded: false, ..broker.cluster() };
    let river = River::of(&cluster);
    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    let moderator = rig.as_("mo", Role::Moderator);
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    moderator.post(&format!("holds/{id}/approve"), json!({})).await.ok();
    let (at, first) = river
        .controls("demo", 1, |body| matches!(body, Body::Decision(_)).then(|| body.clone()))
        .into_iter()
        .map(|(at, body)| (at, v1::Input { body: Some(body), ..river.input("demo").pop().unwrap().1 }))
        .next()
        .unwrap();
    rig.leave().await;

    // It was written and judged, and its parcel is there still; behind it is one that never was written.
    river.verdict(at, &first, Word::Approved, Vec::new());
    let other = v1::Decision { held_id: "3-0-99".to_owned(), ..v1::Decision::default() };
    let never = v1::Input { body: Some(Body::Decision(other)), client_id: "m-9-9".to_owned(), ..first.clone() };
    left_in_outbox(&folder.database(), 1_000_001, first, None).await;
    left_in_outbox(&folder.database(), 1_000_002, never, None).await;
    let _rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    let ids: Vec<_> = river.decisions("demo", 2).into_iter().map(|decision| decision.held_id).collect();
    assert_eq!(ids, [id, "3-0-99".to_owned()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_held_in_the_same_millisecond_is_told_page_by_page() {
    let (folder, broker) = (Folder::new(), broker());
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let (river, moderator) = (River::of(&broker.cluster()), rig.as_("mo", Role::Moderator));
    let ids: Vec<String> = (0..12).map(|_| river.hold("demo", "ann", "blorp?").to_string()).collect();
    until_held(&moderator, "demo", &ids[11]).await;
    let pool = sqlx::AnyPool::connect(&folder.database()).await.unwrap();
    sqlx::query("UPDATE holds SET held_ms = 5").execute(&pool).await.unwrap();
    pool.close().await;
    let mut told = Vec::new();
    let mut path = "holds?room=demo&limit=5".to_owned();
    loop {
        let page = moderator.get(&path).await.ok();
        let page: Vec<_> = page["holds"].as_array().unwrap().iter().map(|hold| hold["id"].clone()).collect();
        let Some(last) = page.last().and_then(Value::as_str) else { break };
        path = format!("holds?room=demo&limit=5&after={last}");
        told.extend(page);
    }
    assert_eq!(told, ids, "each once, and in the order of their offsets");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kafka_never_takes_stops_nothing_behind_it() {
    let (folder, broker) = (Folder::new(), broker());
    Rig::on(&broker.cluster(), PREFIX, &folder.database()).await.leave().await;
    let reason = "x".repeat(2 << 20);
    let recall = |reason: &str| v1::Input {
        generation: GENERATION,
        room: "demo".to_owned(),
        role: v1::Role::Service as i32,
        body: Some(Body::Recall(v1::Recall { reason: reason.to_owned(), ..v1::Recall::default() })),
        ..v1::Input::default()
    };
    left_in_outbox(&folder.database(), 1_000_001, recall(&reason), None).await;
    left_in_outbox(&folder.database(), 1_000_002, recall("behind it"), None).await;
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let heard = recalls(&River::of(&broker.cluster()), "demo", 1);
    assert_eq!(heard.iter().map(|recall| recall.reason.as_str()).collect::<Vec<_>>(), ["behind it"]);
    let muted = json!({ "subject": "user/ann", "permanent": true });
    rig.as_("mo", Role::Moderator).post("rooms/demo/mutes", muted).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_decide_and_what_cannot_be_decided() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    let elsewhere = rig.with_token(Some(rig.token_for("lu", Role::Moderator, Some(&["other"]))));
    let path = format!("holds/{id}/approve");
    assert_eq!(elsewhere.post(&path, json!({})).await.is(), (403, "forbidden"));
    assert_eq!(rig.as_("vi", Role::Viewer).post(&path, json!({})).await.is(), (403, "forbidden"));
    // Nor does a viewer learn which messages were held.
    assert_eq!(rig.as_("vi", Role::Viewer).get("holds/3-0-404").await.is(), (403, "forbidden"));
    assert_eq!(moderator.get("holds/3-0-4%00").await.is(), (404, "not_found"));
    assert_eq!(moderator.post("holds/3-0-404/approve", json!({})).await.is(), (404, "not_found"));
    assert_eq!(moderator.post(&path, json!({ "texxt": "x" })).await.is(), (400, "malformed"));
    assert_eq!(moderator.get("holds?room=a/b").await.is(), (400, "bad_room"));
    let rule = |hold_ms: i64| json!({ "hold_ms": hold_ms });
    for hold_ms in [0, 999, 600_001, -1] {
        assert_eq!(moderator.put("rooms/demo/holding", rule(hold_ms)).await.is(), (422, "invalid"), "{hold_ms}");
    }
    assert!(river.decisions("demo", 0).is_empty());
}
