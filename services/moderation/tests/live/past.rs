//! What a draft would have done to what was said: tried without acting, and taken back afterwards. Lists that only watch.

use std::time::{Duration, Instant};

use chassis::tokens::Role;
use proto::v1::{Hit, Word};
use serde_json::json;

use crate::{
    rig::{PATIENCE, Rig},
    river::{River, hit},
    rooms::recalls,
};

#[tokio::test(flavor = "multi_thread")]
async fn what_an_entry_would_have_stopped_is_taken_back() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    river.say("demo", "ann", "hello");
    let (hit, _) = river.say("demo", "bob", "a ＢＬＯＲＰ here");
    river.say("other", "ann", "blorp");
    let body = json!({ "entries": [{ "text": "blorp" }], "seconds": 600, "reason": "new entry" });
    let recalled = moderator.post("rooms/demo/recall", body).await.ok();
    assert_eq!((&recalled["ids"], &recalled["whole"]), (&json!([hit.to_string()]), &json!(true)));
    assert_eq!(recalls(&river, "demo", 1)[0].ids, [hit.to_string()]);
    let none = json!({ "entries": [{ "text": "fnord" }], "seconds": 600 });
    assert_eq!(moderator.post("rooms/demo/recall", none).await.ok()["count"], 0);
    assert_eq!(recalls(&river, "demo", 1).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_tried_on_what_was_said() {
    let rig = Rig::start().await;
    let (river, admin) = (River::of(&rig.ground.cluster), rig.admin());
    admin.put("lists/house", json!({})).await.ok();
    admin.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    admin.put("lists/next?room=demo", json!({ "mode": "draft" })).await.ok();
    let draft = json!({ "add": ["fnord", { "text": "blorp town", "kind": "allow" }] });
    admin.post("lists/next/entries?room=demo", draft).await.ok();
    river.say("demo", "ann", "hello");
    river.say("demo", "ann", "blorp");
    let (lost, _) = river.say("demo", "bob", "to blorp town");
    let (new, _) = river.say("demo", "bob", "fnord!");
    let tested = admin.post("rooms/demo/back-test", json!({ "minutes": 10, "list": "next" })).await.ok();
    assert_eq!(
        (&tested["looked_at"], &tested["found_before"], &tested["found_after"]),
        (&json!(4), &json!(2), &json!(2))
    );
    assert_eq!((&tested["new"]["count"], &tested["lost"]["count"]), (&json!(1), &json!(1)));
    let sample = &tested["new"]["samples"][0];
    assert_eq!((&sample["id"], &sample["text"]), (&json!(new.to_string()), &json!("fnord!")));
    assert_eq!((&sample["hits"][0]["start"], &sample["hits"][0]["end"]), (&json!(0), &json!(5)));
    assert_eq!(tested["lost"]["samples"][0]["id"], lost.to_string());

    let entries = json!({ "minutes": 10, "entries": [{ "text": "hello", "severity": 3 }] });
    let tested = admin.post("rooms/demo/back-test", entries).await.ok();
    assert_eq!((&tested["new"]["count"], &tested["new"]["samples"][0]["action"]), (&json!(1), &json!("block")));
    for (bad, expected) in [
        (json!({ "minutes": 0, "list": "next" }), (422, "invalid")),
        (json!({ "minutes": 61, "list": "next" }), (422, "invalid")),
        (json!({ "minutes": 5 }), (422, "invalid")),
        (json!({ "minutes": 5, "list": "next", "entries": [{ "text": "x y" }] }), (422, "invalid")),
        (json!({ "minutes": 5, "list": "nothing" }), (404, "not_found")),
    ] {
        assert_eq!(admin.post("rooms/demo/back-test", bad.clone()).await.is(), expected, "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_private_entry_was_found_is_not_told_to_others() {
    let rig = Rig::start().await;
    let (river, owner) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    owner.put("lists/mine?room=demo", json!({ "mode": "draft" })).await.ok();
    owner.post("lists/mine/entries?room=demo", json!({ "add": [{ "text": "fnord", "private": true }] })).await.ok();
    river.say("demo", "ann", "a fnord");
    let body = json!({ "minutes": 10, "list": "mine" });
    let seen = |tested: serde_json::Value| tested["new"]["samples"][0]["hits"].as_array().unwrap().len();
    assert_eq!(seen(owner.post("rooms/demo/back-test", body.clone()).await.ok()), 1);
    assert_eq!(seen(rig.as_("lu", Role::Moderator).post("rooms/demo/back-test", body).await.ok()), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_only_watches_is_counted_and_acts_on_nothing() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let (id, input) = river.say("demo", "ann", "blorp");
    river.verdict(id, &input, Word::Passed, vec![Hit { observe: true, ..hit("e9") }]);
    let deadline = Instant::now() + PATIENCE;
    let entry = loop {
        let statistics = moderator.get("statistics?list=house").await.ok();
        if let Some(entry) = statistics["entries"].get(0) {
            break entry.clone();
        }
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((&entry["entry"], &entry["hits"], &entry["observed"]), (&json!("e9"), &json!(1), &json!(1)));
    assert!(moderator.get("holds?room=demo").await.ok()["holds"].as_array().unwrap().is_empty());
    assert!(moderator.get("refusals?room=demo").await.ok()["refusals"].as_array().unwrap().is_empty());
    assert_eq!(river.input("demo").len(), 1, "nothing was put into the river");
}
