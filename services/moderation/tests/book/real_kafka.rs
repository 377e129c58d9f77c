//! What the embedded broker does not know: who is fenced, and that a step is read whole. On the cluster that
//! `DANMAKU_TEST_BROKERS` names, with topics of its own; skipped, and said so, without one.

use std::time::Instant;

use chassis::kafka::{Cluster, NotWritten, Outgoing, Transactions, apply_topics};
use proto::{Topic, rules::Scope, topics::OUTPUT_RETENTION_MS};
use serde_json::json;

use crate::rig::{Folder, PARTITIONS, PATIENCE, Rig, texts};

async fn cluster() -> Option<(Cluster, String)> {
    let Ok(brokers) = std::env::var("DANMAKU_TEST_BROKERS") else {
        eprintln!("skipped: no DANMAKU_TEST_BROKERS; start one with scripts/kafka");
        return None;
    };
    let cluster = Cluster::real(brokers);
    let prefix = format!("m{}-{}-", std::process::id(), rand::random::<u32>());
    let topics = [Topic::Input, Topic::Rules, Topic::Verdicts]
        .map(|topic| topic.described(&prefix, PARTITIONS, OUTPUT_RETENTION_MS).into());
    apply_topics(&cluster, &topics, -1).await.unwrap();
    Some((cluster, prefix))
}

/// Whoever begins to write under the same name fences the one before, who takes over again and goes on; and then the other
/// one is the old one, and writes nothing.
#[tokio::test]
async fn an_old_publisher_writes_nothing() {
    let Some((cluster, prefix)) = cluster().await else { return };
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    rig.in_force(&Scope::Global, 1).await;
    let name = Topic::Rules.name(&prefix);
    let begin = {
        let (cluster, name) = (cluster.clone(), name.clone());
        move || Transactions::begin(&cluster, &name, PATIENCE).unwrap()
    };
    let other = tokio::task::spawn_blocking(begin).await.unwrap();
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    assert_eq!(texts(&rig.in_force(&Scope::Global, 2).await.1), ["blorp"]);
    let stale = tokio::task::spawn_blocking(move || {
        let key = Some(&b"version/global/99"[..]);
        other.write(&[Outgoing { topic: &name, partition: 0, key, value: Some(b"x"), headers: &[] }])
    });
    let refused = stale.await.unwrap();
    assert!(matches!(refused, Err(NotWritten::Fenced)), "{refused:?}");
    ann.post("lists/house/entries", json!({ "add": ["gruntle"] })).await.ok();
    rig.in_force(&Scope::Global, 3).await;
    assert!(!rig.topic().await.kept.contains_key("version/global/99"), "nothing of it is read");
}

/// A large list and single edits of it; the times are printed, for figures.
#[tokio::test]
async fn a_large_list_and_single_edits() {
    let Some((cluster, prefix)) = cluster().await else { return };
    let folder = Folder::new();
    let rig = Rig::on(&cluster, &prefix, &folder.database()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let file: String = (0..100_000).map(|number| format!("w{number:06}\n")).collect();
    let began = Instant::now();
    let made = ann.file("lists/house/import", "text/plain", file).await.ok();
    println!("100,000 words imported in {:?}", began.elapsed());
    assert_eq!(made["version"]["added"], 100_000);
    let mut number = 2;
    let mut times = Vec::new();
    while ann.get("versions").await.ok()["published"] != json!(number) {}
    println!("and published in {:?}", began.elapsed());
    for edit in 0..20 {
        let began = Instant::now();
        ann.post("lists/house/entries", json!({ "add": [format!("blorp{edit:02}")] })).await.ok();
        let answered = began.elapsed();
        number += 1;
        while ann.get("versions").await.ok()["published"] != json!(number) {}
        times.push((began.elapsed(), answered));
    }
    times.sort();
    println!(
        "an edit is on Kafka after {:?} (median; answered after {:?}), at most {:?}",
        times[10].0, times[10].1, times[19].0
    );
    assert_eq!(rig.in_force(&Scope::Global, number).await.1.len(), 100_020);
}
