//! Telling a connection that there is no room, before a byte of it is parsed: 503, `Retry-After`, and the end.
//!
//! A few system calls, and no memory of ours. A program that is out of descriptors has one to spare for this, so that nobody waits
//! in the backlog for somebody else to leave.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};

use super::ended;

/// Without a descriptor to spare, accepting again at once would only spin; somebody else's close is what helps.
const STARVED_PAUSE: Duration = Duration::from_millis(100);
/// A crowd at the limit finds a free descriptor and loses it again many times a second; the log hears of it once in a while.
const STARVED_SAID_EACH: Duration = Duration::from_secs(60);

/// Two seconds: a client that has lost this node finds another by then, and one that has not comes back seldom enough.
/// One that speaks TLS cannot read it and gives up at once, which is what it is to be told.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: application/json\r\n\
    content-length: 72\r\n\
    retry-after: 2\r\n\
    connection: close\r\n\
    \r\n\
    {\"code\":\"full\",\"message\":\"this node has no room\",\"retry_after_ms\":2000}\n";

/// How long a request may take to come. Some clients cannot make sense of an answer to what they have not asked yet.
const REQUEST_WAIT: Duration = Duration::from_millis(100);

/// Says so on `stream` as soon as its request is there, and closes it.
pub(super) async fn turn_away(stream: TcpStream) {
    let _ = tokio::time::timeout(REQUEST_WAIT, stream.peek(&mut [0])).await;
    turn_away_now(stream);
}

/// Says so at once.
pub(super) fn turn_away_now(stream: TcpStream) {
    ended::turned_away();
    say_now(stream, FULL);
}

/// Writes a whole answer on a new connection, and closes it.
pub(super) fn say_now(stream: TcpStream, answer: &[u8]) {
    // It fails only for a connection that is lost already.
    let _ = stream.into_std().and_then(|stream| say(&stream, answer));
}

fn say(mut stream: &std::net::TcpStream, answer: &[u8]) -> io::Result<()> {
    // An empty send buffer takes it whole.
    stream.write_all(answer)?;
    stream.shutdown(Shutdown::Write)?;
    // A request that is left unread would make a reset of the close, and the reset may overtake the answer.
    let mut request = [0; 4096];
    for _ in 0..4 {
        if stream.read(&mut request)? == 0 {
            break;
        }
    }
    Ok(())
}

/// Says so to all who wait in the backlog: closing the listener would reset them without a word.
pub(super) fn turn_backlog_away(listener: &TcpListener) {
    while let Poll::Ready(Ok((stream, _))) = accept_if_any(listener) {
        turn_away_now(stream);
    }
}

/// One that waits, if there is one. The accept loop's own wait has a waker of its own.
fn accept_if_any(listener: &TcpListener) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
    listener.poll_accept(&mut Context::from_waker(Waker::noop()))
}

/// What the accept loop does when the process is out of descriptors.
#[derive(Debug)]
pub(super) struct Starving {
    spare: Option<File>,
    said: Option<Instant>,
}

impl Starving {
    /// Keeps one descriptor to spare.
    pub(super) fn new() -> Self {
        Self { spare: spare(), said: None }
    }

    /// Accepting failed. For want of something: turns the next one away on the descriptor kept for that, or pauses when there
    /// is none. An operator hears of it now and then.
    pub(super) async fn meet(&mut self, error: &io::Error, listener: &TcpListener) {
        if !is_starved(error) {
            // One connection died before it was accepted; the next is as good as any.
            tracing::debug!(%error, "connection lost before it was accepted");
            return;
        }
        ended::starved();
        if self.said.is_none_or(|said| said.elapsed() >= STARVED_SAID_EACH) {
            self.said = Some(Instant::now());
            tracing::warn!(%error, "cannot accept connections, they are told 503; raise the limit of open files");
        }
        if !self.turn_next_away(listener).await {
            tokio::time::sleep(STARVED_PAUSE).await;
        }
    }

    /// Whether it could; another thread may be quicker to use the descriptor.
    async fn turn_next_away(&mut self, listener: &TcpListener) -> bool {
        drop(self.spare.take());
        let is_done = match accept_if_any(listener) {
            Poll::Ready(Ok((stream, _))) => {
                turn_away(stream).await;
                true
            }
            Poll::Ready(Err(_)) => false,
            // Nobody waits any more.
            Poll::Pending => true,
        };
        self.spare = spare();
        is_done
    }
}

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

/// The process or the machine is out of something, as opposed to this one connection having failed.
fn is_starved(error: &io::Error) -> bool {
    // As numbered on Linux: ENFILE, EMFILE, ENOMEM, ENOBUFS.
    matches!(error.raw_os_error(), Some(23 | 24 | 12 | 105))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_as_long_as_it_says() {
        let text = std::str::from_utf8(FULL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["code"], &body["retry_after_ms"]), (&"full".into(), &2000.into()));
    }

    #[test]
    fn only_a_lack_of_something_is_starving() {
        for (errno, starved) in [(24, true), (23, true), (12, true), (105, true), (103, false), (104, false)] {
            assert_eq!(is_starved(&io::Error::from_raw_os_error(errno)), starved, "{errno}");
        }
    }
}
