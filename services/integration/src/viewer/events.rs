//! The event stream as a client reads it: lines become events, events become what was heard.

use std::net::SocketAddr;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::{Request, body::Incoming, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use proto::frame::{self, FromServer};
use serde_json::Value;
use tokio::{net::TcpStream, sync::watch};

use super::{Note, Seen, Ticket, path};

/// So much a client's library reads ahead, the least that hyper takes.
const READ_AHEAD_BYTES: usize = 8 * 1024;

/// Asks for the stream; the answer's body is still to be read.
pub(super) async fn open(hall: SocketAddr, ticket: &Ticket, stream: TcpStream) -> anyhow::Result<Incoming> {
    let mut client = http1::Builder::new();
    client.max_buf_size(READ_AHEAD_BYTES);
    let (mut sender, connection) = client.handshake(TokioIo::new(stream)).await?;
    // It ends with the body.
    tokio::spawn(connection);
    let mut request = Request::get(path(ticket, None))
        .header(header::HOST, hall.to_string())
        .header(header::ACCEPT, "text/event-stream");
    if let Some(since) = &ticket.since {
        request = request.header("last-event-id", since);
    }
    if let Some(token) = &ticket.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let response = sender.send_request(request.body(Empty::<Bytes>::new())?).await?;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    ensure!(response.status() == 200, "no event stream: {}", response.status());
    ensure!(kind == Some("text/event-stream"), "no event stream: {kind:?}");
    Ok(response.into_body())
}

/// Writes down what comes, as long as the gate is open.
pub(super) async fn listen(mut body: Incoming, note: Note, mut gate: watch::Receiver<bool>) {
    let mut events = Events::default();
    while gate.wait_for(|open| *open).await.is_ok() {
        let piece = match body.frame().await.context("the stream ended") {
            Ok(Ok(piece)) => piece.into_data().unwrap_or_default(),
            Ok(Err(_)) | Err(_) => return note.change(|seen| seen.closed = Some(seen.closed.unwrap_or(0))),
        };
        note.change(|seen| events.read(&piece, seen));
    }
}

/// The lines of an event that is not whole yet.
#[derive(Debug, Default)]
struct Events {
    line: Vec<u8>,
    name: String,
    id: Option<String>,
    data: Vec<String>,
}

impl Events {
    fn read(&mut self, bytes: &[u8], seen: &mut Seen) {
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
            self.hear_line(&line, seen);
        }
    }

    fn hear_line(&mut self, line: &str, seen: &mut Seen) {
        match line.split_once(':') {
            None if line.is_empty() => std::mem::take(self).end(seen),
            Some(("", _)) => seen.comments += 1,
            Some(("event", name)) => self.name = name.trim_start().to_owned(),
            Some(("id", id)) => self.id = Some(id.trim_start().to_owned()),
            Some(("data", data)) => self.data.push(data.strip_prefix(' ').unwrap_or(data).to_owned()),
            _ => seen.others += 1,
        }
    }

    /// An event is what its name and its id say, or it is not understood.
    fn end(self, seen: &mut Seen) {
        if self.data.is_empty() {
            return;
        }
        let data = self.data.join("\n");
        let value: Value = serde_json::from_str(&data).unwrap_or_default();
        if value["type"] != self.name {
            seen.others += 1;
        } else if self.name == "close" {
            seen.closed = value["code"].as_u64().and_then(|code| code.try_into().ok());
        } else {
            self.frame(&data, seen);
        }
    }

    fn frame(self, data: &str, seen: &mut Seen) {
        let said: Result<FromServer, _> = frame::server_from_json(data.as_bytes());
        let Ok(said) = said else { return seen.others += 1 };
        let before = std::mem::take(&mut seen.cursor);
        seen.hear(said);
        let has_moved = !seen.cursor.is_empty();
        match self.id {
            Some(id) if id == seen.cursor => seen.event_id = id,
            None if !has_moved => {}
            _ => seen.others += 1,
        }
        if !has_moved {
            seen.cursor = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_any_pieces_and_are_checked() {
        let stream = b":\n\nevent: pong\nid: 1-2-3-4\ndata: {\"type\":\"pong\",\ndata: \"cursor\":\"1-2-3-4\"}\n\n\
            event: mode\ndata: {\"type\":\"mode\",\"slow_ms\":7}\n\nevent: mode\ndata: {\"type\":\"pong\"}\n\n\
            event: close\ndata: {\"type\":\"close\",\"code\":1012}\n\n";
        for size in [1, 7, stream.len()] {
            let (mut events, mut seen) = (Events::default(), Seen::default());
            stream.chunks(size).for_each(|piece| events.read(piece, &mut seen));
            assert_eq!((seen.comments, seen.pongs.len(), seen.modes[0].slow_ms), (1, 1, 7), "{size}");
            assert_eq!((&*seen.event_id, &*seen.cursor, seen.closed), ("1-2-3-4", "1-2-3-4", Some(1012)), "{size}");
            assert_eq!(seen.others, 1, "one was not what its name said");
        }
    }
}
