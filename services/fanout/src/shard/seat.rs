//! A viewer's seat: his state, his socket, and what is known of him; and how he loses it. Moving bytes is `pump`'s.

use std::{collections::VecDeque, net::IpAddr, sync::Arc, time::Instant};

use chassis::tokens::Claims;
use proto::{UserId, close::Close};

use super::{Shard, packets::FirstWords, sends::Refusals};
use crate::{
    admission::Pass,
    house::Moment,
    metrics,
    reader::Reader,
    resume::Since,
    socket::{Socket, ready::Node},
    viewer::Viewer,
};

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
    /// What of his was refused lately; a pointer, for nearly all have none.
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

impl Shard {
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
