//! What the embedded broker does not know: times, and who is fenced. On the cluster that `DANMAKU_TEST_BROKERS` names, with topics of its own;
//! skipped, and said so, without one.

use std::time::{Duration, Instant};

use chassis::{
    kafka::{Cluster, Transactions, apply_topics},
    tokens::Role,
};
use proto::{Topic, topics::OUTPUT_RETENTION_MS};
use serde_json::json;

use crate::{
    holds::until_held,
    people::{mute_rule, sanctions},
    rig::{Folder, PARTITIONS, PATIENCE, Rig},
    river::{GENERATION, River},
};

async fn cluster() -> Option<(Cluster, String)> {
    let Ok(brokers) = std::env::var("DANMAKU_TEST_BROKERS") else {
        eprintln!("skipped: no DANMAKU_TEST_BROKERS; start one with scripts/kafka");
        return None;
    };
    let cluster = Cluster::real(brokers);
    let prefix = format!("l{}-{}-", std::process::id(), rand::random::<u32>());
    let topics = [Topic::Input, Topic::Rules, Topic::Verdicts]
        .map(|topic| topic.described(&prefix, PARTITIONS, OUTPUT_RETENTION_MS).into());
    apply_topics(&cluster, &topics, -1).await.unwrap();
    Some((cluster, prefix))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recall_of_the_last_seconds_leaves_what_is_older() {
    let Some((cluster, prefix)) = cluster().await else { return };
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let (river, moderator) = (River::behind(&cluster, &prefix), rig.as_("mo", Role::Moderator));
    let (old, _) = river.say("demo", "ann", "old blorp");
    // Times are the broker's, in milliseconds: eight seconds are eight seconds, and a busy machine answers within them.
    let said = Instant::now();
    while said.elapsed() < Duration::from_millis(8_500) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (new, _) = river.say("demo", "ann", "new blorp");
    let ids = |answer: serde_json::Value| answer["ids"].as_array().unwrap().clone();
    let path = "rooms/demo/recall";
    let recent = json!({ "entries": [{ "text": "blorp" }], "seconds": 8, "dry_run": true });
    assert_eq!(ids(moderator.post(path, recent).await.ok()), [json!(new.to_string())]);
    let all = json!({ "user": "ann", "seconds": 600, "dry_run": true });
    assert_eq!(ids(moderator.post(path, all).await.ok()), [json!(old.to_string()), json!(new.to_string())]);
    let tested = json!({ "minutes": 5, "entries": [{ "text": "new blorp" }] });
    let tested = moderator.post("rooms/demo/back-test", tested).await.ok();
    assert_eq!((&tested["looked_at"], &tested["new"]["count"], &tested["whole"]), (&json!(2), &json!(1), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_is_let_through_on_real_topics() {
    let Some((cluster, prefix)) = cluster().await else { return };
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let (river, moderator) = (River::behind(&cluster, &prefix), rig.as_("mo", Role::Moderator));
    let began = Instant::now();
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&moderator, "demo", &id).await;
    let waits = began.elapsed();
    moderator.post(&format!("holds/{id}/approve"), json!({})).await.ok();
    let decided = began.elapsed();
    assert_eq!(river.decisions("demo", 1)[0].held_id, id);
    println!("held: seen after {waits:?}, decided after {decided:?}, on the river after {:?}", began.elapsed());
}

/// Somebody else begins to write under the publisher's name, so it writes a mute's control record, and then Kafka takes no rule
/// from it: as one that dies between the two.
#[tokio::test(flavor = "multi_thread")]
async fn a_mute_whose_publisher_is_fenced_behind_its_control_record_acts_from_there() {
    let Some((cluster, prefix)) = cluster().await else { return };
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let (river, moderator) = (River::behind(&cluster, &prefix), rig.as_("mo", Role::Moderator));
    river.say("demo", "ann", "hello");
    let name = Topic::Rules.name(&prefix);
    let fence = move || Transactions::begin(&cluster, &name, PATIENCE).map(drop);
    tokio::task::spawn_blocking(fence).await.unwrap().unwrap();
    moderator.post("rooms/demo/mutes", json!({ "subject": "user/ann", "permanent": true })).await.ok();
    let written = sanctions(&river, "demo", 2);
    assert!(written[0].1 == written[1].1 && written[0].0 < written[1].0, "{written:?}");
    let mute = mute_rule(&rig, "mute/demo/user/ann", |_| true).await;
    assert_eq!((mute.src, mute.generation), (written[0].0.offset, GENERATION));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_erased_is_told_how_long_the_topics_really_keep_him() {
    const HOUR_MS: i64 = 3_600_000;
    let Some((cluster, prefix)) = cluster().await else { return };
    let output = Topic::Output.described(&prefix, PARTITIONS, 24 * HOUR_MS.unsigned_abs()).into();
    apply_topics(&cluster, &[output], -1).await.unwrap();
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let owner = rig.as_("ow", Role::Owner);
    let erased = owner.post("users/ann/erase", json!({ "keep_sanctions": true })).await.ok();
    let kept = erased["still_kept"].as_array().unwrap();
    let until =
        |topic: Topic| kept.iter().find(|kept| kept["topic"] == topic.name(&prefix)).unwrap()["until_ms"].as_i64();
    assert_eq!(until(Topic::Output).unwrap() - until(Topic::Input).unwrap(), 23 * HOUR_MS);
}
