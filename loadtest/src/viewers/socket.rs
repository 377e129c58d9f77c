//! One viewer's socket: handshake, reading, pings.

use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use super::Stage;
use crate::book::Heard;
use crate::wire::{self, Frame, Unread};

/// From the beginning of the handshake to the greeting.
const JOIN_WITHIN: Duration = Duration::from_secs(30);

/// A server's answer to a handshake, and what a proxy may add to it.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Pings when the server does not say how often.
const PING_MS: u32 = 30_000;

/// A viewer and its place.
struct Seat {
    stage: Rc<Stage>,
    room: usize,
    viewer: usize,
}

/// One viewer's life, from the handshake to the end of the test.
pub(super) async fn watch(stage: Rc<Stage>, number: usize, token: String) {
    let (room, viewer) = (number % stage.rooms.len(), number / stage.rooms.len());
    let seat = Seat { stage, room, viewer };
    if let Err(error) = seat.join_and_listen(&token).await {
        seat.stage.rooms[room].1.borrow_mut().left(viewer, format!("{error:#}"));
    }
}

impl Seat {
    async fn join_and_listen(&self, token: &str) -> anyhow::Result<()> {
        let permit = self.stage.handshakes.acquire().await?;
        let mut unread = Unread::default();
        let joining = tokio::time::timeout(JOIN_WITHIN, self.join(token, &mut unread));
        let (stream, ping_ms) = joining.await.context("no greeting in 30 s")??;
        drop(permit);
        self.listen(stream, unread, ping_ms).await
    }

    /// The handshake and all frames up to `hello`; how often to ping.
    async fn join(&self, token: &str, unread: &mut Unread) -> anyhow::Result<(TcpStream, u32)> {
        let mut stream = TcpStream::connect(self.stage.address).await.context("connect")?;
        stream.write_all(self.handshake(token).as_bytes()).await.context("handshake")?;
        let first = answered(&mut stream).await?;
        let mut ping_ms = self.feed(&first, unread)?;
        while ping_ms.is_none() {
            stream.readable().await?;
            ping_ms = self.read(&stream, unread)?;
        }
        let ping_ms = ping_ms.filter(|&ms| ms > 0).unwrap_or(PING_MS);
        Ok((stream, ping_ms))
    }

    fn handshake(&self, token: &str) -> String {
        let (room, address) = (&self.stage.rooms[self.room].0, self.stage.address);
        // The key is for caches on the way to tell an upgrade from an answer they have; on loopback there is none, so
        // neither is it random nor is its echo verified.
        format!(
            "GET /v1/rooms/{room}/live HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
            proto::frame::PROTOCOL_JSON
        )
    }

    async fn listen(&self, stream: TcpStream, mut unread: Unread, ping_ms: u32) -> anyhow::Result<()> {
        let mut pings = self.pings(ping_ms);
        loop {
            tokio::select! {
                readable = stream.readable() => {
                    readable?;
                    self.read(&stream, &mut unread)?;
                }
                _ = pings.tick() => say(&stream, &wire::text(br#"{"type":"ping"}"#)),
            }
        }
    }

    /// Spread over the interval, so that a thousand viewers do not ping at once.
    fn pings(&self, ping_ms: u32) -> Interval {
        let every = Duration::from_millis(u64::from(ping_ms));
        let share = (self.viewer * self.stage.rooms.len() + self.room) % 1000;
        let mut pings = interval_at(tokio::time::Instant::now() + every * share as u32 / 1000, every);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings
    }

    /// Reads what is there; how often to ping, if a greeting was in it.
    fn read(&self, stream: &TcpStream, unread: &mut Unread) -> anyhow::Result<Option<u32>> {
        let mut ping_ms = None;
        let mut scratch = self.stage.scratch.borrow_mut();
        loop {
            match stream.try_read(&mut scratch) {
                Ok(0) => bail!("the connection ended without a goodbye"),
                Ok(read) => {
                    let (text, pongs) = self.feed_all(&scratch[..read], unread)?;
                    ping_ms = text.or(ping_ms);
                    pongs.iter().for_each(|pong| say(stream, pong));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(ping_ms),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn feed(&self, read: &[u8], unread: &mut Unread) -> anyhow::Result<Option<u32>> {
        self.feed_all(read, unread).map(|(ping_ms, _)| ping_ms)
    }

    /// Gives whole frames to the room's book; what was greeted, and which pongs are due.
    fn feed_all(&self, bytes: &[u8], unread: &mut Unread) -> anyhow::Result<(Option<u32>, Vec<Vec<u8>>)> {
        let (mut ping_ms, mut pongs, mut closed) = (None, Vec::new(), None);
        let now = Instant::now();
        let (mut room, mut delivery) = (self.stage.rooms[self.room].1.borrow_mut(), self.stage.delivery.borrow_mut());
        let fed = unread.feed(bytes, |frame| match frame {
            Frame::Text(text) => match room.hear(self.viewer, text, now, &mut delivery) {
                Heard::Hello { ping_ms: every } => ping_ms = Some(every),
                Heard::Unreadable(why) => self.stage.unreadable(why),
                Heard::Noted => {}
            },
            Frame::Ping(payload) => pongs.push(wire::pong(payload)),
            Frame::Close(code, reason) => closed = Some((code, reason)),
            Frame::Binary => self.stage.unreadable("a binary frame".into()),
            Frame::Pong => {}
        });
        if let Err(broken) = fed {
            bail!("no frames: {broken:?}");
        }
        match closed {
            Some((code, reason)) => bail!("closed {code} {reason}"),
            None => Ok((ping_ms, pongs)),
        }
    }
}

/// Reads the answer to the handshake; what came behind it are frames.
async fn answered(stream: &mut TcpStream) -> anyhow::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(1024);
    loop {
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            let frames = head.split_off(end + 4);
            let first = String::from_utf8_lossy(&head);
            let first = first.lines().next().unwrap_or_default();
            if !first.starts_with("HTTP/1.1 101") {
                bail!("{first}: {}", String::from_utf8_lossy(&frames));
            }
            return Ok(frames);
        }
        if head.len() > HEAD_BYTES_MAX || stream.read_buf(&mut head).await.context("handshake")? == 0 {
            bail!("no answer to the handshake: {}", String::from_utf8_lossy(&head));
        }
    }
}

/// A ping or a pong is a few bytes, and a socket that takes none has worse to tell: what does not fit is left out.
fn say(stream: &TcpStream, frame: &[u8]) {
    let _ = stream.try_write(frame);
}
