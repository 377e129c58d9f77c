//! Between a client's TLS and whoever serves him: bytes both ways until one side ends. Handshakes are kept out.
//!
//! It holds back: at most a chunk is under way each way, and who writes faster than the other side takes fills his own send
//! buffer.

use std::{
    future::Future,
    io::{self, ErrorKind},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split},
    net::{
        TcpStream, UnixStream,
        unix::{ReadHalf, WriteHalf},
    },
    time::timeout,
};
use tokio_rustls::server::TlsStream;

/// To a client: the largest record of TLS, which costs 22 B and a `send` whatever it carries. There only while it is written.
const OUTWARD: usize = 16 * 1024;

/// From a client, who says little: a ping has 40 B, a message of his own 4 KiB at most. There as long as he is.
const INWARD: usize = 1024;

/// How long what a client still says is read after our last word: left unread it would make a reset of the close, and the
/// reset may overtake that word.
const LINGER: Duration = Duration::from_secs(1);

/// Pipes until either side has ended. A client who takes less than a chunk in `stall_max` is let go.
pub(super) async fn run(client: TlsStream<TcpStream>, mut inside: UnixStream, stall_max: Duration) {
    let (mut from_client, mut to_client) = split(client);
    let (from_inside, to_inside) = inside.split();
    let said = {
        let mut outward = std::pin::pin!(outward(from_inside, &mut to_client, stall_max));
        tokio::select! {
            said = outward.as_mut() => said,
            // He has ended; whoever serves him hears of it, and what that one still says goes out.
            _ = inward(&mut from_client, to_inside) => outward.await,
        }
    };
    if said.is_ok() {
        let _ = timeout(LINGER, tokio::io::copy(&mut from_client, &mut tokio::io::sink())).await;
    }
}

/// What is said to the client, to its end and his.
async fn outward(inside: ReadHalf<'_>, client: &mut (impl AsyncWrite + Unpin), stall_max: Duration) -> io::Result<()> {
    loop {
        inside.readable().await?;
        let mut chunk = Vec::with_capacity(OUTWARD);
        match inside.try_read_buf(&mut chunk) {
            // An error is an end too: it says that the other end was closed before all was read there.
            Ok(0) => return in_time(stall_max, client.shutdown()).await,
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            Err(_) => return in_time(stall_max, client.shutdown()).await,
            Ok(_) => {}
        }
        in_time(stall_max, async {
            client.write_all(&chunk).await?;
            client.flush().await
        })
        .await?;
    }
}

/// What the client says, to his end.
async fn inward(client: &mut (impl AsyncRead + Unpin), mut inside: WriteHalf<'_>) -> io::Result<()> {
    let mut chunk = [0; INWARD];
    loop {
        // A broken connection is an end too.
        let count = client.read(&mut chunk).await.unwrap_or_default();
        if count == 0 {
            return inside.shutdown().await;
        }
        inside.write_all(&chunk[..count]).await?;
    }
}

async fn in_time(wait: Duration, work: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    timeout(wait, work).await?
}
