//! From the database to the topic: after a crash, after the topic or the database lost something, and by one process at a time.

use std::time::Duration;

use chassis::kafka::{Outcome, Outgoing, Producer, ProducerSettings};
use proto::{
    Topic,
    ban::Subject,
    record,
    rules::{Key, Scope},
    v1,
};
use serde_json::json;

use crate::rig::{Folder, PREFIX, Rig, broker, room, texts};

#[tokio::test]
async fn what_was_committed_before_a_crash_is_published_after_it() {
    let (folder, first) = (Folder::new(), broker());
    let rig = Rig::on(&first.cluster(), PREFIX, &folder.database()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    rig.in_force(&Scope::Global, 1).await;
    // Kafka is away: edits are accepted, and wait.
    drop(first);
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["gruntle"] })).await.ok();
    assert_eq!(ann.get("versions").await.ok()["published"], 1);
    rig.leave().await;

    let second = broker();
    let rig = Rig::on(&second.cluster(), PREFIX, &folder.database()).await;
    assert_eq!(texts(&rig.in_force(&Scope::Global, 3).await.1), ["blorp", "gruntle"]);
    let numbers = rig.topic().await;
    assert!(numbers.count("version/") >= 1);
}

#[tokio::test]
async fn a_topic_that_lost_everything_is_filled_from_the_database() {
    let folder = Folder::new();
    let first = broker();
    let rig = Rig::on(&first.cluster(), PREFIX, &folder.database()).await;
    rig.admin().put("lists/house", json!({})).await.ok();
    rig.admin().post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    rig.admin().put("lists/mine?room=demo", json!({})).await.ok();
    rig.in_force(&room("demo"), 3).await;
    rig.leave().await;
    drop(first);
    let second = broker();
    let rig = Rig::on(&second.cluster(), PREFIX, &folder.database()).await;
    assert_eq!(rig.in_force(&Scope::Global, 2).await.0.number, 2, "what has a number keeps it");
    assert_eq!(rig.in_force(&room("demo"), 3).await.0.number, 3);
}

#[tokio::test]
async fn a_database_that_was_restored_goes_on_above_the_topic() {
    let (folder, broker) = (Folder::new(), broker());
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    rig.admin().put("lists/house", json!({})).await.ok();
    rig.admin().post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    rig.in_force(&Scope::Global, 2).await;
    rig.leave().await;
    let file = folder.path().join("moderation.db");
    let copy = std::fs::read(&file).unwrap();

    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    for word in ["gruntle", "fnord", "xyzzy"] {
        rig.admin().post("lists/house/entries", json!({ "add": [word] })).await.ok();
    }
    rig.in_force(&Scope::Global, 5).await;
    rig.leave().await;
    std::fs::write(&file, copy).unwrap();

    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let (version, entries) = rig.in_force(&Scope::Global, 6).await;
    assert_eq!(
        (version.number, texts(&entries)),
        (6, vec!["blorp"]),
        "what the database says, under a number that wins"
    );
    let next = rig.admin().post("lists/house/entries", json!({ "add": ["plugh"] })).await.ok();
    assert_eq!(next["version"]["number"], 7);
}

