//! What is accepted stands in the input topic, under the id that was answered, in its room's partition.

use std::collections::BTreeSet;

use chassis::{
    tokens::{Claims, Role},
    trace::{Context, Tracer},
};
use proto::{ban::AddressHash, partition, v1, v1::input::Body};

use crate::rig::{PARTITIONS, Plan, Rig, open_config, unix_secs};

const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn a_danmaku_is_on_record_as_it_was_said() {
    let rig = Rig::start(open_config()).await;
    let claims = Claims {
        name: "Ann".into(),
        level: 7,
        badges: vec!["fan".into()],
        rooms: Some(vec!["房间".into()]),
        follows_since: Some(11),
        account_since: Some(10),
        device: Some("d1".into()),
        ..Claims::new("u1", [Role::Viewer, Role::Sender].into_iter().collect())
    };
    let headers = format!(
        "authorization: Bearer {}\r\ncontent-type: application/json; charset=utf-8\r\ntraceparent: {TRACE}\r\n",
        rig.mint(&claims)
    );
    let body = r##"{"text":" 前方\u202e高能 ","client_id":"c-1","color":"#ff8800","position":"top","size":"small"}"##;
    let before_ms = unix_secs() * 1000;
    let answer = rig.post_with("/v1/rooms/%E6%88%BF%E9%97%B4/danmaku", &headers, body.as_bytes()).await;
    assert_eq!(answer.status, 202, "{answer:?}");

    let written = rig.written().await;
    let [record] = written.as_slice() else { panic!("{written:?}") };
    assert_eq!(record.id(), answer.id());
    assert_eq!(record.key, "房间");
    assert_eq!(record.partition, partition::of("房间".as_bytes(), PARTITIONS));
    assert_eq!(record.traceparent, None, "chance did not choose it, and a stranger cannot");
    assert!(record.input.accepted_ms.unsigned_abs() >= before_ms);
    let expected = v1::Input {
        generation: 3,
        room: "房间".into(),
        user: Some(v1::User { id: "u1".into(), name: "Ann".into(), level: 7, badges: vec!["fan".into()] }),
        role: v1::Role::Sender as i32,
        accepted_ms: record.input.accepted_ms,
        client_id: "c-1".into(),
        follows_since: 11,
        account_since: 10,
        device: "d1".into(),
        address: AddressHash::of([127, 0, 0, 1].into()).to_string(),
        body: Some(Body::Say(v1::Say {
            text: "前方高能".into(),
            color: Some(0xff_8800),
            position: v1::Position::Top as i32,
            size: v1::Size::Small as i32,
        })),
    };
    assert_eq!(record.input, expected);
    assert_eq!((rig.accepted(), rig.number("danmaku_hop_seconds_count{hop=\"appended\"}")), (1.0, 1.0));
}

#[tokio::test]
async fn a_trace_begins_at_the_door_whatever_a_stranger_says() {
    let tracer = Tracer::open(&"http://127.0.0.1:1/v1/traces".parse().unwrap(), 1);
    let rig = Rig::ready(Plan { tracer, ..Plan::default() }).await;
    let token = rig.token("u1", &[Role::Sender]);
    let mut traces = BTreeSet::from([Context::parse(TRACE.as_bytes()).unwrap().trace()]);
    for said in [&format!("traceparent: {TRACE}\r\n"), "traceparent: nonsense\r\n", ""] {
        let headers = format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n{said}");
        let answer = rig.post_with("/v1/rooms/demo/danmaku", &headers, br#"{"text":"hello"}"#).await;
        assert_eq!(answer.status, 202, "{answer:?}");
    }
    for record in rig.written().await {
        let begun = Context::parse(record.traceparent.unwrap().as_bytes()).unwrap();
        assert!(begun.is_sampled() && traces.insert(begun.trace()), "each has a new one");
    }
    assert_eq!(traces.len(), 4);
}

#[tokio::test]
async fn an_event_is_said_in_its_users_name_and_not_in_the_servers() {
    let rig = Rig::start(open_config()).await;
    let token = rig.token("platform", &[Role::Service]);
    let gift = r#"{"kind":"gift","client_id":"g1","user":{"id":"u2","name":"Bob"},
                   "data":{"gift":"r","name":"Rocket","count":1,"value":500}}"#;
    let score = r#"{"kind":"event","client_id":"e1","event":"score","data":{"home":1},"sticky":"score"}"#;
    for body in [gift, score] {
        assert_eq!(rig.post("/v1/rooms/demo/events", &token, body.as_bytes()).await.status, 202);
    }
    let written = rig.written().await;
    let users: Vec<&str> = written.iter().map(|record| record.input.user_id()).collect();
    assert_eq!(users, ["u2", ""]);
    assert!(written.iter().all(|record| record.input.role() == v1::Role::Service));
    let Some(Body::Post(post)) = &written[1].input.body else { panic!("{written:?}") };
    assert_eq!((post.event.as_str(), post.data.as_str(), post.sticky.as_str()), ("score", r#"{"home":1}"#, "score"));
}

#[tokio::test]
async fn one_room_keeps_its_order_and_ids_are_never_given_twice() {
    let rig = Rig::start(open_config()).await;
    let mut answered = Vec::new();
    for turn in 0..20 {
        for room in ["a", "b", "c"] {
            let answer = rig.say(room, "u1", &format!(r#"{{"text":"{room}{turn}"}}"#)).await;
            answered.push((answer.id().to_owned(), format!("{room}{turn}")));
        }
    }
    let written = rig.written().await;
    assert_eq!(written.len(), 60);
    for room in ["a", "b", "c"] {
        let said: Vec<(String, String)> = written
            .iter()
            .filter(|record| record.key == room)
            .map(|record| (record.id(), text(&record.input)))
            .collect();
        let expected: Vec<_> = answered.iter().filter(|(_, text)| text.starts_with(room)).cloned().collect();
        assert_eq!(said, expected);
    }
}

fn text(input: &v1::Input) -> String {
    match &input.body {
        Some(Body::Say(say)) => say.text.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_client_that_goes_away_takes_its_answer_back_and_not_its_message() {
    use tokio::io::AsyncWriteExt as _;
    let rig = Rig::ready(Plan::default()).await;
    let token = rig.token("u1", &[Role::Sender]);
    let body = r#"{"text":"bye"}"#;
    for _ in 0..20 {
        let mut stream = tokio::net::TcpStream::connect(rig.address).await.unwrap();
        let head = format!(
            "POST /v1/rooms/demo/danmaku HTTP/1.1\r\nhost: door\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
    }
    // Another message behind them: what was written before it is counted by the time it is answered.
    let deadline = std::time::Instant::now() + crate::rig::PATIENCE;
    loop {
        assert_eq!(rig.say("demo", "u2", body).await.status, 202);
        let (accepted, written) = (rig.accepted(), rig.written().await.len() as f64);
        if accepted == written {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{accepted} accepted, {written} written");
    }
}
