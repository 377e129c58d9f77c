//! Server-sent events of the same objects: `event:` is the type, `id:` the cursor, `data:` the JSON.

use bytes::Bytes;
use proto::close::Close;

/// Says that the line is alive; clients pass it over.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// One event. An empty `id` is left out, so that the client keeps the last one.
pub(crate) fn event(name: &str, id: &str, payload: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(payload.len() + name.len() + id.len() + 32);
    event.extend_from_slice(b"event: ");
    event.extend_from_slice(name.as_bytes());
    if !id.is_empty() {
        event.extend_from_slice(b"\nid: ");
        event.extend_from_slice(id.as_bytes());
    }
    // A platform's own `data` may be JSON with line breaks in it; each line is a `data:` of its own, which the client joins.
    for line in payload.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.is_empty()) {
        event.extend_from_slice(b"\ndata: ");
        event.extend_from_slice(line);
    }
    event.extend_from_slice(b"\n\n");
    event.into()
}

/// What is said before the stream ends, with the code that a WebSocket would be closed with.
pub(crate) fn close(close: Close) -> Bytes {
    let payload = format!(r#"{{"type":"close","code":{},"reason":"{}"}}"#, close.code(), close.word());
    event("close", "", payload.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events() {
        let expected = "event: batch\nid: 1-2-3-4\ndata: {\"type\":\"batch\"}\n\n";
        assert_eq!(event("batch", "1-2-3-4", br#"{"type":"batch"}"#), expected);
        assert_eq!(event("mode", "", b"{\r\n\"a\":\n1}"), "event: mode\ndata: {\ndata: \"a\":\ndata: 1}\n\n");
        let said = "event: close\ndata: {\"type\":\"close\",\"code\":1012,\"reason\":\"restarting\"}\n\n";
        assert_eq!(close(Close::Restarting), said);
    }
}
