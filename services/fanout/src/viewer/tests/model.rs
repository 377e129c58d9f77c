//! A partition's log, two nodes that read it at their own pace, one viewer, and the client at the other end of his wire.

mod client;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proto::{
    Cursor, RoomId,
    v1::{self, Fate},
};

use super::super::{Around, Piece, Plan, Said, Viewer};
use crate::{
    raw::{
        Raw, Record,
        tests::{message, private, recall},
    },
    resume::{self, Answer, Since},
    room::{Audience, Room, pending::Missed, window::Window},
    wire::Wire,
};
use client::Client;

/// What happens next.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A record: 0 chat, 1 chat of another room, 2 a gift, 3 a control frame, 4 a verdict for the viewer, 5 one for another.
    Say { kind: u8, len: usize },
    /// Much chat at once.
    Burst(usize),
    /// The viewer's node loses the next chat before it can show it.
    Lose(usize),
    /// The window ends on the viewer's node.
    Flush,
    /// The client's side takes so many bytes.
    Read(usize),
    /// So many milliseconds pass.
    Pass(u64),
    /// The connection breaks off; what was not read is lost.
    Break,
    /// The viewer comes back, to one of two nodes.
    Connect(usize),
    /// Everybody sees the room so many milliseconds later from now on.
    Delay(u32),
    /// The client pings.
    Ping,
    /// The shard's sweep.
    Sweep,
}

/// One line of the log, as the model judges it.
struct Line {
    record: Arc<Record>,
    is_ours: bool,
}

/// One node: the viewer's room on it, the raw records, and how far it has read.
struct Node {
    room: Room,
    raw: Raw,
    position: usize,
}

pub(super) struct World {
    log: Vec<Line>,
    nodes: [Node; 2],
    /// The viewer and the node he is on.
    seat: Option<(Viewer, usize)>,
    pub(super) client: Client,
    pub(super) fell: usize,
    delay_ms: u32,
    now: Instant,
}

/// The viewer's user.
const ME: &str = "me";

/// Sources are twice the offsets, so that one cannot be taken for the other.
fn cursor(offset: usize) -> Cursor {
    Cursor { generation: 1, partition: 3, src_next: offset as u64 * 2, next: offset as u64 }
}

fn empty_room(now: Instant) -> Room {
    Room::new(RoomId::new("a").unwrap(), Window::new(now, 0))
}

impl Node {
    fn new(now: Instant) -> Self {
        Self { room: empty_room(now), raw: Raw::new(Duration::from_secs(75)), position: 0 }
    }

    /// Reads the log to its end; what is `shown` goes to the room too.
    fn hear(&mut self, log: &[Line], shown: bool) {
        for line in &log[self.position..] {
            self.raw.push(line.record.clone());
            if shown && line.is_ours {
                self.room.take(&line.record, |user| user == ME);
            }
        }
        self.position = log.len();
    }

    fn answer(&self, since: Since, high: usize, now: Instant) -> Answer {
        let head = self.room.cursor(cursor(self.position));
        resume::answer(&self.raw, &self.room.id, since, head, Some(high as u64), now)
    }
}

impl World {
    /// A viewer on node 0, in an empty room.
    pub(super) fn new() -> Self {
        let now = Instant::now();
        let nodes = [Node::new(now), Node::new(now)];
        let mut world =
            Self { log: Vec::new(), nodes, seat: None, client: Client::default(), fell: 0, delay_ms: 0, now };
        world.connect(0);
        world
    }

    pub(super) fn viewer(&mut self) -> &mut Viewer {
        &mut self.seat.as_mut().expect("connected").0
    }

    pub(super) fn take(&mut self, step: &Step) {
        match *step {
            Step::Say { kind, len } => self.say(kind, len),
            Step::Burst(count) => (0..count).for_each(|_| self.say(0, 300)),
            Step::Lose(count) => self.lose(count),
            Step::Flush => self.flush(),
            Step::Read(bytes) => self.read(bytes),
            Step::Pass(ms) => self.now += Duration::from_millis(ms),
            Step::Delay(delay_ms) => self.set_delay(delay_ms),
            Step::Break => self.disconnect(),
            Step::Connect(_) if self.seat.is_some() => {}
            Step::Connect(node) => self.connect(node),
            Step::Ping => {
                if let Some((viewer, _)) = &mut self.seat {
                    let _ = viewer.say(Said::Pong { at: 7 });
                }
            }
            Step::Sweep => self.nodes.iter_mut().for_each(|node| node.room.ring.age(self.now)),
        }
    }

    /// Everything is flushed and read, and nothing may be unaccounted for.
    pub(super) fn finish(&mut self) {
        for _ in 0..20 {
            self.take(&Step::Connect(0));
            self.take(&Step::Flush);
            self.take(&Step::Pass(u64::from(self.delay_ms)));
            self.take(&Step::Read(usize::MAX));
        }
        self.client.check_complete(&self.log);
    }

