//! TLS of the port's own, for a site without a gateway: what clients say is deciphered here, and goes on over a pair of sockets.
//! Kept out: TLS that ends at a gateway, which needs nothing of this, and certificates of clients.
//!
//! Whoever serves the connection gets a socket of the kernel's with plain bytes and does not know the difference. The pair has no
//! address, so no port runs out, nobody else can connect to it, and the client's own address need not be looked up.

mod files;
mod greeting;
mod pipe;

pub use files::Error;

use std::{future::Future, io, net::SocketAddr, os::fd::OwnedFd, path::Path, sync::Arc, time::Duration};

use socket2::SockRef;
use tokio::{
    net::{TcpStream, UnixStream},
    sync::watch,
    task::spawn_blocking,
    time::{sleep, timeout},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, pki_types::UnixTime},
    server::TlsStream,
};
use tokio_util::task::AbortOnDropHandle;

use super::{Limits, ended};
use files::{Looks, Paths, Usable};
use greeting::Greeting;

/// The client's socket, and both ends of the pair.
pub(crate) const DESCRIPTORS: usize = 3;

/// How often the files are looked at.
const LOOK_EACH: Duration = Duration::from_secs(1);

/// A certificate and its key, as they are in their files; ends its looking when it is dropped.
#[derive(Debug)]
pub struct Tls {
    in_force: watch::Receiver<Arc<ServerConfig>>,
    _looking: AbortOnDropHandle<()>,
}

impl Tls {
    /// What these files hold now, and from then on whatever they hold; must be called on a tokio runtime.
    ///
    /// # Errors
    /// When they cannot serve; the text names the setting and the remedy.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, Error> {
        let paths = Paths { certificate: certificate.to_owned(), key: key.to_owned() };
        let content = paths.read()?;
        let (telling, in_force) = watch::channel(noted(paths.judge(&content)?));
        let looking = tokio::spawn(look(paths, Looks::new(content), telling));
        Ok(Self { in_force, _looking: AbortOnDropHandle::new(looking) })
    }

    /// What serves who comes now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.in_force.borrow().clone())
    }
}

/// Looks at the files for ever. What is wrong with them is said once, and what is in force stays.
async fn look(paths: Paths, mut looks: Looks, telling: watch::Sender<Arc<ServerConfig>>) {
    let mut said = String::new();
    loop {
        sleep(LOOK_EACH).await;
        match look_once(&paths, &mut looks).await {
            Ok(None) => {}
            Ok(Some(usable)) => {
                telling.send_replace(noted(usable));
                said.clear();
                tracing::info!("a new certificate serves who comes from now on");
            }
            Err(error) => {
                let error = format!("{error:#}");
                if said != error {
                    tracing::error!(error, "the certificate in force stays");
                    said = error;
                }
            }
        }
    }
}

async fn look_once(paths: &Paths, looks: &mut Looks) -> anyhow::Result<Option<Usable>> {
    let reading = paths.clone();
    let seen = spawn_blocking(move || reading.read()).await??;
    if !looks.is_news(&seen) {
        return Ok(None);
    }
    let usable = paths.judge(&seen)?;
    looks.took(seen);
    Ok(Some(usable))
}

/// Tells operators when it ends.
fn noted(usable: Usable) -> Arc<ServerConfig> {
    let Usable { config, ends } = usable;
    if let Some(ends) = ends {
        ended::certificate_ends(ends.as_secs());
        if ends < UnixTime::now() {
            tracing::warn!("the certificate of --tls-cert has ended, clients will refuse it; renew it");
        }
    }
    config
}

/// The life of one connection: its greeting, the handshake, and then `inside`, to which the pipe leads. Who comes from this
/// machine itself may do without TLS.
pub(super) async fn serve<F>(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    peer: SocketAddr,
    limits: Limits,
    inside: impl FnOnce(TcpStream) -> F,
) where
    F: Future<Output = ()>,
{
    let stream = match greeting::hear(stream, peer, limits.header_timeout).await {
        Greeting::Tls(stream) => stream,
        Greeting::Neighbor(stream) => return inside(stream).await,
        Greeting::Nothing => return ended::early_for("slow_headers"),
        Greeting::Misled => return ended::early_for("not_tls"),
    };
    match handshake(acceptor, stream, limits.header_timeout).await.and_then(|client| Ok((paired(&client)?, client))) {
        Ok(((near, far), client)) => {
            // Boxed, so that what HTTP took is free again while an upgraded connection goes on for hours.
            tokio::join!(Box::pin(inside(far)), pipe::run(client, near, limits.stall_max));
        }
        Err(error) => {
            ended::early_for("tls");
            tracing::debug!(%peer, %error, "no TLS came about");
        }
    }
}

async fn handshake(acceptor: TlsAcceptor, stream: TcpStream, wait: Duration) -> io::Result<TlsStream<TcpStream>> {
    let _ = stream.set_nodelay(true);
    timeout(wait, acceptor.accept(stream)).await?
}

/// A pair of sockets: our end, and the other as a stream like any the port accepts. The kernel's calls are the same for both
/// kinds but for TCP's own options, which the other end refuses. It has the send buffer that the port gave the client's.
fn paired(client: &TlsStream<TcpStream>) -> io::Result<(UnixStream, TcpStream)> {
    let (near, far) = std::os::unix::net::UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    // The kernel tells twice of what it was told.
    let send_buffer = SockRef::from(client.get_ref().0).send_buffer_size()? / 2;
    SockRef::from(&far).set_send_buffer_size(send_buffer)?;
    let far = std::net::TcpStream::from(OwnedFd::from(far));
    Ok((UnixStream::from_std(near)?, TcpStream::from_std(far)?))
}