#[tokio::test]
async fn a_database_that_was_lost_is_restored_from_the_topic() {
    let (folder, broker) = (Folder::new(), broker());
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.put("lists/trial", json!({ "mode": "observe" })).await.ok();
    ann.post("lists/house/entries", json!({ "add": [{ "text": "Blorp", "severity": 3 }, "gruntle"] })).await.ok();
    ann.post("lists/trial/entries", json!({ "add": ["fnord"] })).await.ok();
    ann.put("lists/mine?room=demo", json!({})).await.ok();
    ann.post("lists/mine/entries?room=demo", json!({ "add": ["xyzzy"] })).await.ok();
    let before = rig.in_force(&Scope::Global, 4).await;
    rig.in_force(&room("demo"), 6).await;
    rig.leave().await;

    let empty = Folder::new();
    let rig = Rig::on(&broker.cluster(), PREFIX, &empty.database()).await;
    let ann = rig.admin();
    assert_eq!(rig.in_force(&Scope::Global, 4).await, before, "what is in force is not touched");
    let lists = ann.get("lists").await.ok();
    let told: Vec<_> = lists["lists"].as_array().unwrap().iter().map(|list| (&list["name"], &list["mode"])).collect();
    assert_eq!(format!("{told:?}"), r#"[(String("house"), String("enforce")), (String("trial"), String("observe"))]"#);
    let entries = ann.get("lists/house/entries").await.ok();
    assert_eq!(entries["total"], 2);
    let next = ann.post("lists/house/entries", json!({ "remove": ["gruntle"] })).await.ok();
    assert_eq!(next["version"]["number"], 7, "numbers go on above all that there were");
    assert_eq!(texts(&rig.in_force(&Scope::Global, 7).await.1), ["Blorp", "fnord"]);
    assert_eq!(ann.get("lists/mine/entries?room=demo").await.ok()["total"], 1);
}

#[tokio::test]
async fn sanctions_that_only_the_topic_knows_are_kept() {
    let (folder, broker) = (Folder::new(), broker());
    let subject: Subject = "user/eve".parse().unwrap();
    let ban = v1::BanRule { subject: subject.to_string(), until: 0, sequence: 40, reason: String::new() };
    let key = Key::Ban(subject).to_string();
    let value = record::encode(&v1::Rules { record: Some(v1::rules::Record::Ban(ban)) });
    let settings = ProducerSettings { message_timeout: None, linger: Duration::ZERO, queue_bytes: 1 << 20 };
    let topic = Topic::Rules.name(PREFIX);
    let record = Outgoing { topic: &topic, partition: 0, key: Some(key.as_bytes()), value: Some(&value), headers: &[] };
    let written = Producer::new(&broker.cluster(), settings).unwrap().send(record).unwrap().await;
    assert!(matches!(written, Outcome::Acked(_)));

    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    rig.admin().put("lists/house", json!({})).await.ok();
    rig.in_force(&Scope::Global, 1).await;
    let log = rig.admin().get("audit").await.ok();
    assert!(log["rows"][0]["sequence"].as_i64().unwrap() > 40, "numbers go on above what the topic has seen");
    rig.leave().await;
    // The next broker is empty: what was taken in is written there.
    let second = crate::rig::broker();
    let rig = Rig::on(&second.cluster(), PREFIX, &folder.database()).await;
    rig.in_force(&Scope::Global, 1).await;
    assert_eq!(rig.topic().await.kept[&key], value);
}

#[tokio::test]
async fn twenty_versions_stay_and_nothing_that_nobody_names() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    for number in 0..30 {
        ann.post("lists/house/entries", json!({ "add": [format!("blorp{number:02}")] })).await.ok();
    }
    rig.in_force(&Scope::Global, 31).await;
    let back = ann.post("rollback", json!({ "to": 2 })).await.ok();
    assert_eq!(back["number"], 32);
    let (_, entries) = rig.in_force(&Scope::Global, 32).await;
    assert_eq!(texts(&entries), ["blorp00"], "old content, whose chunks were gone, is whole again");
    let topic = rig.topic().await;
    assert_eq!(topic.count("version/"), 20);
    let named: std::collections::BTreeSet<Vec<u8>> = topic
        .kept
        .iter()
        .filter(|(key, _)| key.starts_with("version/"))
        .flat_map(|(_, value)| match record::decode::<v1::Rules>(value).unwrap().record {
            Some(v1::rules::Record::Version(version)) => version.chunks,
            _ => Vec::new(),
        })
        .collect();
    assert_eq!(topic.count("chunk/"), named.len());
}

/// On the embedded broker, which keeps 5 MiB, whoever starts late still finds the book whole.
#[tokio::test]
async fn the_embedded_topic_never_loses_the_book() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.put("lists/mine?room=demo", json!({})).await.ok();
    ann.post("lists/mine/entries?room=demo", json!({ "add": ["seldom edited"] })).await.ok();
    // 20,000 words that pack badly are about 400 KB; said anew 13 times, and with what is written again, they are over 5 MiB.
    let mut last = 0;
    for turn in 0..13 {
        let file: String = (0..20_000u64)
            .map(|word| format!("{:016x}\n", (turn * 20_000 + word + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        let made = ann.file("lists/house/import?replace=true", "text/plain", file).await.ok();
        last = made["version"]["number"].as_i64().unwrap();
    }
    assert_eq!(rig.in_force(&Scope::Global, last).await.1.len(), 20_000);
    let topic = rig.topic().await;
    assert!(
        !topic.records.iter().any(|(key, value)| key == "version/global/1" && !value.is_empty()),
        "the broker has let go of its beginning"
    );
    assert_eq!(texts(&topic.book(&room("demo")).unwrap().1), ["seldom edited"]);
}

#[tokio::test]
async fn one_process_has_a_file() {
    let (folder, broker) = (Folder::new(), broker());
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let config = moderation::Config { database: folder.database(), ..moderation::Config::default() };
    let refused = moderation::House::open(&rig.ground, config).await.err().expect("two have it").to_string();
    assert!(refused.contains("--database") && refused.contains("PostgreSQL"), "{refused}");
}