    fn set_delay(&mut self, delay_ms: u32) {
        self.delay_ms = delay_ms;
        let mode = v1::Mode { delay_ms, ..v1::Mode::default() };
        self.nodes.iter_mut().for_each(|node| node.room.set_mode(mode));
    }

    fn say(&mut self, kind: u8, len: usize) {
        let offset = self.log.len();
        let item = match kind {
            2 => message(Fate::Lossless, &format!("{offset}-{}", "x".repeat(len))),
            3 => recall(&offset.to_string()),
            4 => private(ME, &offset.to_string()),
            5 => private("somebody else", &offset.to_string()),
            _ => message(Fate::Lossy, &format!("{offset}-{}", "x".repeat(len))),
        };
        let record = Record {
            at: cursor(offset),
            append_ms: 1_000_000,
            heard: self.now,
            said: self.now,
            fresh_until: self.now + Duration::from_secs(3),
            trace: None,
            room: RoomId::new(if kind == 1 { "b" } else { "a" }).ok(),
            items: vec![item].into(),
        };
        self.log.push(Line { record: Arc::new(record), is_ours: kind != 1 && kind != 5 });
    }

    /// Chat reaches the raw records, but the shard only hears how much it was.
    fn lose(&mut self, count: usize) {
        let Some((_, index)) = self.seat else { return };
        self.nodes[index].hear(&self.log, true);
        let first = self.log.len();
        (0..count).for_each(|_| self.say(0, 10));
        let node = &mut self.nodes[index];
        node.hear(&self.log, false);
        let last = cursor(self.log.len() - 1).src_next;
        node.room.take_missed(Missed { from: cursor(first), count: count as u32, last });
    }

    fn flush(&mut self) {
        let Some((_, index)) = self.seat else { return };
        let node = &mut self.nodes[index];
        node.hear(&self.log, true);
        node.room.flush(cursor(node.position), self.now);
        self.hand_over();
    }

    /// What the flush brought for the viewer alone; he who has no place for it is closed, and comes back.
    fn hand_over(&mut self) {
        let Some((viewer, index)) = &mut self.seat else { return };
        let private = self.nodes[*index].room.take_private();
        if !private.into_iter().all(|private| viewer.say_after(private)) {
            self.fell += 1;
            self.client.hear(&self.log);
            self.disconnect();
        }
    }

    fn connect(&mut self, index: usize) {
        let since = match self.client.cursor() {
            None => Since::Now,
            Some(text) => text.parse().map_or(Since::Unreadable, Since::Cursor),
        };
        let node = &mut self.nodes[index];
        // A room that nobody watched is gone with its ring.
        node.room = empty_room(self.now);
        node.room.set_mode(v1::Mode { delay_ms: self.delay_ms, ..v1::Mode::default() });
        let mut answer = node.answer(since, self.log.len(), self.now);
        if answer == Answer::Wait {
            node.hear(&self.log, false);
            answer = node.answer(since, self.log.len(), self.now);
        }
        let Answer::Enter(entry) = answer else { panic!("{answer:?}") };
        self.client.greeted(&entry.cursor.to_string());
        let mut viewer = Viewer::new(Wire::Json, Audience::Everyone);
        viewer.enter(&node.room, entry.replay, self.now);
        self.seat = Some((viewer, index));
    }

    fn disconnect(&mut self) {
        self.seat = None;
        self.client.lose_rest();
    }

    fn read(&mut self, mut capacity: usize) {
        while let Some((viewer, index)) = &mut self.seat {
            let node = &self.nodes[*index];
            let around = Around {
                room: &node.room,
                partition: cursor(node.position),
                now: self.now,
                unix_ms: 1,
                online: 1,
                approximate: true,
                history: &|replay, wire| {
                    resume::chunk(&node.raw, &node.room.id, replay, resume::Recipient { wire, user: Some(ME) })
                },
            };
            let mut pieces: Vec<Piece> = Vec::new();
            match viewer.plan(&around, &mut pieces) {
                Plan::Nothing => {
                    viewer.unblocked();
                    break;
                }
                Plan::Fell => {
                    self.fell += 1;
                    self.client.hear(&self.log);
                    self.disconnect();
                    return;
                }
                Plan::Write => {}
            }
            let all: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
            let taken = all.len().min(capacity);
            self.client.receive(&all[..taken]);
            viewer.settle(&mut pieces, taken, self.now);
            capacity -= taken;
            if taken < all.len() {
                viewer.blocked(self.now);
                break;
            }
        }
        self.client.hear(&self.log);
    }
}
