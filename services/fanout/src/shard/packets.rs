//! What a client of the goim wire says to its shard: heartbeats, and what is not for us.
//!
//! Its auth was judged at the door. It comes here once more, with all that was said before it, so that nothing is lost between
//! the two.

use proto::close::Close;

use super::Shard;
use crate::{
    house::Moment,
    viewer::Said,
    wire::goim::packet::{NoPacket, Packet, Packets},
};

/// What a packet says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spoken {
    /// I live; how many watch?
    Beat,
    /// Who I am: good once.
    Auth,
    /// Something that is not for us.
    Unknown,
    /// No packet.
    Nonsense,
}

/// How far it has come with its first words.
#[derive(Debug, Default)]
pub(super) struct FirstWords {
    has_authed: bool,
    /// Whether it beat before its auth was answered, which comes first.
    owes_beat: bool,
}

impl Spoken {
    /// All that a frame says.
    pub(super) fn all(frame: &[u8]) -> impl Iterator<Item = Self> {
        Packets::of(frame).map(|packet| match packet {
            Ok(Packet::Heartbeat) => Self::Beat,
            Ok(Packet::Auth(_)) => Self::Auth,
            Ok(Packet::Unknown(_)) => Self::Unknown,
            Err(NoPacket) => Self::Nonsense,
        })
    }
}

impl Shard {
    pub(super) fn packet(&mut self, key: usize, spoken: Spoken, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        let first = &mut seat.who.goim;
        match spoken {
            Spoken::Beat if seat.viewer.is_waiting() => first.owes_beat = true,
            // One answer is enough for all beats that came before it could be written.
            Spoken::Beat if seat.viewer.owes_pong() => {}
            Spoken::Beat => self.tell(key, Said::Pong { at: 0 }, moment),
            Spoken::Auth if !first.has_authed => first.has_authed = true,
            Spoken::Unknown => self.tally.passed_packets += 1,
            Spoken::Auth | Spoken::Nonsense => self.close(key, Close::NotOurProtocol, moment),
        }
    }

    /// The answer to a heartbeat that came before auth was answered.
    pub(super) fn answer_early_beat(&mut self, key: usize, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if std::mem::take(&mut seat.who.goim.owes_beat) {
            self.tell(key, Said::Pong { at: 0 }, moment);
        }
    }
}
