//! A client of the goim wire that says whatever a test wants, byte by byte, and writes down what it is told.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// How long anything may take on a busy machine; longer than any hall holds a client that it does not want.
const PATIENCE: Duration = Duration::from_secs(30);

/// Operations on the wire.
pub mod op {
    /// I live.
    pub const HEARTBEAT: u32 = 2;
    /// So many watch.
    pub const HEARTBEAT_REPLY: u32 = 3;
    /// A command.
    pub const MESSAGE: u32 = 5;
    /// Who I am.
    pub const AUTH: u32 = 7;
    /// Whether that was good.
    pub const AUTH_REPLY: u32 = 8;
}

/// A packet with a header that may say anything.
pub fn packet_saying(len: u32, header_len: u16, version: u16, op: u32, body: &[u8]) -> Vec<u8> {
    let mut packet = len.to_be_bytes().to_vec();
    packet.extend(header_len.to_be_bytes());
    packet.extend(version.to_be_bytes());
    packet.extend(op.to_be_bytes());
    packet.extend(1u32.to_be_bytes());
    packet.extend(body);
    packet
}

/// A packet as it should be.
pub fn packet(op: u32, body: &[u8]) -> Vec<u8> {
    packet_saying(16 + body.len() as u32, 16, 1, op, body)
}

/// A client's frame, whose mask is zeros: the first byte says what it is (0x82 bytes, 0x81 text).
///
/// # Panics
/// Above 64 KiB.
pub fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        len @ 0..126 => frame.push(0x80 | len as u8),
        len => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(len).expect("a small frame").to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// What a hall said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The one packet of a frame: version, operation, body.
    Packet(u16, u32, Vec<u8>),
    /// A close frame: code and reason.
    Closed(u16, String),
    /// The connection ended.
    Over,
}

impl Told {
    /// Whether it is the answer to auth, with this body.
    pub fn is_auth_reply(&self, body: &str) -> bool {
        *self == Self::Packet(1, op::AUTH_REPLY, body.into())
    }

    /// How many watch, in the answer to a heartbeat.
    pub fn online(&self) -> Option<u32> {
        match self {
            Self::Packet(1, op::HEARTBEAT_REPLY, body) => Some(u32::from_be_bytes(body[..].try_into().ok()?)),
            _ => None,
        }
    }
}

/// A connection.
pub struct Caller {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Caller {
    /// Connects.
    ///
    /// # Panics
    /// When the answer is not 101: every caller gets the socket.
    pub async fn connect(hall: SocketAddr) -> Self {
        let mut stream = TcpStream::connect(hall).await.expect("a hall listens");
        let request = format!(
            "GET /sub HTTP/1.1\r\nhost: {hall}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("a request is taken");
        let mut caller = Self { stream, bytes: Vec::new() };
        let end = loop {
            if let Some(at) = caller.bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(caller.read().await, "an answer");
        };
        let head = String::from_utf8_lossy(&caller.bytes[..end]).into_owned();
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        caller.bytes.drain(..end);
        caller
    }

    /// One that was let into a room.
    ///
    /// # Panics
    /// When it was not.
    pub async fn enter(hall: SocketAddr, auth: &str) -> Self {
        let mut caller = Self::connect(hall).await;
        caller.say(&packet(op::AUTH, auth.as_bytes())).await;
        let told = caller.told().await;
        assert!(told.is_auth_reply(r#"{"code":0}"#), "{told:?}");
        caller
    }

    /// Sends packets in one frame.
    pub async fn say(&mut self, packets: &[u8]) {
        self.send(&frame(0x82, packets)).await;
    }

    /// Sends bytes. It fails when the hall has hung up, and then what it said is to be read.
    pub async fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next thing said.
    ///
    /// # Panics
    /// When nothing is, or it holds more or less than one packet.
    pub async fn told(&mut self) -> Told {
        loop {
            if let Some((first, payload)) = self.frame() {
                return told(first, &payload);
            }
            if !self.read().await {
                return Told::Over;
            }
        }
    }

    /// Everything said up to the end.
    pub async fn told_to_the_end(&mut self) -> Vec<Told> {
        let mut all = Vec::new();
        loop {
            match self.told().await {
                Told::Over => return all,
                told => all.push(told),
            }
        }
    }

    /// Reads some; `false` at the end.
    async fn read(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let len = timeout(PATIENCE, self.stream.read(&mut buffer)).await.expect("something is said").unwrap_or(0);
        self.bytes.extend_from_slice(&buffer[..len]);
        len > 0
    }

    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let (start, len) = match *self.bytes.get(1)? {
            126 => (4, usize::from(u16::from_be_bytes(self.bytes.get(2..4)?.try_into().ok()?))),
            127 => (10, u64::from_be_bytes(self.bytes.get(2..10)?.try_into().ok()?) as usize),
            len => (2, usize::from(len)),
        };
        let payload = self.bytes.get(start..start + len)?.to_vec();
        let first = self.bytes[0];
        self.bytes.drain(..start + len);
        Some((first, payload))
    }
}

fn told(first: u8, payload: &[u8]) -> Told {
    match first {
        0x88 => {
            let (code, reason) = payload.split_at(2);
            Told::Closed(u16::from_be_bytes([code[0], code[1]]), String::from_utf8_lossy(reason).into_owned())
        }
        0x82 => {
            let len = u32::from_be_bytes(payload[..4].try_into().expect("four bytes")) as usize;
            assert_eq!((len, &payload[4..6]), (payload.len(), &[0, 16][..]), "one packet a frame");
            let op = u32::from_be_bytes(payload[8..12].try_into().expect("four bytes"));
            Told::Packet(u16::from_be_bytes([payload[6], payload[7]]), op, payload[16..].to_vec())
        }
        other => panic!("frame {other:x}"),
    }
}
