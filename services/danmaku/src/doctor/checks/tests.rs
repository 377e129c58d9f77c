//! A deployment that is well, and each way in which it is not: exactly that is told, with what to do.

use std::{collections::BTreeMap, time::Duration};

use chassis::{
    admin::About,
    kafka::{Ends, Mismatch, Tried},
    redis::Seen,
};
use proto::Topic;

use super::*;
use crate::doctor::facts::{Kafka, Node, Said, Service, TopicFacts};

const HOUR: Option<Duration> = Some(Duration::from_secs(3600));

fn node(program: &str) -> Node {
    let settings = [("ping", "30s"), ("idle", "75s"), ("grace", "60s")];
    let numbers = [("danmaku_filter_rules_version", 7.0), ("danmaku_filter_rules_age_seconds", 0.0)];
    let about = About {
        program: program.into(),
        version: "0.1.0".into(),
        commit: "abc".into(),
        now_ms: 0,
        generation: 1,
        partitions: 64,
        topic_prefix: String::new(),
        brokers: "kafka:9092".into(),
        embedded: false,
        drain_ms: 30_000,
        files_max: Some(65_536),
        settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    };
    let said = Said {
        about,
        ahead_ms: 3,
        give_or_take_ms: 1,
        not_ready: Vec::new(),
        notes: vec![("redis".into(), "connected".into())],
        numbers: BTreeMap::from(numbers.map(|(name, value)| (name.to_owned(), value))),
    };
    Node { address: format!("{program}:9090"), said: Ok(said) }
}

fn topic(topic: Topic) -> TopicFacts {
    let ends = Ends { read: Tried::Allowed, newest_ms: Some(990_000) };
    TopicFacts {
        topic,
        name: topic.name(""),
        mismatches: Ok(Vec::new()),
        ends,
        write: Tried::Allowed,
        settings: Tried::Allowed,
    }
}

fn well() -> Facts {
    let kafka = Kafka {
        brokers: "kafka:9092".into(),
        is_embedded: false,
        answers: Ok(()),
        topics: Topic::ALL.map(topic).into(),
        group: ("g".into(), Tried::Allowed),
        readers: ("r".into(), Tried::Allowed),
        read_ms: 1_000_000,
    };
    Facts {
        nodes: Service::ALL.map(|service| node(service.name())).into(),
        kafka: Some(kafka),
        redis: Some(("cache:6379/0".into(), Seen::Up { role: "master".into(), version: "7.0.15".into() })),
        account: None,
        gateway_idle: HOUR,
    }
}

#[test]
fn a_deployment_that_is_well_has_nothing_to_do() {
    let rows = all(&well());
    assert!(rows.iter().all(|row| row.state == State::Ok && row.remedy.is_empty()), "{rows:#?}");
    assert!(rows.len() > 20 && !is_ill(&rows), "{}", rows.len());
}

/// The fanout among the nodes, which most faults below are of.
fn fanout(facts: &mut Facts) -> &mut Said {
    facts.nodes[2].said.as_mut().ok().unwrap()
}

fn kafka(facts: &mut Facts) -> &mut Kafka {
    facts.kafka.as_mut().unwrap()
}

/// What is done to a deployment that is well; the check that finds it, how bad it is, and a word of the remedy.
type Fault = (fn(&mut Facts), &'static str, State, &'static str);

const FAULTS: &[Fault] = &[
    (|all| all.nodes[0].said = Err("connection refused".into()), "node", State::Bad, "--nodes"),
    (|all| fanout(all).not_ready.push(("topics".into(), "no".into())), "node", State::Bad, "the sentence"),
    (|all| drop(all.nodes.remove(3)), "services", State::Unknown, "admin ports"),
    (|all| fanout(all).about.version = "0.2.0".into(), "release", State::Watch, "older"),
    (|all| fanout(all).about.commit = "def".into(), "release", State::Watch, "older"),
    (|all| fanout(all).about.generation = 2, "generation", State::Bad, "--generation"),
    (|all| fanout(all).about.partitions = 32, "partitions", State::Bad, "--partitions"),
    (|all| fanout(all).about.topic_prefix = "x-".into(), "topic-prefix", State::Bad, "--topic-prefix"),
    (|all| fanout(all).about.brokers = "other:9092".into(), "brokers", State::Watch, "one cluster"),
    (|all| fanout(all).about.files_max = Some(1_024), "open files", State::Watch, "LimitNOFILE"),
    (|all| fanout(all).ahead_ms = 1_500, "clock", State::Bad, "time server"),
    (|all| fanout(all).ahead_ms = -1_500, "clock", State::Bad, "time server"),
    (|all| kafka(all).read_ms = 980_000, "clock", State::Bad, "time server"),
    (|all| kafka(all).read_ms = 1_100_000, "clock", State::Unknown, "canary"),
    (|all| kafka(all).answers = Err("timed out".into()), "kafka", State::Bad, "--brokers"),
    (
        |all| kafka(all).topics[0].mismatches = Ok(vec![Mismatch::Missing("danmaku-input".into())]),
        "topics",
        State::Bad,
        "danmaku topics apply",
    ),
    (|all| kafka(all).topics[0].mismatches = Err("timed out".into()), "topics", State::Unknown, "look again"),
    (|all| kafka(all).topics[0].write = Tried::Denied, "access", State::Unknown, "--as"),
    (|all| all.redis = Some(("r".into(), Seen::Locked("NOAUTH".into()))), "redis", State::Bad, "password@"),
    (|all| all.redis = Some(("r".into(), Seen::Away("refused".into()))), "redis", State::Bad, "start it"),
    (
        |all| all.redis = Some(("r".into(), Seen::Up { role: "slave".into(), version: "7".into() })),
        "redis",
        State::Bad,
        "master",
    ),
    (|all| fanout(all).notes[0].1 = "away: refused".into(), "redis", State::Bad, "DANMAKU_REDIS"),
    (|all| rules(all, "danmaku_filter_rules_age_seconds", 61.0), "rules", State::Bad, "danmaku-rules"),
    (|all| drop(fanout(all).about.settings.insert("ping".into(), "75s".into())), "patience", State::Bad, "--ping"),
    (|all| all.gateway_idle = None, "patience", State::Unknown, "--gateway-idle"),
    (|all| all.gateway_idle = Some(Duration::from_secs(60)), "patience", State::Watch, "proxy_read_timeout"),
    (|all| all.gateway_idle = Some(Duration::from_secs(30)), "patience", State::Bad, "proxy_read_timeout"),
    (|all| fanout(all).about.drain_ms = 60_000, "drain", State::Bad, "--drain"),
    (|all| drop(fanout(all).about.settings.remove("grace")), "drain", State::Unknown, "--grace"),
];

