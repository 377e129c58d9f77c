//! Frames as tables, and against the sample bytes in `golden/` that the browser's client reads too.

use super::*;
use v1::{Batch, Gap, GapReason, Hello, Kind, Message, Position, Size, Told, User, Word};

fn sample_message() -> Message {
    Message {
        id: "1-3-1042".into(),
        at: 1_700_000_000_123,
        user: Some(User { id: "u7".into(), name: "小明".into(), level: 3, badges: vec!["fan".into()] }),
        text: "666 \"好\" 🎉".into(),
        color: Some(0xff8800),
        position: Position::Top as i32,
        size: Size::Large as i32,
        ..Message::default()
    }
}

fn sample_gift() -> Message {
    Message {
        id: "1-3-1043".into(),
        at: 1_700_000_000_456,
        kind: Kind::Gift as i32,
        data: r#"{"count":3,"gift":"rose","name":"玫瑰","value":30}"#.into(),
        ..Message::default()
    }
}

/// Every kind of frame a server sends, with a name for its golden file.
fn samples() -> Vec<(&'static str, FromServer)> {
    let user = Some(User { id: "u7".into(), ..User::default() });
    vec![
        (
            "hello",
            FromServer::Hello(Hello {
                version: "0.1.0".into(),
                connection: "c1".into(),
                node: "n1".into(),
                room: "demo".into(),
                user,
                now: 1_700_000_000_000,
                ping_ms: 30_000,
                idle_ms: 75_000,
                cursor: "1-3-1042-977".into(),
                recovered: Some(false),
                can_send: true,
                ..Hello::default()
            }),
        ),
        (
            "batch",
            FromServer::Batch(Batch {
                cursor: "1-3-1044-979".into(),
                replay: true,
                messages: vec![sample_message(), sample_gift()],
            }),
        ),
        (
            "gap",
            FromServer::Gap(Gap {
                cursor: "1-3-1044-979".into(),
                dropped: Some(12),
                reason: GapReason::Stale as i32,
                from: "1-3-1030".into(),
                to: "1-3-1043".into(),
            }),
        ),
        ("recall", FromServer::Recall(v1::Recall { ids: vec!["1-3-1042".into()], ..v1::Recall::default() })),
        ("mode", FromServer::Mode(v1::Mode { slow_ms: 3000, emote_only: true, ..v1::Mode::default() })),
        (
            "ack",
            FromServer::Ack(v1::Ack { client_id: "a1".into(), ok: true, id: "1-3-1042".into(), ..v1::Ack::default() }),
        ),
        (
            "verdict",
            FromServer::Verdict(Told {
                client_id: "a1".into(),
                id: "1-3-1042".into(),
                verdict: Word::Limited as i32,
                code: "rate".into(),
                retry_after_ms: 800,
                ..Told::default()
            }),
        ),
        (
            "notice",
            FromServer::Notice(v1::Notice { id: "n1".into(), text: "你好".into(), data: r#"{"a":[1]}"#.into() }),
        ),
        (
            "pong",
            FromServer::Pong(v1::Pong {
                cursor: "1-3-1044-979".into(),
                at: 5,
                now: 6,
                online: 7,
                ..v1::Pong::default()
            }),
        ),
        (
            "reconnect",
            FromServer::Reconnect(v1::Reconnect {
                after_ms: 1500,
                reason: "restart".into(),
                ..v1::Reconnect::default()
            }),
        ),
        ("error", FromServer::Error(v1::Error { code: "unknown_type".into(), message: "no such type".into() })),
    ]
}

fn golden(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// Set `GOLDEN=write` to write the files anew after a deliberate change of the wire.
fn check_golden(name: &str, bytes: &[u8]) {
    if std::env::var("GOLDEN").is_ok_and(|value| value == "write") {
        std::fs::write(golden(name), bytes).unwrap();
    }
    let expected = std::fs::read(golden(name)).unwrap_or_else(|error| panic!("golden/{name}: {error}"));
    assert_eq!(expected, bytes, "golden/{name}");
}

#[test]
fn frames_equal_the_golden_bytes_and_read_back() {
    for (name, frame) in samples() {
        let json = to_json(&frame);
        check_golden(&format!("{name}.json"), &json);
        assert_eq!(server_from_json(&json).as_ref(), Ok(&frame), "{name}");
        let proto = to_proto(frame.clone());
        check_golden(&format!("{name}.bin"), &proto);
        assert_eq!(server_from_proto(&proto), Ok(frame), "{name}");
    }
}

#[test]
fn a_field_at_its_default_is_left_out() {
    let json = to_json(&FromServer::Mode(v1::Mode::default()));
    assert_eq!(String::from_utf8(json).unwrap(), r#"{"type":"mode"}"#);
}

#[test]
fn a_later_releases_verdict_is_unknown_and_never_passed() {
    let later = FromServer::Verdict(Told { id: "1-3-1042".into(), verdict: 99, ..Told::default() });
    assert_eq!(server_from_proto(&to_proto(later.clone())), Ok(later.clone()), "the number stays");
    let json = to_json(&later);
    assert_eq!(String::from_utf8(json.clone()).unwrap(), r#"{"type":"verdict","id":"1-3-1042","verdict":"unknown"}"#);
    for json in [&json[..], br#"{"type":"verdict","id":"1-3-1042","verdict":"a later one"}"#] {
        let Ok(FromServer::Verdict(told)) = server_from_json(json) else { panic!("{json:?}") };
        assert_eq!(Word::known(told.verdict), None);
    }
    assert!(server_from_json(br#"{"type":"verdict","verdict":5}"#).is_err(), "a number is no word");
}

#[test]
fn an_edited_text_says_so_on_both_wires() {
    let edited = Message { edited: true, ..sample_message() };
    assert!(String::from_utf8(json_message(&edited)).unwrap().ends_with(r#","edited":true}"#));
    assert!(!String::from_utf8(json_message(&sample_message())).unwrap().contains("edited"));
    let whole = FromServer::Batch(Batch { messages: vec![edited.clone()], ..Batch::default() });
    assert_eq!(server_from_proto(&to_proto(whole.clone())), Ok(whole.clone()));
    assert_eq!(server_from_json(&to_json(&whole)), Ok(whole));
}

#[test]
fn a_joined_batch_equals_the_encoded_whole() {
    let messages = [sample_message(), sample_gift()];
    let (json, proto): (Vec<_>, Vec<_>) = messages.iter().map(|one| (json_message(one), proto_message(one))).unzip();
    for (cursor, replay, count) in [("1-2-3-4", false, 2), ("1-2-3-4", true, 2), ("1-2-3-4", false, 1), ("", false, 1)]
    {
        let joined = json_batch(cursor, replay, json[..count].iter().map(Vec::as_slice));
        let whole = FromServer::Batch(Batch { cursor: cursor.into(), replay, messages: messages[..count].to_vec() });
        assert_eq!(String::from_utf8(joined).unwrap(), String::from_utf8(to_json(&whole)).unwrap());
        let mut joined = Vec::new();
        proto_batch_into(&mut joined, cursor, replay, proto[..count].iter().map(Vec::as_slice));
        assert_eq!(joined, to_proto(whole));
    }
}

#[test]
fn what_clients_say() {
    let send = client_from_json(br##"{"type":"send","client_id":"a","text":"hi","color":"#00ff00","future":1}"##);
    assert!(matches!(send, Ok(FromClient::Send(send)) if send.text == "hi" && send.color == Some(0xff00)));
    assert_eq!(client_from_json(br#"{"type":"ping","at":5}"#), Ok(FromClient::Ping(v1::Ping { at: 5 })));
    assert_eq!(client_from_json(br#"{"type":"dance"}"#), Err(BadFrame::UnknownType("dance".into())));
    for bad in [&b"{"[..], b"[]", b"{}", br#"{"type":"ping","at":"x"}"#, br#"{"type":"send","color":"red"}"#] {
        assert!(matches!(client_from_json(bad), Err(BadFrame::Malformed(_))), "{bad:?}");
    }
    let nested = "[".repeat(100_000);
    assert!(matches!(client_from_json(nested.as_bytes()), Err(BadFrame::Malformed(_))));
}

#[test]
fn both_wires_say_the_same() {
    let ping = FromClient::Ping(v1::Ping { at: 9 });
    let bytes = v1::ClientFrame { frame: Some(ping.clone()) }.encode_to_vec();
    assert_eq!(client_from_proto(&bytes), Ok(ping));
    assert!(matches!(client_from_proto(&[]), Err(BadFrame::UnknownType(_))));
}
