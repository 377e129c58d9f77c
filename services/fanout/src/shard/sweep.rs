//! Once a second: who was silent, blocked, too late, expired or banned; and what rings need not keep.

use std::time::Duration;

use bytes::Bytes;
use proto::{ban::Until, close::Close};

use super::{
    Shard,
    join::{JOIN_WAIT, TOKEN_WAIT},
    seat::Seat,
};
use crate::{
    house::Moment,
    viewer::Said,
    wire::{Wire, sse},
};

/// How long a connection may take to end after its end was decided. A blocked viewer who reads on within it still hears why.
const LINGER: Duration = Duration::from_secs(5);

/// Proxies close an event stream that is silent for a minute, some after 30 s.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// What a sweep finds about a viewer.
enum Found {
    Nothing,
    Overstayed,
    Close(Close),
    NoToken,
    Banned(Until),
    Unanswered,
    CommentDue,
}

impl Shard {
    pub(super) fn sweep(&mut self, moment: Moment) {
        let keys: Vec<usize> = self.seats.iter().map(|(key, _)| key).collect();
        for key in keys {
            // An earlier one's end may have taken this one along.
            let Some(seat) = self.seats.get(key) else { continue };
            match self.look_at(seat, moment) {
                Found::Nothing => {}
                Found::Overstayed => self.remove(key),
                Found::Close(close) => self.close(key, close, moment),
                Found::NoToken => self.refuse(key, Close::Unauthorized, "no token came within 5 s", moment),
                Found::Banned(until) => self.refuse(key, Close::Removed, &until.to_string(), moment),
                Found::Unanswered => self.give_up_or_send_away(key, moment),
                Found::CommentDue => self.comment(key, moment),
            }
        }
        let mut bytes = 0;
        for (_, local) in &mut self.rooms {
            local.room.ring.age(moment.now);
            local.rate.second();
            bytes += local.room.ring.bytes();
        }
        self.metrics.ring_bytes.increment(bytes as f64 - self.ring_bytes as f64);
        self.ring_bytes = bytes;
        let blocked = self.seats.iter().filter(|(_, seat)| seat.viewer.blocked_since().is_some()).count();
        self.metrics.blocked.increment(blocked as f64 - self.blocked as f64);
        self.blocked = blocked;
        self.keep_budget(bytes, moment);
    }

    fn look_at(&self, seat: &Seat, moment: Moment) -> Found {
        let since = |at: std::time::Instant| moment.now.saturating_duration_since(at);
        let config = &self.house.config;
        let is_sse = seat.viewer.wire() == Wire::Sse;
        let is_expired = seat.who.claims.as_ref().is_some_and(|claims| claims.exp <= moment.unix_secs());
        if let Some((at, _)) = seat.who.leaving {
            return if since(at) > LINGER { Found::Overstayed } else { Found::Nothing };
        }
        if let Some(until) = self.house.bans.until(seat.who.claims.as_deref(), seat.who.address, moment) {
            return Found::Banned(until);
        }
        match seat.viewer.blocked_since() {
            Some(at) if since(at) > config.blocked_max => Found::Close(Close::Slow),
            _ if !is_sse && since(seat.alive) > config.idle => Found::Close(Close::Silent),
            _ if is_expired => Found::Close(Close::Expired),
            _ if seat.who.is_locked && since(seat.who.arrived) > TOKEN_WAIT => Found::NoToken,
            _ if seat.viewer.is_waiting() && since(seat.who.arrived) > JOIN_WAIT => Found::Unanswered,
            None if is_sse && since(seat.alive) > COMMENT_EVERY => Found::CommentDue,
            _ => Found::Nothing,
        }
    }

    fn comment(&mut self, key: usize, moment: Moment) {
        self.seats[key].alive = moment.now;
        self.tell(key, Said::Bytes(Bytes::from_static(sse::COMMENT)), moment);
    }
}
