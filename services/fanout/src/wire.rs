//! The two ways in which a viewer hears the same objects: WebSocket text frames, and server-sent events.
//!
//! Values to bytes; what is said, to whom and when is decided elsewhere.

pub(crate) mod json;
pub(crate) mod sse;

use bytes::Bytes;
use proto::{
    Cursor,
    close::Close,
    frame::{self, FromServer},
};

use json::Encoded;

/// How a viewer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// WebSocket, subprotocol `danmaku.v1.json`.
    Json,
    /// `text/event-stream`.
    Sse,
}

impl Wire {
    /// A frame for one viewer.
    pub(crate) fn say(self, said: &FromServer) -> Bytes {
        match self {
            Self::Json => json::framed(|payload| payload.extend_from_slice(&frame::to_json(said))).bytes,
            Self::Sse => sse::event(name(said), cursor(said), &frame::to_json(said)),
        }
    }

    /// Messages that were encoded before, for one viewer.
    pub(crate) fn batch<'a>(self, cursor: Cursor, replay: bool, messages: impl Iterator<Item = &'a [u8]>) -> Bytes {
        let text = cursor.to_string();
        let encoded = json::batch(&text, replay, messages);
        match self {
            Self::Json => encoded.bytes,
            Self::Sse => sse::event("batch", &text, encoded.payload()),
        }
    }

    /// A control frame that was encoded before, for one viewer.
    pub(crate) fn control(self, event: &'static str, payload: &[u8]) -> Bytes {
        match self {
            Self::Json => json::framed(|bytes| bytes.extend_from_slice(payload)).bytes,
            Self::Sse => sse::event(event, "", payload),
        }
    }

    /// The last thing said.
    pub(crate) fn close(self, close: Close) -> Bytes {
        match self {
            Self::Json => json::close(close.code(), close.word()),
            Self::Sse => sse::close(close),
        }
    }
}

/// The `type` of a frame that carries a cursor or goes to one viewer.
fn name(said: &FromServer) -> &'static str {
    match said {
        FromServer::Hello(_) => "hello",
        FromServer::Batch(_) => "batch",
        FromServer::Gap(_) => "gap",
        FromServer::Recall(_) => "recall",
        FromServer::Mode(_) => "mode",
        FromServer::Ack(_) => "ack",
        FromServer::Verdict(_) => "verdict",
        FromServer::Notice(_) => "notice",
        FromServer::Pong(_) => "pong",
        FromServer::Reconnect(_) => "reconnect",
        FromServer::Error(_) => "error",
    }
}

/// The cursor of a frame, empty when its kind has none.
fn cursor(said: &FromServer) -> &str {
    match said {
        FromServer::Hello(hello) => &hello.cursor,
        FromServer::Batch(batch) => &batch.cursor,
        FromServer::Gap(gap) => &gap.cursor,
        FromServer::Pong(pong) => &pong.cursor,
        FromServer::Reconnect(reconnect) => &reconnect.cursor,
        _ => "",
    }
}

/// A frame that many viewers share: encoded once as WebSocket, and as an event when the first such viewer needs it.
#[derive(Debug)]
pub(crate) struct Shared {
    encoded: Encoded,
    event: &'static str,
    id: Box<str>,
    sse: std::cell::OnceCell<Bytes>,
}

impl Shared {
    /// A batch of messages that were encoded before.
    pub(crate) fn batch<'a>(cursor: Cursor, messages: impl Iterator<Item = &'a [u8]>) -> Self {
        let text = cursor.to_string();
        Self::new(json::batch(&text, false, messages), "batch", text)
    }

    /// Any frame of the server's.
    pub(crate) fn say(said: &FromServer) -> Self {
        let encoded = json::framed(|payload| payload.extend_from_slice(&frame::to_json(said)));
        Self::new(encoded, name(said), cursor(said).to_owned())
    }

    /// A control frame that was encoded before.
    pub(crate) fn control(event: &'static str, payload: &[u8]) -> Self {
        let encoded = json::framed(|bytes| bytes.extend_from_slice(payload));
        Self::new(encoded, event, String::new())
    }

    fn new(encoded: Encoded, event: &'static str, id: String) -> Self {
        Self { encoded, event, id: id.into(), sse: std::cell::OnceCell::new() }
    }

    /// The bytes for a viewer on `wire`.
    pub(crate) fn on(&self, wire: Wire) -> &Bytes {
        match wire {
            Wire::Json => &self.encoded.bytes,
            Wire::Sse => self.sse.get_or_init(|| sse::event(self.event, &self.id, self.encoded.payload())),
        }
    }

    /// How much memory its bytes take; the event form is counted once it exists.
    pub(crate) fn len(&self) -> usize {
        self.encoded.bytes.len() + self.sse.get().map_or(0, Bytes::len)
    }
}
