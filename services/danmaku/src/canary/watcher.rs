//! One viewer at one hall: he watches, pings, and comes back with his cursor whenever he is sent away or lost.
//! Kept out: what was to be seen (`book`).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use bytes::Bytes;
use fastwebsockets::{FragmentCollector, Frame, OpCode, Payload, Role, WebSocket, handshake};
use http_body_util::Empty;
use hyper::{Request, Uri, header};
use hyper_util::rt::TokioExecutor;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proto::frame::{self, FromServer};
use rand::RngExt as _;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::purse::Purse;
use crate::reach::{self, Stream};

/// From the first packet to the greeting.
const GREETED_WITHIN: Duration = Duration::from_secs(10);

/// Between attempts: doubled each time, half of it by chance.
const AGAIN_AFTER: Duration = Duration::from_millis(500);
const AGAIN_AFTER_MAX: Duration = Duration::from_secs(10);

/// A hall says something at least as often as it is pinged; one that says nothing for three pings is gone.
const SILENT_PINGS: u32 = 3;

/// What a watcher tells.
#[derive(Debug)]
pub(super) enum Event {
    /// He was greeted.
    Connected(usize),
    /// He is away, and why.
    Gone(usize, String),
    /// He sees a message; not the first time, if the hall says that it repeats itself.
    Saw { watcher: usize, text: String, at: Instant, is_replay: bool },
    /// The judge has stopped what was said under this `client_id`.
    Stopped { client_id: String, verdict: String },
}

pub(super) struct Watcher {
    pub(super) number: usize,
    pub(super) hall: Uri,
    pub(super) room: String,
    pub(super) purse: Arc<Purse>,
    pub(super) tell: mpsc::Sender<Event>,
}

/// Where he is in the room, and how long he was asked to stay away.
#[derive(Default)]
struct Place {
    cursor: String,
    stay_away: Option<Duration>,
    was_greeted: bool,
}

impl Watcher {
    /// Watches until nobody wants to hear of it.
    pub(super) async fn watch(self) {
        let (mut place, mut wait) = (Place::default(), AGAIN_AFTER);
        loop {
            place.was_greeted = false;
            let why = match self.visit(&mut place).await {
                Ok(()) => "the hall hung up".to_owned(),
                Err(error) => format!("{error:#}"),
            };
            if self.tell.send(Event::Gone(self.number, why)).await.is_err() {
                return;
            }
            wait = if place.was_greeted { AGAIN_AFTER } else { (wait * 2).min(AGAIN_AFTER_MAX) };
            let chance = wait.mul_f64(rand::rng().random_range(0.5..1.0));
            tokio::time::sleep(place.stay_away.take().unwrap_or(chance)).await;
        }
    }

    /// One connection, from the handshake to its end.
    async fn visit(&self, place: &mut Place) -> anyhow::Result<()> {
        let connected = tokio::time::timeout(GREETED_WITHIN, self.connect(&place.cursor)).await;
        let (mut reader, writer) = connected.context("no answer to the handshake")??;
        let mut silence_max = GREETED_WITHIN;
        let mut _pinging = None;
        loop {
            let heard =
                tokio::time::timeout(silence_max, reader.read_frame()).await.context("the hall says nothing")??;
            let said = match heard.opcode {
                OpCode::Text => frame::server_from_json(&heard.payload),
                OpCode::Close => bail!("closed: {}", closed(&heard.payload)),
                _ => continue,
            };
            // What a later release says is passed over.
            let Ok(said) = said else { continue };
            if let FromServer::Hello(hello) = &said
                && !place.was_greeted
            {
                place.was_greeted = true;
                let every = Duration::from_millis(u64::from(hello.ping_ms.max(1_000)));
                silence_max = every * SILENT_PINGS;
                _pinging = Some(AbortOnDropHandle::new(tokio::spawn(ping(writer.clone(), every))));
            }
            self.heard(place, said).await?;
        }
    }

