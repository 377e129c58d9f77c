//! Five thousand at one door at once: each is let in or told to come back, and those inside notice nothing.

use std::net::SocketAddr;

use integration::until;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
};

use crate::{LATER, SOON, world};

const ROOM: &str = "admission";
const CROWD: usize = 5_000;
const VIEWERS_MAX: usize = 2_000;

/// One handshake: the head of the answer, and the connection.
async fn knock(node: SocketAddr) -> std::io::Result<(String, TcpStream)> {
    let mut stream = TcpStream::connect(node).await?;
    let request = format!(
        "GET /v1/rooms/{ROOM}/live HTTP/1.1\r\nhost: {node}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok((String::from_utf8_lossy(&head).into_owned(), stream))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_thousand_at_once_are_let_in_or_told_to_come_back() {
    let world = world("admission").await;
    let flags = ["--viewers-max", &VIEWERS_MAX.to_string()];
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&flags));
    let inside = world.viewer(&fanout, ROOM).await;

    let mut knocking = JoinSet::new();
    for _ in 0..CROWD {
        let node = fanout.address();
        knocking.spawn(tokio::time::timeout(LATER, knock(node)));
    }
    let id = world.sender(&ingest, "a").say(ROOM, "meanwhile").await.accepted();
    inside.until("what is said meanwhile", SOON, |seen| seen.ids() == [id]).await;
    let (mut admitted, mut refused) = (Vec::new(), 0);
    while let Some(answer) = knocking.join_next().await {
        let answer = answer.expect("it knocked").expect("nobody hangs");
        let (head, stream) = answer.expect("an answer");
        if head.starts_with("HTTP/1.1 101 ") {
            admitted.push(stream);
        } else {
            assert!(head.starts_with("HTTP/1.1 503 ") && head.contains("\r\nretry-after: "), "{head}");
            refused += 1;
        }
    }
    // One more was inside before.
    assert_eq!((admitted.len() + 1, refused), (VIEWERS_MAX, CROWD + 1 - VIEWERS_MAX));
    let full = until("it is not ready", SOON, async || Some(fanout.readiness().await).filter(|(ready, _)| !ready));
    assert!(full.await.1.contains("full: 2000 viewers are all that --viewers-max allows"));

    admitted.truncate(VIEWERS_MAX * 9 / 10);
    until("it is ready again", SOON, async || fanout.readiness().await.0.then_some(())).await;
    world.viewer(&fanout, ROOM).await;
    let metrics = fanout.metrics().await;
    assert_eq!(metrics.sum("danmaku_fanout_full_total"), refused as f64);
    assert_eq!(inside.seen().closed, None);
}
