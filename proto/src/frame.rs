//! The viewer's wire: frames to and from bytes, in JSON and protobuf. Sockets and WebSocket headers are elsewhere.

use prost::Message as _;

pub use v1::{client_frame::Frame as FromClient, server_frame::Frame as FromServer};

use crate::v1;

/// WebSocket subprotocol of the JSON wire, the default.
pub const PROTOCOL_JSON: &str = "danmaku.v1.json";

/// WebSocket subprotocol of the protobuf wire.
pub const PROTOCOL_PROTO: &str = "danmaku.v1.proto";

/// Prefix of the subprotocol that carries a token; never echoed.
pub const PROTOCOL_BEARER: &str = "bearer.";

/// What the server says, as JSON.
pub fn to_json(frame: &FromServer) -> Vec<u8> {
    // The only field that can fail is `data` that is no JSON. The door lets none in; should one come, the whole frame is lost, and
    // its viewer hears that something is wrong.
    serde_json::to_vec(frame).unwrap_or_else(|_| br#"{"type":"error","code":"internal"}"#.to_vec())
}

/// What the server says, as protobuf.
pub fn to_proto(frame: FromServer) -> Vec<u8> {
    v1::ServerFrame { frame: Some(frame) }.encode_to_vec()
}

/// What a viewer sends, as the door reads it in JSON: the same fields, and `text` also when it is empty.
pub fn send_body(send: &v1::Send) -> Vec<u8> {
    // Words and numbers can always be written.
    let mut body = serde_json::to_value(send).unwrap_or_default();
    body["text"] = send.text.as_str().into();
    body.to_string().into_bytes()
}

/// Why a client's bytes are no frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadFrame {
    /// Not JSON or protobuf, or a field of the wrong kind.
    Malformed(String),
    /// A `type` that this release does not know; answered once, then passed over.
    UnknownType(String),
}

/// Reads what a client said in JSON.
pub fn client_from_json(bytes: &[u8]) -> Result<FromClient, BadFrame> {
    serde_json::from_slice(bytes).map_err(|error| classify(bytes, &error))
}

/// Reads what a client said in protobuf.
pub fn client_from_proto(bytes: &[u8]) -> Result<FromClient, BadFrame> {
    let frame = v1::ClientFrame::decode(bytes).map_err(|error| BadFrame::Malformed(error.to_string()))?;
    frame.frame.ok_or_else(|| BadFrame::UnknownType("a later release's".to_owned()))
}

/// Reads what a server said in JSON; for clients and tests.
pub fn server_from_json(bytes: &[u8]) -> Result<FromServer, BadFrame> {
    serde_json::from_slice(bytes).map_err(|error| classify(bytes, &error))
}

/// Reads what a server said in protobuf; for clients and tests.
pub fn server_from_proto(bytes: &[u8]) -> Result<FromServer, BadFrame> {
    let frame = v1::ServerFrame::decode(bytes).map_err(|error| BadFrame::Malformed(error.to_string()))?;
    frame.frame.ok_or_else(|| BadFrame::UnknownType("a later release's".to_owned()))
}

fn classify(bytes: &[u8], error: &serde_json::Error) -> BadFrame {
    #[derive(serde::Deserialize)]
    struct Typed {
        r#type: String,
    }
    match serde_json::from_slice::<Typed>(bytes) {
        Ok(Typed { r#type }) if error.to_string().starts_with("unknown variant") => BadFrame::UnknownType(r#type),
        _ => BadFrame::Malformed(error.to_string()),
    }
}

/// One message as it stands inside a JSON batch: encoded once, joined by [`json_batch`]. One whose `data` is no JSON is empty.
pub fn json_message(message: &v1::Message) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_else(|_| b"{}".to_vec())
}

/// A JSON batch joined from messages that [`json_message`] encoded. Equal to encoding the whole.
pub fn json_batch<'a>(cursor: &str, replay: bool, messages: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut frame = Vec::with_capacity(1024);
    json_batch_into(&mut frame, cursor, replay, messages);
    frame
}

/// As [`json_batch`], behind what stands in `frame` already.
pub fn json_batch_into<'a>(
    frame: &mut Vec<u8>,
    cursor: &str,
    replay: bool,
    messages: impl IntoIterator<Item = &'a [u8]>,
) {
    frame.extend_from_slice(br#"{"type":"batch""#);
    if !cursor.is_empty() {
        frame.extend_from_slice(br#","cursor":""#);
        frame.extend_from_slice(cursor.as_bytes());
        frame.push(b'"');
    }
    frame.extend_from_slice(if replay { br#","replay":true,"messages":["# } else { br#","messages":["# });
    for (at, message) in messages.into_iter().enumerate() {
        if at > 0 {
            frame.push(b',');
        }
        frame.extend_from_slice(message);
    }
    frame.extend_from_slice(b"]}");
}

/// One message as it stands inside a protobuf batch: encoded once, joined by [`proto_batch_into`].
pub fn proto_message(message: &v1::Message) -> Vec<u8> {
    message.encode_to_vec()
}

/// Appends a protobuf `ServerFrame` that holds a batch of messages that [`proto_message`] encoded. Equal to encoding the
/// whole.
pub fn proto_batch_into<'a>(
    frame: &mut Vec<u8>,
    cursor: &str,
    replay: bool,
    messages: impl Iterator<Item = &'a [u8]> + Clone,
) {
    use prost::encoding::{WireType::LengthDelimited, encode_key, encode_varint, encoded_len_varint};

    // A key of a field below 16 takes one byte.
    let field = |len: usize| 1 + encoded_len_varint(len as u64) + len;
    let messages_len: usize = messages.clone().map(|message| field(message.len())).sum();
    let cursor_len = if cursor.is_empty() { 0 } else { field(cursor.len()) };
    encode_key(2, LengthDelimited, frame);
    encode_varint((cursor_len + if replay { 2 } else { 0 } + messages_len) as u64, frame);
    if !cursor.is_empty() {
        prost::encoding::string::encode(1, &cursor.to_owned(), frame);
    }
    if replay {
        prost::encoding::bool::encode(2, &true, frame);
    }
    for message in messages {
        encode_key(3, LengthDelimited, frame);
        encode_varint(message.len() as u64, frame);
        frame.extend_from_slice(message);
    }
}

#[cfg(test)]
mod tests;
