//! Where a Redis is, and as whom to go there. It shows itself without the password.

use std::{fmt, time::Duration};

use ::redis::{
    Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, ProtocolVersion, RedisResult, io::tcp::TcpSettings,
};
use socket2::TcpKeepalive;

/// Silence on the line after which the system asks whether anybody is there; ours asks each 2 s besides.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// A Redis server and the account on it.
#[derive(Clone)]
pub struct Address(ConnectionInfo);

/// Reads a URL.
///
/// # Errors
/// Says what one looks like.
pub fn address(text: &str) -> Result<Address, String> {
    let like = "a Redis is named like redis://host:6379/0, or rediss://host:6379/0 over TLS, with user:password@ before the \
                host if it wants one";
    let info = text.into_connection_info().map_err(|_| like.to_owned())?;
    match info.addr() {
        ConnectionAddr::Tcp(..) | ConnectionAddr::TcpTls { insecure: false, .. } => Ok(Address(info)),
        _ => Err(like.into()),
    }
}

impl Address {
    /// The library's own settings are for a cache: no NODELAY, and RESP2, whose subscriptions take the connection away.
    pub(super) fn client(&self) -> RedisResult<Client> {
        let tcp = TcpSettings::default().set_nodelay(true).set_keepalive(TcpKeepalive::new().with_time(KEEPALIVE));
        let account = self.0.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        Client::open(self.0.clone().set_tcp_settings(tcp).set_redis_settings(account))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0.addr(), self.0.redis_settings().db())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("redis://cache:6379/0", Some("cache:6379/0")),
            ("redis://cache", Some("cache:6379/0")),
            ("redis://ann:secret@cache:7000/3", Some("cache:7000/3")),
            ("redis://:secret@127.0.0.1", Some("127.0.0.1:6379/0")),
            ("rediss://ann:secret@cache:6380/1", Some("cache:6380/1")),
            ("rediss://cache#insecure", None),
            ("unix:///run/redis.sock", None),
            ("cache:6379", None),
            ("redis://cache/many", None),
            ("", None),
        ] {
            assert_eq!(address(text).ok().map(|address| address.to_string()).as_deref(), expected, "{text}");
        }
        assert!(!format!("{:?}", address("redis://:secret@cache")).contains("secret"));
    }
}
