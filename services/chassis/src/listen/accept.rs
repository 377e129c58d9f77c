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

use super::{
    Limits, Port, ended,
    pace::Pace,
    places::Places,
    stall::Stalling,
    tls,
    turn_away::{Starving, turn_away, turn_away_now, turn_backlog_away},
};
use crate::http::Response;
use crate::shutdown::{self, Shutdown};

/// Connections above the cap whose request is waited for. Their descriptors are the process's own, of which it keeps 384.
const REFUSALS_MAX: usize = 64;

pub(super) async fn run<S, F>(port: Port, shutdown: Shutdown, limits: Limits, service: S)
where
    S: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    ended::describe();
    let Port { listener, tls } = port;
    let (places, mut starving) = (Places::new(limits.connections_max), Starving::new());
    let refusals = Places::new(REFUSALS_MAX);
    let mut pace = Pace::new(limits.accepts_per_second, Instant::now());
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.requested() => break,
            Some(ended) = connections.join_next() => {
                note_panic(ended);
                continue;
            }
            accepted = next(&listener, &pace) => accepted,
        };
        pace.take(Instant::now());
        match accepted {
            Ok((stream, peer)) => match places.take() {
                Some(place) => {
                    let (limits, shutdown, service) = (limits.clone(), shutdown.clone(), service.clone());
                    let waits = limits.clone();
                    let inside = move |stream| {
                        connection(Stalling::new(stream, limits.stall_max, place), peer, limits, shutdown, service)
                    };
                    match &tls {
                        None => connections.spawn(inside(stream)),
                        Some(tls) => connections.spawn(tls::serve(tls.acceptor(), stream, peer, waits, inside)),
                    };
                }
                None => match refusals.take() {
                    Some(place) => drop(connections.spawn(async move {
                        turn_away(stream).await;
                        drop(place);
                    })),
                    None => turn_away_now(stream),
                },
            },
            Err(error) => starving.meet(&error, &listener).await,
        }
    }
    turn_backlog_away(&listener);
    drop(listener);
    leave(connections, limits.drain).await;
}

/// The next connection, once the pace allows one; until then it waits in the backlog.
async fn next(listener: &TcpListener, pace: &Pace) -> io::Result<(TcpStream, SocketAddr)> {
    let wait = pace.wait(Instant::now());
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
    listener.accept().await
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

async fn connection<S, F>(io: Stalling, peer: SocketAddr, limits: Limits, shutdown: Shutdown, service: S)
where
    S: Fn(Request<Incoming>, SocketAddr) -> F + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    io.send_at_once();
    let serving = http1::Builder::new()
        .timer(TokioTimer::new()) // Without it hyper's header timeout does nothing.
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.header_bytes_max)
        .serve_connection(TokioIo::new(io), service_fn(|request| answer(service(request, peer))))
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
