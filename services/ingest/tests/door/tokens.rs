//! Who brings no good token says nothing here, and who brings one says it only where it is good.

use std::time::Duration;

use chassis::tokens::{Claims, Role, Signer};

use crate::rig::{Answer, Rig, open_config, unix_secs};

const BODY: &[u8] = br#"{"text":"hi"}"#;

async fn knock(rig: &Rig, token: &str) -> Answer {
    rig.post("/v1/rooms/demo/danmaku", token, BODY).await
}

#[tokio::test]
async fn tokens_that_are_not_believed() {
    let rig = Rig::start(open_config()).await;
    let claims = Claims::new("u1", [Role::Sender].into_iter().collect());
    let expired = rig.signer.mint(&claims, Duration::from_secs(60), unix_secs() - 60).unwrap();
    let foreign = Signer::random_hs256().mint(&claims, Duration::from_secs(60), unix_secs()).unwrap();
    let good = rig.mint(&claims);
    let parts: Vec<&str> = good.split('.').collect();
    // {"alg":"none"} and {"alg":"HS512"}, in base64url.
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", parts[1]);
    let other_algorithm = format!("eyJhbGciOiJIUzUxMiJ9.{}.{}", parts[1], parts[2]);
    let nobody = rig.mint(&Claims::new("u\n1", [Role::Sender].into_iter().collect()));
    for token in ["", "x", "a.b.c", &expired, &foreign, &unsigned, &other_algorithm, &nobody] {
        let answer = knock(&rig, token).await;
        assert_eq!(answer.is(), (401, "unauthorized"), "{token}");
        assert_eq!(answer.header("www-authenticate"), Some("bearer"));
    }
    let absent = rig.post_with("/v1/rooms/demo/danmaku", "content-type: application/json\r\n", BODY).await;
    assert_eq!(absent.is(), (401, "unauthorized"));
    assert_eq!(rig.refused("unauthorized"), 9.0);
    assert_eq!(knock(&rig, &good).await.status, 202);
    assert_eq!(rig.written().await.len(), 1);
}

#[tokio::test]
async fn tokens_that_are_good_for_something_else() {
    let rig = Rig::start(open_config()).await;
    let mut other_room = Claims::new("u1", [Role::Sender].into_iter().collect());
    other_room.rooms = Some(vec!["other".into()]);
    for token in [rig.mint(&other_room), rig.token("u1", &[Role::Viewer]), rig.token("node-1", &[Role::Relay])] {
        assert_eq!(knock(&rig, &token).await.is(), (403, "forbidden"));
    }
    assert_eq!(rig.written().await.len(), 0);
}
