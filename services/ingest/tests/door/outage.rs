//! Without Kafka, or with a topic that is not ours, nothing is called accepted.

use std::time::Duration;

use ingest::Config;

use crate::rig::{PARTITIONS, PATIENCE, Plan, Rig, open_config, unix_secs};

const BODY: &str = r#"{"text":"hi","client_id":"c1"}"#;

#[tokio::test]
async fn a_lost_broker_is_told_as_unavailable_and_never_as_accepted() {
    let config = Config { produce_timeout: Duration::from_secs(1), ..open_config() };
    let mut rig = Rig::start(config).await;
    assert_eq!(rig.say("demo", "u1", BODY).await.status, 202);
    rig.lose_broker();
    for _ in 0..2 {
        let before_ms = unix_secs() * 1000;
        let answer = rig.say("demo", "u1", BODY).await;
        assert_eq!(answer.is(), (503, "unavailable"), "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("1"));
        // From this request on: the door remembers no first one, so it is the client who keeps that one's.
        assert!(answer.body["message"].as_str().unwrap().contains("the first such answer"), "{answer:?}");
        let until = answer.body["retry_until"].as_u64().unwrap();
        assert!(until >= before_ms + 50_000 && until <= (unix_secs() + 51) * 1000, "{until}");
    }
    assert_eq!((rig.accepted(), rig.refused("unavailable")), (1.0, 2.0));
    assert!(rig.ground.readiness.is_ready(), "another door would find the same broker away");
}

#[tokio::test]
async fn a_topic_with_other_partitions_is_refused_with_the_remedy() {
    let rig = Rig::open(Plan { partitions: PARTITIONS * 2, ..Plan::default() }).await;
    let readiness = &rig.ground.readiness;
    let said = tokio::time::timeout(PATIENCE, async {
        loop {
            let reasons = readiness.not_ready();
            if let Some(reason) = reasons.into_iter().find(|reason| reason.reason.contains("--partitions")) {
                break reason;
            }
            tokio::task::yield_now().await;
        }
    });
    let said = said.await.expect("nothing is said about the partitions");
    assert_eq!(said.condition, "ingest topics");
    assert!(said.reason.contains("has 8 partitions") && said.reason.contains("16"), "{}", said.reason);
    assert_eq!(rig.say("demo", "u1", BODY).await.is(), (503, "unavailable"));
    assert_eq!(rig.written().await.len(), 0);
}
