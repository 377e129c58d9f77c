//! The doctor looks at a whole deployment: it finds nothing where nothing is wrong, and what is wrong where something is.

use integration::{Redis, World};

use crate::world;

/// What was found that is not well: the check, where, and what to do.
fn ill(told: &serde_json::Value) -> Vec<(String, String, String)> {
    let rows = told["findings"].as_array().cloned().unwrap_or_default();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = rows.into_iter().filter(|row| row["state"] == "bad");
    rows.map(|row| (text(&row, "check"), text(&row, "of"), text(&row, "do"))).collect()
}

async fn asked(world: &World, nodes: &str, more: &[&str]) -> (Option<i32>, serde_json::Value) {
    let ended = world.command(&[&["doctor", "--json", "--nodes", nodes], more].concat()).await;
    (ended.code, ended.json())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_finds_what_is_wrong_and_nothing_else() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("doctor").await;
    let url = redis.url();
    let hall = ["--grace", "20s", "--redis", &url];
    let (ingest, filter, fanout, moderation) = tokio::join!(
        world.ingest(&["--grace", "20s"]),
        world.filter(&["--grace", "20s"]),
        world.fanout(&hall),
        world.moderation(&["--grace", "20s"]),
    );
    let all = [&ingest, &filter, &fanout, &moderation].map(|node| node.admin.to_string()).join(",");
    let flags = ["--redis", &url, "--gateway-idle", "80s"];
    let (code, told) = asked(&world, &all, &flags).await;
    assert_eq!((code, ill(&told)), (Some(0), vec![]), "{told:#}");
    let checks: std::collections::BTreeSet<_> =
        told["findings"].as_array().unwrap().iter().filter_map(|row| row["check"].as_str()).collect();
    for check in ["node", "release", "clock", "kafka", "topics", "access", "redis", "rules", "patience", "drain"] {
        assert!(checks.contains(check), "{check} was looked at: {told:#}");
    }

    let stranger = world.fanout(&["--generation", "2", "--ping", "20s", "--idle", "90s"]).await;
    let gone = filter.admin.to_string();
    filter.kill();
    let (code, told) = asked(&world, &format!("{all},{}", stranger.admin), &flags).await;
    let found = ill(&told);
    let of =
        |check: &str| found.iter().find(|(found, ..)| found == check).unwrap_or_else(|| panic!("{check}: {told:#}"));
    assert_eq!(code, Some(1));
    assert_eq!(of("node").1, gone, "the judge is away");
    assert!(of("generation").2.contains("--generation"), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");

    let topics = world.command(&["doctor", "--nodes", "127.0.0.1:1"]).await;
    assert_eq!(topics.code, Some(1), "nobody is there: {topics:?}");
    assert!(topics.out.contains("To do:") && topics.out.contains("--nodes"), "{}", topics.out);
    assert_eq!(world.command(&["doctor", "--nodes", "nonsense"]).await.code, Some(2), "it cannot be asked so");
}
