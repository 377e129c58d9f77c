//! A viewer's seat: his state, his socket, and what is known of him; and moving bytes between them.

use std::{collections::VecDeque, io::ErrorKind, net::IpAddr, sync::Arc, time::Instant};

use chassis::tokens::Claims;
use proto::{UserId, close::Close};

use super::{Shard, packets::FirstWords, sends::Refusals};
use crate::{
    admission::Pass,
    house::Moment,
    metrics,
    reader::Reader,
    resume::{self, Since},
    socket::{Socket, ready::Node},
    viewer::{Around, Plan, Viewer},
    wire::Wire,
};

/// Reads of one viewer in one turn; what is left is looked at in the next.
const READS_MAX: usize = 4;

/// A viewer and everything of his.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) viewer: Viewer,
    pub(super) socket: Socket,
    pub(super) reader: Reader,
    pub(super) node: Arc<Node>,
    /// His room, and his place among its members.
    pub(super) room: usize,
    pub(super) member: Option<usize>,
    /// When anything was last heard from him; of an event stream, when a comment was last written.
    pub(super) alive: Instant,
    /// What is seldom looked at.
    pub(super) who: Box<Who>,
}

/// What is known of a viewer.
#[derive(Debug)]
pub(super) struct Who {
    pub(super) connection: u64,
    /// Where he comes from.
    pub(super) address: IpAddr,
    pub(super) claims: Option<Arc<Claims>>,
    /// His place on this node, until he is gone.
    pub(super) _pass: Pass,
    /// Messages he was told he will not see.
    pub(super) dropped: u32,
    /// Whose place this connection has taken.
    pub(super) place: Option<UserId>,
    /// Whether nothing is shown before a token has come.
    pub(super) is_locked: bool,
    pub(super) arrived: Instant,
    pub(super) since: Since,
    /// The high watermark, if his cursor was ahead and it was asked.
    pub(super) high: Option<u64>,
    pub(super) has_asked: bool,
    /// What he said in the second that began then.
    pub(super) words: (Instant, u32),
    /// Frames of his that made no sense.
    pub(super) bad_frames: u32,
    pub(super) was_told_of_unknown: bool,
    /// Sends of his that were refused lately; a pointer, for nearly all have none.
    pub(super) refusals: Option<Box<Refusals>>,
    /// What is to be remembered of a client of the goim wire.
    pub(super) goim: FirstWords,
    /// Direct notices whose ack is awaited.
    pub(super) notices: VecDeque<String>,
    /// Since when, and why, he is on his way out.
    pub(super) leaving: Option<(Instant, Close)>,
    /// Whether our side of the connection is shut.
    pub(super) is_finished: bool,
}

impl Who {
    /// Somebody who has just come, of whom nothing but the handshake is known.
    pub(super) fn new(
        connection: u64,
        address: IpAddr,
        pass: Pass,
        since: Since,
        is_locked: bool,
        now: Instant,
    ) -> Self {
        Self {
            connection,
            address,
            claims: None,
            _pass: pass,
            dropped: 0,
            is_locked,
            arrived: now,
            since,
            high: None,
            has_asked: false,
            words: (now, 0),
            bad_frames: 0,
            was_told_of_unknown: false,
            refusals: None,
            goim: FirstWords::default(),
            notices: VecDeque::new(),
            leaving: None,
            is_finished: false,
            place: None,
        }
    }

    /// His end is decided; it is counted now, not when his socket has taken it.
    pub(super) fn leaves(&mut self, close: Close, moment: Moment) {
        tracing::debug!(connection = self.connection, reason = close.word(), "viewer closed");
        self.leaving = Some((moment.now, close));
        metrics::closed(Some(close));
    }
}

/// How moving bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// All that can be done is done.
    Fine,
    /// The last byte he will get is on its way.
    Left,
    /// He cannot be served from the ring any more.
    Fell,
    /// The connection is lost.
    Gone,
}

impl Shard {
    /// Looks at a viewer whose socket is ready.
    pub(super) fn serve(&mut self, key: usize, moment: Moment) {
        // A number outlives its viewer on the list.
        let Some(seat) = self.seats.get(key) else { return };
        seat.node.unlist();
        self.read(key, moment);
        let Some(seat) = self.seats.get(key) else { return };
        if seat.viewer.blocked_since().is_some() && seat.socket.is_writable(&seat.node) {
            self.pump_and_see(key, moment);
        }
    }

