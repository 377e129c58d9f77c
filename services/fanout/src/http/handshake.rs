//! What the headers of a handshake say. Pure: headers in, values out.

use chassis::http::query;
use hyper::{
    HeaderMap, Version,
    header::{
        ACCEPT, AUTHORIZATION, AsHeaderName, CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
        SEC_WEBSOCKET_VERSION, UPGRADE,
    },
};
use proto::frame::{PROTOCOL_BEARER, PROTOCOL_JSON, PROTOCOL_PROTO};

use crate::resume::Since;

/// What somebody wants to be spoken to by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// A WebSocket, and the first of the subprotocols asked for that is spoken here; without one it is JSON.
    WebSocket(Option<Protocol>),
    /// An event stream.
    Events,
}

/// A subprotocol that is spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// `danmaku.v1.json`.
    Json,
    /// `danmaku.v1.proto`.
    Proto,
}

impl Protocol {
    /// As it is named in the answer.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => PROTOCOL_JSON,
            Self::Proto => PROTOCOL_PROTO,
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Json, Self::Proto].into_iter().find(|protocol| protocol.name() == name)
    }
}

/// Why a handshake is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Bad {
    /// An ordinary GET.
    #[error("open this as a WebSocket, or with Accept: text/event-stream")]
    Neither,
    /// Another version than the only one there is.
    #[error("the only WebSocket version is 13")]
    Version,
    /// `Upgrade` in HTTP/1.0, which has none.
    #[error("a WebSocket needs HTTP/1.1")]
    Http,
    /// Missing, or not 16 bytes of base64.
    #[error("Sec-WebSocket-Key must be 16 bytes in base64")]
    Key,
    /// `Upgrade` without `Connection: upgrade`.
    #[error("an upgrade needs Connection: upgrade")]
    Connection,
    /// Subprotocols, and none of ours.
    #[error("the subprotocols spoken here are danmaku.v1.json and danmaku.v1.proto")]
    Protocol,
}

/// A token in the headers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// There is none.
    None,
    /// `Authorization`, or the subprotocol that carries one.
    Bearer(&'a str),
    /// An `Authorization` of another kind.
    Unreadable,
}

/// What the headers ask for.
pub(super) fn asked(version: Version, headers: &HeaderMap) -> Result<Asked, Bad> {
    if !lists(headers, UPGRADE, "websocket") {
        return if accepts_events(headers) { Ok(Asked::Events) } else { Err(Bad::Neither) };
    }
    if version < Version::HTTP_11 {
        return Err(Bad::Http);
    }
    if !lists(headers, CONNECTION, "upgrade") {
        return Err(Bad::Connection);
    }
    if one(headers, SEC_WEBSOCKET_VERSION) != Some("13") {
        return Err(Bad::Version);
    }
    if !one(headers, SEC_WEBSOCKET_KEY).is_some_and(is_key) {
        return Err(Bad::Key);
    }
    // A client that only brings a token in it speaks the default.
    let mut protocols = listed(headers, SEC_WEBSOCKET_PROTOCOL).filter(|name| !name.starts_with(PROTOCOL_BEARER));
    let mut asked = protocols.by_ref().peekable();
    if asked.peek().is_none() {
        return Ok(Asked::WebSocket(None));
    }
    asked.find_map(Protocol::named).map(|protocol| Asked::WebSocket(Some(protocol))).ok_or(Bad::Protocol)
}

/// The token in the headers: `Authorization: Bearer`, else the subprotocol `bearer.<jwt>`, which is all that a browser can
/// send.
pub(super) fn token(headers: &HeaderMap) -> Token<'_> {
    if headers.contains_key(AUTHORIZATION) {
        let bearer = one(headers, AUTHORIZATION).and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        return bearer.filter(|token| !token.is_empty()).map_or(Token::Unreadable, Token::Bearer);
    }
    let brought = listed(headers, SEC_WEBSOCKET_PROTOCOL).find_map(|name| name.strip_prefix(PROTOCOL_BEARER));
    brought.map_or(Token::None, Token::Bearer)
}

/// From where the viewer goes on: `?since=`, else the header that an event stream's client sends by itself.
pub(super) fn since(raw_query: Option<&str>, headers: &HeaderMap) -> Since {
    let asked = raw_query.map(|raw| {
        let pairs = query(raw)?;
        Some(pairs.into_iter().find(|(name, _)| name == "since").map(|(_, value)| value))
    });
    let text = match asked {
        // A query that cannot be read may have held a cursor.
        Some(None) => return Since::Unreadable,
        Some(Some(Some(value))) => Some(value),
        None | Some(Some(None)) => one(headers, "last-event-id").map(str::to_owned),
    };
    match text.as_deref() {
        None | Some("") => Since::Now,
        Some(text) => text.parse().map_or(Since::Unreadable, Since::Cursor),
    }
}

/// 16 bytes make 22 characters of base64 and two of padding; the last character carries 2 bits.
fn is_key(key: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let Some(digits) = key.strip_suffix("==") else { return false };
    digits.len() == 22 && digits.bytes().all(is_base64) && digits.ends_with(['A', 'Q', 'g', 'w'])
}

