//! The accept loop and the life of one HTTP connection.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::{Duration, Instant};

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinError, JoinSet};

use super::{Limits, ended, stall::Stalling};
use crate::http::Response;
use crate::shutdown::{self, Shutdown};

/// Out of descriptors or memory, accepting again at once would only spin; somebody else's close is what helps.
const STARVED_PAUSE: Duration = Duration::from_millis(100);
/// A crowd at the limit finds a free descriptor and loses it again many times a second; the log hears of it once in a while.
const STARVED_SAID_EACH: Duration = Duration::from_secs(60);

pub(super) async fn run<S, F>(listener: TcpListener, shutdown: Shutdown, limits: Limits, service: S)
where
    S: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    ended::describe();
    let mut connections = JoinSet::new();
    let mut said = None;
    loop {
        tokio::select! {
            () = shutdown.requested() => break,
            Some(ended) = connections.join_next() => note_panic(ended),
            accepted = listener.accept(), if connections.len() < limits.connections_max => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(connection(stream, peer, limits.clone(), shutdown.clone(), service.clone()));
                }
                Err(error) => pause_if_starved(&error, &mut said).await,
            }
        }
    }
    drop(listener);
    leave(connections, limits.drain).await;
}

/// When accepting fails for want of something, pauses, and says so unless it lately did.
async fn pause_if_starved(error: &io::Error, said: &mut Option<Instant>) {
    if !is_starved(error) {
        // One connection died before it was accepted; the next is as good as any.
        tracing::debug!(%error, "connection lost before it was accepted");
        return;
    }
    ended::starved();
    if said.is_none_or(|said| said.elapsed() >= STARVED_SAID_EACH) {
        *said = Some(Instant::now());
        tracing::warn!(%error, "cannot accept connections; raise the limit of open files");
    }
    tokio::time::sleep(STARVED_PAUSE).await;
}

async fn leave(mut connections: JoinSet<()>, deadline: Duration) {
    shutdown::drain("connections", deadline, async {
        while let Some(ended) = connections.join_next().await {
            note_panic(ended);
        }
    })
    .await;
    connections.shutdown().await;
}

async fn connection<S, F>(stream: TcpStream, peer: SocketAddr, limits: Limits, shutdown: Shutdown, service: S)
where
    S: Fn(Request<Incoming>, SocketAddr) -> F + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    // Answers are small and written whole: holding one back for more to come only delays it.
    let _ = stream.set_nodelay(true);
    let serving = http1::Builder::new()
        .timer(TokioTimer::new()) // Without it hyper's header timeout does nothing.
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.header_bytes_max)
        .serve_connection(
            TokioIo::new(Stalling::new(stream, limits.stall_max)),
            service_fn(|request| answer(service(request, peer))),
        )
        .with_upgrades();
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = shutdown.requested() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        ended::early(&error);
        tracing::debug!(%peer, %error, "connection ended early");
    }
}

async fn answer(answering: impl Future<Output = Response>) -> Result<Response, Infallible> {
    Ok(answering.await)
}

/// A panic costs its own connection only, and an operator must see it.
fn note_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection's task failed");
    }
}

/// The process or the machine is out of something, as opposed to this one connection having failed.
fn is_starved(error: &io::Error) -> bool {
    // As numbered on Linux: ENFILE, EMFILE, ENOMEM, ENOBUFS.
    matches!(error.raw_os_error(), Some(23 | 24 | 12 | 105))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lack_of_something_makes_the_loop_pause() {
        for (errno, starved) in [(24, true), (23, true), (12, true), (105, true), (103, false), (104, false)] {
            assert_eq!(is_starved(&io::Error::from_raw_os_error(errno)), starved, "{errno}");
        }
    }
}
