//! Tables and properties for packets, auth and batches, with a decoder of our own as clients have it.

mod commands;

use std::io::Read as _;

use proptest::prelude::*;
use proto::v1::Message;
use serde_json::json;

use super::{
    auth::{Auth, BadAuth},
    batch::frames,
    packet::{NoPacket, Packet, Packets},
    *,
};

/// A client's packet with any header.
fn packet(len: u32, header_len: u16, op: u32, body: &[u8]) -> Vec<u8> {
    let mut packet = len.to_be_bytes().to_vec();
    packet.extend(header_len.to_be_bytes());
    packet.extend(1u16.to_be_bytes());
    packet.extend(op.to_be_bytes());
    packet.extend(1u32.to_be_bytes());
    packet.extend(body);
    packet
}

fn good(op: u32, body: &[u8]) -> Vec<u8> {
    packet(16 + body.len() as u32, 16, op, body)
}

fn read(frame: &[u8]) -> Vec<Result<Packet<'_>, NoPacket>> {
    Packets::of(frame).collect()
}

/// What a server sent, as clients cut it: version, operation, body.
#[derive(Debug, Clone, PartialEq)]
struct Heard {
    version: u16,
    op: u32,
    body: Vec<u8>,
}

fn cut(mut bytes: &[u8]) -> Vec<Heard> {
    let mut heard = Vec::new();
    while !bytes.is_empty() {
        let len = u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!(bytes[4..6], [0, 16]);
        heard.push(Heard {
            version: u16::from_be_bytes(bytes[6..8].try_into().unwrap()),
            op: u32::from_be_bytes(bytes[8..12].try_into().unwrap()),
            body: bytes[16..len].to_vec(),
        });
        bytes = &bytes[len..];
    }
    heard
}

/// The payloads of binary frames.
fn payloads(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut payloads = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(bytes[0], 0x82, "only binary frames");
        let (start, len) = match bytes[1] {
            126 => (4, usize::from(u16::from_be_bytes(bytes[2..4].try_into().unwrap()))),
            127 => (10, u64::from_be_bytes(bytes[2..10].try_into().unwrap()) as usize),
            len => (2, usize::from(len)),
        };
        payloads.push(bytes[start..start + len].to_vec());
        bytes = &bytes[start + len..];
    }
    payloads
}

/// The bodies of messages, out of whatever they were packed in; each frame must hold one packet.
fn bodies(bytes: &[u8]) -> Vec<Vec<u8>> {
    let one = |payload: Vec<u8>| {
        let packets = cut(&payload);
        assert_eq!(packets.len(), 1, "one packet a frame");
        assert_eq!(packets[0].op, 5);
        match packets[0].version {
            0 => packets,
            2 => {
                let mut inner = Vec::new();
                flate2::read::ZlibDecoder::new(&packets[0].body[..]).read_to_end(&mut inner).unwrap();
                cut(&inner)
            }
            3 => {
                let mut inner = Vec::new();
                brotli::Decompressor::new(&packets[0].body[..], 4096).read_to_end(&mut inner).unwrap();
                cut(&inner)
            }
            other => panic!("version {other}"),
        }
    };
    let packets: Vec<Heard> = payloads(bytes).into_iter().flat_map(one).collect();
    assert!(packets.iter().all(|packet| packet.version == 0 && packet.op == 5));
    packets.into_iter().map(|packet| packet.body).collect()
}

#[test]
fn packets_of_a_frame() {
    let (beat, auth) = (good(2, b"{}"), good(7, b"{\"roomid\":1}"));
    let heard = |packet| Ok(packet);
    for (frame, expected) in [
        (beat.clone(), vec![heard(Packet::Heartbeat)]),
        (good(2, b""), vec![heard(Packet::Heartbeat)]),
        ([&auth[..], &beat].concat(), vec![heard(Packet::Auth(b"{\"roomid\":1}")), heard(Packet::Heartbeat)]),
        // Its header says 31, and it sends 32.
        (packet(31, 16, 2, b"[object Object] "), vec![heard(Packet::Heartbeat)]),
        ([&beat[..], &[0; 15]].concat(), vec![heard(Packet::Heartbeat)]),
        (good(9, b"x"), vec![heard(Packet::Unknown(9))]),
        (good(u32::MAX, b""), vec![heard(Packet::Unknown(u32::MAX))]),
        (vec![], vec![Err(NoPacket)]),
        (beat[..15].to_vec(), vec![Err(NoPacket)]),
        ([&beat[..], &[0; 16]].concat(), vec![heard(Packet::Heartbeat), Err(NoPacket)]),
    ] {
        assert_eq!(read(&frame), expected, "{frame:?}");
    }
    for (len, header_len) in
        [(16, 0), (16, 15), (16, 17), (16, 0x1000), (0, 16), (15, 16), (17, 16), (1 << 31, 16), (u32::MAX, 16)]
    {
        assert_eq!(read(&packet(len, header_len, 2, b"")), [Err(NoPacket)], "{len} {header_len}");
    }
}

