//! Somebody who watches a room and writes down everything he hears. A repeat is written down twice.

mod seen;
mod socket;
mod events;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use fastwebsockets::OpCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proto::v1;
use tokio::{net::TcpSocket, sync::watch, task::JoinHandle};

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
    /// By which wire.
    pub wire: Wire,
}

/// How a viewer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    /// WebSocket, subprotocol `danmaku.v1.json`.
    #[default]
    Json,
    /// WebSocket, subprotocol `danmaku.v1.proto`.
    Proto,
    /// `text/event-stream`; its cursor is the header `Last-Event-ID`.
    Events,
}

/// A connection to a hall. Dropping it closes the socket without a word.
pub struct Viewer {
    note: Note,
    /// An event stream has none.
    writer: Option<Arc<socket::Writer>>,
    reading: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

/// What was heard, where it is written down.
#[derive(Debug, Clone, Default)]
struct Note(Arc<Mutex<Seen>>);

impl Note {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.lock());
    }
}

impl Viewer {
    /// Connects, and begins to write down.
    ///
    /// # Errors
    /// When there is nothing to be heard: the HTTP status is in the text.
    pub async fn connect(hall: SocketAddr, ticket: &Ticket) -> anyhow::Result<Self> {
        let tcp = TcpSocket::new_v4()?;
        if let Some(bytes) = ticket.receive_buffer {
            tcp.set_recv_buffer_size(bytes)?;
        }
        let stream = tcp.connect(hall).await?;
        stream.set_nodelay(true)?;
        let note = Note::default();
        let (reading, gate) = watch::channel(true);
        if ticket.wire == Wire::Events {
            let body = events::open(hall, ticket, stream).await?;
            let tasks = vec![tokio::spawn(events::listen(body, note.clone(), gate))];
            return Ok(Self { note, writer: None, reading, tasks });
        }
        let (writer, reader) = socket::open(hall, ticket, stream).await?;
        let listening = tokio::spawn(socket::listen(reader, note.clone(), gate));
        let pinging = tokio::spawn(socket::keep_awake(Arc::clone(&writer), ticket.silent));
        Ok(Self { note, writer: Some(writer), reading, tasks: vec![listening, pinging] })
    }

    /// What was heard so far, as a copy.
    pub fn seen(&self) -> Seen {
        self.note.lock().clone()
    }

    /// Waits until what was heard fulfils `condition`.
    ///
    /// # Panics
    /// When it does not `within` the time; tells `what` was hoped for and what was heard instead.
    pub async fn until(&self, what: &str, within: Duration, condition: impl Fn(&Seen) -> bool) {
        // Told before the panic's own words, which know no viewer.
        let _summary = Summary(self, what);
        until_so(what, within, || condition(&self.note.lock())).await;
    }

    /// Reads nothing from now on; what the hall writes stays in the socket.
    pub fn stop_reading(&self) {
        self.reading.send_replace(false);
    }

    /// Reads again.
    pub fn read_on(&self) {
        self.reading.send_replace(true);
    }

    /// Says something to the hall, given in JSON, on his wire.
    ///
    /// # Errors
    /// When the socket is gone, or hears nothing.
    pub async fn tell(&self, value: &serde_json::Value) -> anyhow::Result<()> {
        self.writer.as_ref().context("an event stream hears nothing")?.say(value).await
    }

    /// Sends a WebSocket message as it stands.
    ///
    /// # Errors
    /// When the socket is gone, or hears nothing.
    pub async fn send_raw(&self, opcode: OpCode, payload: &[u8]) -> anyhow::Result<()> {
        self.writer.as_ref().context("an event stream hears nothing")?.send(opcode, payload).await
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
        let before = self.note.lock().acks.len();
        self.send(client_id, text).await.expect("the socket is there");
        self.until("an ack", within, |seen| seen.acks.len() > before).await;
        self.note.lock().acks[before].clone()
    }

    /// Says that he has a direct notice.
    ///
    /// # Errors
    /// When the socket is gone.
    pub async fn ack(&self, notice: &str) -> anyhow::Result<()> {
        self.tell(&serde_json::json!({ "type": "ack", "notice": notice })).await
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
        let seen = self.0.note.lock();
        eprintln!(
            "viewer waiting for {}: {} live, {} replayed, gaps {:?}, told {:?}, recalls {:?}, closed {:?}, cursor {}",
            self.1,
            seen.messages.len(),
            seen.replayed.len(),
            seen.gaps,
            seen.told,
            seen.recalls,
            seen.closed,
            seen.cursor
        );
    }
}

/// What is asked for.
fn path(ticket: &Ticket, since: Option<&str>) -> String {
    let room = utf8_percent_encode(&ticket.room, NON_ALPHANUMERIC);
    let since = since.map(|since| format!("?since={}", utf8_percent_encode(since, NON_ALPHANUMERIC)));
    format!("/v1/rooms/{room}/live{}", since.unwrap_or_default())
}
