//! Whatever is said on the goim wire has one exact answer, and nobody else in the room notices.
//!
//! Bad callers are turned away one after another while a good one and a viewer of another wire watch; then each of the two
//! still hears everything.

use std::{net::SocketAddr, time::Duration};

use integration::goim::{Caller, Told, frame, op, packet, packet_saying};
use tokio::time::Instant;

use crate::{SOON, world};

const ROOM: &str = "1001";
const AUTH: &str = r#"{"uid":0,"roomid":1001,"protover":0,"key":"tok"}"#;

fn auth() -> Vec<u8> {
    packet(op::AUTH, AUTH.as_bytes())
}

fn beat() -> Vec<u8> {
    packet(op::HEARTBEAT, b"[object Object]")
}

/// What is wrong, as bytes, and the close code. All of it is wrong before auth and after.
fn wrong_at_once() -> Vec<(&'static str, Vec<u8>, u16)> {
    let bytes = |payload: &[u8]| frame(0x82, payload);
    let saying = |len, header_len| bytes(&packet_saying(len, header_len, 1, op::HEARTBEAT, b"{}"));
    vec![
        ("no header", bytes(&beat()[..15]), 4505),
        ("nothing", bytes(b""), 4505),
        ("header length 0", saying(18, 0), 4505),
        ("header length 15", saying(18, 15), 4505),
        ("header length 17", saying(18, 17), 4505),
        ("packet length 0", saying(0, 16), 4505),
        ("packet length 15", saying(15, 16), 4505),
        ("packet length 2^31", saying(1 << 31, 16), 4505),
        ("packet longer than its frame", saying(19, 16), 4505),
        ("rubbish behind a packet", bytes(&[&packet(99, b"")[..], &[0xff; 16]].concat()), 4505),
        ("text", frame(0x81, b"{}"), 1003),
        ("a reserved bit", [&[0xc2], &bytes(&beat())[1..]].concat(), 1002),
        ("no mask", [&[0x82, 16], &packet(op::HEARTBEAT, b"")[..]].concat(), 1002),
        ("a megabyte", vec![0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0], 1009),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_wrong_word_has_its_answer_and_nobody_else_notices() {
    let world = world("goim_bad_input").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let hall = fanout.address();
    let viewer = world.viewer(&fanout, ROOM).await;
    let mut good = Caller::enter(hall, AUTH).await;

    for (what, bytes, code) in wrong_at_once() {
        let mut early = Caller::connect(hall).await;
        early.send(&bytes).await;
        assert_closed(what, &early.told_to_the_end().await, code);
        let mut late = Caller::enter(hall, AUTH).await;
        late.send(&bytes).await;
        assert_closed(what, &late.told_to_the_end().await, code);
    }

    let mut twice = Caller::enter(hall, AUTH).await;
    twice.say(&auth()).await;
    assert_closed("auth twice", &twice.told_to_the_end().await, 4505);
    drop(twice);
    let mut at_once = Caller::connect(hall).await;
    at_once.say(&[auth(), auth()].concat()).await;
    assert_eq!(at_once.told_to_the_end().await.last(), Some(&Told::Closed(4505, "not our protocol".into())));
    drop(at_once);
    flood(hall).await;

    assert_eq!(world.sender(&ingest, "7").say(ROOM, "still here").await.accepted().generation, 1);
    viewer.until("the message", SOON, |seen| seen.messages.len() == 1).await;
    let Told::Packet(0, op::MESSAGE, body) = good.told().await else { panic!("nothing but the message") };
    assert!(String::from_utf8_lossy(&body).contains("still here"));
    // Sockets that were hung up count until their other side is gone, which a shard may hear a little later.
    let only_the_two = integration::until("only the two who behaved watch", SOON, async || {
        good.say(&beat()).await;
        good.told().await.online().filter(|online| *online == 2)
    });
    only_the_two.await;
    let seen = viewer.seen();
    assert_eq!((seen.gaps.len(), seen.closed), (0, None));
}

/// Heartbeats without end are heard up to 256 a second, so how many of them are answered is bounded too.
async fn flood(hall: SocketAddr) {
    let mut flood = Caller::enter(hall, AUTH).await;
    let begun = Instant::now();
    flood.send(&frame(0x82, &beat()).repeat(2000)).await;
    let told = flood.told_to_the_end().await;
    let (close, answers) = told.split_last().expect("a close");
    let most = 256 * (begun.elapsed().as_secs() as usize + 1);
    assert_eq!(*close, Told::Closed(4506, "too many refused messages".into()));
    assert!(answers.len() <= most && answers.iter().all(|told| told.online().is_some()), "{}", answers.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_clients_do_that_is_not_quite_right_is_let_pass() {
    let world = world("goim_tolerance").await;
    let fanout = world.fanout(&[]).await;
    for (what, first) in [
        ("heartbeats before auth, in frames of their own", [frame(0x82, &beat()), frame(0x82, &auth())].concat()),
        ("before and behind, in one frame", frame(0x82, &[beat(), auth(), beat()].concat())),
        ("a byte more than the header says", frame(0x82, &[auth(), beat(), vec![b' ']].concat())),
        ("an unknown operation", frame(0x82, &[packet(99, b"?"), auth(), beat()].concat())),
        ("another version", frame(0x82, &[auth(), packet_saying(16, 16, 9, op::HEARTBEAT, b"")].concat())),
        ("a fragmented auth", {
            let all = [auth(), beat()].concat();
            [frame(0x02, &all[..20]), frame(0x80, &all[20..])].concat()
        }),
    ] {
        let mut caller = Caller::connect(fanout.address()).await;
        caller.send(&first).await;
        let told = caller.told().await;
        assert!(told.is_auth_reply(r#"{"code":0}"#), "{what}: {told:?}");
        assert_eq!(caller.told().await.online(), Some(1), "{what}: the heartbeat is answered, after auth and alone");
        caller.send(&frame(0x88, &1000u16.to_be_bytes())).await;
        let told = caller.told_to_the_end().await;
        let (close, more) = told.split_last().expect("a close");
        assert_eq!(*close, Told::Closed(1000, String::new()), "{what}");
        assert!(more.len() <= 1 && more.iter().all(|told| told.online() == Some(1)), "{what}: {more:?}");
    }
    assert_eq!(fanout.metrics().await.sum("danmaku_fanout_passed_packets_total"), 1.0, "the unknown operation");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_auth_is_answered_held_and_closed() {
    let world = world("goim_bad_auth").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let begun = Instant::now();
    let mut silent = Caller::connect(fanout.address()).await;
    let forged = format!(r#"{{"roomid":1001,"key":"{}x"}}"#, world.token("7", &[]));
    let mut bad = Vec::new();
    for (what, body, code) in [
        ("a token that is not ours", r#"{"roomid":1001,"key":"a.b.c"}"#, 4501),
        ("a forged token", &forged, 4501),
        ("no JSON", "[object Object]", 4505),
        ("no room", r#"{"uid":0}"#, 4505),
        ("a room that cannot be", r#"{"roomid":"a/b"}"#, 4504),
    ] {
        let mut caller = Caller::connect(fanout.address()).await;
        caller.say(&packet(op::AUTH, body.as_bytes())).await;
        bad.push((what, caller, code));
    }
    // Their rooms are alive all the while.
    let viewer = world.viewer(&fanout, ROOM).await;
    world.sender(&ingest, "7").say(ROOM, "not for them").await.accepted();
    viewer.until("the message", SOON, |seen| seen.messages.len() == 1).await;
    for (what, mut caller, code) in bad {
        let told = caller.told_to_the_end().await;
        assert!(told[0].is_auth_reply(r#"{"code":-101}"#), "{what}: {told:?}");
        assert_closed(what, &told[1..], code);
    }
    assert_closed("no auth in time", &silent.told_to_the_end().await, 4501);
    assert!(begun.elapsed() >= Duration::from_secs(5), "auth may take 5 s");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_anonymous_viewers_a_key_must_be_a_token() {
    let world = world("goim_tokens").await;
    let fanout = world.fanout(&["--anonymous", "false"]).await;
    let token = world.token("7", &[]);
    Caller::enter(fanout.address(), &format!(r#"{{"roomid":1001,"key":"{token}"}}"#)).await;
    for body in [r#"{"roomid":1001}"#, r#"{"roomid":1001,"key":"tok"}"#] {
        let mut caller = Caller::connect(fanout.address()).await;
        caller.say(&packet(op::AUTH, body.as_bytes())).await;
        let told = caller.told_to_the_end().await;
        assert!(told[0].is_auth_reply(r#"{"code":-101}"#), "{body}: {told:?}");
        assert_closed(body, &told[1..], 4501);
    }
}

fn assert_closed(what: &str, told: &[Told], code: u16) {
    let [Told::Closed(closed, _)] = told else { panic!("{what}: {told:?}") };
    assert_eq!(*closed, code, "{what}");
}
