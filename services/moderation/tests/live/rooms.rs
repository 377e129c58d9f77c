//! Modes, live and passing; recalls of what is named.

use chassis::tokens::Role;
use proto::v1::{Mode, Recall, input::Body};
use serde_json::json;

use crate::{rig::Rig, river::River};

fn modes(river: &River, room: &str, least: usize) -> Vec<Mode> {
    let mode = |body: &Body| match body {
        Body::Mode(mode) => Some(*mode),
        _ => None,
    };
    river.controls(room, least, mode).into_iter().map(|(_, mode)| mode).collect()
}

pub(crate) fn recalls(river: &River, room: &str, least: usize) -> Vec<Recall> {
    let recall = |body: &Body| match body {
        Body::Recall(recall) => Some(recall.clone()),
        _ => None,
    };
    river.controls(room, least, recall).into_iter().map(|(_, recall)| recall).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_is_set_and_a_passing_one_gives_way_to_what_was_before() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    assert_eq!(moderator.get("rooms/demo/mode").await.ok()["mode"]["slow_ms"], 0);
    let set = moderator.put("rooms/demo/mode", json!({ "mode": { "slow_ms": 3000, "level_min": 2 } })).await.ok();
    assert_eq!((&set["by"], &set["mode"]["level_min"]), (&json!("mo"), &json!(2)));
    let raised = moderator.post("rooms/demo/shield", json!({ "minutes": 5, "reason": "raid" })).await.ok();
    assert!(raised["ends_ms"].as_i64() > raised["at_ms"].as_i64());
    // One shield upon another: what comes back is what was there before the first.
    moderator.put("rooms/demo/mode", json!({ "mode": { "emergency": true }, "lasts_s": 1 })).await.ok();
    let heard = modes(&river, "demo", 4);
    let slow: Vec<_> = heard.iter().map(|mode| mode.slow_ms).collect();
    assert_eq!((slow, heard[2].emergency), (vec![3_000, 10_000, 0, 3_000], true));
    let now = moderator.get("rooms/demo/mode").await.ok();
    assert_eq!((&now["mode"]["level_min"], &now["by"], now.get("ends_ms")), (&json!(2), &json!("danmaku"), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shield_can_be_lowered_before_its_time() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    assert_eq!(moderator.delete("rooms/demo/shield").await.is(), (404, "not_found"));
    moderator.post("rooms/demo/shield", json!({})).await.ok();
    let lowered = moderator.delete("rooms/demo/shield").await.ok();
    assert_eq!((&lowered["mode"]["slow_ms"], &lowered["by"]), (&json!(0), &json!("mo")));
    assert_eq!(modes(&river, "demo", 2)[1], Mode::default());
    for bad in [json!({ "minutes": 0 }), json!({ "minutes": 1441 })] {
        assert_eq!(moderator.post("rooms/demo/shield", bad).await.is(), (422, "invalid"));
    }
    for bad in [
        json!({ "mode": { "slow_ms": 600_001 } }),
        json!({ "mode": { "delay_ms": 6_001 } }),
        json!({ "mode": {}, "lasts_s": 0 }),
    ] {
        assert_eq!(moderator.put("rooms/demo/mode", bad.clone()).await.is(), (422, "invalid"), "{bad}");
    }
    assert_eq!(moderator.put("rooms/demo/mode", json!({ "mode": { "slow": 1 } })).await.is(), (400, "malformed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_taken_back_by_their_ids_or_by_who_said_them() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let (first, _) = river.say("demo", "ann", "one");
    river.say("demo", "bob", "two");
    let (third, _) = river.say("demo", "ann", "three");
    let path = "rooms/demo/recall";
    let one = moderator.post(path, json!({ "ids": [first.to_string()], "reason": "rude" })).await.ok();
    assert_eq!((&one["count"], &one["ids"]), (&json!(1), &json!([first.to_string()])));
    let recall = recalls(&river, "demo", 1).remove(0);
    assert_eq!((recall.ids, recall.reason.as_str()), (vec![first.to_string()], "rude"));

    let dry = moderator.post(path, json!({ "user": "ann", "seconds": 600, "dry_run": true })).await.ok();
    assert_eq!(dry["ids"], json!([first.to_string(), third.to_string()]));
    assert_eq!(recalls(&river, "demo", 1).len(), 1);
    let all = moderator.post(path, json!({ "user": "ann" })).await.ok();
    assert!(all.get("count").is_none());
    let recall = recalls(&river, "demo", 2).remove(1);
    // Up to the last record there was: what he says later stays.
    assert_eq!((recall.user.as_str(), recall.through >= third.to_string()), ("ann", true));

    let many: Vec<String> = (0..450).map(|offset| format!("3-{}-{offset}", first.partition)).collect();
    moderator.post(path, json!({ "ids": many })).await.ok();
    let counts: Vec<_> = recalls(&river, "demo", 5)[2..].iter().map(|recall| recall.ids.len()).collect();
    assert_eq!(counts, [200, 200, 50]);
    let other = format!("3-{}-0", (first.partition + 1) % 8);
    let later = format!("4-{}-0", first.partition);
    let refused = moderator.post(path, json!({ "ids": [first.to_string(), later] })).await;
    assert_eq!(refused.body["problems"], json!([{ "line": 2, "message": "ids: there is no generation 4; this is 3" }]));
    for bad in [
        json!({}),
        json!({ "ids": ["x"] }),
        json!({ "ids": [other] }),
        json!({ "ids": ["3-8-0"] }),
        json!({ "ids": [later] }),
        json!({ "ids": [first.to_string()], "user": "ann" }),
        json!({ "user": "" }),
        json!({ "user": "x".repeat(2 << 20) }),
        json!({ "user": "a\u{0}", "seconds": 60 }),
        json!({ "user": "ann", "seconds": 0 }),
        json!({ "user": "ann", "seconds": 3601 }),
        json!({ "entries": [{ "text": "blorp" }] }),
        json!({ "entries": [{ "text": " " }], "seconds": 60 }),
    ] {
        assert_eq!(moderator.post(path, bad.clone()).await.is(), (422, "invalid"), "{bad}");
    }
}
