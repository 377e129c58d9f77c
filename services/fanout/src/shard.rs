//! One thread that owns its viewers, its rooms and their rings. It never waits for anything but its bell and its clock.
//!
//! A turn: take what the inbox holds, look at the viewers whose sockets are ready, flush the rooms whose windows ended, and
//! write to at most 256 viewers, so that a large room never keeps the others from their turn. Kafka, handshakes and
//! decoding are other threads'.
//!
//! # Layout, in reading order
//! A viewer has a `seat` once he `join`s; `pump` moves bytes between him and his socket, and `users` finds the seats of one
//! user. `hear` is what his client says (`packets` on the goim wire, `sends` what is for the door), and `say` what he is
//! told. `partition` is how far one is heard; `rooms` take what the inbox brings and flush it, as often as `pace` allows;
//! `rate` is how much is said there; `write` gives each member his turn, of which `turns` keeps the order; `private` is what the room's log holds for one of
//! them, `notices` what others say to him directly. `sweep` looks at everybody once a second, `memory` at what they take;
//! `drain` is the end, and `debug` what an operator is told.

mod join;
mod seat;
mod pump;
mod users;
mod hear;
mod packets;
mod sends;
mod say;
mod partition;
mod rooms;
mod pace;
mod rate;
mod write;
mod turns;
mod private;
mod notices;
mod sweep;
mod memory;
mod drain;
mod debug;

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use ahash::HashMap;
use proto::{RoomId, close::Close};
use slab::Slab;

use crate::{
    house::{House, Moment},
    inbox::{Event, Inbox, Waiting},
    metrics::{ShardMetrics, Tally},
    socket::ready::{Bell, Ready},
    viewer::Piece,
};
use drain::Drain;
use hear::Word;
use pace::Pace;
use partition::Partition;
use rooms::Local;
use seat::Seat;
use users::Users;

/// One buffer for whatever any viewer says: a message is 4 KiB at most, and few say anything.
const READ_BYTES: usize = 16 * 1024;

/// How often silence, blocked sockets and tokens are looked at: none of them needs to be seen sooner.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// A thread's viewers and rooms.
pub(crate) struct Shard {
    index: usize,
    house: Arc<House>,
    inbox: Arc<Inbox>,
    bell: Bell,
    ready: Arc<Ready>,
    seats: Slab<Seat>,
    rooms: Slab<Local>,
    by_name: HashMap<RoomId, usize>,
    users: Users,
    partitions: Vec<Partition>,
    /// Rooms that have something for viewers, in the order of their turns.
    busy: VecDeque<usize>,
    /// When rooms' windows end.
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    /// When everybody is to see what the moderators of a room have seen.
    heads: BinaryHeap<Reverse<(Instant, usize)>>,
    /// How long windows are.
    pace: Pace,
    /// Once the node leaves.
    drain: Option<Drain>,
    next_sweep: Instant,
    metrics: ShardMetrics,
    tally: Tally,
    /// As last published.
    ring_bytes: usize,
    blocked: usize,
    /// Memory that is used again in each turn.
    scratch: Scratch,
}

#[derive(Debug)]
struct Scratch {
    waiting: Waiting,
    listed: Vec<usize>,
    pieces: Vec<Piece>,
    words: Vec<Word>,
    buffer: Box<[u8]>,
}

impl Scratch {
    fn new() -> Self {
        Self {
            waiting: Waiting::default(),
            listed: Vec::new(),
            pieces: Vec::new(),
            words: Vec::new(),
            buffer: vec![0; READ_BYTES].into(),
        }
    }
}

impl Shard {
    /// A shard without viewers.
    pub(crate) fn new(index: usize, house: Arc<House>, inbox: Arc<Inbox>, bell: Bell, metrics: ShardMetrics) -> Self {
        let partitions = 0..house.partitions() as i32;
        Self {
            index,
            partitions: partitions.map(|number| Partition::new(house.generation, number)).collect(),
            ready: Arc::new(Ready::new(bell.clone())),
            pace: Pace::new(house.config.window, house.config.window_max, Instant::now()),
            house,
            inbox,
            bell,
            seats: Slab::new(),
            rooms: Slab::new(),
            by_name: HashMap::default(),
            users: Users::default(),
            busy: VecDeque::new(),
            due: BinaryHeap::new(),
            heads: BinaryHeap::new(),
            drain: None,
            next_sweep: Instant::now() + SWEEP_EVERY,
            metrics,
            tally: Tally::default(),
            ring_bytes: 0,
            blocked: 0,
            scratch: Scratch::new(),
        }
    }

