//! WebSocket frames as a client reads and writes them: bytes to frames and back. No socket.
//!
//! Lean, as thousands of viewers share two cores with the server they measure: nothing is copied unless a read ended
//! in the middle of a frame, and nothing is kept for a viewer between frames.

/// The largest frame that is believed; a server's largest is a resume of 128 KiB.
const FRAME_BYTES_MAX: u64 = 16 << 20;

/// What a server sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A whole text message.
    Text(&'a [u8]),
    /// A whole binary message, which nobody here has asked for.
    Binary,
    /// To be answered by a pong of the same content.
    Ping(&'a [u8]),
    /// Not asked for either: our pings are messages.
    Pong,
    /// The end, with its code (1005 when there is none) and its reason.
    Close(u16, String),
}

/// Why the bytes are no frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A reserved bit or an unknown kind of frame.
    Kind(u8),
    /// A server's frame that is masked.
    Masked,
    /// Larger than anything a server sends.
    TooLarge(u64),
    /// A fragment without its beginning, or a beginning inside another message.
    Fragment,
}

/// The bytes of one connection that do not make a frame yet.
#[derive(Debug, Default)]
pub struct Unread {
    rest: Vec<u8>,
    fragments: Option<Vec<u8>>,
}

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
const FIN: u8 = 0x80;
const MASKED: u8 = 0x80;

impl Unread {
    /// Takes what was read from the socket and gives each whole frame to `each`.
    ///
    /// # Errors
    /// When the bytes are no frames; the connection is of no use afterwards.
    pub fn feed(&mut self, read: &[u8], mut each: impl FnMut(Frame<'_>)) -> Result<(), Broken> {
        let mut rest = std::mem::take(&mut self.rest);
        let fed = if rest.is_empty() {
            self.frames(read, &mut each)?
        } else {
            rest.extend_from_slice(read);
            self.frames(&rest, &mut each)?
        };
        if rest.is_empty() {
            self.rest = read[fed..].to_vec();
        } else {
            rest.drain(..fed);
            self.rest = rest;
        }
        if self.rest.is_empty() {
            self.rest = Vec::new();
        }
        Ok(())
    }

    /// Gives the whole frames at the beginning of `bytes`; says how many bytes they were.
    fn frames(&mut self, bytes: &[u8], each: &mut impl FnMut(Frame<'_>)) -> Result<usize, Broken> {
        let mut fed = 0;
        while let Some((head, payload, size)) = split(&bytes[fed..])? {
            self.one(head, payload, each)?;
            fed += size;
        }
        Ok(fed)
    }

    fn one(&mut self, head: u8, payload: &[u8], each: &mut impl FnMut(Frame<'_>)) -> Result<(), Broken> {
        match (head & !FIN, head & FIN != 0) {
            (TEXT | BINARY | CONTINUATION, _) => return self.message(head, payload, each),
            (CLOSE, true) => each(close(payload)),
            (PING, true) => each(Frame::Ping(payload)),
            (PONG, true) => each(Frame::Pong),
            _ => return Err(Broken::Kind(head)),
        }
        Ok(())
    }

    fn message(&mut self, head: u8, payload: &[u8], each: &mut impl FnMut(Frame<'_>)) -> Result<(), Broken> {
        let (kind, whole) = (head & !FIN, head & FIN != 0);
        match (&mut self.fragments, kind, whole) {
            (None, TEXT, true) => each(Frame::Text(payload)),
            (None, BINARY, true) => each(Frame::Binary),
            (None, TEXT | BINARY, false) => self.fragments = Some(payload.to_vec()),
            (Some(begun), CONTINUATION, _) => {
                begun.extend_from_slice(payload);
                if begun.len() as u64 > FRAME_BYTES_MAX {
                    return Err(Broken::TooLarge(begun.len() as u64));
                }
                if whole && let Some(message) = self.fragments.take() {
                    each(Frame::Text(&message));
                }
            }
            _ => return Err(Broken::Fragment),
        }
        Ok(())
    }
}

/// A frame that is all there: its first byte, its payload and its whole size.
type Whole<'a> = (u8, &'a [u8], usize);

/// The first frame of `bytes`; none while it is not all there.
fn split(bytes: &[u8]) -> Result<Option<Whole<'_>>, Broken> {
    let &[head, second, ref after @ ..] = bytes else { return Ok(None) };
    if head & 0x70 != 0 {
        return Err(Broken::Kind(head));
    }
    if second & MASKED != 0 {
        return Err(Broken::Masked);
    }
    let (length, after) = match second {
        126 => match after.split_first_chunk() {
            Some((length, after)) => (u64::from(u16::from_be_bytes(*length)), after),
            None => return Ok(None),
        },
        127 => match after.split_first_chunk() {
            Some((length, after)) => (u64::from_be_bytes(*length), after),
            None => return Ok(None),
        },
        short => (u64::from(short), after),
    };
    if length > FRAME_BYTES_MAX {
        return Err(Broken::TooLarge(length));
    }
    // At most 16 MiB, so it fits.
    let payload = after.get(..length as usize);
    Ok(payload.map(|payload| (head, payload, bytes.len() - after.len() + payload.len())))
}

fn close(payload: &[u8]) -> Frame<'_> {
    match payload.split_first_chunk() {
        Some((code, reason)) => Frame::Close(u16::from_be_bytes(*code), String::from_utf8_lossy(reason).into_owned()),
        None => Frame::Close(1005, String::new()),
    }
}

/// A client's text frame; at most 125 bytes of text, which is more than a ping is.
pub fn text(payload: &[u8]) -> Vec<u8> {
    short(TEXT, payload)
}

/// The answer to a ping.
pub fn pong(payload: &[u8]) -> Vec<u8> {
    short(PONG, payload)
}

/// The mask of a client's frame is there against proxies that a browser's page might fool; a load test's own loopback
/// has none, and a mask of zeros is a valid one.
fn short(kind: u8, payload: &[u8]) -> Vec<u8> {
    let payload = &payload[..payload.len().min(125)];
    let mut frame = vec![FIN | kind, MASKED | payload.len() as u8, 0, 0, 0, 0];
    frame.extend_from_slice(payload);
    frame
}

#[cfg(test)]
mod tests;
