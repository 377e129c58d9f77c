//! What a shard says of its slowest viewers in a room, and of its rooms, when an operator asks.

use proto::RoomId;

use super::{Shard, rooms::Local, seat::Seat};
use crate::{
    debug::{Found, Slow, Watched},
    house::Moment,
};

impl Shard {
    /// The slowest viewers of a room here, and how many it has.
    pub(super) fn slowest(&self, room: &RoomId, moment: Moment) -> Found {
        let Some(&key) = self.by_name.get(room) else { return Found::default() };
        // All seats are looked at: nobody but an operator asks, and a room keeps no list of those who wait for their join.
        let here = self.seats.iter().filter(|(_, seat)| seat.room == key);
        Found::of(here.map(|(_, seat)| self.slow(seat, moment)).collect())
    }

    /// All rooms here.
    pub(super) fn watched(&self) -> Vec<Watched> {
        let of = |local: &Local| Watched {
            room: local.room.id.clone(),
            partition: local.partition,
            viewers: local.seats,
            messages: local.rate.per_second(),
        };
        self.rooms.iter().map(|(_, local)| of(local)).collect()
    }

    fn slow(&self, seat: &Seat, moment: Moment) -> Slow {
        let millis = |since: std::time::Instant| {
            u64::try_from(moment.now.saturating_duration_since(since).as_millis()).unwrap_or(u64::MAX)
        };
        let room = &self.rooms[seat.room].room;
        let behind = seat.viewer.behind(room, moment.now);
        let waits = |(messages, frame)| if messages > 0 { room.ring.pushed(frame).map_or(0, millis) } else { 0 };
        Slow {
            user: seat.who.claims.as_ref().map(|claims| crate::debug::hashed(&claims.sub)),
            wire: format!("{:?}", seat.viewer.wire()).to_lowercase(),
            lag_messages: behind.map(|(messages, _)| messages),
            lag_ms: behind.map(waits),
            dropped: seat.who.dropped,
            blocked_ms: seat.viewer.blocked_since().map_or(0, millis),
            since: moment.unix_ms.saturating_sub_unsigned(millis(seat.who.arrived)),
        }
    }
}