proptest! {
    #[test]
    fn no_frame_is_read_beyond_its_end_or_for_ever(frame in proptest::collection::vec(any::<u8>(), 0..200)) {
        let heard = read(&frame);
        prop_assert!(heard.len() <= frame.len() / 16 + 1);
        prop_assert!(heard.iter().rev().skip(1).all(Result::is_ok), "nothing after what is no packet");
    }

    #[test]
    fn hostile_headers(len in any::<u32>(), header_len in 14..19u16, op in any::<u32>(), body in proptest::collection::vec(any::<u8>(), 0..40)) {
        let frame = packet(len, header_len, op, &body);
        let fits = header_len == 16 && (16..=frame.len() as u32).contains(&len);
        prop_assert_eq!(read(&frame)[0].is_ok(), fits);
    }

    #[test]
    fn good_packets_read_back(ops in proptest::collection::vec((0..20u32, proptest::collection::vec(any::<u8>(), 0..30)), 1..6), tail in 0..16usize) {
        let mut frame: Vec<u8> = ops.iter().flat_map(|(op, body)| good(*op, body)).collect();
        frame.resize(frame.len() + tail, 0xff);
        let expected: Vec<_> = ops.iter().map(|(op, body)| Ok(match op {
            2 => Packet::Heartbeat,
            7 => Packet::Auth(body),
            other => Packet::Unknown(*other),
        })).collect();
        prop_assert_eq!(read(&frame), expected);
    }

    #[test]
    fn messages_come_out_as_they_went_in(texts in proptest::collection::vec(".{0,80}", 0..40), asked in 0..5u64) {
        let version = Version::asked(asked);
        let sent: Vec<Vec<u8>> = texts.iter().map(|text| {
            command::message(&Message { text: text.clone(), ..commands::sample() })
        }).collect();
        let bytes = frames(version, sent.iter().map(Vec::as_slice));
        prop_assert_eq!(bodies(&bytes), sent);
        let is_packed = version != Version::Plain && texts.len() > 1;
        prop_assert_eq!(payloads(&bytes).len(), if is_packed { 1 } else { texts.len() });
    }
}

#[test]
fn auth_bodies() {
    let read = |body: &str| Auth::read(body.as_bytes());
    let auth =
        read(r#"{"uid":0,"roomid":1001,"protover":3,"platform":"web","type":2,"buvid":"","key":"tok"}"#).unwrap();
    assert_eq!((auth.room.as_str(), auth.version, auth.token), ("1001", Version::Brotli, None));
    for (body, room, version) in [
        (r#"{"roomid":"demo"}"#, "demo", Version::Plain),
        (r#"{"roomid":"1001","protover":2,"uid":"x"}"#, "1001", Version::Zlib),
        (r#"{"roomid":7,"protover":"3"}"#, "7", Version::Brotli),
        (r#"{"roomid":7,"protover":1,"key":null}"#, "7", Version::Plain),
        (r#"{"roomid":7,"protover":99}"#, "7", Version::Plain),
    ] {
        let auth = read(body).unwrap();
        assert_eq!((auth.room.as_str(), auth.version), (room, version), "{body}");
    }
    for (body, bad) in [
        ("", BadAuth::Unreadable),
        ("{}", BadAuth::Unreadable),
        ("[object Object]", BadAuth::Unreadable),
        (r#"{"roomid":-1}"#, BadAuth::Unreadable),
        (r#"{"roomid":1.5}"#, BadAuth::Unreadable),
        (r#"{"roomid":1,"protover":"x"}"#, BadAuth::Unreadable),
        (r#"{"roomid":1,"key":5}"#, BadAuth::Unreadable),
        (r#"{"roomid":""}"#, BadAuth::NoSuchRoom),
        (r#"{"roomid":"a/b"}"#, BadAuth::NoSuchRoom),
    ] {
        assert_eq!(read(body), Err(bad), "{body}");
    }
    assert_eq!(Auth::read(b"\xff\xfe"), Err(BadAuth::Unreadable));
}

#[test]
fn only_what_looks_like_a_token_is_one() {
    for (key, is_token) in [
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln-_", true),
        ("a.b.c", true),
        ("tok", false),
        ("", false),
        ("a.b", false),
        ("a..c", false),
        ("a.b.c.d", false),
        ("a.b=.c", false),
        ("aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ+/w==", false),
    ] {
        let auth = Auth::read(json!({ "roomid": 1, "key": key }).to_string().as_bytes()).unwrap();
        assert_eq!(auth.token.is_some(), is_token, "{key}");
    }
}

#[test]
fn control_packets_are_exact() {
    assert_eq!(
        auth_reply(true)[..],
        [&b"\x82\x1a\0\0\0\x1a\0\x10\0\x01\0\0\0\x08\0\0\0\x01"[..], br#"{"code":0}"#].concat()
    );
    assert_eq!(
        auth_reply(false)[..],
        [&b"\x82\x1d\0\0\0\x1d\0\x10\0\x01\0\0\0\x08\0\0\0\x01"[..], br#"{"code":-101}"#].concat()
    );
    assert_eq!(
        heartbeat_reply(0x0102_0304)[..],
        *b"\x82\x14\0\0\0\x14\0\x10\0\x01\0\0\0\x03\0\0\0\x01\x01\x02\x03\x04"
    );
}