    async fn heard(&self, place: &mut Place, said: FromServer) -> anyhow::Result<()> {
        let cursor = match said {
            FromServer::Hello(hello) => {
                self.tell.send(Event::Connected(self.number)).await?;
                hello.cursor
            }
            FromServer::Batch(batch) => {
                let (at, is_replay) = (Instant::now(), batch.replay);
                for message in batch.messages {
                    let saw = Event::Saw { watcher: self.number, text: message.text, at, is_replay };
                    self.tell.send(saw).await?;
                }
                batch.cursor
            }
            FromServer::Verdict(told) => {
                let verdict = proto::v1::Word::name_of(told.verdict);
                let verdict = [verdict, &told.code].join(" ").trim().to_owned();
                self.tell.send(Event::Stopped { client_id: told.client_id, verdict }).await?;
                String::new()
            }
            FromServer::Gap(gap) => gap.cursor,
            FromServer::Pong(pong) => pong.cursor,
            FromServer::Reconnect(reconnect) => {
                place.stay_away = Some(Duration::from_millis(u64::from(reconnect.after_ms)).min(AGAIN_AFTER_MAX));
                reconnect.cursor
            }
            _ => String::new(),
        };
        if !cursor.is_empty() {
            place.cursor = cursor;
        }
        Ok(())
    }

    async fn connect(&self, cursor: &str) -> anyhow::Result<(Reader, Writer)> {
        let authority = self.hall.authority().context("a hall without an address")?;
        let stream = reach::connect(&self.hall).await?;
        let request = self.request(authority.as_str(), cursor).await?;
        let (upgraded, _) =
            handshake::client(&TokioExecutor::new(), request, stream).await.context("the handshake was refused")?;
        // Reading cannot be interrupted in this library, so each direction gets a WebSocket of its own.
        let (read, write) = tokio::io::split(upgraded.into_inner());
        let mut reader = WebSocket::after_handshake(half(tokio::io::join(read, tokio::io::sink())), Role::Client);
        reader.set_auto_pong(false);
        reader.set_auto_close(false);
        let writer = WebSocket::after_handshake(half(tokio::io::join(tokio::io::empty(), write)), Role::Client);
        Ok((FragmentCollector::new(reader), Arc::new(tokio::sync::Mutex::new(writer))))
    }

    async fn request(&self, host: &str, cursor: &str) -> anyhow::Result<Request<Empty<Bytes>>> {
        let room = utf8_percent_encode(&self.room, NON_ALPHANUMERIC);
        let since = if cursor.is_empty() { String::new() } else { format!("?since={cursor}") };
        let mut request = Request::get(format!("/v1/rooms/{room}/live{since}"))
            .header(header::HOST, host)
            .header(header::UPGRADE, "websocket")
            .header(header::CONNECTION, "upgrade")
            .header(header::SEC_WEBSOCKET_KEY, handshake::generate_key())
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_PROTOCOL, frame::PROTOCOL_JSON);
        if let Some(token) = self.purse.watchers(self.number).await? {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        Ok(request.body(Empty::new())?)
    }
}

type Half = Box<dyn Stream>;
type Reader = FragmentCollector<Half>;
type Writer = Arc<tokio::sync::Mutex<WebSocket<Half>>>;

fn half(stream: impl Stream + 'static) -> Half {
    Box::new(stream)
}

/// Pings until the socket takes no more.
async fn ping(writer: Writer, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let frame = Frame::text(Payload::Borrowed(br#"{"type":"ping"}"#));
        if writer.lock().await.write_frame(frame).await.is_err() {
            return;
        }
    }
}

/// A close frame's code and reason.
fn closed(payload: &[u8]) -> String {
    match payload.split_first_chunk() {
        Some((code, reason)) => format!("{} {}", u16::from_be_bytes(*code), String::from_utf8_lossy(reason)),
        None => "without a code".to_owned(),
    }
}
