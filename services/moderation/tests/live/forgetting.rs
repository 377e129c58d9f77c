//! A person is erased: his rows are gone, the log's chain is whole, and what Kafka keeps is said.

use std::time::{Duration, Instant};

use chassis::tokens::Role;
use proto::v1::{self, Word};
use serde_json::json;

use crate::{
    holds::until_held,
    rig::{PATIENCE, Rig},
    river::{River, hit},
    stream::Listener,
};

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_erased_is_nowhere_in_the_database() {
    let rig = Rig::start().await;
    let (river, moderator, owner) =
        (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator), rig.as_("ow", Role::Owner));
    let held = river.hold("demo", "ann-x", "blorp?").to_string();
    let (id, input) = river.say("demo", "ann-x", "blorp!");
    river.verdict(id, &input, Word::Blocked, vec![hit("e1")]);
    let kept = river.hold("demo", "bob", "blorp?").to_string();
    until_held(&moderator, "demo", &kept).await;
    moderator.post(&format!("holds/{held}/reject"), json!({ "reason": "no" })).await.ok();
    moderator
        .post("rooms/demo/mutes", json!({ "subject": "user/ann-x", "permanent": true, "also": ["device"] }))
        .await
        .ok();
    rig.as_("ann-x", Role::Viewer).post("/v1/rooms/demo/reports", json!({ "id": kept })).await;
    assert_eq!(owner.get("audit/verify").await.ok()["whole"], true);
    assert!(owner.get("audit").await.ok().to_string().contains("ann-x"));

    let path = "users/ann-x/erase";
    for (role, status) in [(Role::Moderator, 403), (Role::Admin, 403)] {
        assert_eq!(rig.as_("x", role).post(path, json!({ "keep_sanctions": false })).await.status, status);
    }
    let answer = owner.post(path, json!({ "keep_sanctions": false, "reason": "asked for it" })).await.ok();
    let erased = &answer["erased"];
    assert_eq!((&erased["holds"], &erased["refusals"], &erased["reports"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!((&erased["sanctions_lifted"], &erased["sanctions_kept"]), (&json!(2), &json!(0)));
    assert!(erased["events"].as_u64() >= Some(3) && erased["audit_rows"].as_u64() >= Some(2), "{erased}");
    let topics: Vec<_> = answer["still_kept"].as_array().unwrap().iter().map(|kept| kept["topic"].as_str()).collect();
    assert_eq!(topics[..3], [Some("t-danmaku-input"), Some("t-danmaku-output"), Some("t-danmaku-verdicts")]);

    // Nobody finds him any more, and the chain is whole.
    for path in ["audit", "refusals?room=demo", "holds?room=demo", "holds?room=demo&decided=true"] {
        let answer = owner.get(path).await;
        assert!(answer.status == 200 && !answer.text.contains("ann-x"), "{path}: {}", answer.text);
    }
    let verified = owner.get("audit/verify").await.ok();
    assert_eq!(verified["whole"], true, "{verified}");
    assert_eq!(owner.get(&format!("holds/{kept}")).await.status, 200, "others stay");
    // His mute's record was lifted, and then removed.
    let deadline = Instant::now() + PATIENCE;
    loop {
        let topic = rig.topic().await;
        let is_gone = |key: &str| !topic.kept.contains_key(key) && topic.records.iter().any(|(known, _)| known == key);
        if is_gone("mute/demo/user/ann-x") && is_gone("mute/demo/device/ann-x-phone") {
            break;
        }
        assert!(Instant::now() < deadline, "{:?}", topic.kept.keys().collect::<Vec<_>>());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The database follows the topic.
    loop {
        let mutes = owner.get("rooms/demo/mutes").await;
        assert_eq!(mutes.status, 200, "{}", mutes.text);
        if !mutes.text.contains("ann-x") {
            break;
        }
        assert!(Instant::now() < deadline, "{}", mutes.text);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(owner.post("users/a%00b/erase", json!({ "keep_sanctions": true })).await.is(), (422, "invalid"));
    assert_eq!(owner.post(path, json!({})).await.is(), (400, "malformed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_of_him_is_rejected() {
    let rig = Rig::start().await;
    let (river, moderator, owner) =
        (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator), rig.as_("ow", Role::Owner));
    let his = [("demo", "blorp?"), ("demo", "blorp!"), ("other", "blorp")];
    let ids = his.map(|(room, text)| river.hold(room, "ann-x", text).to_string());
    let kept = river.hold("demo", "bob", "blorp?").to_string();
    for (room, id) in [("demo", &ids[0]), ("demo", &ids[1]), ("other", &ids[2]), ("demo", &kept)] {
        until_held(&moderator, room, id).await;
    }
    let mut listener = Listener::on(&rig, "rooms/demo/stream", Role::Moderator, None).await;
    let answer = owner.post("users/ann-x/erase", json!({ "keep_sanctions": true, "reason": "asked" })).await.ok();
    assert_eq!((&answer["erased"]["holds"], &answer["erased"]["rejected"]), (&json!(3), &json!(3)));

    // The river is told so, in the order in which they were held, and no more of him than it needs to tell him.
    let decisions = [river.decisions("demo", 2), river.decisions("other", 1)].concat();
    assert_eq!(decisions.iter().map(|decision| &*decision.held_id).collect::<Vec<_>>(), ids);
    for decision in decisions {
        assert_eq!((decision.approved, decision.reason.as_str(), decision.say), (false, "erased", None));
        assert_eq!(decision.user, Some(v1::User { id: "ann-x".to_owned(), ..v1::User::default() }));
        assert_eq!(decision.client_id, "c-ann-x");
    }
    // And so is whoever has his message before him.
    let heard = listener.events(2).await;
    let told: Vec<_> = heard.iter().map(|event| (&*event.name, &event.data["id"], &event.data["outcome"])).collect();
    let rejected = json!("rejected");
    assert_eq!(told, [("decided", &json!(ids[0]), &rejected), ("decided", &json!(ids[1]), &rejected)]);
    assert_eq!(moderator.get("holds?room=demo").await.ok()["holds"].as_array().unwrap().len(), 1, "bob's waits on");
    assert_eq!(moderator.post(&format!("holds/{}/approve", ids[0]), json!({})).await.is(), (404, "not_found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn mutes_stay_where_that_is_asked_for() {
    let rig = Rig::start().await;
    let (moderator, owner) = (rig.as_("mo", Role::Moderator), rig.as_("ow", Role::Owner));
    moderator.post("rooms/demo/mutes", json!({ "subject": "user/ann-x", "permanent": true })).await.ok();
    let answer = owner.post("users/ann-x/erase", json!({ "keep_sanctions": true })).await.ok();
    assert_eq!(answer["erased"]["sanctions_kept"], 1);
    let mutes = moderator.get("rooms/demo/mutes").await.ok();
    assert_eq!(mutes["sanctions"][0]["subject"], "user/ann-x");
    assert!(!owner.get("audit").await.ok().to_string().contains("ann-x"));
}
