//! A TCP link that a test can stall, cut and restore. It carries bytes and knows no protocol.

use std::{net::SocketAddr, thread};

use anyhow::Context as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
};

/// How the link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Carries.
    Up,
    /// Connections stay open and nothing arrives any more, as when a cable is pulled.
    Stalled,
    /// Requests arrive and answers do not.
    Deaf,
    /// Answers arrive and requests do not.
    Mute,
    /// Connections are closed, and so are new ones.
    Cut,
}

/// A listening address that leads to another.
pub struct Proxy {
    address: SocketAddr,
    link: watch::Sender<Link>,
    target: watch::Sender<Option<SocketAddr>>,
}

impl Proxy {
    /// Listens on a free port; connections wait until it is known where they lead.
    ///
    /// # Errors
    /// When no port or thread is to be had.
    pub fn listen() -> anyhow::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").context("a port for a proxy")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (link, link_seen) = watch::channel(Link::Up);
        let (target, target_seen) = watch::channel(None);
        // A thread of its own: it has to outlive the runtime of the test that happened to start it.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let serving = move || runtime.block_on(serve(listener, link_seen, target_seen));
        thread::Builder::new().name("proxy".into()).spawn(serving).context("a thread for a proxy")?;
        Ok(Self { address, link, target })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Says where it leads.
    pub fn lead_to(&self, target: SocketAddr) {
        self.target.send_replace(Some(target));
    }

    /// From now on nothing arrives, and nobody is told.
    pub fn stall(&self) {
        self.link.send_replace(Link::Stalled);
    }

    /// From now on requests arrive and their answers do not.
    pub fn deafen(&self) {
        self.link.send_replace(Link::Deaf);
    }

    /// From now on requests do not arrive; answers on the way do.
    pub fn mute(&self) {
        self.link.send_replace(Link::Mute);
    }

    /// Closes all connections and each new one.
    pub fn cut(&self) {
        self.link.send_replace(Link::Cut);
    }

    /// Carries again, what was held back included.
    pub fn restore(&self) {
        self.link.send_replace(Link::Up);
    }
}

/// Ends when the [`Proxy`] is dropped, and all connections with it.
async fn serve(
    listener: std::net::TcpListener,
    mut link: watch::Receiver<Link>,
    target: watch::Receiver<Option<SocketAddr>>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((client, _)) = accepted {
                    tokio::spawn(carry(client, link.clone(), target.clone()));
                }
            }
            changed = link.changed() => {
                if changed.is_err() {
                    return;
                }
            }
        }
    }
}

async fn carry(client: TcpStream, mut link: watch::Receiver<Link>, mut target: watch::Receiver<Option<SocketAddr>>) {
    if !carries(&mut link, Link::Mute).await {
        return;
    }
    let Ok(Some(target)) = target.wait_for(Option::is_some).await.map(|target| *target) else { return };
    let Ok(server) = TcpStream::connect(target).await else { return };
    for stream in [&client, &server] {
        // Kafka's requests are small and waited for.
        let _ = stream.set_nodelay(true);
    }
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // All halves are dropped, and the sockets closed, as soon as one direction has ended.
    tokio::select! {
        () = pump(from_client, to_server, link.clone(), Link::Mute) => {}
        () = pump(from_server, to_client, link.clone(), Link::Deaf) => {}
        () = cut(link) => {}
    }
}

async fn cut(mut link: watch::Receiver<Link>) {
    // An error is the proxy's own end.
    let _ = link.wait_for(|link| *link == Link::Cut).await;
}

/// Carries one direction, which stands still while the link is stalled or `held`.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut link: watch::Receiver<Link>, held: Link) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let Ok(count @ 1..) = from.read(&mut bytes).await else { return };
        if !carries(&mut link, held).await || to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

/// Waits while the link is stalled or `held`; whether it carries then.
async fn carries(link: &mut watch::Receiver<Link>, held: Link) -> bool {
    link.wait_for(|link| *link != Link::Stalled && *link != held).await.is_ok_and(|link| *link != Link::Cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stalled_link_holds_bytes_back_and_a_cut_one_closes() {
        let echo = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::listen().unwrap();
        proxy.lead_to(echo.local_addr().unwrap());
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        let (mut server, _) = echo.accept().await.unwrap();

        client.write_all(b"a").await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'a');

        proxy.stall();
        client.write_all(b"b").await.unwrap();
        proxy.restore();
        assert_eq!(server.read_u8().await.unwrap(), b'b');

        proxy.deafen();
        client.write_all(b"c").await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'c');
        server.write_all(b"d").await.unwrap();
        proxy.mute();
        assert_eq!(client.read_u8().await.unwrap(), b'd', "what was held comes");

        proxy.cut();
        assert!(server.read_u8().await.is_err(), "closed");
        assert!(client.read_u8().await.is_err(), "closed");
    }
}
