//! How much plain chat of one room its viewers can read: above N messages a second it is thinned, at once and in the same way at
//! every replay. Those who run the room, gifts and control are never asked.
//!
//! Time is cut into ticks of 100 ms. In a crowded tick a message is kept if it is its user's first and its lot is among as many
//! as the tick has places for, out of as many users as spoke in the tick before. Never more than twice the places are kept:
//! a crowd that comes all at once meets a share that knows nothing of it yet.

use std::collections::{HashMap, HashSet};

use ahash::RandomState;

use crate::{
    lot::{Lot, name},
    who::Who,
};

const TICK_MS: i64 = 100;
const TICKS_PER_S: u64 = 10;

/// Rooms that a partition's budget remembers: those of the present tick and the one before. A quiet room takes 200 B, so 13 MB.
/// At that number those that are silent are forgotten, which changes nothing for them; were all of them speaking, the
/// next one would be thinned as if nobody had spoken in it before.
const ROOMS_MAX: usize = 65_536;

/// What was said in each room of late.
pub(crate) struct Budget {
    rooms: HashMap<u64, Room, RandomState>,
}

struct Room {
    name: u64,
    tick: i64,
    now: Tick,
    before: Tick,
    /// Who spoke in this tick.
    users: HashSet<u64, RandomState>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tick {
    said: u64,
    users: u64,
    kept: u64,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { rooms: HashMap::default() }
    }

    /// Counts the message at `offset` that is said in `room`, and says whether it is kept; all are at 0 a second.
    pub(crate) fn keeps(&mut self, room: &str, who: Who, offset: u64, now_ms: i64, per_s: u32) -> bool {
        if per_s == 0 {
            return true;
        }
        let tick = now_ms.div_euclid(TICK_MS);
        self.make_room(tick);
        let room = self.rooms.entry(who.room).or_insert_with(|| Room::new(name(room), tick));
        room.turn_to(tick);
        room.takes(who, offset, u64::from(per_s))
    }

    fn make_room(&mut self, tick: i64) {
        if self.rooms.len() >= ROOMS_MAX {
            self.rooms.retain(|_, room| tick - room.tick <= 1);
            if self.rooms.len() >= ROOMS_MAX {
                self.rooms.clear();
            }
        }
    }
}

impl Room {
    fn new(name: u64, tick: i64) -> Self {
        Self { name, tick, now: Tick::default(), before: Tick::default(), users: HashSet::default() }
    }

    fn turn_to(&mut self, tick: i64) {
        if tick == self.tick {
            return;
        }
        self.before = if tick == self.tick + 1 { self.now } else { Tick::default() };
        self.now = Tick::default();
        self.tick = tick;
        // What one crowded second took is given back.
        if self.users.capacity() > 1_024 && self.before.said == 0 {
            self.users = HashSet::default();
        }
        self.users.clear();
    }

    /// `per_s` places a second are a tenth as many a tick; everything is counted ten times instead, so that 5 a second are 5.
    fn takes(&mut self, who: Who, offset: u64, per_s: u64) -> bool {
        let is_first = self.users.insert(who.user);
        self.now.said += 1;
        self.now.users += u64::from(is_first);
        let is_crowded = self.before.said.max(self.now.said) * TICKS_PER_S > per_s;
        let lot = || Lot::of(self.name ^ self.tick.cast_unsigned(), offset);
        let is_chosen = !is_crowded || (is_first && lot().is_among(per_s, self.before.users * TICKS_PER_S));
        let has_place = self.now.kept * TICKS_PER_S < 2 * per_s;
        self.now.kept += u64::from(is_chosen && has_place);
        is_chosen && has_place
    }
}

#[cfg(test)]
mod tests;
