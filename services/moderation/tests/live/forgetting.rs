//! A person is erased: his rows are gone, the log's chain is whole, and what Kafka keeps is said.

use std::time::{Duration, Instant};

use chassis::tokens::Role;
use proto::v1::Word;
use serde_json::json;

use crate::{
    holds::until_held,
    rig::{PATIENCE, Rig},
    river::{River, hit},
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
    let mutes = owner.get("rooms/demo/mutes").await;
    assert!(mutes.status == 200 && !mutes.text.contains("ann-x"), "{}", mutes.text);
    assert_eq!(owner.post("users/a%00b/erase", json!({ "keep_sanctions": true })).await.is(), (422, "invalid"));
    assert_eq!(owner.post(path, json!({})).await.is(), (400, "malformed"));
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