    fn read(&mut self, key: usize, moment: Moment) {
        for _ in 0..READS_MAX {
            let Some(seat) = self.seats.get_mut(key) else { return };
            if !seat.socket.is_readable(&seat.node) {
                return;
            }
            match seat.socket.read(&mut self.scratch.buffer) {
                Ok(0) => return self.ended(key, Flow::Gone, moment),
                Ok(len) => self.heard_bytes(key, len, moment),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return self.ended(key, Flow::Gone, moment),
            }
        }
        // He goes on talking: the others first.
        if let Some(seat) = self.seats.get(key) {
            seat.node.list();
        }
    }

    /// Writes all that a viewer is due, as far as his socket takes it, and sees to what comes of it.
    pub(super) fn pump_and_see(&mut self, key: usize, moment: Moment) {
        let flow = self.pump(key, moment);
        if flow != Flow::Fine {
            self.ended(key, flow, moment);
        }
    }

    /// Writes all that a viewer is due, as far as his socket takes it.
    pub(super) fn pump(&mut self, key: usize, moment: Moment) -> Flow {
        let seat = &mut self.seats[key];
        let local = &self.rooms[seat.room];
        let number = local.partition as usize;
        let user = seat.who.claims.as_ref().map(|claims| &*claims.sub);
        let around = Around {
            room: &local.room,
            partition: self.partitions[number].at,
            now: moment.now,
            unix_ms: moment.unix_ms,
            online: local.online.get(),
            approximate: self.house.presence.is_approximate(),
            history: &|replay, wire| {
                let to = resume::Recipient { wire, user };
                resume::chunk(&self.house.raw(number), &local.room.id, replay, to)
            },
        };
        let pieces = &mut self.scratch.pieces;
        loop {
            pieces.clear();
            match seat.viewer.plan(&around, pieces) {
                Plan::Write => {}
                Plan::Fell => return Flow::Fell,
                Plan::Nothing => {
                    seat.viewer.unblocked();
                    return if seat.viewer.has_left() { Flow::Left } else { Flow::Fine };
                }
            }
            let written = if pieces.iter().all(|piece| piece.bytes.is_empty()) {
                0
            } else {
                match seat.socket.write(pieces) {
                    Ok(written) => written,
                    Err(error) if error.kind() != ErrorKind::WouldBlock => return Flow::Gone,
                    Err(_) if seat.socket.is_writable(&seat.node) => continue,
                    Err(_) => {
                        seat.viewer.blocked(moment.now);
                        return Flow::Fine;
                    }
                }
            };
            self.tally.writes += u64::from(written > 0);
            let told = seat.viewer.settle(pieces, written, moment.now);
            seat.who.dropped = seat.who.dropped.saturating_add(told.missed());
            self.tally.add(told);
        }
    }

    /// Sees to a viewer with whom it does not go on as before.
    pub(super) fn ended(&mut self, key: usize, flow: Flow, moment: Moment) {
        match flow {
            Flow::Fine => {}
            Flow::Gone => self.remove(key),
            Flow::Fell => self.close(key, Close::Behind, moment),
            Flow::Left => self.left(key),
        }
    }

    /// Everything is written: shut our side, and wait a little for theirs, because closing a socket with unread bytes in it
    /// would reset the connection under the last frame.
    fn left(&mut self, key: usize) {
        let seat = &mut self.seats[key];
        let said_goodbye = matches!(seat.who.leaving, Some((_, Close::Normal)));
        if !std::mem::replace(&mut seat.who.is_finished, true) {
            seat.socket.finish();
        }
        if said_goodbye || seat.viewer.wire() == Wire::Sse {
            self.remove(key);
        }
    }

    /// Says why, and ends the connection as soon as that is written.
    pub(super) fn close(&mut self, key: usize, close: Close, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.viewer.is_leaving() {
            return;
        }
        let last = seat.viewer.wire().close(close);
        seat.viewer.leave(last);
        seat.who.leaves(close, moment);
        self.pump_and_see(key, moment);
    }

    /// Forgets a viewer; dropping his socket closes it.
    pub(super) fn remove(&mut self, key: usize) {
        self.unknown_from_now(key);
        let Some(seat) = self.seats.try_remove(key) else { return };
        let local = &mut self.rooms[seat.room];
        local.online.leave();
        local.seats -= 1;
        if let Some(member) = seat.member {
            for (moved, place) in local.turns.remove(member).into_iter().flatten() {
                self.seats[moved].member = Some(place);
            }
        }
        let (number, is_empty) = (local.partition, local.seats == 0);
        if is_empty {
            self.drop_room(seat.room);
        }
        let index = self.index;
        let partition = &mut self.partitions[number as usize];
        partition.waiting.retain(|&other| other != key);
        partition.seats -= 1;
        if partition.seats == 0 {
            partition.is_open = false;
            self.house.wants.set(index, number as usize, 0);
        }
        self.metrics.viewers.decrement(1.0);
        if seat.who.leaving.is_none() {
            metrics::closed(None);
        }
    }
}
