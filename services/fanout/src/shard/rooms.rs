//! The shard's rooms: what they hear, and when they flush.

use std::{cmp::Reverse, sync::Arc, time::Instant};

use proto::RoomId;

use super::{Shard, rate::Rate, turns::Turns};
use crate::{
    house::Moment,
    inbox::{Fell, Heard},
    presence::Count,
    raw::Record,
    room::{Room, pending::Missed, window::Window},
    trace::Flush,
};

/// A room and its viewers on this shard.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) room: Room,
    pub(super) partition: i32,
    /// Everybody here, also those whose join is not answered yet.
    pub(super) seats: usize,
    /// Those who read the room, and whose turn it is.
    pub(super) turns: Turns,
    /// Whether it stands in the shard's row of busy rooms.
    pub(super) is_busy: bool,
    /// When its window ends, if something waits for that.
    due: Option<Instant>,
    /// Whether a window ended while viewers were still being written to.
    pub(super) is_overdue: bool,
    /// When the frames were made that not everybody was offered yet.
    pub(super) flushed: Option<Instant>,
    /// They are told of then, if they are.
    pub(super) traced: Option<Box<Flush>>,
    /// Recalls that everybody is told of before their turn, with the next flush.
    pub(super) recalled: Vec<Arc<Record>>,
    pub(super) online: Arc<Count>,
    /// How much is said.
    pub(super) rate: Rate,
}

impl Local {
    /// Whether what is said here is taken: somebody reads it, or who enters would find what was said before and not this.
    pub(super) fn listens(&self) -> bool {
        !self.turns.members().is_empty() || self.room.has_begun()
    }
}

impl Shard {
    /// The room of that name, made if need be.
    pub(super) fn room(&mut self, id: &RoomId, partition: i32) -> usize {
        if let Some(&key) = self.by_name.get(id) {
            return key;
        }
        let phase = self.rooms.vacant_key() as u8;
        // Neighbors in the slab lie far apart in the window: 159 is 256 by the golden ratio.
        let window = Window::new(self.house.epoch, phase.wrapping_mul(159));
        let key = self.rooms.insert(Local {
            room: Room::new(id.clone(), window),
            partition,
            seats: 0,
            turns: Turns::default(),
            is_busy: false,
            due: None,
            is_overdue: false,
            flushed: None,
            traced: None,
            recalled: Vec::new(),
            online: self.house.presence.of(id, partition),
            rate: Rate::default(),
        });
        self.by_name.insert(id.clone(), key);
        self.partition(partition).rooms.push(key);
        self.metrics.rooms.increment(1.0);
        key
    }

    /// Forgets a room that nobody watches any more.
    pub(super) fn drop_room(&mut self, key: usize) {
        let local = self.rooms.remove(key);
        self.by_name.remove(&local.room.id);
        self.partition(local.partition).rooms.retain(|&other| other != key);
        self.house.presence.release(&local.room.id, local.online);
        self.metrics.rooms.decrement(1.0);
    }

    /// Those who read a room, or all rooms of a partition; or one user among them.
    pub(super) fn members_of(&self, fell: &Fell) -> Vec<usize> {
        let is_meant = |&key: &usize| match &fell.user {
            None => true,
            Some(user) => self.users.seats(user).contains(&key),
        };
        let rooms = self.rooms_of(fell.partition, fell.room.as_ref());
        rooms.iter().flat_map(|&key| self.rooms[key].turns.members().iter().copied().filter(is_meant)).collect()
    }

    fn rooms_of(&self, partition: i32, room: Option<&RoomId>) -> Vec<usize> {
        match room {
            Some(room) => self.by_name.get(room).copied().into_iter().collect(),
            None => self.partitions[partition as usize].rooms.clone(),
        }
    }

    pub(super) fn heard(&mut self, heard: &Heard, moment: Moment) {
        let number = heard.to.partition;
        if !self.partition(number).is_open {
            return;
        }
        // What is read before the partition has caught up is history: nobody's join has been answered yet, except where
        // the partition went on elsewhere, and there everybody will be told of a gap.
        if self.partition(number).is_caught_up {
            for record in heard.records.iter() {
                match &record.room {
                    Some(room) => {
                        if let Some(&key) = self.by_name.get(room) {
                            self.take_record(key, record, moment);
                        }
                    }
                    None => {
                        for key in self.partition(number).rooms.clone() {
                            self.take_record(key, record, moment);
                        }
                    }
                }
            }
        }
        self.partition(number).at = heard.to;
        self.answer_waiting(number, None, moment);
    }

    fn take_record(&mut self, key: usize, record: &Arc<Record>, moment: Moment) {
        let (local, users) = (&mut self.rooms[key], &self.users);
        if !local.listens() || local.partition != record.at.partition {
            return;
        }
        local.rate.count();
        local.room.take(record, |user| !users.seats(user).is_empty());
        if !local.room.delay().is_zero() && record.recall().is_some() {
            local.recalled.push(record.clone());
        }
        if local.room.is_waiting() {
            self.schedule(key, moment.now);
        }
    }

