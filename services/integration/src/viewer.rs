//! Somebody who watches a room over a WebSocket and writes down everything he hears. A repeat is written down twice.

mod seen;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use bytes::Bytes;
use fastwebsockets::{FragmentCollector, Frame, OpCode, Payload, Role, WebSocket, handshake};
use http_body_util::Empty;
use hyper::{Request, header};
use hyper_util::rt::TokioExecutor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proto::{frame, v1};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpSocket,
    sync::watch,
    task::JoinHandle,
};

use crate::until_so;
pub use seen::{Heard, Seen};

/// How to watch.
#[derive(Debug, Clone, Default)]
pub struct Ticket {
    /// Which room.
    pub room: String,
    /// A token; `None` watches anonymously.
    pub token: Option<String>,
    /// Resume after this cursor.
    pub since: Option<String>,
    /// The client's receive buffer; small for one who shall be slow soon.
    pub receive_buffer: Option<u32>,
    /// Sends no pings, as a broken client does.
    pub silent: bool,
}

/// A hall asks for a ping every 30 s and hangs up after 75 s of silence.
const PING_EVERY: Duration = Duration::from_secs(20);

/// A connection to a hall. Dropping it closes the socket without a word.
pub struct Viewer {
    seen: Arc<Mutex<Seen>>,
    writer: Arc<Writer>,
    reading: watch::Sender<bool>,
    tasks: [JoinHandle<()>; 2],
}

type Writer = tokio::sync::Mutex<WebSocket<Box<dyn Stream>>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Viewer {
    /// Connects, and begins to write down.
    ///
    /// # Errors
    /// When there is no WebSocket to be had: the HTTP status is in the text.
    pub async fn connect(hall: SocketAddr, ticket: &Ticket) -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if let Some(bytes) = ticket.receive_buffer {
            socket.set_recv_buffer_size(bytes)?;
        }
        let stream = socket.connect(hall).await?;
        stream.set_nodelay(true)?;
        let executor = TokioExecutor::new();
        let (upgraded, _) =
            handshake::client(&executor, request(hall, ticket)?, stream).await.context("no WebSocket")?;
        // Reading cannot be interrupted in this library, so each direction gets a WebSocket of its own.
        let (read, write) = tokio::io::split(upgraded.into_inner());
        let mut reader = WebSocket::after_handshake(tokio::io::join(read, tokio::io::sink()), Role::Client);
        reader.set_auto_pong(false);
        reader.set_auto_close(false);
        let write: Box<dyn Stream> = Box::new(tokio::io::join(tokio::io::empty(), write));
        let writer = Arc::new(Writer::new(WebSocket::after_handshake(write, Role::Client)));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (reading, gate) = watch::channel(true);
        let listening = tokio::spawn(listen(FragmentCollector::new(reader), Arc::clone(&seen), gate));
        let pinging = tokio::spawn(keep_awake(Arc::clone(&writer), ticket.silent));
        Ok(Self { seen, writer, reading, tasks: [listening, pinging] })
    }

    /// What was heard so far, as a copy.
    pub fn seen(&self) -> Seen {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what was heard fulfils `condition`.
    ///
    /// # Panics
    /// When it does not `within` the time; tells `what` was hoped for and what was heard instead.
    pub async fn until(&self, what: &str, within: Duration, condition: impl Fn(&Seen) -> bool) {
        // Told before the panic's own words, which know no viewer.
        let _summary = Summary(self, what);
        until_so(what, within, || condition(&self.lock())).await;
    }

    /// Reads nothing from now on; what the hall writes stays in the socket.
    pub fn stop_reading(&self) {
        self.reading.send_replace(false);
    }

    /// Reads again.
    pub fn read_on(&self) {
        self.reading.send_replace(true);
    }

    /// Says something to the hall, in JSON.
    ///
    /// # Errors
    /// When the socket is gone.
    pub async fn tell(&self, value: &serde_json::Value) -> anyhow::Result<()> {
        say(&self.writer, value).await
    }

    /// Sends a danmaku on the socket.
    ///
    /// # Errors
    /// When the socket is gone.
    pub async fn send(&self, client_id: &str, text: &str) -> anyhow::Result<()> {
        self.tell(&serde_json::json!({ "type": "send", "client_id": client_id, "text": text })).await
    }

    /// Sends a danmaku on the socket, and waits for its answer.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn sent(&self, client_id: &str, text: &str, within: Duration) -> v1::Ack {
        let before = self.lock().acks.len();
        self.send(client_id, text).await.expect("the socket is there");
        self.until("an ack", within, |seen| seen.acks.len() > before).await;
        self.lock().acks[before].clone()
    }

    /// Asks for a pong.
    ///
    /// # Errors
    /// When the socket is gone.
    pub async fn ping(&self, at: i64) -> anyhow::Result<()> {
        self.tell(&serde_json::json!({ "type": "ping", "at": at })).await
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Says what was heard when a wait for it ends in a panic.
struct Summary<'a>(&'a Viewer, &'a str);

impl Drop for Summary<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let seen = self.0.lock();
        eprintln!(
            "viewer waiting for {}: {} live, {} replayed, gaps {:?}, told {:?}, closed {:?}, cursor {}",
            self.1,
            seen.messages.len(),
            seen.replayed.len(),
            seen.gaps,
            seen.told,
            seen.closed,
            seen.cursor
        );
    }
}

fn request(hall: SocketAddr, ticket: &Ticket) -> anyhow::Result<Request<Empty<Bytes>>> {
    let room = utf8_percent_encode(&ticket.room, NON_ALPHANUMERIC);
    let since = ticket.since.as_ref().map(|since| format!("?since={since}")).unwrap_or_default();
    let mut request = Request::get(format!("/v1/rooms/{room}/live{since}"))
        .header(header::HOST, hall.to_string())
        .header(header::UPGRADE, "websocket")
        .header(header::CONNECTION, "upgrade")
        .header(header::SEC_WEBSOCKET_KEY, handshake::generate_key())
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_PROTOCOL, frame::PROTOCOL_JSON);
    if let Some(token) = &ticket.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    Ok(request.body(Empty::new())?)
}

async fn say(writer: &Writer, value: &serde_json::Value) -> anyhow::Result<()> {
    let text = value.to_string();
    writer.lock().await.write_frame(Frame::text(Payload::Borrowed(text.as_bytes()))).await?;
    Ok(())
}

async fn keep_awake(writer: Arc<Writer>, silent: bool) {
    if silent {
        return;
    }
    loop {
        tokio::time::sleep(PING_EVERY).await;
        if say(&writer, &serde_json::json!({ "type": "ping" })).await.is_err() {
            return;
        }
    }
}

async fn listen<S>(mut socket: FragmentCollector<S>, seen: Arc<Mutex<Seen>>, mut gate: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let note = |change: &dyn Fn(&mut Seen)| change(&mut seen.lock().unwrap_or_else(PoisonError::into_inner));
    while gate.wait_for(|open| *open).await.is_ok() {
        let Ok(heard) = socket.read_frame().await else {
            return note(&|seen| seen.closed = Some(seen.closed.unwrap_or(0)));
        };
        match heard.opcode {
            OpCode::Text => match frame::server_from_json(&heard.payload) {
                Ok(frame) => note(&|seen| seen.hear(frame.clone())),
                Err(_) => note(&|seen| seen.others += 1),
            },
            OpCode::Close => {
                let code = heard.payload.first_chunk().map_or(0, |code| u16::from_be_bytes(*code));
                note(&|seen| seen.closed = Some(code));
            }
            _ => {}
        }
    }
}
