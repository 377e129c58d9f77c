//! Turns an address from the settings into a listening socket, or into an error that names the setting.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, TcpKeepalive, Type};
use tokio::net::TcpListener;

/// A wave of viewers after a restart must not meet a full queue; the kernel caps it at `net.core.somaxconn`.
const BACKLOG: i32 = 4096;

/// A client that vanished without a word is noticed after 30 s and three questions, which no proxy in between answers for it;
/// the kernel's own 2 hours would keep its memory for as long. Accepted connections inherit it.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(30)).with_interval(Duration::from_secs(10)).with_retries(3);

/// Why nobody can be listened to at an address.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Somebody else listens there.
    #[error("{setting} {address}: the port is in use; stop what uses it, or give another (port 0 takes any free one)")]
    InUse {
        /// The flag the address came from.
        setting: String,
        /// The address.
        address: SocketAddr,
    },
    /// The address belongs to another machine.
    #[error("{setting} {address}: this machine has no such address; give one of its own, or 0.0.0.0 for all")]
    NotOurs {
        /// The flag the address came from.
        setting: String,
        /// The address.
        address: SocketAddr,
    },
    /// Ports below 1024 want a privilege.
    #[error("{setting} {address}: not permitted; give a port above 1023, or grant CAP_NET_BIND_SERVICE")]
    NotPermitted {
        /// The flag the address came from.
        setting: String,
        /// The address.
        address: SocketAddr,
    },
    /// Anything else.
    #[error("{setting} {address}: cannot listen there")]
    Other {
        /// The flag the address came from.
        setting: String,
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Listens at `address`; `setting` is the flag it came from, such as `--listen`.
///
/// # Errors
/// When the address cannot be had; the text names the setting and the remedy.
pub fn bind(address: SocketAddr, setting: &str) -> Result<TcpListener, Error> {
    bind_with(address, setting, None)
}

/// As [`bind`], every accepted connection inheriting a send buffer of so many bytes (the kernel doubles it).
///
/// # Errors
/// As [`bind`].
pub fn bind_with(address: SocketAddr, setting: &str, send_buffer_bytes: Option<usize>) -> Result<TcpListener, Error> {
    open(address, send_buffer_bytes).map_err(|source| {
        let setting = setting.to_owned();
        match source.kind() {
            io::ErrorKind::AddrInUse => Error::InUse { setting, address },
            io::ErrorKind::AddrNotAvailable => Error::NotOurs { setting, address },
            io::ErrorKind::PermissionDenied => Error::NotPermitted { setting, address },
            _ => Error::Other { setting, address, source },
        }
    })
}

fn open(address: SocketAddr, send_buffer_bytes: Option<usize>) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for old connections in TIME_WAIT; on Linux this never shares a port with a listener.
    socket.set_reuse_address(true)?;
    if let Some(bytes) = send_buffer_bytes {
        socket.set_send_buffer_size(bytes)?;
    }
    socket.set_tcp_keepalive(&KEEPALIVE)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}
