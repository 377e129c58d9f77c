//! A WebSocket as a client has it, on either wire: a writer, and a reader that can be stopped.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use fastwebsockets::{FragmentCollector, Frame, OpCode, Payload, Role, WebSocket, handshake};
use http_body_util::Empty;
use hyper::{Request, header};
use hyper_util::rt::TokioExecutor;
use prost::Message as _;
use proto::{frame, v1};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
};

use super::{Note, Ticket, Wire, path};

/// A hall asks for a ping every 30 s and hangs up after 75 s of silence.
const PING_EVERY: Duration = Duration::from_secs(20);

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

type Half = Box<dyn Stream>;

/// The half that speaks.
pub(super) struct Writer {
    wire: Wire,
    socket: tokio::sync::Mutex<WebSocket<Half>>,
}

/// The half that hears.
pub(super) struct Reader(FragmentCollector<Half>);

/// Shakes hands.
pub(super) async fn open(
    hall: SocketAddr,
    ticket: &Ticket,
    stream: TcpStream,
) -> anyhow::Result<(Arc<Writer>, Reader)> {
    let executor = TokioExecutor::new();
    let (upgraded, _) = handshake::client(&executor, request(hall, ticket)?, stream).await.context("no WebSocket")?;
    // Reading cannot be interrupted in this library, so each direction gets a WebSocket of its own.
    let (read, write) = tokio::io::split(upgraded.into_inner());
    let read: Half = Box::new(tokio::io::join(read, tokio::io::sink()));
    let mut reader = WebSocket::after_handshake(read, Role::Client);
    reader.set_auto_pong(false);
    reader.set_auto_close(false);
    let write: Half = Box::new(tokio::io::join(tokio::io::empty(), write));
    let socket = tokio::sync::Mutex::new(WebSocket::after_handshake(write, Role::Client));
    Ok((Arc::new(Writer { wire: ticket.wire, socket }), Reader(FragmentCollector::new(reader))))
}

fn request(hall: SocketAddr, ticket: &Ticket) -> anyhow::Result<Request<Empty<Bytes>>> {
    let protocol = if ticket.wire == Wire::Proto { frame::PROTOCOL_PROTO } else { frame::PROTOCOL_JSON };
    let mut request = Request::get(path(ticket, ticket.since.as_deref()))
        .header(header::HOST, hall.to_string())
        .header(header::UPGRADE, "websocket")
        .header(header::CONNECTION, "upgrade")
        .header(header::SEC_WEBSOCKET_KEY, handshake::generate_key())
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_PROTOCOL, protocol);
    if let Some(token) = &ticket.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    Ok(request.body(Empty::new())?)
}

impl Writer {
    /// Says a frame, given in JSON, on its wire.
    pub(super) async fn say(&self, value: &serde_json::Value) -> anyhow::Result<()> {
        let text = value.to_string();
        if self.wire != Wire::Proto {
            return self.send(OpCode::Text, text.as_bytes()).await;
        }
        let said = frame::client_from_json(text.as_bytes());
        let said = said.map_err(|bad| anyhow::anyhow!("no frame of ours: {bad:?}"))?;
        self.send(OpCode::Binary, &v1::ClientFrame { frame: Some(said) }.encode_to_vec()).await
    }

    /// Sends a message as it stands.
    pub(super) async fn send(&self, opcode: OpCode, payload: &[u8]) -> anyhow::Result<()> {
        let frame = Frame::new(true, opcode, None, Payload::Borrowed(payload));
        Ok(self.socket.lock().await.write_frame(frame).await?)
    }
}

/// Pings as a client should, unless it is one that does not.
pub(super) async fn keep_awake(writer: Arc<Writer>, silent: bool) {
    if silent {
        return;
    }
    loop {
        tokio::time::sleep(PING_EVERY).await;
        if writer.say(&serde_json::json!({ "type": "ping" })).await.is_err() {
            return;
        }
    }
}

/// Writes down what comes, as long as the gate is open.
pub(super) async fn listen(Reader(mut socket): Reader, note: Note, mut gate: watch::Receiver<bool>) {
    while gate.wait_for(|open| *open).await.is_ok() {
        let Ok(heard) = socket.read_frame().await else {
            return note.change(|seen| seen.closed = Some(seen.closed.unwrap_or(0)));
        };
        let said = match heard.opcode {
            OpCode::Text => frame::server_from_json(&heard.payload),
            OpCode::Binary => frame::server_from_proto(&heard.payload),
            OpCode::Close => {
                let code = heard.payload.first_chunk().map_or(0, |code| u16::from_be_bytes(*code));
                note.change(|seen| seen.closed = Some(code));
                continue;
            }
            _ => continue,
        };
        note.change(|seen| match said {
            Ok(said) => seen.hear(said),
            Err(_) => seen.others += 1,
        });
    }
}
