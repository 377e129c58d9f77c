//! The body of an event stream: written by a shard like a socket with a small send buffer, read by hyper.

use std::{
    collections::VecDeque,
    convert::Infallible,
    io::{self, ErrorKind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use hyper::body::{Body, Frame};

use super::{SEND_BUFFER_BYTES, ready::Node};

/// The shard's end.
#[derive(Debug)]
pub(crate) struct Writer(Arc<Mutex<State>>);

/// Hyper's end.
#[derive(Debug)]
pub(crate) struct Reader(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Whole pieces; a piece is taken while fewer bytes than a send buffer wait, so one piece more may be here.
    pieces: VecDeque<Bytes>,
    bytes: usize,
    is_ended: bool,
    is_gone: bool,
    reader: Option<Waker>,
    writer: Option<Arc<Node>>,
    is_writer_waiting: bool,
}

/// A pipe with nothing in it.
pub(crate) fn pipe() -> (Writer, Reader) {
    let state = Arc::new(Mutex::new(State::default()));
    (Writer(state.clone()), Reader(state))
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Writer {
    /// Wakes `node` from now on when the reader has taken something, or is gone.
    pub(crate) fn wakes(&self, node: Arc<Node>) {
        lock(&self.0).writer = Some(node);
    }

    /// Takes the bytes whole, or nothing.
    pub(crate) fn write(&self, bytes: &Bytes) -> io::Result<usize> {
        self.write_all(std::iter::once(bytes))
    }

    /// Takes as many of the pieces as fit.
    pub(crate) fn write_all<'a>(&self, pieces: impl Iterator<Item = &'a Bytes>) -> io::Result<usize> {
        let mut state = lock(&self.0);
        if state.is_gone {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let before = state.bytes;
        for piece in pieces {
            if state.bytes >= SEND_BUFFER_BYTES {
                break;
            }
            state.bytes += piece.len();
            state.pieces.push_back(piece.clone());
        }
        let written = state.bytes - before;
        if written == 0 {
            state.is_writer_waiting = true;
            return Err(ErrorKind::WouldBlock.into());
        }
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
        Ok(written)
    }

    /// Whether a write would take something; if not, the reader will wake us.
    pub(crate) fn is_writable(&self) -> bool {
        let mut state = lock(&self.0);
        let is_writable = state.bytes < SEND_BUFFER_BYTES || state.is_gone;
        state.is_writer_waiting = !is_writable;
        is_writable
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_gone(&self) -> bool {
        lock(&self.0).is_gone
    }

    /// Ends the body after what is in it.
    pub(crate) fn end(&self) {
        let mut state = lock(&self.0);
        state.is_ended = true;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end();
    }
}

impl Body for Reader {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut state = lock(&self.0);
        if let Some(piece) = state.pieces.pop_front() {
            state.bytes -= piece.len();
            if state.is_writer_waiting && state.bytes < SEND_BUFFER_BYTES {
                state.wake_writer();
            }
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if state.is_ended {
            return Poll::Ready(None);
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.is_gone = true;
        state.pieces.clear();
        state.wake_writer();
    }
}

impl State {
    fn wake_writer(&mut self) {
        self.is_writer_waiting = false;
        if let Some(writer) = &self.writer {
            writer.list();
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::{
        super::ready::{Bell, Ready},
        *,
    };

    fn listed(ready: &Ready) -> Vec<usize> {
        let mut seats = Vec::new();
        ready.take(&mut seats);
        seats
    }

    #[tokio::test]
    async fn a_full_pipe_blocks_and_wakes_when_it_is_read() {
        let ready = Arc::new(Ready::new(Bell::default()));
        let node = Node::new(7, ready.clone());
        let (writer, mut reader) = pipe();
        writer.wakes(node.clone());
        let piece = Bytes::from(vec![1; SEND_BUFFER_BYTES - 1]);
        assert_eq!(writer.write_all([&piece, &piece, &piece].into_iter()).unwrap(), 2 * piece.len());
        assert_eq!(writer.write(&piece).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert!(!writer.is_writable() && listed(&ready).is_empty());
        reader.frame().await.unwrap().unwrap();
        assert_eq!(listed(&ready), [7]);
        assert!(writer.is_writable());
    }

    #[tokio::test]
    async fn the_end_comes_after_what_was_written() {
        let (writer, mut reader) = pipe();
        writer.write(&Bytes::from_static(b"last")).unwrap();
        drop(writer);
        assert_eq!(reader.frame().await.unwrap().unwrap().into_data().unwrap(), "last");
        assert!(reader.frame().await.is_none());
    }

    #[test]
    fn a_reader_that_is_gone_is_heard_of() {
        let ready = Arc::new(Ready::new(Bell::default()));
        let (writer, reader) = pipe();
        writer.wakes(Node::new(7, ready.clone()));
        drop(reader);
        assert_eq!(listed(&ready), [7]);
        assert!(writer.is_gone());
        assert_eq!(writer.write(&Bytes::from_static(b"x")).unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