fn rules(all: &mut Facts, name: &str, value: f64) {
    all.nodes[1].said.as_mut().ok().unwrap().numbers.insert(name.into(), value);
}

#[test]
fn each_fault_is_found_and_nothing_else() {
    for (place, (fault, check, state, word)) in FAULTS.iter().enumerate() {
        let mut facts = well();
        fault(&mut facts);
        let rows = all(&facts);
        let told: Vec<_> = rows.iter().filter(|row| row.state != State::Ok).collect();
        assert!(!told.is_empty(), "fault {place} is not found");
        for row in &told {
            assert_eq!((row.check, row.state), (*check, *state), "fault {place}: {row:?}");
            assert!(row.remedy.contains(word), "fault {place}: {row:?}");
        }
        assert_eq!(is_ill(&rows), *state == State::Bad, "fault {place}");
    }
}

#[test]
fn a_first_look_is_asked_for_no_gateway_and_no_grace() {
    let mut facts = well();
    let mut alone = node("danmaku");
    let said = alone.said.as_mut().ok().unwrap();
    (said.about.embedded, said.about.drain_ms) = (true, 2_000);
    said.about.settings.remove("grace");
    (facts.nodes, facts.gateway_idle) = (vec![alone], None);
    kafka(&mut facts).is_embedded = true;
    let rows = all(&facts);
    assert!(rows.iter().all(|row| row.state == State::Ok), "{rows:#?}");
}

/// A judge that stays behind is told beside the one that does not.
#[test]
fn two_judges_with_other_rules_are_told() {
    let mut facts = well();
    facts.nodes.push(node("filter"));
    rules(&mut facts, "danmaku_filter_rules_version", 6.0);
    assert!(all(&facts).iter().any(|row| row.check == "rules" && row.found == "versions 6 and 7"));
}

/// A deployment that is asked with fanout's account, which may the least that it needs.
fn least() -> Facts {
    let mut facts = well();
    facts.account = Some(Service::Fanout);
    for topic in &mut kafka(&mut facts).topics {
        topic.write = Tried::Denied;
        if !matches!(topic.topic, Topic::Output | Topic::State | Topic::Rules) {
            (topic.ends.read, topic.settings) = (Tried::Denied, Tried::Denied);
        }
    }
    kafka(&mut facts).group.1 = Tried::Denied;
    facts
}

/// What becomes of that account: what is tried differently, where it is told, how bad it is, and a word of the remedy.
type Account = (fn(&mut Kafka), &'static str, State, &'static str);

#[test]
fn a_services_account_may_what_it_must_and_no_more() {
    assert!(all(&least()).iter().all(|row| row.state == State::Ok), "the least that fanout needs is right");
    let cases: &[Account] = &[
        (|kafka| kafka.topics[1].ends.read = Tried::Denied, "danmaku-output", State::Bad, "needs Read on"),
        (|kafka| kafka.topics[0].write = Tried::Allowed, "danmaku-input", State::Watch, "needs no Write on"),
        (|kafka| kafka.topics[3].settings = Tried::Denied, "danmaku-state", State::Watch, "DescribeConfigs"),
        (|kafka| kafka.group.1 = Tried::Allowed, "group g", State::Watch, "no group"),
        (|kafka| kafka.readers.1 = Tried::Denied, "group r", State::Bad, "Describe on group r"),
        (
            |kafka| kafka.topics[4].ends.read = Tried::Unknown("silence".into()),
            "danmaku-rules",
            State::Unknown,
            "again",
        ),
    ];
    for (fault, place, state, word) in cases {
        let mut facts = least();
        fault(kafka(&mut facts));
        let rows: Vec<_> = all(&facts).into_iter().filter(|row| row.state != State::Ok).collect();
        let [row] = &rows[..] else { panic!("{place}: {rows:#?}") };
        assert_eq!((row.of.as_str(), row.state, row.remedy.contains(word)), (*place, *state, true), "{row:?}");
    }
}
