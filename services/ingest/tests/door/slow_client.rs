//! A client that does not get to the end of its request is not waited for.

use std::time::Duration;

use chassis::tokens::Role;
use ingest::Config;

use crate::rig::{Plan, Rig, open_config};

#[tokio::test]
async fn a_slow_body_is_answered_and_slow_headers_are_closed() {
    let config = Config { body_timeout: Duration::from_millis(200), ..open_config() };
    let rig = Rig::ready(Plan { config, header_timeout: Duration::from_millis(200), ..Plan::default() }).await;
    let token = rig.token("u1", &[Role::Sender]);
    let head = format!(
        "POST /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: door\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\n\r\n"
    );
    let answer = rig.raw(format!("{head}{{\"text\":").as_bytes()).await;
    assert_eq!(answer.is(), (408, "slow_body"));
    assert_eq!(rig.refused("slow_body"), 1.0);

    let silent = rig.raw(b"POST /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: do").await;
    assert_ne!(silent.status, 202, "closed, with or without a word: {silent:?}");
    assert_eq!(rig.say("demo", "u1", r#"{"text":"hi"}"#).await.status, 202);
}
