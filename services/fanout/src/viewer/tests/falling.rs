//! One room and a viewer who takes nothing for so long that the ring forgets even the entries of its frames.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proto::{Cursor, RoomId};

use super::super::{Around, Plan, Viewer};
use crate::{
    raw::{Item, Record},
    room::{Audience, Room, frame::Told, window::Window},
    wire::Wire,
};

pub(super) struct Falling {
    room: Room,
    viewer: Viewer,
    next: u64,
    now: Instant,
}

fn at(next: u64) -> Cursor {
    Cursor { generation: 1, partition: 3, src_next: next, next }
}

impl Falling {
    pub(super) fn new(wire: Wire) -> Self {
        let now = Instant::now();
        let room = Room::new(RoomId::new("a").unwrap(), Window::new(now, 0));
        let mut viewer = Viewer::new(wire, Audience::Everyone);
        viewer.enter(&room, None, now);
        viewer.blocked(now);
        Self { room, viewer, next: 0, now }
    }

    /// A window in which only this was said.
    pub(super) fn window(&mut self, item: Item) {
        let record = Record {
            at: at(self.next),
            append_ms: 0,
            heard: self.now,
            said: self.now,
            fresh_until: self.now + Duration::from_secs(3),
            trace: None,
            room: RoomId::new("a").ok(),
            items: vec![item].into(),
        };
        self.next += 1;
        self.room.take(&Arc::new(record), |_| true);
        self.room.flush(at(self.next), self.now);
        assert!(self.room.take_private().into_iter().all(|private| self.viewer.say_after(private)));
    }

    /// He takes all there is; what he was told.
    pub(super) fn read(&mut self) -> Told {
        let around = Around {
            room: &self.room,
            partition: at(self.next),
            now: self.now,
            unix_ms: 1,
            online: 1,
            approximate: false,
            history: &|_, _| panic!("he replays nothing"),
        };
        let (mut told, mut pieces) = (Told::default(), Vec::new());
        while self.viewer.plan(&around, &mut pieces) == Plan::Write {
            let len = pieces.iter().map(|piece| piece.bytes.len()).sum();
            told += self.viewer.settle(&mut pieces, len, self.now);
            pieces.clear();
        }
        told
    }
}
