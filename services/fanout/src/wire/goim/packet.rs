//! The packets of one client frame.
//!
//! Lengths are believed over the frame's end and nothing else is: a client that sends one byte more than its header says is
//! known, and so is one with another version in it.

use bytes::BufMut as _;

/// Every header's length; packets that say another are none.
pub(crate) const HEADER_BYTES: usize = 16;

/// Operations that clients ask for.
const HEARTBEAT: u32 = 2;
const AUTH: u32 = 7;

/// What a packet to a client is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// How many watch.
    HeartbeatReply,
    /// A command, in JSON.
    Message,
    /// Whether auth was good.
    AuthReply,
}

impl Op {
    /// The number on the wire.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::HeartbeatReply => 3,
            Self::Message => 5,
            Self::AuthReply => 8,
        }
    }
}

/// What a client may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packet<'a> {
    /// Its body is nobody's business: clients send nothing, `{}`, or the name of an object.
    Heartbeat,
    /// The body is JSON, which `auth` reads.
    Auth(&'a [u8]),
    /// An operation that is not for us: passed over and counted.
    Unknown(u32),
}

/// The bytes are no packets; the connection is closed 4505.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoPacket;

/// The packets of a frame, in order. What is shorter than a header after a whole packet is a tail, and passed over.
#[derive(Debug, Clone)]
pub(crate) struct Packets<'a> {
    rest: &'a [u8],
    is_first: bool,
}

impl<'a> Packets<'a> {
    /// Of one whole message.
    pub(crate) fn of(frame: &'a [u8]) -> Self {
        Self { rest: frame, is_first: true }
    }
}

impl<'a> Iterator for Packets<'a> {
    type Item = Result<Packet<'a>, NoPacket>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.len() < HEADER_BYTES && !self.is_first {
            return None;
        }
        self.is_first = false;
        let Some((packet, rest)) = split(self.rest) else {
            self.rest = &[];
            return Some(Err(NoPacket));
        };
        self.rest = rest;
        Some(Ok(packet))
    }
}

/// The first packet, and what is behind it.
fn split(bytes: &[u8]) -> Option<(Packet<'_>, &[u8])> {
    let &[a, b, c, d, e, f, _, _, g, h, i, j, ..] = bytes else { return None };
    let len = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
    let header_len = usize::from(u16::from_be_bytes([e, f]));
    if header_len != HEADER_BYTES || len < HEADER_BYTES {
        return None;
    }
    let (packet, rest) = bytes.split_at_checked(len)?;
    let packet = match u32::from_be_bytes([g, h, i, j]) {
        HEARTBEAT => Packet::Heartbeat,
        AUTH => Packet::Auth(&packet[HEADER_BYTES..]),
        other => Packet::Unknown(other),
    };
    Some((packet, rest))
}

/// Appends the header of a packet with a body of `body_len` bytes. Clients pass over the sequence number.
pub(super) fn put_header(out: &mut Vec<u8>, body_len: usize, version: u16, op: Op) {
    // A body is a room's window of messages, far below 4 GiB.
    out.put_u32((HEADER_BYTES + body_len) as u32);
    out.put_u16(HEADER_BYTES as u16);
    out.put_u16(version);
    out.put_u32(op.number());
    out.put_u32(1);
}
