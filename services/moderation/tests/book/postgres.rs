//! The same on PostgreSQL: a private server, and two processes that share it. Skipped, and said so, where it is not installed.

mod over_tls;
mod server;

use std::time::{Duration, Instant};

use moderation::Config;
use proto::rules::Scope;
use serde_json::json;

use crate::rig::{Answer, PATIENCE, PREFIX, Rig, broker, room, texts};
use over_tls::OverTls;
use server::Postgres;

#[tokio::test]
async fn two_processes_share_a_database_and_one_publishes() {
    let Some(server) = Postgres::start() else { return };
    let broker = broker();
    let one = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    one.admin().put("lists/house", json!({})).await.ok();
    one.in_force(&Scope::Global, 1).await;
    // The other waits for its turn to publish, and serves meanwhile.
    let two = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    let made = two.admin().post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    assert_eq!(made["version"]["number"], 2);
    assert_eq!(texts(&one.in_force(&Scope::Global, 2).await.1), ["blorp"], "heard from the other process");
    assert_eq!(one.admin().get("lists/house/entries").await.ok()["total"], 1);

    // Both at once: every edit has its own number, and all are there.
    let edits = async |rig: &Rig, name: &str| {
        for number in 0..10 {
            rig.admin().post("lists/house/entries", json!({ "add": [format!("{name}{number}")] })).await.ok();
        }
    };
    tokio::join!(edits(&one, "xyzzy"), edits(&two, "plugh"));
    assert_eq!(one.in_force(&Scope::Global, 22).await.1.len(), 21);
    let verified = two.admin().get("audit/verify").await.ok();
    assert_eq!((&verified["whole"], &verified["rows"]), (&json!(true), &json!(22)));

    // The one that publishes goes away: the other takes over, with what was not published yet.
    one.leave().await;
    two.admin().put("lists/mine?room=demo", json!({})).await.ok();
    two.in_force(&room("demo"), 23).await;
}

#[tokio::test]
async fn a_database_that_wants_tls_is_spoken_to_over_tls() {
    let Some(server) = OverTls::start() else { return };
    let broker = broker();
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    rig.admin().put("lists/house", json!({})).await.ok();
    assert_eq!(rig.in_force(&Scope::Global, 1).await.0.number, 1);
}

#[tokio::test]
async fn versions_files_and_the_log_are_the_same_there() {
    let Some(server) = Postgres::start() else { return };
    let broker = broker();
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.put("policy", json!({ "weak": "hold" })).await.ok();
    ann.file("lists/house/import", "text/plain", "blorp\n坏词语\n").await.ok();
    ann.post("lists/house/entries", json!({ "remove": ["blorp"] })).await.ok();
    let late = ann.post("lists/house/entries", json!({ "add": ["x1"], "base_version": 1 })).await;
    assert_eq!(late.is(), (409, "stale_version"));
    ann.post("rollback", json!({ "to": 3 })).await.ok();
    let (version, entries) = rig.in_force(&Scope::Global, 5).await;
    assert_eq!((texts(&entries), version.policy.is_some()), (vec!["blorp", "坏词语"], true));
    assert_eq!(ann.get("diff?from=4").await.ok()["tally"]["added"], 1);
    assert_eq!(ann.get("audit/export").await.text.lines().count(), 5);
    rig.leave().await;
    // What was stored is read again.
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    assert_eq!(rig.admin().get("lists/house/export").await.text, "blorp\n坏词语\n");
}

#[tokio::test]
async fn old_versions_are_forgotten_there_too() {
    let Some(server) = Postgres::start() else { return };
    let broker = broker();
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    rig.admin().put("lists/house", json!({})).await.ok();
    for number in 2..=52 {
        rig.admin().post("lists/house/entries", json!({ "add": [format!("blorp{number}")] })).await.ok();
    }
    until(&rig, "versions", |answer| answer.body["published"] == 52).await;
    rig.leave().await;
    let config = Config { database: server.url(), versions_keep: Duration::ZERO, ..Config::default() };
    let rig = Rig::open(&broker.cluster(), PREFIX, config).await;
    until(&rig, "diff?from=2", |answer| answer.status == 404).await;
    assert_eq!(rig.admin().post("rollback", json!({ "to": 2 })).await.is(), (404, "not_found"));
    assert_eq!(rig.admin().get("versions?limit=200").await.ok()["versions"].as_array().unwrap().len(), 50);
    let kept = rig.admin().get("lists/house/export?version=3").await.text;
    assert_eq!(kept.lines().collect::<Vec<_>>(), ["blorp2", "blorp3"]);
}

/// Asks until the answer is what it is to be.
async fn until(rig: &Rig, path: &str, is_so: impl Fn(&Answer) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so(&rig.admin().get(path).await) {
        assert!(Instant::now() < deadline, "{path}: it never came to that");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
