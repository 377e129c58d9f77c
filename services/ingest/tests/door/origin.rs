//! Pages of our own origin and of those named may speak; others are told so before anything else.

use chassis::tokens::Role;

use crate::rig::{Plan, Rig};

const LISTED: &str = "https://live.example.com";

async fn rig() -> Rig {
    Rig::ready(Plan { origins: vec![LISTED.into()], ..Plan::default() }).await
}

#[tokio::test]
async fn own_named_and_foreign_pages() {
    let rig = rig().await;
    let token = rig.token("u1", &[Role::Sender]);
    for (origin, status) in [("http://door", 202), (LISTED, 202), ("https://evil.example", 403), ("null", 403)] {
        let headers =
            format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\norigin: {origin}\r\n");
        let answer = rig.post_with("/v1/rooms/demo/danmaku", &headers, br#"{"text":"hi"}"#).await;
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
        let told = answer.header("access-control-allow-origin");
        assert_eq!(told, (status == 202).then_some(origin), "{origin}");
    }
    assert_eq!(rig.refused("forbidden"), 2.0);
}

#[tokio::test]
async fn a_named_page_can_read_its_refusal() {
    let rig = rig().await;
    let headers = format!("content-type: application/json\r\norigin: {LISTED}\r\n");
    let answer = rig.post_with("/v1/rooms/demo/danmaku", &headers, br#"{"text":"hi"}"#).await;
    assert_eq!(answer.is(), (401, "unauthorized"));
    assert_eq!(answer.header("access-control-allow-origin"), Some(LISTED));
    assert_eq!(answer.header("access-control-expose-headers"), Some("retry-after"));
    assert_eq!(answer.header("vary"), Some("origin"));
}

#[tokio::test]
async fn the_question_that_goes_before() {
    let rig = rig().await;
    let ask = |origin: &str| {
        format!(
            "OPTIONS /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: door\r\norigin: {origin}\r\n\
             access-control-request-method: POST\r\naccess-control-request-headers: authorization,content-type\r\n\
             connection: close\r\n\r\n"
        )
    };
    let answer = rig.raw(ask(LISTED).as_bytes()).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some(LISTED));
    assert_eq!(answer.header("access-control-allow-methods"), Some("post"));
    assert_eq!(answer.header("access-control-allow-headers"), Some("authorization, content-type, traceparent"));
    let foreign = rig.raw(ask("https://evil.example").as_bytes()).await;
    assert_eq!(foreign.is(), (403, "forbidden"));
    assert_eq!(foreign.header("access-control-allow-origin"), None);
}
