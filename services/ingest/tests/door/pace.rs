//! Who speaks too fast is told for how long to wait; others are not held up by it.

use chassis::tokens::Role;
use ingest::Config;

use crate::rig::{Plan, Rig, open_config};

const BODY: &str = r#"{"text":"hi"}"#;

#[tokio::test]
async fn a_user_over_his_budget_waits_and_others_do_not() {
    let config = Config { door_user_rate: 1, door_user_burst: 2, ..open_config() };
    let rig = Rig::start(config).await;
    assert_eq!(rig.say("demo", "u1", BODY).await.status, 202);
    let mut refused = None;
    for _ in 0..50 {
        let answer = rig.say("demo", "u1", BODY).await;
        if answer.status != 202 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("fifty messages at once are over two and one a second");
    assert_eq!(refused.is(), (429, "rate_limited"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    let wait_ms = refused.body["retry_after_ms"].as_u64().unwrap();
    assert!((1..=1000).contains(&wait_ms), "{wait_ms}");
    assert_eq!(rig.say("demo", "u2", BODY).await.status, 202);
    assert_eq!(rig.refused("rate_limited"), 1.0);
    assert_eq!(rig.written().await.len() as f64, rig.accepted());
}

#[tokio::test]
async fn an_address_is_the_one_a_trusted_proxy_heard() {
    let config = Config { door_address_rate: 1, door_address_burst: 1, ..open_config() };
    let trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let rig = Rig::ready(Plan { config, trusted_proxies, ..Plan::default() }).await;
    let from = async |user: &str, address: &str| {
        let token = rig.token(user, &[Role::Sender]);
        let headers = format!(
            "authorization: Bearer {token}\r\ncontent-type: application/json\r\nx-forwarded-for: 6.6.6.6, {address}\r\n"
        );
        rig.post_with("/v1/rooms/demo/danmaku", &headers, BODY.as_bytes()).await.status
    };
    let mut statuses = Vec::new();
    for turn in 0..20 {
        statuses.push(from(&format!("u{turn}"), "192.0.2.1").await);
    }
    assert_eq!(statuses[0], 202);
    assert!(statuses.contains(&429), "twenty users share one address: {statuses:?}");
    assert_eq!(from("u1", "192.0.2.2").await, 202, "another address has its own budget");
}

#[tokio::test]
async fn events_are_not_limited() {
    let config =
        Config { door_user_rate: 1, door_user_burst: 1, door_address_rate: 1, door_address_burst: 1, ..open_config() };
    let rig = Rig::start(config).await;
    let token = rig.token("platform", &[Role::Service]);
    for turn in 0..20 {
        let body = format!(r#"{{"kind":"event","client_id":"e{turn}","event":"score"}}"#);
        assert_eq!(rig.post("/v1/rooms/demo/events", &token, body.as_bytes()).await.status, 202);
    }
}
