//! A client that speaks bytes: it sends what a test says and folds the answer into plain fields.

#![allow(dead_code)] // Each test file uses its part.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One answer, read until the server closed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status, 0 when the server closed without a word.
    pub(crate) status: u16,
    /// Status line and headers.
    pub(crate) head: String,
    /// The rest.
    pub(crate) body: String,
}

/// Asks for a path and for the connection to be closed.
pub(crate) async fn ask(address: SocketAddr, method: &str, path: &str) -> Answer {
    say(address, &format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n")).await
}

/// Sends these bytes on a new connection and reads until the server closes it.
pub(crate) async fn say(address: SocketAddr, bytes: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    answer(&mut stream).await
}

/// Reads until the server closes.
pub(crate) async fn answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A server that refuses to read on resets; what it said before still counts.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}
