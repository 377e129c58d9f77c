//! A viewer on his way from the handshake to a shard.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use chassis::tokens::Claims;
use proto::{RoomId, close::Close};

use crate::{admission::Pass, inbox::Permit, resume::Since, socket::pipe, wire::Wire};

/// Somebody who wants to watch a room.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The room.
    pub(crate) room: RoomId,
    /// The room's partition.
    pub(crate) partition: i32,
    /// Where he comes from.
    pub(crate) address: IpAddr,
    /// His connection.
    pub(crate) line: Line,
    /// How he is spoken to.
    pub(crate) wire: Wire,
    /// From where he goes on.
    pub(crate) since: Since,
    /// What the handshake found out about him.
    pub(crate) access: Access,
    /// His place at the door.
    pub(crate) permit: Permit,
    /// His place on this node.
    pub(crate) pass: Pass,
}

/// A connection that no runtime owns.
#[derive(Debug)]
pub(crate) enum Line {
    /// A WebSocket, and what the client sent right behind its handshake.
    WebSocket(std::net::TcpStream, Bytes),
    /// An event stream.
    Events(pipe::Writer),
}

/// Whether somebody may watch.
#[derive(Debug)]
pub(crate) enum Access {
    /// Yes, as this user or as nobody in particular.
    Granted(Option<Arc<Claims>>),
    /// Once the first frame has brought a token.
    TokenFirst,
    /// No. A browser cannot read the status of a refused handshake, so it is told on the socket.
    Refused(Close, String),
}
