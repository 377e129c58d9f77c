//! A viewer's client that folds what it hears into plain fields and hides nothing: no repeat, no gap, no order.

use std::{net::SocketAddr, time::Instant};

use proto::{
    frame::{FromServer, server_from_json},
    v1::{Gap, GapReason, Hello, Pong, Reconnect},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

use crate::world::{PATIENCE, World};

/// A connection and all that was heard on it.
pub(crate) struct Viewer {
    pub(crate) stream: TcpStream,
    bytes: Vec<u8>,
    pub(crate) hellos: Vec<Hello>,
    /// The texts of all messages but replayed ones, in order.
    pub(crate) heard: Vec<String>,
    /// The texts of replayed messages.
    pub(crate) replayed: Vec<String>,
    /// All texts.
    pub(crate) all: Vec<String>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) pongs: Vec<Pong>,
    pub(crate) reconnects: Vec<Reconnect>,
    pub(crate) others: Vec<FromServer>,
    /// Batches, to see what was joined.
    pub(crate) batches: usize,
    pub(crate) ws_pongs: Vec<Vec<u8>>,
    pub(crate) closed: Option<(u16, String)>,
    pub(crate) is_over: bool,
    pub(crate) cursor: String,
}

/// A handshake to be changed before it is sent.
pub(crate) struct Handshake {
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Sent right behind it.
    pub(crate) early: Vec<u8>,
    /// So little is taken from the server before it is read; the kernel's own buffer if it is 0.
    pub(crate) receive_buffer: u32,
}

impl Handshake {
    pub(crate) fn new(room: &str) -> Self {
        let headers = [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("sec-websocket-protocol", "danmaku.v1.json"),
        ];
        Self {
            target: format!("/v1/rooms/{room}/live"),
            headers: headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
            early: Vec::new(),
            receive_buffer: 0,
        }
    }

    /// A client whose machine takes nothing that is not read.
    pub(crate) fn lazy(mut self) -> Self {
        self.receive_buffer = 4 * 1024;
        self
    }

    pub(crate) fn since(mut self, cursor: &str) -> Self {
        self.target += &format!("?since={cursor}");
        self
    }

    /// Sets a header; an empty value takes it away.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            self.headers.push((name, value.to_owned()));
        }
        self
    }

    pub(crate) fn early(mut self, bytes: &[u8]) -> Self {
        self.early = bytes.to_vec();
        self
    }

    /// Sends it and returns the head of the answer, and the connection with what came behind.
    pub(crate) async fn send(&self, address: SocketAddr) -> (String, TcpStream, Vec<u8>) {
        let socket = TcpSocket::new_v4().unwrap();
        if self.receive_buffer > 0 {
            socket.set_recv_buffer_size(self.receive_buffer).unwrap();
        }
        let mut stream = socket.connect(address).await.unwrap();
        let mut request = format!("GET {} HTTP/1.1\r\nhost: {address}\r\n", self.target);
        for (name, value) in &self.headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += "\r\n";
        let request = [request.as_bytes(), &self.early].concat();
        stream.write_all(&request).await.unwrap();
        let mut answer = Vec::new();
        let end = loop {
            if let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            let mut buffer = vec![0; 4096];
            let len = tokio::time::timeout(PATIENCE, stream.read(&mut buffer)).await.expect("an answer").unwrap();
            assert!(len > 0, "closed without an answer");
            answer.extend_from_slice(&buffer[..len]);
        };
        let rest = answer.split_off(end);
        (String::from_utf8(answer).unwrap(), stream, rest)
    }

    /// Sends it, expects 101, and waits for nothing.
    pub(crate) async fn open(&self, world: &World) -> Viewer {
        self.open_at(world.address).await
    }

    async fn open_at(&self, address: SocketAddr) -> Viewer {
        let (head, stream, rest) = self.send(address).await;
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        Viewer::new(stream, rest)
    }

    /// Sends it and waits for `hello`.
    pub(crate) async fn enter(&self, world: &World) -> Viewer {
        self.enter_at(world.address).await
    }

    /// As [`Handshake::enter`], at a node's address.
    pub(crate) async fn enter_at(&self, address: SocketAddr) -> Viewer {
        let mut viewer = self.open_at(address).await;
        viewer.until("hello", |viewer| !viewer.hellos.is_empty()).await;
        viewer
    }
}

impl Viewer {
    pub(crate) fn new(stream: TcpStream, bytes: Vec<u8>) -> Self {
        Self {
            stream,
            bytes,
            hellos: Vec::new(),
            heard: Vec::new(),
            replayed: Vec::new(),
            all: Vec::new(),
            gaps: Vec::new(),
            pongs: Vec::new(),
            reconnects: Vec::new(),
            others: Vec::new(),
            batches: 0,
            ws_pongs: Vec::new(),
            closed: None,
            is_over: false,
            cursor: String::new(),
        }
    }

    pub(crate) async fn enter(world: &World, room: &str) -> Self {
        Handshake::new(room).enter(world).await
    }

