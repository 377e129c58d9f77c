//! Moving bytes between a viewer and his socket, both ways, and what it means when that does not go on. Which bytes are to be
//! written is his plan's.

use std::io::ErrorKind;

use proto::close::Close;

use super::Shard;
use crate::{
    house::Moment,
    resume,
    viewer::{Around, Plan},
    wire::Wire,
};

/// Reads of one viewer in one turn; what is left is looked at in the next.
const READS_MAX: usize = 4;

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
}
