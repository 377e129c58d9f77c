//! Bad input gets its named answer, is counted under its code, writes nothing, and leaves the door standing.

use chassis::tokens::Role;

use crate::rig::{Rig, open_config};

#[tokio::test]
async fn bodies() {
    let rig = Rig::start(open_config()).await;
    let token = rig.token("u1", &[Role::Sender]);
    let text = |text: &str| format!(r#"{{"text":"{text}"}}"#).into_bytes();
    let filled = |bytes: usize| format!(r#"{{"text":"hi","x":"{}"}}"#, "x".repeat(bytes - 20)).into_bytes();
    let deep = format!(r#"{{"text":"hi","x":{}{}}}"#, "[".repeat(1500), "]".repeat(1500)).into_bytes();
    let table: &[(&str, Vec<u8>, (u16, &str))] = &[
        ("0 B", vec![], (400, "malformed")),
        ("4 KiB", filled(4096), (202, "")),
        ("4 KiB + 1", filled(4097), (413, "too_long")),
        ("invalid UTF-8", text("\u{0}").iter().map(|&b| if b == 0 { 0xff } else { b }).collect(), (400, "malformed")),
        ("deep JSON", deep, (400, "malformed")),
        ("duplicate keys", br#"{"text":"a","text":"b"}"#.to_vec(), (400, "malformed")),
        ("NUL", text("a\u{0}b"), (400, "malformed")),
        ("NUL, escaped", text("a\\u0000b"), (400, "malformed")),
        ("C0, bare", text("a\u{1}b"), (400, "malformed")),
        ("C0, escaped", text("a\\u0001b"), (202, "")),
        ("C0 alone", text("\\u0001\\u001f"), (422, "empty")),
        ("bidi overrides", text("a\u{202e}b\u{2066}"), (202, "")),
        ("bidi alone", text("\u{202e}\u{202c}"), (422, "empty")),
        ("only white space", text(" \\t\\n\u{3000}"), (422, "empty")),
        ("100 characters", text(&"弹".repeat(100)), (202, "")),
        ("101 characters", text(&"弹".repeat(101)), (413, "too_long")),
        ("a ZWJ chain of 1,000", text(&format!("👩{}", "\u{200d}".repeat(1000))), (422, "cluster_too_long")),
        ("a chain of 500 emoji", text(&vec!["👩"; 500].join("\u{200d}")), (422, "cluster_too_long")),
        ("1,000 marks on one letter", text(&format!("e{}", "\u{301}".repeat(1000))), (202, "")),
    ];
    for (what, body, expected) in table {
        let answer = rig.post("/v1/rooms/demo/danmaku", &token, body).await;
        assert_eq!(answer.is(), *expected, "{what}: {answer:?}");
        assert_eq!(answer.status != 202, answer.body["message"].is_string(), "{what}: {answer:?}");
    }
    assert_eq!(rig.written().await.len() as f64, rig.accepted(), "nothing else was written");
    let counted = |code: &str| table.iter().filter(|(_, _, (_, expected))| *expected == code).count() as f64;
    for code in ["malformed", "too_long", "empty", "cluster_too_long"] {
        assert_eq!(rig.refused(code), counted(code), "{code}");
    }
    assert_eq!(rig.accepted(), counted(""));
}

#[tokio::test]
async fn a_chunked_body_is_measured_while_it_comes() {
    let rig = Rig::start(open_config()).await;
    let token = rig.token("u1", &[Role::Sender]);
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let head = format!(
        "POST /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: door\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    // It never ends, and the door does not wait for the end.
    let answer = rig.raw(format!("{head}{chunk}1\r\nx\r\n").as_bytes()).await;
    assert_eq!(answer.is(), (413, "too_long"));
}

#[tokio::test]
async fn rooms_paths_methods_and_types() {
    let rig = Rig::start(open_config()).await;
    let token = rig.token("u1", &[Role::Sender]);
    let long = "r".repeat(129);
    for room in ["", &long, "a/b", "a%2Fb", "%00", "a%0Ab", "..", "%2e%2e", ".", "%zz", "%FF"] {
        let answer = rig.post(&format!("/v1/rooms/{room}/danmaku"), &token, br#"{"text":"hi"}"#).await;
        assert_eq!(answer.is(), (400, "bad_room"), "{room:?}: {answer:?}");
    }
    let answer = rig.post("/v1/rooms/%zz/danmaku", &token, br#"{"text":"hi"}"#).await;
    assert!(answer.body["message"].as_str().unwrap().contains("percent-encoded"), "{answer:?}");
    let answer = rig.say(&"r".repeat(128), "u1", r#"{"text":"hi"}"#).await;
    assert_eq!(answer.status, 202);

    for path in ["/", "/v1/rooms/demo/live", "/v1/rooms/demo", "/v1/rooms/demo/danmaku/"] {
        let answer = rig.post(path, &token, br#"{"text":"hi"}"#).await;
        assert_eq!(answer.is(), (404, "not_found"), "{path}");
    }
    for method in ["GET", "PUT", "DELETE"] {
        let request = format!("{method} /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: door\r\nconnection: close\r\n\r\n");
        let answer = rig.raw(request.as_bytes()).await;
        assert_eq!(answer.is(), (405, "method_not_allowed"), "{method}");
        assert_eq!(answer.header("allow"), Some("post, options"));
    }
    for kind in ["", "content-type: text/plain\r\n", "content-type: application/x-www-form-urlencoded\r\n"] {
        let headers = format!("authorization: Bearer {token}\r\n{kind}");
        let answer = rig.post_with("/v1/rooms/demo/danmaku", &headers, br#"{"text":"hi"}"#).await;
        assert_eq!(answer.is(), (415, "unsupported_type"), "{kind:?}");
    }
    assert_eq!(rig.written().await.len(), 1);
}

#[tokio::test]
async fn events() {
    let rig = Rig::start(open_config()).await;
    let service = rig.token("platform", &[Role::Service]);
    let no_client_id = br#"{"kind":"event","event":"x"}"#.to_vec();
    let event = |data: &str| format!(r#"{{"kind":"event","client_id":"c","event":"x","data":"{data}"}}"#).into_bytes();
    let data = |bytes: usize| event(&"d".repeat(bytes - 2));
    let escaped = |bytes: usize| event(&r"\u0064".repeat(bytes - 2));
    let table: [(Vec<u8>, (u16, &str)); 7] = [
        (no_client_id, (400, "malformed")),
        (br#"{"kind":"chat","client_id":"c"}"#.to_vec(), (400, "malformed")),
        (data(2048), (202, "")),
        (data(2049), (413, "too_long")),
        (escaped(2048), (202, "")),
        (escaped(2049), (413, "too_long")),
        (data(16 << 10), (413, "too_long")),
    ];
    for (body, expected) in table {
        let answer = rig.post("/v1/rooms/demo/events", &service, &body).await;
        assert_eq!(answer.is(), expected, "{answer:?}");
    }
    let sender = rig.token("u1", &[Role::Sender, Role::Moderator]);
    let answer = rig.post("/v1/rooms/demo/events", &sender, &data(10)).await;
    assert_eq!(answer.is(), (403, "forbidden"), "an event is the platform server's to post");
}
