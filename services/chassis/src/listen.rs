//! A service's door: binding, accepting, serving HTTP/1, and closing it in an orderly way.
//! Kept out: what is said inside (the service), and a WebSocket once it is upgraded, which its taker owns.

mod accept;
mod bind;
mod ended;
mod pace;
mod places;
mod stall;
mod tls;
mod turn_away;

pub use bind::{Error, bind, bind_with};
pub use places::Place;
pub use tls::{Error as TlsError, Tls};

use std::future::Future;
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::descriptors;
use crate::http::Response;
use crate::shutdown::Shutdown;

/// What one listener allows its clients.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For a request's headers to be complete; also how long a connection may be idle between two requests.
    pub header_timeout: Duration,
    /// For a request's headers; above it the answer is 431. Hyper wants 8 KiB at least.
    pub header_bytes_max: usize,
    /// For a client to take something of an answer that is ready; one that takes nothing for so long is closed.
    pub stall_max: Duration,
    /// Connections at a time, upgraded ones too until their [`Place`] is dropped; the next is told 503 unparsed.
    pub connections_max: usize,
    /// New connections a second, and as many at once; who is faster waits in the backlog. 0 is as fast as they come.
    pub accepts_per_second: u32,
    /// For the requests in hand to finish after shutdown; then their connections are dropped.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(5),
            header_bytes_max: 16 * 1024,
            // A short tunnel is no reason; below the 30 s of a drain, which nobody may hold up.
            stall_max: Duration::from_secs(15),
            // An idle connection takes 6 KiB, and 16 KiB more only while headers come in slowly.
            connections_max: descriptors::for_clients(),
            accepts_per_second: 0,
            drain: Duration::from_secs(30),
        }
    }
}

/// What is listened at, and the TLS that is spoken there, if it is.
#[derive(Debug)]
pub struct Port {
    /// The socket.
    pub listener: TcpListener,
    /// Its certificate.
    pub tls: Option<Tls>,
}

impl Port {
    /// What a connection takes of the process's descriptors.
    pub(crate) fn descriptors_each(&self) -> usize {
        if self.tls.is_some() { tls::DESCRIPTORS } else { 1 }
    }
}

impl From<TcpListener> for Port {
    fn from(listener: TcpListener) -> Self {
        Self { listener, tls: None }
    }
}

/// Serves `port` until shutdown is requested, then lets the requests in hand finish within `limits.drain`.
///
/// `service` is called with each request and the peer it came from. Every connection's task is owned here: when the
/// returned future ends or is dropped, they have ended or are stopped.
pub async fn serve<S, F>(port: impl Into<Port>, shutdown: Shutdown, limits: Limits, service: S)
where
    S: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    accept::run(port.into(), shutdown, limits, service).await;
}

/// The socket of a connection that [`serve`] accepted and that was upgraded, its place, and what its client has sent already.
///
/// `None` for a connection from elsewhere.
#[must_use]
pub fn taken(upgraded: Upgraded) -> Option<(TcpStream, Place, Bytes)> {
    let parts = upgraded.downcast::<TokioIo<stall::Stalling>>().ok()?;
    let (stream, place) = parts.io.into_inner().into_parts();
    Some((stream, place, parts.read_buf))
}

/// Tells whoever started the program that it is ready and where: one line of JSON, the only one on stdout.
///
/// `public` is `None` for a service without a public port.
pub fn announce(public: Option<SocketAddr>, admin: SocketAddr) {
    // Written rather than printed: whoever started us may have closed its end, and that is no reason to die.
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{}", ready_line(public, admin)).and_then(|()| stdout.flush());
}

fn ready_line(public: Option<SocketAddr>, admin: SocketAddr) -> String {
    let public = public.map(|address| format!(r#""public":"{address}","#)).unwrap_or_default();
    format!(r#"{{"ready":true,{public}"admin":"{admin}"}}"#)
}

#[cfg(test)]
mod tests {
    use super::ready_line;

    #[test]
    fn the_ready_line_names_the_ports_there_are() {
        let (public, admin) = ("127.0.0.1:8080".parse().unwrap(), "[::1]:9090".parse().unwrap());
        let line = ready_line(Some(public), admin);
        assert_eq!(line, r#"{"ready":true,"public":"127.0.0.1:8080","admin":"[::1]:9090"}"#);
        assert_eq!(ready_line(None, admin), r#"{"ready":true,"admin":"[::1]:9090"}"#);
    }
}
