//! Bodies as tables: what they become, or the code they are refused with.

use super::*;

fn said(body: &str) -> v1::Say {
    match say(body.as_bytes(), 100) {
        Ok(Admitted { body: Body::Say(say), .. }) => say,
        other => panic!("{body}: {other:?}"),
    }
}

fn refused(outcome: Result<Admitted, Refusal>) -> &'static str {
    match outcome {
        Err(refusal) => refusal.code(),
        Ok(admitted) => panic!("admitted: {admitted:?}"),
    }
}

#[test]
fn a_danmaku_with_everything_and_with_nothing_else() {
    let all = r##"{"text":" hi ","client_id":"a_B-9","color":"#ff8800","position":"top","size":"large","later":1}"##;
    let expected = v1::Say {
        text: "hi".into(),
        color: Some(0xff_8800),
        position: v1::Position::Top as i32,
        size: v1::Size::Large as i32,
    };
    assert_eq!(said(all), expected);
    assert_eq!(say(all.as_bytes(), 100).unwrap().client_id, "a_B-9");
    assert_eq!(said(r#"{"text":"hi"}"#), v1::Say { text: "hi".into(), ..v1::Say::default() });
    assert_eq!(said(r#"{"text":"a\u0001b"}"#).text, "ab");
}

#[test]
fn bodies_that_are_no_danmaku() {
    let deep = format!(r#"{{"text":"hi","x":{}1{}}}"#, "[".repeat(1000), "]".repeat(1000));
    let long_id = format!(r#"{{"text":"hi","client_id":"{}"}}"#, "a".repeat(65));
    for body in [
        "",
        " ",
        "{",
        "[]",
        "null",
        r#""hi""#,
        r#"["","hi"]"#,
        "{}",
        r#"{"text":null}"#,
        r#"{"text":1}"#,
        r#"{"text":"hi","text":"ho"}"#,
        r#"{"text":"hi","x":{"a":1,"a":2}}"#,
        r#"{"text":"hi"} {}"#,
        r#"{"text":"hi",}"#,
        "{\"text\":\"h\0i\"}",
        "{\"text\":\"h\ni\"}",
        r#"{"text":"h\u0000i"}"#,
        r#"{"text":"\ud800"}"#,
        "\u{feff}{\"text\":\"hi\"}",
        deep.as_str(),
        long_id.as_str(),
        r#"{"text":"hi","client_id":""}"#,
        r#"{"text":"hi","client_id":"a b"}"#,
        r#"{"text":"hi","client_id":1}"#,
        r#"{"text":"hi","color":"red"}"#,
        r##"{"text":"hi","color":"#fff"}"##,
        r#"{"text":"hi","position":"left"}"#,
        r#"{"text":"hi","size":"huge"}"#,
        r#"{"text":"hi","size":null}"#,
    ] {
        assert_eq!(refused(say(body.as_bytes(), 100)), "malformed", "{body}");
    }
    assert_eq!(refused(say(b"{\"text\":\"\xff\"}", 100)), "malformed");
}

#[test]
fn texts_that_may_not_be_said() {
    assert_eq!(refused(say(r#"{"text":" \t "}"#.as_bytes(), 100)), "empty");
    assert_eq!(refused(say(format!(r#"{{"text":"{}"}}"#, "弹".repeat(101)).as_bytes(), 100)), "too_long");
}

fn posted(body: &str) -> (Option<v1::User>, v1::Post) {
    match post(body.as_bytes(), 100) {
        Ok(Admitted { user, body: Body::Post(post), .. }) => (user, post),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn events_of_each_kind() {
    let (user, gift) = posted(
        r#"{"kind":"gift","client_id":"g1","user":{"id":"u1","name":"\u202eAnn"},
            "data":{"name":"Rocket","gift":"r1","count":2,"value":1000}}"#,
    );
    assert_eq!(user, Some(v1::User { id: "u1".into(), name: "Ann".into(), ..v1::User::default() }));
    assert_eq!(gift.kind(), v1::Kind::Gift);
    assert_eq!(gift.data, r#"{"count":2,"gift":"r1","name":"Rocket","value":1000}"#);

    let (user, event) = posted(r#"{"kind":"event","client_id":"e1","event":"score","data":[1,2],"sticky":"score"}"#);
    assert_eq!(user, None);
    let expected = v1::Post {
        kind: v1::Kind::Event as i32,
        event: "score".into(),
        data: "[1,2]".into(),
        sticky: "score".into(),
        ..v1::Post::default()
    };
    assert_eq!(event, expected);

    let (_, system) = posted(r#"{"kind":"system","client_id":"s1","text":"welcome"}"#);
    assert_eq!((system.kind(), system.text.as_str()), (v1::Kind::System, "welcome"));

    let superchat = r#"{"kind":"super","client_id":"c1","text":"go","data":{"amount_minor":3000,"currency":"JPY","show_ms":60000}}"#;
    assert_eq!(posted(superchat).1.kind(), v1::Kind::Super);
}

#[test]
fn bodies_that_are_no_event() {
    let badges = r#"["1","2","3","4","5","6","7","8","9"]"#;
    for fields in [
        r#""kind":"chat""#.to_owned(),
        r#""text":"hi""#.to_owned(),
        r#""kind":"event""#.to_owned(),
        r#""kind":"event","event":"a b""#.to_owned(),
        r#""kind":"system","text":"hi","event":"x""#.to_owned(),
        r#""kind":"gift""#.to_owned(),
        r#""kind":"gift","data":{"gift":"r","name":"R","count":-1,"value":0}"#.to_owned(),
        r#""kind":"super","data":{"amount_minor":"3","currency":"JPY","show_ms":1}"#.to_owned(),
        r#""kind":"event","event":"x","sticky":"""#.to_owned(),
        r#""kind":"event","event":"x","user":{"name":"nobody"}"#.to_owned(),
        r#""kind":"event","event":"x","user":"u1""#.to_owned(),
        format!(r#""kind":"event","event":"x","user":{{"id":"u","badges":{badges}}}"#),
        format!(r#""kind":"event","event":"x","sticky":"{}""#, "k".repeat(65)),
        r#""kind":"event","event":"x","data":{"a":1,"a":2}"#.to_owned(),
    ] {
        let body = format!(r#"{{"client_id":"c",{fields}}}"#);
        assert_eq!(refused(post(body.as_bytes(), 100)), "malformed", "{body}");
    }
    assert_eq!(refused(post(br#"{"kind":"event","event":"x"}"#, 100)), "malformed", "no client_id");
}

#[test]
fn events_that_are_too_much_or_nothing() {
    let data =
        |bytes: usize| format!(r#"{{"kind":"event","client_id":"c","event":"x","data":"{}"}}"#, "d".repeat(bytes - 2));
    assert_eq!(posted(&data(2048)).1.data.len(), 2048);
    assert_eq!(refused(post(data(2049).as_bytes(), 100)), "too_long");
    assert_eq!(refused(post(br#"{"kind":"system","client_id":"c","text":" "}"#, 100)), "empty");
}
