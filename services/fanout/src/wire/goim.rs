//! goim framing with `DANMU_MSG`-shaped JSON: binary frames of packets, each a 16-byte header and a body.
//!
//! Pure: values to bytes and back. The wire joins at the live head and has no cursor, no history and no gaps; sockets,
//! tokens and deadlines are elsewhere.
//!
//! # Layout, in reading order
//! [`packet`] reads what a client sent and [`auth`] the first of it; [`command`] is what is said of a message, a recall or a
//! mode, with [`danmaku`] for the positional one and [`number`] for ids that must be numbers; [`batch`] makes many into
//! frames.

pub(crate) mod packet;
pub(crate) mod auth;
pub(crate) mod command;
mod danmaku;
mod number;
pub(crate) mod batch;

use bytes::Bytes;
use proto::{frame::FromServer, v1::Told};

use batch::Frames;
use packet::Op;

/// The version that a client asked its messages in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Version {
    /// 0 and 1, and whatever nobody knows: each message a packet, each packet a frame.
    #[default]
    Plain,
    /// 2.
    Zlib,
    /// 3.
    Brotli,
}

impl Version {
    /// What `protover` asks for. Nobody is forced into a compression that he did not ask for.
    pub(crate) fn asked(protover: u64) -> Self {
        match protover {
            2 => Self::Zlib,
            3 => Self::Brotli,
            _ => Self::Plain,
        }
    }
}

/// The answer to auth. It stands alone in its frame: one client takes the first frame for it whatever it is.
pub(crate) fn auth_reply(is_in: bool) -> Bytes {
    let body: &[u8] = if is_in { br#"{"code":0}"# } else { br#"{"code":-101}"# };
    Frames::of(Op::AuthReply, body)
}

/// The answer to a heartbeat: exactly four bytes, how many watch.
pub(crate) fn heartbeat_reply(online: u32) -> Bytes {
    Frames::of(Op::HeartbeatReply, &online.to_be_bytes())
}

/// A word to one viewer. What this wire has no word for (gaps, acknowledgements, advice when to come back) takes no byte.
pub(crate) fn say(version: Version, said: &FromServer) -> Bytes {
    let body = match said {
        FromServer::Hello(_) => return auth_reply(true),
        FromServer::Pong(pong) => return heartbeat_reply(pong.online),
        FromServer::Batch(said) => {
            let bodies: Vec<_> = said.messages.iter().map(command::message).collect();
            return batch::frames(version, bodies.iter().map(Vec::as_slice));
        }
        FromServer::Recall(recall) => Some(command::recall(recall)),
        FromServer::Mode(mode) => Some(command::mode(mode)),
        FromServer::Notice(notice) => Some(command::notice(notice)),
        FromServer::Verdict(_)
        | FromServer::Gap(_)
        | FromServer::Ack(_)
        | FromServer::Reconnect(_)
        | FromServer::Error(_) => None,
    };
    body.map_or_else(Bytes::new, |body| batch::frames(version, [&body[..]].into_iter()))
}

/// What the judge says to a sender alone.
pub(crate) fn told(version: Version, told: &Told, sender: &str) -> Bytes {
    let body = command::told(told, sender);
    body.map_or_else(Bytes::new, |body| batch::frames(version, [&body[..]].into_iter()))
}

#[cfg(test)]
mod tests;
