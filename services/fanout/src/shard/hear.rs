//! What a viewer's client says, and the answer.

use std::time::Duration;

use bytes::Bytes;
use proto::{
    close::Close,
    frame::{self, BadFrame, FromClient, FromServer},
    v1::Error,
};

use super::{READ_BYTES, Shard, packets::Spoken};
use crate::{
    house::Moment,
    reader::Heard,
    viewer::Said,
    wire::{Wire, websocket},
};

/// The longest message: what the door takes. 100 characters of 30 bytes make 3 KB, and the rest is a frame's own words.
pub(super) const MESSAGE_BYTES_MAX: usize = 4 * 1024;

/// Frames that make no sense are answered; who sends so many does not speak our protocol.
const BAD_FRAMES_MAX: u32 = 16;

/// What a client may say in a second. It pings every 30 s; whoever says more than this only keeps the shard from the others.
const WORDS_A_SECOND_MAX: u32 = 256;

/// What a token weighs among them: looking at its signature takes 0.2 to 0.4 ms, so that four a second are borne.
const TOKEN_WORDS: u32 = 64;

/// What was read, out of the shared buffer.
#[derive(Debug)]
pub(super) enum Word {
    Frame(Result<FromClient, BadFrame>),
    Packet(Spoken),
    /// What his wire has no use for.
    Unsupported,
    Ping(Bytes),
    /// A sign of life that wants nothing, and is counted like any other word.
    Pong,
    Goodbye(Option<u16>),
}

impl Word {
    /// What it costs, among all that is said.
    fn weighs(&self) -> u32 {
        if let Self::Frame(Ok(FromClient::Auth(_) | FromClient::Refresh(_))) = self { TOKEN_WORDS } else { 1 }
    }
}

impl Shard {
    /// Bytes that came right behind the handshake.
    pub(super) fn heard_early(&mut self, key: usize, early: &[u8], moment: Moment) {
        for piece in early.chunks(READ_BYTES) {
            self.scratch.buffer[..piece.len()].copy_from_slice(piece);
            self.heard_bytes(key, piece.len(), moment);
        }
    }

    /// The first `len` bytes of the shared buffer came from this viewer.
    pub(super) fn heard_bytes(&mut self, key: usize, len: usize, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        seat.alive = moment.now;
        if seat.viewer.is_leaving() {
            return;
        }
        let (mut words, wire) = (std::mem::take(&mut self.scratch.words), seat.viewer.wire());
        let result = seat.reader.read(&mut self.scratch.buffer[..len], |heard| match heard {
            Heard::Text(text) if wire == Wire::Json => {
                words.push(Word::Frame(frame::client_from_json(text.as_bytes())));
            }
            Heard::Binary(bytes) if wire == Wire::Proto => words.push(Word::Frame(frame::client_from_proto(bytes))),
            Heard::Binary(bytes) if matches!(wire, Wire::Goim(_)) => {
                words.extend(Spoken::all(bytes).map(Word::Packet));
            }
            Heard::Text(_) | Heard::Binary(_) => words.push(Word::Unsupported),
            Heard::Ping(payload) => words.push(Word::Ping(Bytes::copy_from_slice(payload))),
            Heard::Pong => words.push(Word::Pong),
            Heard::Close(code) => words.push(Word::Goodbye(code)),
        });
        for word in words.drain(..) {
            if self.is_too_much(key, word.weighs(), moment) {
                self.close(key, Close::Refused, moment);
                break;
            }
            self.word(key, word, moment);
        }
        self.scratch.words = words;
        if let Err(close) = result {
            self.close(key, close, moment);
        }
    }

    /// Counts a word; whether it is one too many.
    fn is_too_much(&mut self, key: usize, weighs: u32, moment: Moment) -> bool {
        let Some(seat) = self.seats.get_mut(key) else { return false };
        let (since, count) = &mut seat.who.words;
        if moment.now.saturating_duration_since(*since) > Duration::from_secs(1) {
            (*since, *count) = (moment.now, 0);
        }
        *count += weighs;
        *count > WORDS_A_SECOND_MAX
    }

    fn word(&mut self, key: usize, word: Word, moment: Moment) {
        match word {
            Word::Ping(payload) => self.tell(key, Said::Bytes(websocket::pong(&payload)), moment),
            Word::Pong => {}
            Word::Packet(spoken) => self.packet(key, spoken, moment),
            Word::Unsupported => self.close(key, Close::Unsupported, moment),
            Word::Goodbye(code) => self.goodbye(key, code, moment),
            Word::Frame(Ok(frame)) => self.frame(key, frame, moment),
            Word::Frame(Err(BadFrame::UnknownType(kind))) => self.unknown(key, &kind, moment),
            Word::Frame(Err(BadFrame::Malformed(why))) => self.malformed(key, why, moment),
        }
    }

