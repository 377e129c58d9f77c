//! A server that says back what it hears, over the hall's own frame reader: what conformance suites are run against. It
//! prints its ready line and ends with its standard input. Rooms, shards and backpressure are the hall's.

use std::net::SocketAddr;

use chassis::{
    http::{Refusal, Response, full},
    listen::{self, Limits},
    shutdown::Shutdown,
};
use hyper::{Request, StatusCode, body::Incoming};
use proto::close::Close;
use reader::{Heard, Reader};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

#[path = "../src/reader.rs"]
mod reader;

/// The suites' longest message.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let listener = listen::bind("127.0.0.1:0".parse()?, "the port")?;
    let address = listener.local_addr()?;
    listen::announce(Some(address), address);
    let shutdown = Shutdown::new();
    let serving = listen::serve(listener, shutdown, Limits::default(), async |request, _: SocketAddr| upgrade(request));
    // Whoever started us is gone, or wants us to go.
    let input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    tokio::select! {
        () = serving => {}
        _ = input_ends => {}
    }
    Ok(())
}

fn upgrade(mut request: Request<Incoming>) -> Response {
    let Ok((response, websocket)) = fastwebsockets::upgrade::upgrade(&mut request) else {
        return Refusal::new(StatusCode::UPGRADE_REQUIRED, "malformed", "a WebSocket is served here").into_response();
    };
    tokio::spawn(async move {
        let (mut stream, _place, early) = listen::taken(websocket.await.ok()?.into_inner().into_inner())?;
        // A client that is gone has heard enough.
        let _ = echo(&mut stream, early.to_vec()).await;
        Some(())
    });
    response.map(|_| full(""))
}

/// Answers until either side has said goodbye.
async fn echo(stream: &mut TcpStream, mut input: Vec<u8>) -> std::io::Result<()> {
    let mut reader = Reader::new(MESSAGE_BYTES_MAX);
    loop {
        let (mut answer, mut is_over) = (Vec::new(), false);
        let heard = reader.read(&mut input, |heard| match heard {
            Heard::Text(text) => frame(&mut answer, 0x81, text.as_bytes()),
            Heard::Binary(bytes) => frame(&mut answer, 0x82, bytes),
            Heard::Ping(bytes) => frame(&mut answer, 0x8a, bytes),
            Heard::Pong => {}
            Heard::Close(code) => {
                frame(&mut answer, 0x88, code.map(u16::to_be_bytes).as_ref().map_or(&[], |code| &code[..]));
                is_over = true;
            }
        });
        if let Err(close) = heard {
            goodbye(&mut answer, close);
            is_over = true;
        }
        stream.write_all(&answer).await?;
        if is_over {
            stream.shutdown().await?;
            // Closing a socket with unread bytes in it would reset the connection under the last frame.
            return tokio::io::copy(stream, &mut tokio::io::sink()).await.map(drop);
        }
        input.resize(64 * 1024, 0);
        let len = stream.read(&mut input).await?;
        if len == 0 {
            return Ok(());
        }
        input.truncate(len);
    }
}

fn goodbye(answer: &mut Vec<u8>, close: Close) {
    frame(answer, 0x88, &[&close.code().to_be_bytes(), close.word().as_bytes()].concat());
}

fn frame(answer: &mut Vec<u8>, first: u8, payload: &[u8]) {
    answer.push(first);
    match payload.len() {
        len @ 0..126 => answer.push(len as u8),
        len @ 126..=0xffff => {
            answer.push(126);
            answer.extend((len as u16).to_be_bytes());
        }
        len => {
            answer.push(127);
            answer.extend((len as u64).to_be_bytes());
        }
    }
    answer.extend_from_slice(payload);
}