    pub(super) fn missed(&mut self, partition: i32, room: Option<&RoomId>, missed: Missed, moment: Moment) {
        for key in self.rooms_of(partition, room) {
            let local = &mut self.rooms[key];
            if local.listens() && local.partition == partition {
                local.room.take_missed(missed);
                self.schedule(key, moment.now);
            }
        }
    }

    /// Joins of this partition can be answered. If it had gone on elsewhere, every viewer is told that something may lie
    /// between.
    pub(super) fn caught_up(&mut self, number: i32, moment: Moment) {
        let partition = self.partition(number);
        partition.is_caught_up = true;
        let at = partition.at;
        if std::mem::take(&mut partition.is_cut) {
            for key in partition.rooms.clone() {
                let local = &mut self.rooms[key];
                if local.listens() {
                    local.room.flush_unknown(at, moment.now);
                    self.tally.frames += 1;
                    self.spread(key);
                }
            }
        }
        self.answer_waiting(number, None, moment);
    }

    /// Sees to it that what waits in a room leaves at the end of its window, or earlier if it is much.
    pub(super) fn schedule(&mut self, key: usize, now: Instant) {
        let local = &mut self.rooms[key];
        if local.is_overdue && !local.room.is_overfull() {
            return;
        }
        let at = if local.room.is_overfull() {
            now
        } else {
            local.room.window.due(now, local.room.is_full(), self.pace.window())
        };
        if local.due.is_none_or(|due| at < due) {
            local.due = Some(at);
            self.due.push(Reverse((at, key)));
        }
    }

    /// Flushes the rooms whose windows have ended.
    pub(super) fn flush_due(&mut self, moment: Moment) {
        while let Some(&Reverse((at, key))) = self.due.peek().filter(|Reverse((at, _))| *at <= moment.now) {
            self.due.pop();
            // A room that is gone, or whose window was changed, has left its entry behind.
            let Some(local) = self.rooms.get_mut(key).filter(|local| local.due == Some(at)) else { continue };
            local.due = None;
            if !local.turns.is_over() && !local.room.is_overfull() {
                // Writing to everybody takes longer than a window: this one ends when that is done.
                local.is_overdue = true;
            } else {
                self.flush(key, moment);
            }
        }
    }

    /// Shows everybody what is as old as the delay of its room.
    pub(super) fn heads_move(&mut self, moment: Moment) {
        while let Some(&Reverse((_, key))) = self.heads.peek().filter(|Reverse((at, _))| *at <= moment.now) {
            self.heads.pop();
            // It may be gone, or another: then nobody has anything to be written.
            if let Some(local) = self.rooms.get(key) {
                let number = local.partition;
                self.spread(key);
                self.answer_waiting(number, None, moment);
            }
        }
    }

    pub(super) fn flush(&mut self, key: usize, moment: Moment) {
        let Some(local) = self.rooms.get_mut(key) else { return };
        let number = local.partition;
        let at = self.partitions[number as usize].at;
        let (before, messages) = (local.room.ring.next(), local.room.ring.total());
        let mut late = None;
        if let Some(first) = local.room.first_waiting() {
            let ago = moment.now.saturating_duration_since(first.said);
            self.metrics.encoded.record(ago);
            late = self.house.told.is_late(ago).then(|| first.clone());
        }
        if local.turns.members().is_empty() {
            local.room.flush_all(at, moment.now);
        } else {
            local.room.flush(at, moment.now);
            local.flushed.get_or_insert(moment.now);
        }
        local.due = None;
        local.is_overdue = false;
        let (traced, messages) = (local.room.take_traced(), local.room.ring.total() - messages);
        if let Some(flush) = Flush::of(&self.house.told, traced, late, messages, moment.now) {
            match &mut local.traced {
                Some(earlier) => earlier.join(*flush),
                None => local.traced = Some(flush),
            }
        }
        let (is_rest, private, delay) = (local.room.is_waiting(), local.room.take_private(), local.room.delay());
        self.tally.frames += local.room.ring.next() - before;
        self.spread(key);
        if !delay.is_zero() {
            // A flush a window and room, for 6 s at most: 120 of them.
            self.heads.push(Reverse((moment.now + delay, key)));
        }
        if is_rest {
            self.schedule(key, moment.now);
        }
        // Who cannot take these is gone, and with the last of them the room: nothing of it is touched behind them.
        self.tell_recalled(key, moment);
        self.hand_over(key, private, moment);
        // The room's cursor has moved, which is what a resume ahead of it waits for.
        self.answer_waiting(number, None, moment);
    }
}
