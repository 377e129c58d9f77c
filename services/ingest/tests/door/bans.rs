//! Who is banned says nothing here, by user, device or address, until it ends or is lifted.

use std::time::Instant;

use chassis::tokens::{Claims, Role};
use proto::ban::AddressHash;

use crate::rig::{Answer, PATIENCE, Rig, open_config, unix_secs};

const PATH: &str = "/v1/rooms/demo/danmaku";
const BODY: &[u8] = br#"{"text":"hi"}"#;

/// Knocks until the answer has this status.
async fn until(rig: &Rig, token: &str, status: u16) -> Answer {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = rig.post(PATH, token, BODY).await;
        if answer.status == status {
            return answer;
        }
        assert!(Instant::now() < deadline, "still {answer:?}");
    }
}

#[tokio::test]
async fn a_banned_user_is_told_until_when_and_others_speak_on() {
    let rig = Rig::start(open_config()).await;
    let (troll, other) = (rig.token("troll", &[Role::Sender]), rig.token("other", &[Role::Sender]));
    assert_eq!(rig.post(PATH, &troll, BODY).await.status, 202);
    rig.ban("user/troll", (unix_secs() as i64 + 3600) * 1000, 1).await;
    let answer = until(&rig, &troll, 403).await;
    assert_eq!(answer.code(), "forbidden");
    assert!(answer.body["message"].as_str().unwrap().starts_with("banned until "), "{answer:?}");
    assert_eq!(rig.post(PATH, &other, BODY).await.status, 202);
    assert_eq!(rig.number("danmaku_ingest_bans"), 1.0);
    rig.ban("user/troll", 1, 2).await;
    until(&rig, &troll, 202).await;
}

#[tokio::test]
async fn a_device_and_an_address_are_known_whoever_speaks() {
    let rig = Rig::start(open_config()).await;
    let mut claims = Claims::new("ann", [Role::Sender].into_iter().collect());
    claims.device = Some("d1".into());
    let (with_device, without) = (rig.mint(&claims), rig.token("ann", &[Role::Sender]));
    rig.ban("device/d1", 0, 1).await;
    until(&rig, &with_device, 403).await;
    assert_eq!(rig.post(PATH, &without, BODY).await.status, 202);
    rig.ban(&format!("address/{}", AddressHash::of([127, 0, 0, 1].into())), 0, 1).await;
    until(&rig, &without, 403).await;
    // A platform's server speaks for many, from an address of its own.
    let service = rig.token("gifts", &[Role::Service]);
    let event = br#"{"kind":"system","client_id":"e1","text":"hello"}"#;
    assert_eq!(rig.post("/v1/rooms/demo/events", &service, event).await.status, 202);
}
