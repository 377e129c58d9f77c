//! A connection's socket that fails when its client takes nothing for too long.
//! Kept out: slow headers and slow bodies, which are timed where they are read.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::places::Place;

/// Without it an answer that nobody reads would hold its connection, and the end of the program, for ever.
pub(super) struct Stalling {
    stream: TcpStream,
    place: Place,
    stall_max: Duration,
    /// Runs while the client takes nothing; most connections never need one.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Stalling {
    pub(super) fn new(stream: TcpStream, stall_max: Duration, place: Place) -> Self {
        Self { stream, place, stall_max, stalled: None }
    }

    /// Answers are small and written whole: holding one back for more to come only delays it.
    pub(super) fn send_at_once(&self) {
        let _ = self.stream.set_nodelay(true);
    }

    pub(super) fn into_parts(self) -> (TcpStream, Place) {
        (self.stream, self.place)
    }

    /// What came of a write, unless the client has taken nothing for too long.
    fn judge(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall_max = self.stall_max;
        ready!(self.stalled.get_or_insert_with(|| Box::pin(sleep(stall_max))).as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing")))
    }
}

impl AsyncRead for Stalling {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Stalling {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, buf);
        this.judge(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bufs);
        this.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
