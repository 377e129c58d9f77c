//! Coming in: a seat for an arrival, and the answer to his join as soon as it can be given.

use std::{cmp::Reverse, io, sync::Arc, time::Duration};

use bytes::Bytes;
use proto::close::Close;

use super::{
    Shard,
    say::audience,
    seat::{Seat, Who},
};
use crate::{
    arrival::{Access, Arrival, Line},
    house::Moment,
    lookup::Question,
    metrics,
    reader::Reader,
    resume::{self, Answer, Entry},
    room::Audience,
    socket::{Socket, ready::Node},
    viewer::Viewer,
};

/// How long a join may wait for the partition to be read so far. A client gives up on a silent handshake after 12 s.
pub(super) const JOIN_WAIT: Duration = Duration::from_secs(10);

/// How long who must bring a token may take.
pub(super) const TOKEN_WAIT: Duration = Duration::from_secs(5);

impl Shard {
    pub(super) fn arrived(&mut self, arrival: Arrival, moment: Moment) {
        let Arrival { room, partition, address, line, wire, since, access, permit, pass } = arrival;
        let node = Node::new(self.seats.vacant_key(), self.ready.clone());
        let connected = connected(line, &node);
        // From here on the seat counts, and the next may come to the door.
        drop(permit);
        let Ok((socket, early)) = connected else { return };
        let is_locked = !matches!(access, Access::Granted(_));
        let who = Who::new(self.house.connection(), address, pass, since, is_locked, moment.now);
        let room = self.room(&room, partition);
        let key = self.seats.insert(Seat {
            viewer: Viewer::new(wire, audience(None)),
            socket,
            reader: Reader::new(super::hear::MESSAGE_BYTES_MAX),
            node: node.clone(),
            room,
            member: None,
            alive: moment.now,
            who: Box::new(who),
        });
        self.seated(key);
        if let Access::Granted(Some(claims)) = &access {
            self.known(key, claims.clone());
        }
        match access {
            Access::Refused(close, message) => self.refuse(key, close, &message, moment),
            _ if self.drain.is_some() => self.send_away(key, Close::Restarting, "restart", moment),
            _ => self.try_answer(key, None, moment),
        }
        self.heard_early(key, &early, moment);
        // His socket is looked at for the first time, which also registers his waker.
        node.list();
    }

    /// Counts a new seat everywhere, and asks for the room's partition if he is its first viewer here.
    fn seated(&mut self, key: usize) {
        let room = self.seats[key].room;
        let local = &mut self.rooms[room];
        local.seats += 1;
        local.online.enter();
        let number = local.partition as usize;
        let partition = &mut self.partitions[number];
        partition.waiting.push(key);
        partition.seats += 1;
        if partition.seats == 1 {
            partition.wish = partition.wish.wrapping_add(1).max(1);
            self.house.wants.set(self.index, number, partition.wish);
        }
        self.tally.opened += 1;
        self.metrics.viewers.increment(1.0);
        tracing::debug!(connection = self.seats[key].who.connection, "viewer came");
    }

    /// Answers whoever waits in a partition, if it can be answered now; `high` is its high watermark, if that came in.
    pub(super) fn answer_waiting(&mut self, number: i32, high: Option<u64>, moment: Moment) {
        let partition = self.partition(number);
        if partition.waiting.is_empty() || !partition.is_open || !partition.is_caught_up {
            return;
        }
        let mut waiting = std::mem::take(&mut partition.waiting);
        for &key in &waiting {
            self.try_answer(key, high, moment);
        }
        waiting.retain(|&key| self.seats.get(key).is_some_and(|seat| seat.viewer.is_waiting()));
        self.partition(number).waiting.append(&mut waiting);
    }

