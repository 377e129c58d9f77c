//! What a viewer's bytes go through: a TCP socket taken out of its handshake, or the body of an event stream.
//!
//! Both are written without waiting and ring the shard's bell when they are ready again. What is written is not decided here.

pub(crate) mod pipe;
pub(crate) mod ready;

use std::{
    io::{self, ErrorKind, IoSlice},
    net::Shutdown,
    os::fd::AsRawFd as _,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use socket2::SockRef;
use tokio::net::TcpStream;

use crate::viewer::Piece;
use ready::Node;

/// Room for 16 KiB of unread danmaku a viewer: with the kernel's default a stalled one would hold 4 MB, minutes old.
pub const SEND_BUFFER_BYTES: usize = 16 * 1024;

/// The rest of a half frame, 16 private ones, and a goodbye or a piece of a replay. What a plan holds besides goes with the next.
const SLICES_MAX: usize = 18;

/// A viewer's connection.
#[derive(Debug)]
pub(crate) enum Socket {
    /// A WebSocket after its handshake.
    Tcp(TcpStream),
    /// The body of an event stream, which hyper writes.
    Pipe(pipe::Writer),
}

impl Socket {
    /// Takes over an upgraded connection; must be called on the shard's runtime.
    pub(crate) fn adopt(stream: std::net::TcpStream) -> io::Result<Self> {
        let settings = SockRef::from(&stream);
        // The inner end of a TLS connection is no TCP socket, and never waits for more to come.
        let _ = settings.set_tcp_nodelay(true);
        settings.set_send_buffer_size(SEND_BUFFER_BYTES)?;
        stream.set_nonblocking(true)?;
        Ok(Self::Tcp(TcpStream::from_std(stream)?))
    }

    /// Looks at what [`Socket::write_one`] looks at, and means nothing by it.
    pub(crate) fn fetch(&self) -> usize {
        match self {
            Self::Tcp(stream) => stream.as_raw_fd() as usize,
            Self::Pipe(_) => 0,
        }
    }

    /// Writes some of one contiguous buffer: the case of nearly every write, one `send`.
    pub(crate) fn write_one(&self, bytes: &bytes::Bytes) -> io::Result<usize> {
        match self {
            // Past tokio's own note of the socket's readiness, which is one cold cache line a viewer: 5 % of a write. The
            // note is only taken when the socket is full.
            Self::Tcp(stream) => match SockRef::from(stream).send(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => stream.try_write(bytes),
                sent => sent,
            },
            Self::Pipe(pipe) => pipe.write(bytes),
        }
    }

    /// Writes some of the pieces, in order.
    pub(crate) fn write(&self, pieces: &[Piece]) -> io::Result<usize> {
        let stream = match (self, pieces) {
            (_, [one]) => return self.write_one(&one.bytes),
            (Self::Pipe(pipe), _) => return pipe.write_all(pieces.iter().map(|piece| &piece.bytes)),
            (Self::Tcp(stream), _) => stream,
        };
        let mut slices = [IoSlice::new(&[]); SLICES_MAX];
        let count = pieces.len().min(SLICES_MAX);
        for (slice, piece) in slices.iter_mut().zip(pieces) {
            *slice = IoSlice::new(&piece.bytes);
        }
        stream.try_write_vectored(&slices[..count])
    }

    /// Reads what is there; an event stream only ever hears that its reader is gone.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_read(buffer),
            Self::Pipe(pipe) if pipe.is_gone() => Ok(0),
            Self::Pipe(_) => Err(ErrorKind::WouldBlock.into()),
        }
    }

    /// Whether a read may bring something; if not, `node` is woken when it may.
    pub(crate) fn is_readable(&self, node: &Arc<Node>) -> bool {
        match self {
            Self::Tcp(stream) => ask(node, |cx| stream.poll_read_ready(cx)),
            Self::Pipe(pipe) => pipe.is_gone(),
        }
    }

    /// Whether a write may take something; if not, `node` is woken when it may.
    pub(crate) fn is_writable(&self, node: &Arc<Node>) -> bool {
        match self {
            Self::Tcp(stream) => ask(node, |cx| stream.poll_write_ready(cx)),
            Self::Pipe(pipe) => pipe.is_writable(),
        }
    }

    /// Says that nothing more will be written.
    pub(crate) fn finish(&self) {
        match self {
            // It fails only when the other side is gone already.
            Self::Tcp(stream) => drop(SockRef::from(stream).shutdown(Shutdown::Write)),
            Self::Pipe(pipe) => pipe.end(),
        }
    }
}

/// An error is readiness too: the call that follows will say what it is.
fn ask(node: &Arc<Node>, poll: impl FnOnce(&mut Context<'_>) -> Poll<io::Result<()>>) -> bool {
    let waker = Waker::from(node.clone());
    poll(&mut Context::from_waker(&waker)).is_ready()
}
