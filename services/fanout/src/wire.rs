//! The ways in which viewers hear the same things: JSON, protobuf and goim over WebSocket, and server-sent events.
//!
//! Values to bytes; what is said, to whom and when is decided elsewhere. Empty bytes mean that a wire has no word for it.

pub(crate) mod sse;
pub(crate) mod websocket;
pub(crate) mod goim;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use proto::{
    Cursor,
    close::Close,
    frame::{self, FromServer},
};

use crate::{
    message::Message,
    raw::{Body, Item},
};

/// How a viewer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// WebSocket, subprotocol `danmaku.v1.json`.
    Json,
    /// WebSocket, subprotocol `danmaku.v1.proto`.
    Proto,
    /// `text/event-stream`.
    Sse,
    /// WebSocket, goim framing. It has no cursor.
    Goim(goim::Version),
}

impl Wire {
    const COUNT: usize = 6;

    /// Its place among them.
    fn index(self) -> usize {
        match self {
            Self::Json => 0,
            Self::Proto => 1,
            Self::Sse => 2,
            Self::Goim(version) => 3 + version as usize,
        }
    }

    /// Whether who speaks it can come back to where he was.
    pub(crate) fn has_cursor(self) -> bool {
        !matches!(self, Self::Goim(_))
    }

    /// A frame.
    pub(crate) fn say(self, said: &FromServer) -> Bytes {
        match self {
            Self::Json => text(|payload| payload.extend_from_slice(&frame::to_json(said))),
            Self::Proto => binary(|payload| payload.extend_from_slice(&frame::to_proto(said.clone()))),
            Self::Sse => sse::event(name(said), cursor(said), &frame::to_json(said)),
            Self::Goim(version) => goim::say(version, said),
        }
    }

    /// Messages in one frame. What is for one viewer alone carries no cursor.
    pub(crate) fn batch<'a>(
        self,
        cursor: Option<Cursor>,
        replay: bool,
        messages: impl Iterator<Item = &'a Message> + Clone,
    ) -> Bytes {
        let cursor = cursor.map(|cursor| cursor.to_string()).unwrap_or_default();
        let json = |payload: &mut Vec<u8>| {
            frame::json_batch_into(payload, &cursor, replay, messages.clone().map(Message::json));
        };
        match self {
            Self::Json => text(json),
            Self::Proto => binary(|payload| {
                frame::proto_batch_into(payload, &cursor, replay, messages.clone().map(Message::proto));
            }),
            Self::Sse => {
                let mut payload = Vec::with_capacity(1024);
                json(&mut payload);
                sse::event("batch", &cursor, &payload)
            }
            Self::Goim(version) => {
                let commands: Vec<_> = messages.map(Message::goim).collect();
                goim::batch::frames(version, commands.iter().map(|command| &***command))
            }
        }
    }

    /// What is for one viewer alone.
    pub(crate) fn private(self, item: &Item) -> Bytes {
        match &item.body {
            Body::Message(message) => self.batch(None, false, std::iter::once(&**message)),
            Body::Said(shared) => match (self, shared.said(), &item.to_user) {
                (Self::Goim(version), Some(FromServer::Verdict(told)), Some(user)) => goim::told(version, told, user),
                _ => shared.on(self).clone(),
            },
        }
    }

    /// The last thing said.
    pub(crate) fn close(self, close: Close) -> Bytes {
        match self {
            Self::Json | Self::Proto | Self::Goim(_) => websocket::close(close.code(), close.word()),
            Self::Sse => sse::close(close),
        }
    }
}

fn text(fill: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    websocket::framed(websocket::Kind::Text, fill)
}

fn binary(fill: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    websocket::framed(websocket::Kind::Binary, fill)
}

/// The `type` of a frame.
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

/// What many viewers hear: its form on a wire is made for the first of them who speaks it.
#[derive(Debug)]
pub(crate) struct Shared {
    content: Content,
    forms: [OnceLock<Bytes>; Wire::COUNT],
    /// The messages as goim commands, which its versions are made of: other shards and versions find them made.
    commands: OnceLock<Vec<Arc<Box<[u8]>>>>,
}

#[derive(Debug)]
enum Content {
    Batch(Cursor, Vec<Arc<Message>>),
    Frame(Box<FromServer>),
}

/// What a frame's own words take besides its messages: type, cursor and headers.
const FRAME_BYTES: usize = 80;

impl Shared {
    /// Messages, and the place behind them.
    pub(crate) fn batch(cursor: Cursor, messages: Vec<Arc<Message>>) -> Self {
        Self::new(Content::Batch(cursor, messages))
    }

    /// Any other frame.
    pub(crate) fn say(said: FromServer) -> Self {
        Self::new(Content::Frame(Box::new(said)))
    }

    fn new(content: Content) -> Self {
        Self { content, forms: Default::default(), commands: OnceLock::new() }
    }

    /// The frame, if it is one that holds no messages.
    pub(crate) fn said(&self) -> Option<&FromServer> {
        match &self.content {
            Content::Frame(said) => Some(said),
            Content::Batch(..) => None,
        }
    }

    /// The bytes for a viewer on `wire`; empty when nothing is left to show, or the wire has no word for it.
    pub(crate) fn on(&self, wire: Wire) -> &Bytes {
        self.forms[wire.index()].get_or_init(|| match &self.content {
            Content::Batch(_, messages) if messages.is_empty() => Bytes::new(),
            Content::Batch(_, messages) if let Wire::Goim(version) = wire => {
                let made = || messages.iter().map(|message| message.goim()).collect();
                goim::batch::frames(version, self.commands.get_or_init(made).iter().map(|command| &***command))
            }
            Content::Batch(cursor, messages) => {
                wire.batch(Some(*cursor), false, messages.iter().map(|message| &**message))
            }
            Content::Frame(said) => wire.say(said),
        })
    }

    /// How many messages of the river it shows.
    pub(crate) fn count(&self) -> u32 {
        match &self.content {
            Content::Batch(_, messages) => messages.iter().map(|message| message.count()).sum(),
            Content::Frame(_) => 0,
        }
    }

    /// Keeps of its messages what `left` leaves; tells how many messages of the river are gone. The forms are made anew.
    pub(crate) fn keep(&mut self, left: impl Fn(&Arc<Message>) -> Option<Arc<Message>>) -> u32 {
        let before = self.count();
        if let Content::Batch(_, messages) = &mut self.content {
            *messages = messages.iter().filter_map(left).collect();
        }
        let gone = before - self.count();
        if gone > 0 {
            self.forms = Default::default();
            self.commands = OnceLock::new();
        }
        gone
    }

    /// How much memory it takes on the JSON wire. Protobuf and events take as much at most; goim, where somebody speaks it,
    /// takes seven times as much for its commands and again for version 0, so that a full ring of 256 KiB takes 3.5 MiB more.
    pub(crate) fn len(&self) -> usize {
        FRAME_BYTES
            + match &self.content {
                Content::Batch(_, messages) => messages.iter().map(|message| message.json().len()).sum(),
                Content::Frame(_) => 0,
            }
    }
}
