//! One viewer of a fleet: connects, listens, and goes where he is sent, always with his last cursor.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, bail};
use proto::{
    MessageId,
    frame::{FromServer, server_from_json},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::Instant,
};

/// A hall hangs up after 75 s of silence.
const PING_EVERY: Duration = Duration::from_secs(20);

/// A ping and a close, masked with zeros.
const PING: &[u8] = b"\x81\x8f\0\0\0\0{\"type\":\"ping\"}";
const CLOSE: &[u8] = b"\x88\x80\0\0\0\0";

/// When nothing is heard of a node, or it refuses, the next attempt comes this much later.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a ledger needs of a viewer.
#[derive(Debug, Default)]
pub struct Log {
    /// His room.
    pub room: String,
    /// Every message, in the order it came; a repeat stands here twice.
    pub ids: Vec<MessageId>,
    /// Gaps he was told of.
    pub gaps: usize,
    /// When he tried to connect.
    pub attempts: Vec<Instant>,
    /// What went wrong when he tried.
    pub failures: Vec<String>,
    /// The codes he was closed with.
    pub closes: Vec<u16>,
    /// Hellos that did not say he had missed nothing, the first apart.
    pub not_recovered: usize,
    /// Where he is.
    pub on: Option<SocketAddr>,
}

pub(super) struct Wanderer {
    number: usize,
    nodes: Arc<Mutex<Vec<SocketAddr>>>,
    log: Arc<Mutex<Log>>,
    cursor: String,
    after: Duration,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wanderer {
    pub(super) fn new(room: String, number: usize, nodes: Arc<Mutex<Vec<SocketAddr>>>) -> (Self, Arc<Mutex<Log>>) {
        let log = Arc::new(Mutex::new(Log { room, ..Log::default() }));
        (Self { number, nodes, log: log.clone(), cursor: String::new(), after: Duration::ZERO }, log)
    }

    /// For ever.
    pub(super) async fn wander(mut self) {
        loop {
            let node = {
                let nodes = lock(&self.nodes);
                nodes[self.number % nodes.len()]
            };
            lock(&self.log).attempts.push(Instant::now());
            self.after = PATIENCE;
            let failure = self.watch(node).await.err().map(|error| format!("{error:#}"));
            self.left(failure);
            tokio::time::sleep(self.after).await;
        }
    }

    fn left(&self, failure: Option<String>) {
        let mut log = lock(&self.log);
        log.on = None;
        log.failures.extend(failure);
    }

    /// Until he is closed.
    async fn watch(&mut self, node: SocketAddr) -> anyhow::Result<()> {
        let (mut stream, mut bytes) = self.connect(node).await?;
        let mut ping = tokio::time::interval(PING_EVERY);
        loop {
            while let Some((first, payload, len)) = whole_frame(&bytes) {
                let is_over = self.hear(first, payload, node)?;
                bytes.drain(..len);
                if is_over {
                    return Ok(stream.write_all(CLOSE).await?);
                }
            }
            tokio::select! {
                _ = ping.tick() => stream.write_all(PING).await?,
                read = stream.read_buf(&mut bytes) => if read? == 0 {
                    bail!("the connection ended without a close");
                }
            }
        }
    }

    async fn connect(&self, node: SocketAddr) -> anyhow::Result<(TcpStream, Vec<u8>)> {
        let mut stream = TcpStream::connect(node).await?;
        let room = lock(&self.log).room.clone();
        let since = if self.cursor.is_empty() { String::new() } else { format!("?since={}", self.cursor) };
        let request = format!(
            "GET /v1/rooms/{room}/live{since} HTTP/1.1\r\nhost: {node}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut bytes = Vec::new();
        loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = bytes.drain(..end + 4).collect();
                if !head.starts_with(b"HTTP/1.1 101 ") {
                    bail!("refused: {}", String::from_utf8_lossy(&head));
                }
                return Ok((stream, bytes));
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                bail!("closed without an answer");
            }
        }
    }

    /// Whether it was the last.
    fn hear(&mut self, first: u8, payload: &[u8], node: SocketAddr) -> anyhow::Result<bool> {
        let mut log = lock(&self.log);
        if first == 0x88 {
            log.closes.push(payload.first_chunk().map_or(0, |code| u16::from_be_bytes(*code)));
            return Ok(true);
        }
        let frame = server_from_json(payload).ok().context("a frame of ours")?;
        let cursor = match frame {
            FromServer::Hello(hello) => {
                log.not_recovered += usize::from(!self.cursor.is_empty() && hello.recovered != Some(true));
                log.on = Some(node);
                hello.cursor
            }
            FromServer::Batch(batch) => {
                for message in batch.messages {
                    log.ids.push(message.id.parse().ok().context("an id of ours")?);
                }
                batch.cursor
            }
            FromServer::Gap(gap) => {
                log.gaps += 1;
                gap.cursor
            }
            FromServer::Reconnect(reconnect) => {
                self.after = Duration::from_millis(reconnect.after_ms.into());
                reconnect.cursor
            }
            FromServer::Pong(pong) => pong.cursor,
            _ => String::new(),
        };
        if !cursor.is_empty() {
            self.cursor = cursor;
        }
        Ok(false)
    }
}

/// The first whole frame of a server: its first byte, its payload, and its length with the header.
fn whole_frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    let (start, len) = match second {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?),
        len => (2, usize::from(len)),
    };
    Some((first, bytes.get(start..start + len)?, start + len))
}
