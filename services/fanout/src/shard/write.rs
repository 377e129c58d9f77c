//! Writing to a room's viewers, in slices: nearly every write is one `send` of a frame that all of them share.

use bytes::Bytes;

use super::{Shard, pump::Flow};
use crate::{house::Moment, viewer::Place};

/// Seats that are looked at before the first of them is written to. Their memory is cold, and waiting for it is most of what a
/// write costs beside its `send`; a core waits for many lines at once, unless a `send` stands between them.
const FETCHED_TOGETHER: usize = 8;

/// Viewers that are written to in one turn. At 4.4 to 8 µs a write this is 2 ms at most, then others get their turn.
const SLICE_VIEWERS: usize = 256;

impl Shard {
    /// Gives every member of a room a turn.
    pub(super) fn spread(&mut self, key: usize) {
        let local = &mut self.rooms[key];
        local.turns.everybody();
        if !local.turns.is_over() && !std::mem::replace(&mut local.is_busy, true) {
            self.busy.push_back(key);
        }
    }

    /// Writes to at most a slice of viewers, of as many rooms as that reaches.
    pub(super) fn write_slice(&mut self, moment: Moment) {
        let mut budget = SLICE_VIEWERS;
        while budget > 0 {
            let Some(key) = self.busy.pop_front() else { return };
            // A room that is gone has left its number behind.
            if self.rooms.get(key).is_some_and(|local| local.is_busy) {
                self.write_to(key, &mut budget, moment);
            }
        }
    }

    /// Gives the members of a room their turns, as far as the budget reaches.
    fn write_to(&mut self, key: usize, budget: &mut usize, moment: Moment) {
        let mut ended = Vec::new();
        for turn in 0.. {
            if turn % FETCHED_TOGETHER == 0 {
                self.fetch(key);
            }
            if *budget == 0 {
                break;
            }
            let Some(member) = self.rooms[key].turns.next() else { break };
            *budget -= 1;
            let flow = self.offer(key, member, moment);
            if flow != Flow::Fine {
                ended.push((member, flow));
            }
        }
        for (member, flow) in ended {
            self.ended(member, flow, moment);
        }
        let Some(local) = self.rooms.get_mut(key) else { return };
        if !local.turns.is_over() {
            return self.busy.push_back(key);
        }
        local.is_busy = false;
        if let Some(flushed) = local.flushed.take() {
            self.metrics.written.record(flushed.elapsed());
            if let Some(flush) = local.traced.take() {
                self.house.told.offered(&flush, local.turns.members().len());
            }
        }
        if std::mem::take(&mut local.is_overdue) {
            self.schedule(key, moment.now);
        }
    }

    /// Fetches the seats of those who come next.
    fn fetch(&self, key: usize) {
        let coming = self.rooms[key].turns.coming(FETCHED_TOGETHER).iter();
        let looked = coming
            .fold(0, |looked, &member| looked ^ self.seats[member].viewer.fetch() ^ self.seats[member].socket.fetch());
        std::hint::black_box(looked);
    }

    /// Writes what the ring has for one viewer of a room: nearly always its newest frame, as it stands.
    // What this costs beside the `send` is the memory of the seats, which is cold: each line of it that is not asked for
    // saves 1 % of a write.
    fn offer(&mut self, room: usize, key: usize, moment: Moment) -> Flow {
        let seat = &mut self.seats[key];
        if seat.viewer.blocked_since().is_some() {
            return Flow::Fine;
        }
        let room = &self.rooms[room].room;
        let ring = &room.ring;
        let newest = room.head(seat.viewer.audience(), moment.now).wrapping_sub(1);
        let frame = ring.get(newest).filter(|_| seat.viewer.wants_only(newest));
        if let Some(frame) = frame
            && let Some(shared) = frame.shared()
        {
            let bytes = shared.on(seat.viewer.wire());
            let seen = frame.before + u64::from(frame.counted);
            if bytes.is_empty() {
                seat.viewer.took(Place { frame: newest + 1, seen }, Bytes::new());
                return Flow::Fine;
            }
            // Anything but a number comes again when the viewer is pumped, and is judged there.
            let Ok(written) = seat.socket.write_one(bytes) else { return self.pump(key, moment) };
            self.tally.writes += 1;
            let told = frame.told();
            if told.missed() > 0 {
                seat.who.dropped = seat.who.dropped.saturating_add(told.missed());
            }
            self.tally.add(told);
            let place = Place { frame: newest + 1, seen };
            if written == bytes.len() {
                seat.viewer.took(place, Bytes::new());
                return Flow::Fine;
            }
            seat.viewer.took(place, bytes.slice(written..));
        }
        self.pump(key, moment)
    }
}
