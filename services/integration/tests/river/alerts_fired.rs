//! Alerts fire at the fault that they are for: the rules as they are, in a real Prometheus, with a minute in them lasting a second.
//! What each fires at and not at, minute by minute, stands beside the rules, in k8s/monitoring/tests.

use std::time::Duration;

use integration::{Crowd, Fleet, Node, Prometheus, Redis, World, until};
use proto::Topic;

use crate::{LATER, SOON, dashboards_answered::files, world};

const VIEWERS: usize = 240;

/// The rules, 60 times as impatient: windows, offsets and waits. Of the bounds only that of the rules' age is a time that no fault
/// makes shorter.
fn impatient() -> Vec<String> {
    let hurried = |text: String| {
        hurried(&text).replace("danmaku_filter_rules_age_seconds) > 60", "danmaku_filter_rules_age_seconds) > 2")
    };
    files("rules").into_iter().map(|(_, text)| hurried(text)).collect()
}

/// Word by word, of which a name is one.
fn hurried(text: &str) -> String {
    let is_apart = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let pieces = text.split_inclusive(is_apart).map(|piece| {
        let word = piece.trim_end_matches(is_apart);
        faster(word) + &piece[word.len()..]
    });
    pieces.collect()
}

/// Hours become minutes, minutes seconds, and seconds, of which there are at least 30, half a second.
fn faster(word: &str) -> String {
    let many = |unit| word.strip_suffix(unit).filter(|number: &&str| number.parse::<u32>().is_ok());
    match (many('h'), many('m'), many('s')) {
        (Some(hours), ..) => format!("{hours}m"),
        (_, Some(minutes), _) => format!("{minutes}s"),
        (.., Some(_)) => "500ms".to_owned(),
        _ => word.to_owned(),
    }
}

#[test]
fn only_times_are_hurried() {
    for (text, expected) in [
        ("rate(a_total[5m] offset 1h)", "rate(a_total[5s] offset 1m)"),
        ("for: 30s", "for: 500ms"),
        (r#"{le="0.5"} > 14.4 * 0.01"#, r#"{le="0.5"} > 14.4 * 0.01"#),
        ("a1m > 100 # 5 minutes, 10 s", "a1m > 100 # 5 minutes, 10 s"),
        ("", ""),
    ] {
        assert_eq!(hurried(text), expected);
    }
}

async fn until_fires(prometheus: &Prometheus, alert: &str) {
    until(&format!("{alert} fires"), LATER, async || prometheus.firing().await.contains(alert).then_some(())).await;
    let summaries = prometheus.summaries(alert).await;
    let is_plain = |summary: &String| !summary.is_empty() && !summary.contains("{{") && !summary.contains("error");
    assert!(summaries.iter().all(is_plain), "{alert} says {summaries:?}");
    eprintln!("{alert}: {summaries:?}");
}

/// None of these fires before its fault.
async fn is_calm(prometheus: &Prometheus, alerts: &[&str]) {
    let firing = prometheus.firing().await;
    assert!(alerts.iter().all(|alert| !firing.contains(*alert)), "before any fault: {firing:?}");
}

/// A river with many viewers on two halls, and people who talk.
struct Town {
    ingest: Node,
    filter: Node,
    one: Node,
    two: Node,
    rooms: Vec<String>,
}

async fn town(world: &World, redis: &Redis) -> Town {
    let url = redis.url();
    let flags = ["--redis", &url];
    let (ingest, filter, one, two) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&flags), world.fanout(&flags));
    Town { ingest, filter, one, two, rooms: (0..4).map(|room| format!("town-{room}")).collect() }
}

fn crowd(world: &World, town: &Town, people: usize, pace: Duration) -> Crowd {
    let tables = town.rooms.iter().map(|room| world.table(&town.ingest, room, people)).collect();
    Crowd::start(tables, pace)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_fire_at_their_fault() {
    let Some(prometheus) = Prometheus::start(&impatient()).await else { return };
    let Some(mut redis) = Redis::start().await else { return };
    let world = world("alerts_fired").await;
    let mut town = town(&world, &redis).await;
    prometheus.scrape(&[&town.ingest, &town.filter, &town.one, &town.two]).await;
    let halls = [town.one.address(), town.two.address()];
    let fleet = Fleet::start(VIEWERS, &town.rooms, &halls);
    fleet.until_all("everybody watches", SOON, |log| log.on.is_some()).await;
    let murmur = crowd(&world, &town, 8, Duration::from_secs(1));
    until_fires(&prometheus, "DeadMansSwitch").await;

    // Somebody writes what is none, into what is said and into what may be shown.
    is_calm(&prometheus, &["DeadLetters", "OutputUndecodable", "RulesUnusable", "RulesStale"]).await;
    world.write_raw(Topic::Input, 0, b"poison", &[0xff; 9]).await;
    world.write_raw(Topic::Output, world.partition_of(&town.rooms[0]), b"poison", &[0xff; 9]).await;
    until_fires(&prometheus, "DeadLetters").await;
    until_fires(&prometheus, "OutputUndecodable").await;

    // Words that cannot be read: the last good ones act, and grow old.
    std::fs::write(world.folder().join("words.txt"), [0xff, 0xfe]).expect("a file of words");
    until_fires(&prometheus, "RulesUnusable").await;
    until_fires(&prometheus, "RulesStale").await;

    // A flood: ten times as much is said to as many. What is ordinary has to be known before, a quarter of an hour long.
    is_calm(&prometheus, &["DeliveriesUpConnectionsLevel", "ConnectionsDropped"]).await;
    let known = "sum(rate(danmaku_fanout_delivered_total[5s] offset 15s)) > 100";
    until("what is ordinary is known", LATER, async || prometheus.query(known).await.ok()?.pop()).await;
    let flood = crowd(&world, &town, 100, Duration::from_millis(50));
    until_fires(&prometheus, "DeliveriesUpConnectionsLevel").await;
    flood.stop().await;

    // Redis is gone; danmaku flow on.
    is_calm(&prometheus, &["RedisUnreachable", "ConnectionsDropped", "JudgeLag"]).await;
    redis.kill();
    until_fires(&prometheus, "RedisUnreachable").await;

    // A filter hangs: it holds its partitions, and judges nothing.
    town.filter.pause();
    until_fires(&prometheus, "JudgeLag").await;
    until_fires(&prometheus, "ServiceDown").await;
    town.filter.go_on();
    murmur.stop().await;

    // A hall dies, and half of all viewers with it: these know no other.
    is_calm(&prometheus, &["ConnectionsDropped"]).await;
    town.two.kill();
    until_fires(&prometheus, "ConnectionsDropped").await;
}