    pub(super) fn try_answer(&mut self, key: usize, high: Option<u64>, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        let local = &mut self.rooms[seat.room];
        let partition = &self.partitions[local.partition as usize];
        seat.who.high = high.or(seat.who.high);
        let is_answerable = seat.viewer.is_waiting() && !seat.who.is_locked && !seat.viewer.is_leaving();
        if !is_answerable || !partition.is_open || !partition.is_caught_up {
            return;
        }
        // What was set before this shard kept the room, or while it heard nothing, is known nowhere else.
        let mode = self.house.standing(local.partition as usize).mode(&local.room.id);
        mode.into_iter().for_each(|mode| local.room.set_mode(mode));
        let room = seat.room;
        self.keep_young(room, moment);
        let Some(seat) = self.seats.get_mut(key) else { return };
        let local = &self.rooms[room];
        let partition = &self.partitions[local.partition as usize];
        let head = local.room.place_of(local.room.head(seat.viewer.audience(), moment.now), partition.at);
        let raw = self.house.raw(local.partition as usize);
        let answer = resume::answer(&raw, &local.room.id, seat.who.since, head, seat.who.high, moment.now);
        drop(raw);
        match answer {
            Answer::Enter(entry) => self.enter(key, entry, moment),
            Answer::Wait => {}
            Answer::AskHigh => {
                if !std::mem::replace(&mut seat.who.has_asked, true) {
                    let question = Question::High { partition: local.partition, shard: self.index };
                    self.house.lookups.ask(question);
                }
            }
        }
    }

    /// Before anybody reads a room with a delay here: what is younger goes onto its ring, and waits there for everybody as it
    /// does where somebody has watched all the time.
    fn keep_young(&mut self, room: usize, moment: Moment) {
        let local = &mut self.rooms[room];
        let (delay, number) = (local.room.delay(), local.partition as usize);
        if delay.is_zero() || local.listens() {
            return;
        }
        let (at, old) = (self.partitions[number].at, local.room.clock(Audience::Everyone, moment.now));
        let raw = self.house.raw(number);
        let young = raw.before(&local.room.id, at.next).take_while(|record| record.said > old);
        let young: Vec<_> = young.cloned().collect();
        drop(raw);
        let mut pushed = old;
        for record in young.into_iter().rev() {
            // The ring is in the order of time.
            pushed = pushed.max(record.said).min(moment.now);
            local.room.take(&record, |_| false);
            local.room.flush_all(record.after(), pushed);
            self.heads.push(Reverse((pushed + delay, room)));
        }
    }

    /// A cursor that this node reached in offsets but not in sources, in all that time, is not of this history.
    pub(super) fn give_up_or_send_away(&mut self, key: usize, moment: Moment) {
        let seat = &self.seats[key];
        let local = &self.rooms[seat.room];
        let partition = &self.partitions[local.partition as usize];
        let head = local.room.place_of(local.room.head(seat.viewer.audience(), moment.now), partition.at);
        let is_reached = matches!(seat.who.since, resume::Since::Cursor(cursor) if cursor.next <= head.next);
        if is_reached && partition.is_open && partition.is_caught_up && !seat.who.is_locked {
            let raw = self.house.raw(local.partition as usize);
            let entry = resume::give_up(&raw, &local.room.id, head, moment.now);
            drop(raw);
            return self.enter(key, entry, moment);
        }
        self.send_away(key, Close::TryLater, "try later", moment);
    }

    fn enter(&mut self, key: usize, entry: Entry, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        let local = &mut self.rooms[seat.room];
        self.metrics.join.record(moment.now.saturating_duration_since(seat.who.arrived));
        metrics::joined(entry.recovered);
        seat.member = Some(local.turns.add(key));
        seat.viewer.enter(&local.room, entry.replay, moment.now);
        self.owe(key, moment);
        // Who cannot take what he is owed is gone already.
        if !self.seats.contains(key) {
            return;
        }
        self.greet(key, Some(entry.cursor), entry.recovered, moment);
        self.answer_early_beat(key, moment);
        self.take_place(key);
    }
}

/// The socket of an arrival, and what his client said right behind the handshake.
fn connected(line: Line, node: &Arc<Node>) -> io::Result<(Socket, Bytes)> {
    match line {
        Line::WebSocket(stream, early) => Ok((Socket::adopt(stream)?, early)),
        Line::Events(pipe) => {
            pipe.wakes(node.clone());
            Ok((Socket::Pipe(pipe), Bytes::new()))
        }
    }
}