    /// Reads until it is so.
    pub(crate) async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            let read = tokio::time::timeout(left, self.read()).await;
            assert!(read.is_ok(), "no {what}; heard {:?}, gaps {:?}, {:?}", self.heard, self.gaps, self.others);
            assert!(!self.is_over || is_so(self), "closed {:?} before {what}; {:?}", self.closed, self.others);
        }
    }

    /// Reads until so many messages were heard, replayed or not.
    pub(crate) async fn until_all(&mut self, count: usize) {
        self.until(&format!("{count} messages"), |viewer| viewer.all.len() >= count).await;
    }

    pub(crate) async fn until_closed(&mut self) -> u16 {
        self.until("close", |viewer| viewer.closed.is_some()).await;
        self.closed.as_ref().unwrap().0
    }

    /// Reads the end of the connection too.
    pub(crate) async fn until_over(&mut self) {
        self.until("end", |viewer| viewer.is_over).await;
    }

    /// How many messages gaps counted; each must have a number.
    pub(crate) fn dropped(&self) -> usize {
        self.gaps.iter().map(|gap| gap.dropped.expect("a number") as usize).sum()
    }

    pub(crate) fn dropped_for(&self, reason: GapReason) -> usize {
        let of_it = self.gaps.iter().filter(|gap| gap.reason == reason as i32);
        of_it.map(|gap| gap.dropped.expect("a number") as usize).sum()
    }

    /// Reads once.
    async fn read(&mut self) {
        let mut buffer = vec![0; 16 * 1024];
        // Frames may have come with the handshake.
        if self.bytes.is_empty() || !self.fold() {
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => self.is_over = true,
                Ok(len) => self.bytes.extend_from_slice(&buffer[..len]),
            }
        }
        while self.fold() {}
    }

    /// Takes one whole frame off the bytes.
    fn fold(&mut self) -> bool {
        let Some((first, payload, len)) = whole_frame(&self.bytes) else { return false };
        let payload = payload.to_vec();
        self.bytes.drain(..len);
        match first {
            0x81 => self.take(server_from_json(&payload).unwrap_or_else(|error| panic!("{error:?}"))),
            0x88 if payload.is_empty() => self.closed = Some((1005, String::new())),
            0x88 => {
                let code = u16::from_be_bytes([payload[0], payload[1]]);
                self.closed = Some((code, String::from_utf8(payload[2..].to_vec()).unwrap()));
            }
            0x8a => self.ws_pongs.push(payload),
            other => panic!("frame {other:x}"),
        }
        true
    }

    fn take(&mut self, frame: FromServer) {
        assert!(self.closed.is_none(), "{frame:?} after close");
        match frame {
            FromServer::Hello(hello) => {
                self.cursor.clone_from(&hello.cursor);
                self.hellos.push(hello);
            }
            FromServer::Batch(batch) => {
                self.batches += 1;
                self.cursor.clone_from(&batch.cursor);
                for message in batch.messages {
                    let texts = if batch.replay { &mut self.replayed } else { &mut self.heard };
                    texts.push(message.text.clone());
                    self.all.push(message.text);
                }
            }
            FromServer::Gap(gap) => {
                self.cursor.clone_from(&gap.cursor);
                self.gaps.push(gap);
            }
            FromServer::Pong(pong) => {
                self.cursor.clone_from(&pong.cursor);
                self.pongs.push(pong);
            }
            FromServer::Reconnect(reconnect) => {
                self.cursor.clone_from(&reconnect.cursor);
                self.reconnects.push(reconnect);
            }
            other => self.others.push(other),
        }
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.send_frame(0x81, text.as_bytes()).await;
    }

    pub(crate) async fn send_frame(&mut self, first: u8, payload: &[u8]) {
        self.stream.write_all(&frame(first, payload)).await.unwrap();
    }

    /// Pings and waits for the answer, whose cursor is true now.
    pub(crate) async fn ping(&mut self, at: i64) -> Pong {
        let before = self.pongs.len();
        self.send_text(&format!(r#"{{"type":"ping","at":{at}}}"#)).await;
        self.until("pong", |viewer| viewer.pongs.len() > before).await;
        self.pongs[before].clone()
    }
}

/// A client's frame, masked.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [1, 2, 3, 4];
    let mut frame = vec![first];
    match payload.len() {
        len @ 0..126 => frame.push(0x80 | len as u8),
        len @ 126..=0xffff => {
            frame.push(0x80 | 126);
            frame.extend((len as u16).to_be_bytes());
        }
        len => {
            frame.push(0x80 | 127);
            frame.extend((len as u64).to_be_bytes());
        }
    }
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// The first whole frame of a server: its first byte, its payload, and its length with the header.
pub(crate) fn whole_frame(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    assert!(second & 0x80 == 0, "a server's frame is not masked");
    let (start, len) = match second {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize),
        len => (2, usize::from(len)),
    };
    Some((first, bytes.get(start..start + len)?, start + len))
}
