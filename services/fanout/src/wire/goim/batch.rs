//! Many messages for many viewers: packets, compressed or not, in binary frames that lie one behind the other in one buffer.
//!
//! Every frame holds one packet, because some clients read only the first.

use std::io::Write as _;

use bytes::{BufMut as _, Bytes};

use super::{
    Version,
    packet::{HEADER_BYTES, Op, put_header},
};

const FIN_BINARY: u8 = 0x82;

/// Packet version of JSON as it stands.
const PLAIN: u16 = 0;
/// Packet version of what is no message.
const CONTROL: u16 = 1;
const ZLIB: u16 = 2;
const BROTLI: u16 = 3;

/// Frames, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Frames(Vec<u8>);

impl Frames {
    /// One frame of one packet that is no message.
    pub(super) fn of(op: Op, body: &[u8]) -> Bytes {
        let mut frames = Self::default();
        frames.add(CONTROL, op, body);
        frames.0.into()
    }

    fn add(&mut self, version: u16, op: Op, body: &[u8]) {
        let (out, len) = (&mut self.0, HEADER_BYTES + body.len());
        out.put_u8(FIN_BINARY);
        // The shortest of three forms (RFC 6455 §5.2).
        match len {
            0..126 => out.put_u8(len as u8),
            126..=0xffff => {
                out.put_u8(126);
                out.put_u16(len as u16);
            }
            _ => {
                out.put_u8(127);
                out.put_u64(len as u64);
            }
        }
        put_header(out, body.len(), version, op);
        out.extend_from_slice(body);
    }
}

/// The frames of messages that were encoded before. One alone stays as it is, whoever asked for what: its kilobyte
/// goes into one network packet either way.
pub(crate) fn frames<'a>(version: Version, bodies: impl Iterator<Item = &'a [u8]> + Clone) -> Bytes {
    let mut frames = Frames::default();
    let is_many = bodies.clone().nth(1).is_some();
    match (version, is_many) {
        (Version::Zlib, true) => frames.add(ZLIB, Op::Message, &zlib(&packets(bodies))),
        (Version::Brotli, true) => frames.add(BROTLI, Op::Message, &brotli(&packets(bodies))),
        _ => bodies.for_each(|body| frames.add(PLAIN, Op::Message, body)),
    }
    // Kept for seconds by many, so what growing left over is given back first.
    frames.0.shrink_to_fit();
    frames.0.into()
}

/// Whole packets, one behind the other: what a compressed packet holds.
fn packets<'a>(bodies: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut packets = Vec::with_capacity(16 * 1024);
    for body in bodies {
        put_header(&mut packets, body.len(), PLAIN, Op::Message);
        packets.extend_from_slice(body);
    }
    packets
}

/// Fifty messages (45 KB) become 4.0 KB in 150 µs at level 3; level 1 makes 5.5 KB in 75 µs, level 6 makes 3.8 KB in 300 µs.
fn zlib(packets: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(3));
    // Writing to memory does not fail.
    let _ = encoder.write_all(packets);
    encoder.finish().unwrap_or_default()
}

/// The same fifty become 4.0 KB in 120 µs at quality 1; quality 4 makes 3.8 KB in 300 µs, quality 5 makes 3.5 KB in 700 µs.
/// A window of 256 KiB holds any batch.
fn brotli(packets: &[u8]) -> Vec<u8> {
    const BUFFER_BYTES: usize = 4096;
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), BUFFER_BYTES, 1, 18);
    // Writing to memory does not fail.
    let _ = encoder.write_all(packets);
    encoder.into_inner()
}
