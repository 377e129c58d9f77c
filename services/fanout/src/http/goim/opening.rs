//! What a client of the goim wire says before it has a shard: where it wants to be.
//!
//! Pure: bytes in, the next step out. Everything is kept as it came, because the shard reads it again: heartbeats may come
//! before auth, and other packets right behind it.

use bytes::Bytes;
use proto::close::Close;

use crate::{
    reader::{Heard, Reader},
    wire::goim::{
        auth::{Auth, BadAuth},
        packet::{NoPacket, Packet, Packets},
    },
};

/// The longest message, and so the longest auth; a token takes 1 KiB.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// What may come before auth: a few heartbeats, and auth itself.
const BYTES_MAX: usize = 16 * 1024;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing yet.
    More,
    /// It says where it wants to be.
    Auth(Auth),
    /// It wants something that cannot be, which is told as bad auth before the close.
    Bad(Close),
    /// It does not speak this wire.
    Close(Close),
    /// It goes.
    Goodbye(Option<u16>),
}

/// The first words of a client.
#[derive(Debug)]
pub(super) struct Opening {
    reader: Reader,
    bytes: Vec<u8>,
}

impl Default for Opening {
    fn default() -> Self {
        Self { reader: Reader::new(MESSAGE_BYTES_MAX), bytes: Vec::new() }
    }
}

impl Opening {
    /// Some more came.
    pub(super) fn hear(&mut self, input: &[u8]) -> Step {
        self.bytes.extend_from_slice(input);
        let mut step = Step::More;
        let read = self.reader.read(&mut input.to_vec(), |heard| {
            if step == Step::More {
                step = next(&heard);
            }
        });
        match (step, read) {
            (Step::More, Err(close)) => Step::Close(close),
            (Step::More, Ok(())) if self.bytes.len() > BYTES_MAX => Step::Close(Close::NotOurProtocol),
            (step, _) => step,
        }
    }

    /// All that came.
    pub(super) fn into_bytes(self) -> Bytes {
        self.bytes.into()
    }
}

fn next(heard: &Heard<'_>) -> Step {
    match heard {
        Heard::Binary(frame) => Packets::of(frame).map(after).find(|step| *step != Step::More).unwrap_or(Step::More),
        Heard::Text(_) => Step::Close(Close::Unsupported),
        Heard::Ping(_) | Heard::Pong => Step::More,
        Heard::Close(code) => Step::Goodbye(*code),
    }
}

fn after(packet: Result<Packet<'_>, NoPacket>) -> Step {
    match packet {
        Ok(Packet::Auth(body)) => match Auth::read(body) {
            Ok(auth) => Step::Auth(auth),
            Err(BadAuth::Unreadable) => Step::Bad(Close::NotOurProtocol),
            Err(BadAuth::NoSuchRoom) => Step::Bad(Close::NotAllowed),
        },
        Ok(Packet::Heartbeat | Packet::Unknown(_)) => Step::More,
        Err(NoPacket) => Step::Close(Close::NotOurProtocol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEAT: &[u8] = b"\0\0\0\x10\0\x10\0\x01\0\0\0\x02\0\0\0\x01";
    const AUTH: &[u8] = b"\0\0\0\x1c\0\x10\0\x01\0\0\0\x07\0\0\0\x01{\"roomid\":1}";

    /// A frame under a mask of zeros.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        [&[first, 0x80 | payload.len() as u8, 0, 0, 0, 0], payload].concat()
    }

    fn is_auth(step: &Step) -> bool {
        matches!(step, Step::Auth(auth) if auth.room.as_str() == "1")
    }

    #[test]
    fn auth_is_found_however_it_comes() {
        for all in [
            frame(0x82, AUTH),
            [frame(0x89, b"hi"), frame(0x82, BEAT), frame(0x82, AUTH), frame(0x82, BEAT)].concat(),
            frame(0x82, &[BEAT, AUTH, BEAT].concat()),
        ] {
            let mut opening = Opening::default();
            assert!(is_auth(&opening.hear(&all)));
            assert_eq!(opening.into_bytes(), all, "and the shard reads all of it again");
            let mut opening = Opening::default();
            let steps: Vec<_> = all.iter().map(|byte| opening.hear(&[*byte])).collect();
            assert_eq!(steps.iter().filter(|step| is_auth(step)).count(), 1);
        }
    }

    #[test]
    fn what_is_no_opening() {
        let mut wrong = AUTH.to_vec();
        wrong[16] = b'[';
        let mut slash = b"\0\0\0\x20\0\x10\0\x01\0\0\0\x07\0\0\0\x01".to_vec();
        slash.extend(br#"{"roomid":"a/b"}"#);
        for (bytes, step) in [
            (frame(0x82, BEAT), Step::More),
            (frame(0x82, &wrong), Step::Bad(Close::NotOurProtocol)),
            (frame(0x82, &slash), Step::Bad(Close::NotAllowed)),
            (frame(0x82, b"GET / HTTP/1.1\r\n"), Step::Close(Close::NotOurProtocol)),
            (frame(0x81, b"{}"), Step::Close(Close::Unsupported)),
            (frame(0x88, &1001u16.to_be_bytes()), Step::Goodbye(Some(1001))),
            (vec![0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0], Step::Close(Close::TooBig)),
            (vec![0x82, 0x10], Step::Close(Close::Protocol)),
        ] {
            assert_eq!(Opening::default().hear(&bytes), step, "{bytes:?}");
        }
    }

    #[test]
    fn heartbeats_without_end_are_not_kept() {
        let mut opening = Opening::default();
        let beat = frame(0x82, BEAT);
        let steps: Vec<_> = (0..1000).map(|_| opening.hear(&beat)).collect();
        let last = steps.iter().position(|step| *step == Step::Close(Close::NotOurProtocol)).unwrap();
        assert_eq!(last, BYTES_MAX / beat.len());
        assert!(steps[..last].iter().all(|step| *step == Step::More));
    }
}
