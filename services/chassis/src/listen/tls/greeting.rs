//! The first byte of a connection: whether its client speaks TLS, and what becomes of one that does not.

use std::{
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use tokio::{net::TcpStream, time::timeout};

use crate::listen::turn_away;

/// The first byte of every TLS handshake (RFC 8446 §5.1); no method of HTTP begins so.
const HANDSHAKE: u8 = 22;

const MISLED: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    content-type: application/json\r\n\
    content-length: 81\r\n\
    connection: close\r\n\
    \r\n\
    {\"code\":\"malformed\",\"message\":\"this port speaks TLS: ask by https:// or wss://\"}\n";

/// How somebody begins.
pub(super) enum Greeting {
    /// With TLS.
    Tls(TcpStream),
    /// Without, and from this machine itself: nobody else reads along.
    Neighbor(TcpStream),
    /// Without, from elsewhere; he was told.
    Misled,
    /// Not at all, in time.
    Nothing,
}

/// Waits for a client's first byte, and leaves it where it is.
pub(super) async fn hear(stream: TcpStream, peer: SocketAddr, wait: Duration) -> Greeting {
    let mut first = [0];
    match timeout(wait, stream.peek(&mut first)).await {
        Ok(Ok(1)) if first == [HANDSHAKE] => Greeting::Tls(stream),
        Ok(Ok(1)) if is_neighbor(peer.ip(), stream.local_addr().ok().map(|own| own.ip())) => Greeting::Neighbor(stream),
        Ok(Ok(1)) => {
            turn_away::say_now(stream, MISLED);
            Greeting::Misled
        }
        _ => Greeting::Nothing,
    }
}

/// Both ends of the connection are this machine's: the own crowd, an operator's `curl`, a hall that takes sends to its own door.
fn is_neighbor(peer: IpAddr, own: Option<IpAddr>) -> bool {
    peer.to_canonical().is_loopback() || own == Some(peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_as_long_as_it_says() {
        let (head, body) = std::str::from_utf8(MISLED).unwrap().split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).unwrap()["code"], "malformed");
    }

    #[test]
    fn neighbors_come_from_an_address_of_this_machine() {
        let table = [
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.2", "127.0.0.1", true),
            ("::1", "::1", true),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", true),
            ("192.0.2.1", "192.0.2.1", true),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1", true),
            ("192.0.2.2", "192.0.2.1", false),
            ("::ffff:192.0.2.2", "::ffff:192.0.2.1", false),
            ("2001:db8::2", "2001:db8::1", false),
        ];
        for (peer, own, expected) in table {
            assert_eq!(is_neighbor(peer.parse().unwrap(), own.parse().ok()), expected, "{peer} at {own}");
        }
        assert!(!is_neighbor("192.0.2.1".parse().unwrap(), None));
    }
}