    /// A client's close is answered with its own code, and then the connection is over.
    fn goodbye(&mut self, key: usize, code: Option<u16>, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if !seat.viewer.is_leaving() {
            seat.viewer.leave(code.map_or_else(websocket::close_bare, |code| websocket::close(code, "")));
            seat.who.leaves(Close::Normal, moment);
            self.pump_and_see(key, moment);
        }
    }

    fn frame(&mut self, key: usize, frame: FromClient, moment: Moment) {
        let Some(seat) = self.seats.get(key) else { return };
        match frame {
            FromClient::Ping(ping) => self.tell(key, Said::Pong { at: ping.at }, moment),
            FromClient::Auth(token) => self.auth(key, &token.token, moment),
            _ if seat.who.is_locked => {
                self.error(key, "unauthorized", "the first frame must be auth", moment);
            }
            FromClient::Refresh(token) => self.refresh(key, &token.token, moment),
            FromClient::Send(send) => self.send(key, send, moment),
            FromClient::Ack(ack) => self.has_notice(key, ack.notice),
        }
    }

    /// A token after the handshake: who is not in yet gets in, and everybody is greeted by name.
    fn auth(&mut self, key: usize, token: &str, moment: Moment) {
        let claims = match self.house.believe(token, moment) {
            Ok(claims) => claims,
            Err(why) => return self.refuse(key, Close::Unauthorized, &why, moment),
        };
        let Some(seat) = self.seats.get_mut(key) else { return };
        if !claims.covers(self.rooms[seat.room].room.id.as_str()) {
            return self.refuse(key, Close::NotAllowed, "the token is not for this room", moment);
        }
        if let Some(until) = self.house.bans.until(Some(&claims), seat.who.address, moment) {
            return self.refuse(key, Close::Removed, &until.to_string(), moment);
        }
        seat.who.is_locked = false;
        let is_waiting = seat.viewer.is_waiting();
        self.known(key, claims);
        if is_waiting {
            self.try_answer(key, None, moment);
        } else {
            self.greet(key, None, None, moment);
        }
    }

    /// A fresh token for the same user. Who has none has nothing to refresh, and what he brings is not looked at.
    fn refresh(&mut self, key: usize, token: &str, moment: Moment) {
        let Some(seat) = self.seats.get(key) else { return };
        let Some(old) = &seat.who.claims else {
            return self.not_refreshed(
                key,
                "unauthorized",
                "there is no token to refresh; auth brings a first one",
                moment,
            );
        };
        let room = &self.rooms[seat.room].room.id;
        match self.house.believe(token, moment) {
            Ok(claims) if claims.sub != old.sub => {
                self.not_refreshed(key, "unauthorized", "the token is another user's", moment);
            }
            Ok(claims) if !claims.covers(room.as_str()) => {
                self.not_refreshed(key, "forbidden", "the token is not for this room", moment);
            }
            Ok(claims) => {
                // His device may be another.
                if let Some(until) = self.house.bans.until(Some(&claims), seat.who.address, moment) {
                    return self.refuse(key, Close::Removed, &until.to_string(), moment);
                }
                // Roles may have been given or taken meanwhile.
                self.known(key, claims);
                self.greet(key, None, None, moment);
            }
            // The old one goes on until it ends.
            Err(why) => self.not_refreshed(key, "unauthorized", &why, moment),
        }
    }

    /// Says why; it counts as a send that was refused.
    fn not_refreshed(&mut self, key: usize, code: &str, why: &str, moment: Moment) {
        self.error(key, code, why, moment);
        self.was_refused(key, moment);
    }

    fn unknown(&mut self, key: usize, kind: &str, moment: Moment) {
        self.tally.refused_frames += 1;
        let Some(seat) = self.seats.get_mut(key) else { return };
        // Once: a client of a later release says it again and again.
        if !std::mem::replace(&mut seat.who.was_told_of_unknown, true) {
            let kind: String = kind.chars().take(32).collect();
            self.error(key, "unknown_type", &format!("this release does not know the type {kind}"), moment);
        }
    }

    fn malformed(&mut self, key: usize, why: String, moment: Moment) {
        self.tally.refused_frames += 1;
        let Some(seat) = self.seats.get_mut(key) else { return };
        seat.who.bad_frames += 1;
        if seat.who.bad_frames > BAD_FRAMES_MAX {
            return self.close(key, Close::NotOurProtocol, moment);
        }
        self.error(key, "malformed", &why, moment);
    }

    fn error(&mut self, key: usize, code: &str, message: &str, moment: Moment) {
        let error = Error { code: code.to_owned(), message: message.to_owned() };
        self.say(key, &FromServer::Error(error), moment);
    }
}
