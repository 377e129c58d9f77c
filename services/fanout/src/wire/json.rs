//! Server WebSocket frames: header and payload in one contiguous buffer, so that a viewer costs one `send`.

use bytes::Bytes;
use proto::frame::json_batch_into;

/// The longest header of an unmasked frame; payloads are appended behind room for it and the unused front is cut off.
const HEADER_BYTES_MAX: usize = 10;

const FIN_TEXT: u8 = 0x81;
const FIN_CLOSE: u8 = 0x88;
const FIN_PONG: u8 = 0x8a;

/// A whole frame and where its payload begins.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) bytes: Bytes,
    header_len: usize,
}

impl Encoded {
    /// The payload alone.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.bytes[self.header_len..]
    }
}

/// A text frame of what `fill` appends.
pub(crate) fn framed(fill: impl FnOnce(&mut Vec<u8>)) -> Encoded {
    let mut buffer = Vec::with_capacity(512);
    buffer.extend_from_slice(&[0; HEADER_BYTES_MAX]);
    fill(&mut buffer);
    finish(buffer)
}

/// A batch of messages that were encoded before.
pub(crate) fn batch<'a>(cursor: &str, replay: bool, messages: impl Iterator<Item = &'a [u8]>) -> Encoded {
    framed(|payload| json_batch_into(payload, cursor, replay, messages))
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

fn finish(mut buffer: Vec<u8>) -> Encoded {
    let (header, header_len) = header(buffer.len() - HEADER_BYTES_MAX);
    let start = HEADER_BYTES_MAX - header_len;
    buffer[start..HEADER_BYTES_MAX].copy_from_slice(&header[..header_len]);
    // Kept for seconds by many, so what growing left over is given back first.
    buffer.shrink_to_fit();
    Encoded { bytes: Bytes::from(buffer).slice(start..), header_len }
}

/// The header of a text frame and how much of it counts (RFC 6455 §5.2).
fn header(len: usize) -> ([u8; HEADER_BYTES_MAX], usize) {
    let mut header = [0; HEADER_BYTES_MAX];
    header[0] = FIN_TEXT;
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
            let encoded = framed(|payload| payload.resize(payload.len() + len, b'x'));
            assert_eq!(&encoded.bytes[..header.len()], header, "{len}");
            assert_eq!(encoded.payload().len(), len);
            assert!(encoded.payload().iter().all(|&byte| byte == b'x'));
        }
    }

    #[test]
    fn a_batch_is_the_one_of_proto() {
        let messages: [&[u8]; 2] = [b"{\"a\":1}", b"{\"b\":2}"];
        let encoded = batch("1-2-3-4", true, messages.into_iter());
        assert_eq!(encoded.payload(), proto::frame::json_batch("1-2-3-4", true, messages));
    }

    #[test]
    fn control_frames() {
        assert_eq!(&close(4001, "slow")[..], b"\x88\x06\x0f\xa1slow");
        assert_eq!(&close_bare()[..], b"\x88\x00");
        assert_eq!(&pong(b"ab")[..], b"\x8a\x02ab");
    }
}
