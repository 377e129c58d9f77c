//! A client's WebSocket frames, read from one buffer that all viewers of a shard share: whoever has nothing half read takes
//! no memory here.
//!
//! Pure: bytes in, what was heard out, or the close code that RFC 6455 asks for. What a message says is `hear`'s.

use proto::close::Close;

const CONTROL_BYTES_MAX: usize = 125;

/// What a client said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard<'a> {
    /// A whole message of text.
    Text(&'a str),
    /// A whole message of bytes.
    Binary(&'a [u8]),
    /// To be answered with the same bytes.
    Ping(&'a [u8]),
    /// A sign of life.
    Pong,
    /// Goodbye; the code is to be echoed. Nothing after it is read.
    Close(Option<u16>),
}

/// The state between two reads.
#[derive(Debug)]
pub(crate) struct Reader {
    bytes_max: usize,
    /// The beginning of a header, or of a control frame, whose rest has not come: 131 bytes at most.
    stash: Vec<u8>,
    /// A message of which more is to come.
    message: Option<Box<Message>>,
    is_closed: bool,
}

/// What has come of a message.
#[derive(Debug)]
struct Message {
    is_text: bool,
    bytes: Vec<u8>,
    /// Of text, how many bytes were found to be UTF-8; behind them at most one character's beginning.
    valid: usize,
    /// Of its present frame: what has not come, under which mask, and whether it is the last.
    missing: usize,
    mask: [u8; 4],
    is_final: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opcode {
    Continuation,
    Text,
    Binary,
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
    /// Reads messages of at most `bytes_max`.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, stash: Vec::new(), message: None, is_closed: false }
    }

    /// Reads what came, which may hold any part of any number of frames; it is unmasked in place.
    ///
    /// # Errors
    /// How the connection is to be closed. Nothing more may be read then.
    pub(crate) fn read(&mut self, input: &mut [u8], mut hear: impl FnMut(Heard<'_>)) -> Result<(), Close> {
        if self.stash.is_empty() {
            let rest = self.frames(input, &mut hear)?;
            self.stash.extend_from_slice(rest);
            return Ok(());
        }
        let mut whole = std::mem::take(&mut self.stash);
        whole.extend_from_slice(input);
        let rest = self.frames(&mut whole, &mut hear)?;
        self.stash.extend_from_slice(rest);
        Ok(())
    }

    /// Reads all that can be, and gives back what must wait for more.
    fn frames<'a>(&mut self, mut input: &'a mut [u8], hear: &mut impl FnMut(Heard<'_>)) -> Result<&'a [u8], Close> {
        while !self.is_closed {
            input = self.go_on(input, hear)?;
            let Some(header) = self.header(input)? else { return Ok(input) };
            let is_whole = input.len() - header.start >= header.len;
            if header.opcode.is_control() && !is_whole {
                return Ok(input);
            }
            let (_, rest) = input.split_at_mut(header.start);
            if header.opcode.is_control() || self.message.is_none() && header.is_final && is_whole {
                let (payload, behind) = rest.split_at_mut(header.len);
                unmask(payload, header.mask);
                self.whole(header.opcode, payload, hear)?;
                input = behind;
            } else {
                self.begin(header, hear)?;
                input = rest;
            }
        }
        Ok(&[])
    }

    /// Judges a header as soon as it is there, before its payload is waited for or stored.
    fn header(&self, bytes: &[u8]) -> Result<Option<Header>, Close> {
        let Some(header) = header(bytes, self.bytes_max)? else { return Ok(None) };
        let so_far = match (header.opcode, &self.message) {
            (Opcode::Continuation, Some(message)) => message.bytes.len(),
            (Opcode::Continuation, None) | (Opcode::Text | Opcode::Binary, Some(_)) => return Err(Close::Protocol),
            _ => 0,
        };
        if so_far + header.len > self.bytes_max { Err(Close::TooBig) } else { Ok(Some(header)) }
    }

    /// A control frame, or a message that came in one piece.
    fn whole(&mut self, opcode: Opcode, payload: &[u8], hear: &mut impl FnMut(Heard<'_>)) -> Result<(), Close> {
        hear(match opcode {
            Opcode::Text => Heard::Text(std::str::from_utf8(payload).map_err(|_| Close::NotUtf8)?),
            Opcode::Binary | Opcode::Continuation => Heard::Binary(payload),
            Opcode::Ping => Heard::Ping(payload),
            Opcode::Pong => Heard::Pong,
            Opcode::Close => {
                self.is_closed = true;
                Heard::Close(close_code(payload)?)
            }
        });
        Ok(())
    }

    /// A frame that is only a part of its message, or of which only a part has come.
    fn begin(&mut self, header: Header, hear: &mut impl FnMut(Heard<'_>)) -> Result<(), Close> {
        let message = self.message.get_or_insert_with(|| Box::new(Message::new(header.opcode == Opcode::Text)));
        (message.missing, message.mask, message.is_final) = (header.len, header.mask, header.is_final);
        if header.len == 0 { self.frame_ends(hear) } else { Ok(()) }
    }

    /// Takes what the frame under way lacks, and gives back what is behind it.
    fn go_on<'a>(&mut self, input: &'a mut [u8], hear: &mut impl FnMut(Heard<'_>)) -> Result<&'a mut [u8], Close> {
        let Some(message) = self.message.as_mut().filter(|message| message.missing > 0) else { return Ok(input) };
        let (payload, behind) = input.split_at_mut(message.missing.min(input.len()));
        message.add(payload)?;
        if message.missing == 0 {
            self.frame_ends(hear)?;
        }
        Ok(behind)
    }

    fn frame_ends(&mut self, hear: &mut impl FnMut(Heard<'_>)) -> Result<(), Close> {
        match self.message.take_if(|message| message.is_final) {
            Some(message) if message.is_text => self.whole(Opcode::Text, &message.bytes, hear),
            Some(message) => self.whole(Opcode::Binary, &message.bytes, hear),
            None => Ok(()),
        }
    }
}

impl Message {
    fn new(is_text: bool) -> Self {
        Self { is_text, bytes: Vec::new(), valid: 0, missing: 0, mask: [0; 4], is_final: false }
    }

    /// Adds a piece of the present frame. What can never become UTF-8 is told at once, however long the message is.
    fn add(&mut self, payload: &mut [u8]) -> Result<(), Close> {
        unmask(payload, self.mask);
        self.mask.rotate_left(payload.len() % 4);
        self.missing -= payload.len();
        self.bytes.extend_from_slice(payload);
        if self.is_text {
            self.valid += match std::str::from_utf8(&self.bytes[self.valid..]) {
                Ok(text) => text.len(),
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => return Err(Close::NotUtf8),
            };
        }
        Ok(())
    }
}

impl Opcode {
    fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// The header at the beginning of `bytes`; `None` until all of it is there. What is wrong with the first two bytes is seen
/// with them.
fn header(bytes: &[u8], bytes_max: usize) -> Result<Option<Header>, Close> {
    let &[first, second, ..] = bytes else { return Ok(None) };
    let (is_final, has_reserved, is_masked) = (first & 0x80 != 0, first & 0x70 != 0, second & 0x80 != 0);
    let opcode = match first & 0x0f {
        0x0 => Opcode::Continuation,
        0x1 => Opcode::Text,
        0x2 => Opcode::Binary,
        0x8 => Opcode::Close,
        0x9 => Opcode::Ping,
        0xa => Opcode::Pong,
        _ => return Err(Close::Protocol),
    };
    let short = usize::from(second & 0x7f);
    let is_bad_control = opcode.is_control() && (!is_final || short > CONTROL_BYTES_MAX);
    if has_reserved || !is_masked || is_bad_control {
        return Err(Close::Protocol);
    }
    let Some((len, mask_at)) = payload_len(short, bytes)? else { return Ok(None) };
    let start = mask_at + 4;
    let Some(&[a, b, c, d]) = bytes.get(mask_at..start) else {
        // Too long is told without waiting for the mask.
        return if len > bytes_max { Err(Close::TooBig) } else { Ok(None) };
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

/// The code in a close frame, if any; a code or reason that may not be sent is an error of its own.
fn close_code(payload: &[u8]) -> Result<Option<u16>, Close> {
    let (code, reason) = match payload {
        [] => return Ok(None),
        [_] => return Err(Close::Protocol),
        [a, b, reason @ ..] => (u16::from_be_bytes([*a, *b]), reason),
    };
    std::str::from_utf8(reason).map_err(|_| Close::NotUtf8)?;
    match code {
        1000..=1003 | 1007..=1014 | 3000..=4999 => Ok(Some(code)),
        _ => Err(Close::Protocol),
    }
}

// Named, because examples/echo.rs takes this file in too, from another folder.
#[cfg(test)]
#[path = "reader/tests.rs"]
mod tests;
