//! A client's WebSocket frames, read from one buffer that all viewers of a shard share: whoever has nothing half read takes
//! no memory here.
//!
//! Pure: bytes in, what was heard out, or the close code that RFC 6455 asks for. What a message says is `hear`'s.

use proto::close::Close;

/// The longest message. A danmaku of 100 characters with its escapes takes 3 KiB at most.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;

const CONTROL_BYTES_MAX: usize = 125;

/// What a client said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard<'a> {
    /// A whole message.
    Text(&'a str),
    /// To be answered with the same bytes.
    Ping(&'a [u8]),
    /// A sign of life.
    Pong,
    /// Goodbye; the code is to be echoed. Nothing after it is read.
    Close(Option<u16>),
}

/// The state between two reads.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The beginning of a frame whose rest has not come.
    stash: Vec<u8>,
    /// The fragments so far of a message; `Some` while one is open.
    message: Option<Vec<u8>>,
    is_closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opcode {
    Continuation,
    Text,
    Close,
    Ping,
    Pong,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    is_final: bool,
    opcode: Opcode,
    mask: [u8; 4],
    /// Where the payload begins.
    start: usize,
    len: usize,
}

impl Reader {
    /// Reads what came, which may hold any part of any number of frames; it is unmasked in place.
    ///
    /// # Errors
    /// How the connection is to be closed. Nothing more may be read then.
    pub(crate) fn read(&mut self, input: &mut [u8], mut hear: impl FnMut(Heard<'_>)) -> Result<(), Close> {
        if self.stash.is_empty() {
            let used = self.frames(input, &mut hear)?;
            self.stash.extend_from_slice(&input[used..]);
            return Ok(());
        }
        // At most one unfinished frame (4 KiB and its header) and one read of the shared buffer.
        let mut whole = std::mem::take(&mut self.stash);
        whole.extend_from_slice(input);
        let used = self.frames(&mut whole, &mut hear)?;
        if used < whole.len() {
            whole.drain(..used);
            self.stash = whole;
        }
        Ok(())
    }

    /// Reads all whole frames and tells how many bytes they took.
    fn frames(&mut self, input: &mut [u8], hear: &mut impl FnMut(Heard<'_>)) -> Result<usize, Close> {
        let mut used = 0;
        while !self.is_closed {
            let Some(header) = self.header(&input[used..])? else { return Ok(used) };
            let Some(frame) = input[used..].get_mut(..header.start + header.len) else { return Ok(used) };
            let payload = &mut frame[header.start..];
            unmask(payload, header.mask);
            used += header.start + header.len;
            self.frame(header, payload, hear)?;
        }
        Ok(input.len())
    }

    /// Judges a header as soon as it is there, before its payload is waited for or stored.
    fn header(&self, bytes: &[u8]) -> Result<Option<Header>, Close> {
        let Some(header) = header(bytes)? else { return Ok(None) };
        let so_far = match (header.opcode, &self.message) {
            (Opcode::Continuation, Some(message)) => message.len(),
            (Opcode::Continuation, None) | (Opcode::Text, Some(_)) => return Err(Close::Protocol),
            _ => 0,
        };
        if so_far + header.len > MESSAGE_BYTES_MAX { Err(Close::TooBig) } else { Ok(Some(header)) }
    }

    fn frame(&mut self, header: Header, payload: &[u8], hear: &mut impl FnMut(Heard<'_>)) -> Result<(), Close> {
        match header.opcode {
            Opcode::Ping => hear(Heard::Ping(payload)),
            Opcode::Pong => hear(Heard::Pong),
            Opcode::Close => {
                self.is_closed = true;
                hear(Heard::Close(close_code(payload)?));
            }
            Opcode::Text if header.is_final => hear(Heard::Text(utf8(payload)?)),
            Opcode::Text => self.message = Some(payload.to_vec()),
            Opcode::Continuation => {
                let mut message = self.message.take().unwrap_or_default();
                message.extend_from_slice(payload);
                if header.is_final {
                    hear(Heard::Text(utf8(&message)?));
                } else {
                    self.message = Some(message);
                }
            }
        }
        Ok(())
    }
}

/// The header at the beginning of `bytes`; `None` until all of it is there. What is wrong with the first two bytes is seen
/// with them.
fn header(bytes: &[u8]) -> Result<Option<Header>, Close> {
    let &[first, second, ..] = bytes else { return Ok(None) };
    let (is_final, has_reserved, is_masked) = (first & 0x80 != 0, first & 0x70 != 0, second & 0x80 != 0);
    let opcode = match first & 0x0f {
        0x0 => Opcode::Continuation,
        0x1 => Opcode::Text,
        0x2 => return Err(if has_reserved || !is_masked { Close::Protocol } else { Close::Unsupported }),
        0x8 => Opcode::Close,
        0x9 => Opcode::Ping,
        0xa => Opcode::Pong,
        _ => return Err(Close::Protocol),
    };
    let short = usize::from(second & 0x7f);
    let is_control = matches!(opcode, Opcode::Close | Opcode::Ping | Opcode::Pong);
    if has_reserved || !is_masked || is_control && (!is_final || short > CONTROL_BYTES_MAX) {
        return Err(Close::Protocol);
    }
    let Some((len, mask_at)) = payload_len(short, bytes)? else { return Ok(None) };
    let start = mask_at + 4;
    let Some(&[a, b, c, d]) = bytes.get(mask_at..start) else {
        // Too long is told without waiting for the mask.
        return if len > MESSAGE_BYTES_MAX { Err(Close::TooBig) } else { Ok(None) };
    };
    Ok(Some(Header { is_final, opcode, mask: [a, b, c, d], start, len }))
}

/// The payload's length, which must have its shortest form, and where it ends.
fn payload_len(short: usize, bytes: &[u8]) -> Result<Option<(usize, usize)>, Close> {
    let (len, end, least) = match short {
        126 => match bytes.get(2..4) {
            Some(&[a, b]) => (u64::from(u16::from_be_bytes([a, b])), 4, 126),
            _ => return Ok(None),
        },
        127 => match bytes.get(2..10).and_then(|bytes| bytes.try_into().ok()) {
            Some(bytes) => (u64::from_be_bytes(bytes), 10, 0x1_0000),
            None => return Ok(None),
        },
        short => (short as u64, 2, 0),
    };
    if len < least || len > i64::MAX as u64 {
        return Err(Close::Protocol);
    }
    usize::try_from(len).map(|len| Some((len, end))).map_err(|_| Close::TooBig)
}

fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    for (byte, mask) in payload.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Close> {
    std::str::from_utf8(bytes).map_err(|_| Close::NotUtf8)
}

/// The code in a close frame, if any; a code or reason that may not be sent is an error of its own.
fn close_code(payload: &[u8]) -> Result<Option<u16>, Close> {
    let (code, reason) = match payload {
        [] => return Ok(None),
        [_] => return Err(Close::Protocol),
        [a, b, reason @ ..] => (u16::from_be_bytes([*a, *b]), reason),
    };
    utf8(reason)?;
    match code {
        1000..=1003 | 1007..=1014 | 3000..=4999 => Ok(Some(code)),
        _ => Err(Close::Protocol),
    }
}

#[cfg(test)]
mod tests;
