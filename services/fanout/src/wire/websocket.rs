//! Server WebSocket frames: header and payload in one contiguous buffer, so that a viewer costs one `send`.

use bytes::Bytes;

/// The longest header of an unmasked frame; payloads are appended behind room for it and the unused front is cut off.
const HEADER_BYTES_MAX: usize = 10;

/// The first byte of a whole message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// UTF-8.
    Text = 0x81,
    /// Anything.
    Binary = 0x82,
}

const FIN_CLOSE: u8 = 0x88;
const FIN_PONG: u8 = 0x8a;

/// A frame of what `fill` appends.
pub(crate) fn framed(kind: Kind, fill: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut buffer = Vec::with_capacity(512);
    buffer.extend_from_slice(&[0; HEADER_BYTES_MAX]);
    fill(&mut buffer);
    let (header, header_len) = header(kind, buffer.len() - HEADER_BYTES_MAX);
    let start = HEADER_BYTES_MAX - header_len;
    buffer[start..HEADER_BYTES_MAX].copy_from_slice(&header[..header_len]);
    // Kept for seconds by many, so what growing left over is given back first.
    buffer.shrink_to_fit();
    Bytes::from(buffer).slice(start..)
}

/// A close frame; `reason` has at most 123 bytes, which `proto::close` tests.
pub(crate) fn close(code: u16, reason: &str) -> Bytes {
    let payload: Vec<u8> = code.to_be_bytes().into_iter().chain(reason.bytes().take(123)).collect();
    control(FIN_CLOSE, &payload)
}

/// A close frame without a code, the answer to one.
pub(crate) fn close_bare() -> Bytes {
    control(FIN_CLOSE, &[])
}

/// The answer to a ping, which repeats its at most 125 bytes.
pub(crate) fn pong(payload: &[u8]) -> Bytes {
    control(FIN_PONG, payload)
}

fn control(first: u8, payload: &[u8]) -> Bytes {
    let mut frame = Vec::with_capacity(2 + payload.len());
    // A control frame's payload has at most 125 bytes, so its length is the byte itself.
    frame.extend_from_slice(&[first, payload.len() as u8]);
    frame.extend_from_slice(payload);
    frame.into()
}

/// The header of a frame and how much of it counts (RFC 6455 §5.2).
fn header(kind: Kind, len: usize) -> ([u8; HEADER_BYTES_MAX], usize) {
    let mut header = [0; HEADER_BYTES_MAX];
    header[0] = kind as u8;
    match len {
        0..126 => {
            header[1] = len as u8;
            (header, 2)
        }
        126..=0xffff => {
            header[1] = 126;
            header[2..4].copy_from_slice(&(len as u16).to_be_bytes());
            (header, 4)
        }
        _ => {
            header[1] = 127;
            header[2..10].copy_from_slice(&(len as u64).to_be_bytes());
            (header, 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_the_shortest_and_stands_right_before_the_payload() {
        for (len, header) in [
            (0, &[0x81, 0][..]),
            (125, &[0x81, 125]),
            (126, &[0x81, 126, 0, 126]),
            (65_535, &[0x81, 126, 0xff, 0xff]),
            (65_536, &[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let frame = framed(Kind::Text, |payload| payload.resize(payload.len() + len, b'x'));
            let (head, payload) = frame.split_at(header.len());
            assert_eq!((head, payload.len()), (header, len));
            assert!(payload.iter().all(|&byte| byte == b'x'));
        }
        assert_eq!(&framed(Kind::Binary, |payload| payload.push(7))[..], [0x82, 1, 7]);
    }

    #[test]
    fn control_frames() {
        assert_eq!(&close(4001, "slow")[..], b"\x88\x06\x0f\xa1slow");
        assert_eq!(&close_bare()[..], b"\x88\x00");
        assert_eq!(&pong(b"ab")[..], b"\x8a\x02ab");
    }
}