    /// Turns until the hall leaves and the last viewer is gone.
    pub(crate) async fn run(mut self) {
        while !(self.drain.is_some() && self.seats.is_empty()) {
            self.turn_and_wait().await;
        }
        self.metrics.publish(&mut self.tally);
    }

    /// A turn that began at `moment` is over.
    fn worked(&mut self, moment: Moment) {
        let now = Instant::now();
        if self.pace.worked(now.saturating_duration_since(moment.now), now) {
            self.metrics.pace(self.index, self.pace.window(), self.pace.busy());
        }
    }

    /// A turn, and the wait for a reason to take the next.
    async fn turn_and_wait(&mut self) {
        let moment = Moment::now();
        let is_busy = self.turn(moment);
        self.worked(moment);
        if is_busy {
            // More is to be written; in between the runtime looks which sockets are ready.
            return tokio::task::yield_now().await;
        }
        let until = self.wakes_at();
        // The whole thread, which has nothing else to do: a runtime that waits is woken by each socket that has something to
        // read, and 350 heartbeats a second were 4 % of a core (measured).
        std::thread::sleep(self.pace.rest().min(until.saturating_duration_since(Instant::now())));
        tokio::task::yield_now().await;
        let bell = self.bell.clone();
        // Either is a reason for a turn.
        let _ = tokio::time::timeout_at(until.into(), bell.notified()).await;
    }

    /// When there is something to do at the latest.
    fn wakes_at(&self) -> Instant {
        let first = |heap: &BinaryHeap<Reverse<(Instant, usize)>>| heap.peek().map(|Reverse((at, _))| *at);
        let slot = self.drain.as_ref().map(Drain::wakes_at);
        [first(&self.due), first(&self.heads), slot].into_iter().flatten().fold(self.next_sweep, Instant::min)
    }

    /// One turn; tells whether more waits to be written.
    fn turn(&mut self, moment: Moment) -> bool {
        self.take_inbox(moment);
        self.serve_ready(moment);
        self.flush_due(moment);
        self.heads_move(moment);
        self.write_slice(moment);
        self.drain_due(moment);
        if moment.now >= self.next_sweep {
            self.next_sweep = moment.now + SWEEP_EVERY;
            self.sweep(moment);
        }
        self.inbox.set_seats(self.seats.len());
        self.metrics.publish(&mut self.tally);
        !self.busy.is_empty()
    }

    fn take_inbox(&mut self, moment: Moment) {
        let mut waiting = std::mem::take(&mut self.scratch.waiting);
        self.inbox.take(&mut waiting);
        for ((partition, room), missed) in waiting.missed.drain() {
            self.missed(partition, room.as_ref(), missed, moment);
        }
        for fell in waiting.fell.drain() {
            for key in self.members_of(&fell) {
                self.close(key, Close::Behind, moment);
            }
        }
        for event in waiting.events.drain(..) {
            self.event(event, moment);
        }
        waiting.clear();
        self.scratch.waiting = waiting;
    }

    fn event(&mut self, event: Event, moment: Moment) {
        match event {
            Event::Opened(opened) => self.opened(&opened, moment),
            Event::Heard(heard) => self.heard(&heard, moment),
            Event::CaughtUp(partition) => self.caught_up(partition, moment),
            Event::Restarted(at) => self.restarted(at),
            Event::High { partition, offset } => self.answer_waiting(partition, Some(offset), moment),
            Event::Arrived(arrival) => self.arrived(*arrival, moment),
            Event::Acked(acked) => self.acked(*acked, moment),
            // Who does not wait for it any more is not told.
            Event::Look(room, answer) => drop(answer.send(self.slowest(&room, moment))),
            Event::Watched(answer) => drop(answer.send(self.watched())),
            Event::Replaced { user, connection } => self.replaced(&user, connection, moment),
            Event::Notices { user, connection, notices } => self.notices(&user, connection, notices, moment),
            Event::Leave(leaving) => self.leave(leaving),
        }
    }

    fn serve_ready(&mut self, moment: Moment) {
        let mut listed = std::mem::take(&mut self.scratch.listed);
        self.ready.take(&mut listed);
        for key in listed.drain(..) {
            self.serve(key, moment);
        }
        self.scratch.listed = listed;
    }
}

#[cfg(test)]
mod tests;
