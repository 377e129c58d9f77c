//! What a client may not send, and the code it is closed with; nobody else notices.

use crate::{
    client::{Viewer, frame},
    world::{World, config},
};

#[tokio::test]
async fn each_has_its_code() {
    let world = World::start(config()).await;
    let mut unmasked = frame(0x81, b"hi");
    unmasked[1] &= 0x7f;
    let table: Vec<(&str, Vec<u8>, u16)> = vec![
        ("unmasked", unmasked, 1002),
        ("reserved bit", frame(0xc1, b"hi"), 1002),
        ("unknown opcode", frame(0x83, b"hi"), 1002),
        ("control of 126 bytes", frame(0x89, &[b'a'; 126]), 1002),
        ("fragmented control", frame(0x09, b"a"), 1002),
        ("continuation of nothing", frame(0x80, b"a"), 1002),
        ("length not in its shortest form", vec![0x81, 0xfe, 0, 5, 0, 0, 0, 0], 1002),
        ("binary", frame(0x82, b"hi"), 1003),
        ("not utf-8", frame(0x81, b"\xff\xfe"), 1007),
        ("one megabyte", frame(0x81, &vec![b'x'; 1 << 20]), 1009),
        ("one byte too many", frame(0x81, &vec![b' '; 4_097]), 1009),
        ("too much in fragments", [frame(0x01, &[b' '; 4_000]), frame(0x80, &[b' '; 97])].concat(), 1009),
    ];
    for (name, bytes, code) in table {
        let mut viewer = Viewer::enter(&world, "demo").await;
        // The server may hang up before it has read all of it.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut viewer.stream, &bytes).await;
        assert_eq!(viewer.until_closed().await, code, "{name}");
    }
}

#[tokio::test]
async fn fragments_are_joined() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    viewer.send_frame(0x01, br#"{"type":"pi"#).await;
    viewer.send_frame(0x89, b"between").await;
    viewer.send_frame(0x00, br#"ng","at""#).await;
    viewer.send_frame(0x80, br#":77}"#).await;
    viewer.until("pong", |viewer| !viewer.pongs.is_empty()).await;
    assert_eq!((viewer.pongs[0].at, &viewer.ws_pongs[0][..]), (77, &b"between"[..]));
}

#[tokio::test]
async fn a_close_is_echoed() {
    let world = World::start(config()).await;
    for (sent, code) in [(&b"\x03\xe8bye"[..], 1000), (b"\x0f\xa0", 4000), (b"", 1005)] {
        let mut viewer = Viewer::enter(&world, "demo").await;
        viewer.send_frame(0x88, sent).await;
        assert_eq!(viewer.until_closed().await, code);
        viewer.until_over().await;
    }
    for bad in [&b"\x03"[..], b"\x03\xed"] {
        let mut viewer = Viewer::enter(&world, "demo").await;
        viewer.send_frame(0x88, bad).await;
        assert_eq!(viewer.until_closed().await, 1002);
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_answered_and_too_much_of_it_ends_the_connection() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    for bad in ["", "hello", "[]", r#"{"type":"ping","at":"soon"}"#] {
        viewer.send_text(bad).await;
    }
    viewer.until("four errors", |viewer| viewer.others.len() >= 4).await;
    for other in &viewer.others {
        assert!(matches!(other, proto::frame::FromServer::Error(error) if error.code == "malformed"), "{other:?}");
    }
    assert_eq!(viewer.ping(1).await.at, 1, "the connection lives");
    for _ in 0..20 {
        viewer.send_text("nonsense").await;
    }
    assert_eq!(viewer.until_closed().await, 4505);
}

#[tokio::test]
async fn an_unknown_type_is_answered_once() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    for _ in 0..30 {
        viewer.send_text(r#"{"type":"wave","at":1}"#).await;
    }
    viewer.ping(1).await;
    assert_eq!(viewer.others.len(), 1);
    assert!(matches!(&viewer.others[0], proto::frame::FromServer::Error(error) if error.code == "unknown_type"));
}

#[tokio::test]
async fn sending_is_the_doors() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    viewer.send_text(r#"{"type":"send","client_id":"a1","text":"hi"}"#).await;
    viewer.until("ack", |viewer| !viewer.others.is_empty()).await;
    let proto::frame::FromServer::Ack(ack) = &viewer.others[0] else { panic!("{:?}", viewer.others) };
    assert_eq!((&*ack.client_id, ack.ok, &*ack.code), ("a1", false, "unavailable"));
}

#[tokio::test]
async fn who_never_stops_talking_is_closed() {
    let world = World::start(config()).await;
    for word in [frame(0x81, br#"{"type":"ping"}"#), frame(0x8a, b"")] {
        let mut viewer = Viewer::enter(&world, "demo").await;
        let flood = word.repeat(5_000);
        // The server may hang up before it has read all of it.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut viewer.stream, &flood).await;
        assert_eq!(viewer.until_closed().await, 4506);
        assert!(viewer.pongs.len() <= 256);
    }
}
