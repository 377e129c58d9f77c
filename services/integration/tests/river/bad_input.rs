//! What no client should send, on either wire: each has its answer or its close code, and nobody else notices.

use fastwebsockets::OpCode;
use integration::{
    Node, Viewer, World, ledger,
    viewer::{Ticket, Wire},
};
use prost::Message as _;
use proto::v1::{ClientFrame, Ping, client_frame::Frame};

use crate::{SOON, world};

const ROOM: &str = "bad";

/// What is sent, on which wire, and the code that it is closed with.
type Closes = (&'static str, Wire, OpCode, Vec<u8>, u16);

/// What is sent, on which wire, and the code of the error that answers it.
type Answers = (&'static str, Wire, OpCode, Vec<u8>, &'static str);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_input_has_its_answer_and_hurts_nobody_else() {
    let world = world("bad_input").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--shards", "1"]));
    let bystanders = [enter(&world, &fanout, Wire::Json).await, enter(&world, &fanout, Wire::Proto).await];
    let mut all = Vec::new();
    let mut heard = async || {
        let id = world.sender(&ingest, &format!("u{}", all.len())).say(ROOM, &format!("word {}", all.len())).await;
        all.push(id.accepted());
        for viewer in &bystanders {
            viewer.until("the room goes on", SOON, |seen| seen.ids() == all).await;
        }
    };

    for (name, wire, opcode, payload, code) in closes() {
        let viewer = enter(&world, &fanout, wire).await;
        // The hall may hang up before it has read all of it.
        let _ = viewer.send_raw(opcode, &payload).await;
        viewer.until(name, SOON, |seen| seen.closed.is_some()).await;
        assert_eq!(viewer.seen().closed, Some(code), "{name}");
        heard().await;
    }
    for (name, wire, opcode, payload, code) in answers() {
        let viewer = enter(&world, &fanout, wire).await;
        viewer.send_raw(opcode, &payload).await.unwrap();
        viewer.ping(7).await.unwrap();
        viewer.until(name, SOON, |seen| !seen.pongs.is_empty()).await;
        let errors: Vec<_> = viewer.seen().errors.into_iter().map(|error| error.code).collect();
        assert_eq!(errors, [code], "{name}");
        heard().await;
    }
    // A later release's fields are passed over.
    let viewer = enter(&world, &fanout, Wire::Proto).await;
    let ping = [&ping(5)[..], &[0xa0, 0x06, 0x01]].concat(); // field 100, a varint
    viewer.send_raw(OpCode::Binary, &ping).await.unwrap();
    viewer.until("the pong", SOON, |seen| seen.pongs.iter().any(|pong| pong.at == 5)).await;
    assert_eq!(viewer.seen().errors.len(), 0);
    // And who goes on like that does not speak our protocol.
    for _ in 0..17 {
        let _ = viewer.send_raw(OpCode::Binary, &TRUNCATED).await;
    }
    viewer.until("it is enough", SOON, |seen| seen.closed.is_some()).await;
    assert_eq!((viewer.seen().closed, viewer.seen().errors.len()), (Some(4505), 16));
    heard().await;

    for (number, viewer) in bystanders.iter().enumerate() {
        let seen = viewer.seen();
        ledger::check_exact(&format!("bystander {number}"), &seen.frames, &all);
        assert_eq!((seen.gaps.len(), seen.closed, seen.errors.len()), (0, None, 0), "bystander {number}");
    }
}

/// A varint that ends before its last byte.
const TRUNCATED: [u8; 3] = [0x22, 0x80, 0x80];

fn closes() -> Vec<Closes> {
    vec![
        ("a megabyte", Wire::Json, OpCode::Text, vec![b'x'; 1 << 20], 1009),
        ("a megabyte in protobuf", Wire::Proto, OpCode::Binary, vec![0; 1 << 20], 1009),
        ("no UTF-8", Wire::Json, OpCode::Text, b"{\"type\":\"\xff\xfe\"}".to_vec(), 1007),
        ("no UTF-8 on the protobuf wire", Wire::Proto, OpCode::Text, vec![0xff], 1007),
        ("binary on the JSON wire", Wire::Json, OpCode::Binary, ping(1), 1003),
        ("text on the protobuf wire", Wire::Proto, OpCode::Text, br#"{"type":"ping"}"#.to_vec(), 1003),
    ]
}

fn answers() -> Vec<Answers> {
    vec![
        ("an unknown type", Wire::Json, OpCode::Text, br#"{"type":"wave"}"#.to_vec(), "unknown_type"),
        ("no JSON", Wire::Json, OpCode::Text, b"hello".to_vec(), "malformed"),
        ("no object", Wire::Json, OpCode::Text, b"[1]".to_vec(), "malformed"),
        ("a field of the wrong kind", Wire::Json, OpCode::Text, br#"{"type":"ping","at":[]}"#.to_vec(), "malformed"),
        ("nothing", Wire::Json, OpCode::Text, Vec::new(), "malformed"),
        ("a truncated varint", Wire::Proto, OpCode::Binary, TRUNCATED.to_vec(), "malformed"),
        ("a length beyond the end", Wire::Proto, OpCode::Binary, vec![0x1a, 0x7f, 0x01], "malformed"),
        ("a frame of a later release", Wire::Proto, OpCode::Binary, vec![0xa2, 0x06, 0x00], "unknown_type"),
        ("an empty one", Wire::Proto, OpCode::Binary, Vec::new(), "unknown_type"),
    ]
}

fn ping(at: i64) -> Vec<u8> {
    ClientFrame { frame: Some(Frame::Ping(Ping { at })) }.encode_to_vec()
}

async fn enter(world: &World, fanout: &Node, wire: Wire) -> Viewer {
    world.viewer_with(fanout, &Ticket { room: ROOM.into(), wire, ..Ticket::default() }).await
}