fn accepts_events(headers: &HeaderMap) -> bool {
    listed(headers, ACCEPT).any(|range| {
        let kind = range.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("text/event-stream")
    })
}

/// A header that may stand there once.
fn one(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then(|| value.trim())
}

/// The members of a comma list, over all header lines.
fn listed(headers: &HeaderMap, name: impl AsHeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|member| !member.is_empty())
}

fn lists(headers: &HeaderMap, name: impl AsHeaderName, member: &str) -> bool {
    listed(headers, name).any(|found| found.eq_ignore_ascii_case(member))
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};
    use proto::Cursor;

    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let line =
            |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
        let mut headers = HeaderMap::new();
        for (name, value) in lines.iter().map(line) {
            headers.append(name, value);
        }
        headers
    }

    /// A good handshake, with `changed` instead of or besides its headers; an empty value takes one away.
    fn changed(changed: &[(&'static str, &'static str)]) -> HeaderMap {
        let good = [
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", KEY),
        ];
        let kept = good.iter().filter(|(name, _)| changed.iter().all(|(other, _)| name != other));
        let lines: Vec<_> = kept.chain(changed.iter().filter(|(_, value)| !value.is_empty())).copied().collect();
        headers(&lines)
    }

    #[test]
    fn websockets() {
        let table = [
            (changed(&[]), Ok(Asked::WebSocket(None))),
            (changed(&[("sec-websocket-version", "12")]), Err(Bad::Version)),
            (changed(&[("sec-websocket-version", "")]), Err(Bad::Version)),
            (changed(&[("sec-websocket-key", "")]), Err(Bad::Key)),
            (changed(&[("sec-websocket-key", "short")]), Err(Bad::Key)),
            (changed(&[("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZ!==")]), Err(Bad::Key)),
            (changed(&[("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZZ==")]), Err(Bad::Key)),
            (changed(&[("connection", "close")]), Err(Bad::Connection)),
            (changed(&[("sec-websocket-protocol", "danmaku.v1.json")]), Ok(Asked::WebSocket(Some(Protocol::Json)))),
            (changed(&[("sec-websocket-protocol", "bearer.x.y.z")]), Ok(Asked::WebSocket(None))),
            (
                changed(&[("sec-websocket-protocol", "a, danmaku.v1.proto, danmaku.v1.json")]),
                Ok(Asked::WebSocket(Some(Protocol::Proto))),
            ),
            (changed(&[("sec-websocket-protocol", "chat")]), Err(Bad::Protocol)),
            (headers(&[("upgrade", "h2c"), ("connection", "upgrade")]), Err(Bad::Neither)),
        ];
        for (headers, expected) in table {
            assert_eq!(asked(Version::HTTP_11, &headers), expected, "{headers:?}");
        }
        assert_eq!(asked(Version::HTTP_10, &changed(&[])), Err(Bad::Http));
    }

    #[test]
    fn event_streams() {
        assert_eq!(
            asked(Version::HTTP_10, &headers(&[("accept", "text/html, text/event-stream;q=0.9")])),
            Ok(Asked::Events)
        );
        assert_eq!(asked(Version::HTTP_10, &headers(&[("accept", "*/*")])), Err(Bad::Neither));
        assert_eq!(asked(Version::HTTP_10, &headers(&[])), Err(Bad::Neither));
    }

    #[test]
    fn tokens() {
        let table = [
            (&[][..], Token::None),
            (&[("authorization", "Bearer a.b.c")], Token::Bearer("a.b.c")),
            (&[("authorization", "bearer  a.b.c ")], Token::Bearer("a.b.c")),
            (&[("authorization", "Basic eDp5")], Token::Unreadable),
            (&[("authorization", "Bearer ")], Token::Unreadable),
            (&[("sec-websocket-protocol", "danmaku.v1.json, bearer.a.b.c")], Token::Bearer("a.b.c")),
            (&[("authorization", "Bearer a"), ("sec-websocket-protocol", "bearer.b")], Token::Bearer("a")),
        ];
        for (lines, expected) in table {
            assert_eq!(token(&headers(lines)), expected, "{lines:?}");
        }
    }

    #[test]
    fn cursors() {
        let cursor = Since::Cursor(Cursor { generation: 1, partition: 2, src_next: 3, next: 4 });
        let last = headers(&[("last-event-id", "1-2-3-4")]);
        let table = [
            (None, Since::Now),
            (Some(""), Since::Now),
            (Some("since="), Since::Now),
            (Some("a=b&since=1-2-3-4"), cursor),
            (Some("since=nonsense"), Since::Unreadable),
            (Some("since=%zz"), Since::Unreadable),
        ];
        for (raw, expected) in table {
            assert_eq!(since(raw, &headers(&[])), expected, "{raw:?}");
        }
        assert_eq!(since(Some("a=b"), &last), cursor);
        assert_eq!(
            since(Some("since=1-2-3-5"), &last),
            Since::Cursor(Cursor { generation: 1, partition: 2, src_next: 3, next: 5 })
        );
    }
}
