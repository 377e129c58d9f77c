//! What the viewers of one room heard, id by id, and how long each message took. Pure: the caller brings frames and times.
//!
//! A room's messages are numbered in the order in which anybody first spoke of them, and each viewer holds one bit a
//! message: so a repeat is known for certain, and 1,000 viewers of 5,000 messages cost 625 KB.
//! A frame is the same bytes for all viewers of a room; it is decoded once and recognized by its bytes afterwards, so
//! that the crowd's own CPU does not distort what it measures.

mod viewer;

pub use viewer::{Dropped, Viewer};

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::Instant;

use proto::MessageId;
use proto::frame::{self, BadFrame, FromServer};

use crate::latency::Latency;
use crate::ledger;

/// Frames by which later ones are recognized: viewers of a room are written to within one tick of the server, so the
/// last few are enough.
const RECENT_FRAMES: usize = 8;

/// When a message was sent.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// When the file wanted it to be: what a crowd that does not wait for answers counts from.
    pub intended: Instant,
    /// When its request was written.
    pub written: Instant,
}

/// From a message's sending to a viewer's reading, once for each viewer.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    /// Since the request was written.
    pub from_written: Latency,
    /// Since the file wanted it: what the server's slowness did to the sending counts too.
    pub from_intended: Latency,
    /// Between two frames of a viewer: in a lively room, the server's window.
    pub between: Latency,
}

/// One room as its viewers hear it.
#[derive(Debug, Default)]
pub struct Room {
    messages: Vec<Message>,
    index: HashMap<MessageId, usize>,
    /// The first message of the part that is measured; those before were rehearsals.
    measured_from: usize,
    accepted_twice: u64,
    viewers: Vec<Viewer>,
    recent: VecDeque<(Vec<u8>, Rc<Batch>)>,
}

#[derive(Debug)]
struct Message {
    id: MessageId,
    /// Known from its 202, which comes before or after the message itself.
    sent: Option<Sent>,
    /// Whether anybody saw it.
    shown: bool,
    /// When it was read by viewers while its 202 had not come yet.
    early: Vec<Instant>,
}

/// A decoded batch: message numbers.
#[derive(Debug)]
pub struct Batch {
    replay: bool,
    messages: Vec<usize>,
}

/// What a frame meant to the one who reads the socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The viewer is in, and should ping this often.
    Hello {
        /// The interval in milliseconds.
        ping_ms: u32,
    },
    /// Something for the book, which it has.
    Noted,
    /// A frame that nobody can read, with the reason.
    Unreadable(String),
}

impl Room {
    /// A room of that many viewers.
    pub fn new(viewers: usize) -> Self {
        Self { viewers: (0..viewers).map(|_| Viewer::default()).collect(), ..Self::default() }
    }

    /// Notes that the door accepted a message.
    pub fn accept(&mut self, id: MessageId, sent: Sent, delivery: &mut Delivery) {
        let number = self.number(id);
        let message = &mut self.messages[number];
        if message.sent.replace(sent).is_some() {
            self.accepted_twice += 1;
            return;
        }
        for read in std::mem::take(&mut message.early) {
            delivery.record(sent, read);
        }
    }

    /// Begins a measured part: what came before is remembered, so that its repeats are seen, and counts no more.
    pub fn measure(&mut self) {
        self.measured_from = self.messages.len();
        for message in &mut self.messages {
            message.early.clear();
        }
        self.viewers.iter_mut().for_each(Viewer::measure);
    }

    /// Has the first viewer forget the next message: a fault on purpose, to prove that the ledger sees it.
    pub fn forget_one(&mut self) {
        if let Some(first) = self.viewers.first_mut() {
            first.forgets_next = true;
        }
    }

    /// Notes what a viewer read.
    pub fn hear(&mut self, viewer: usize, text: &[u8], read: Instant, delivery: &mut Delivery) -> Heard {
        let batch = match self.recognize(text) {
            Some(batch) => batch,
            None => match frame::server_from_json(text) {
                Ok(FromServer::Batch(batch)) => match self.decode(text, &batch) {
                    Ok(batch) => batch,
                    Err(id) => return Heard::Unreadable(format!("a batch with the message id {id:?}")),
                },
                Ok(other) => return self.viewers[viewer].hear(other),
                // A later release's word is passed over, as the protocol says.
                Err(BadFrame::UnknownType(_)) => return Heard::Noted,
                Err(BadFrame::Malformed(why)) => return Heard::Unreadable(why),
            },
        };
        self.note(viewer, &batch, read, delivery);
        Heard::Noted
    }

    /// Notes that a viewer's socket ended.
    pub fn left(&mut self, viewer: usize, why: String) {
        self.viewers[viewer].left(why);
    }

    /// The room as the ledger wants it.
    pub fn sight(&self, name: &str) -> ledger::Room {
        let measured = &self.messages[self.measured_from.min(self.messages.len())..];
        let count = |is: fn(&Message) -> bool| measured.iter().filter(|message| is(message)).count() as u64;
        ledger::Room {
            name: name.to_owned(),
            accepted: count(|message| message.sent.is_some()),
            accepted_twice: self.accepted_twice,
            seen: count(|message| message.shown),
            unexplained: count(|message| message.shown && message.sent.is_none()),
            viewers: self.viewers.iter().map(|viewer| viewer.sight.clone()).collect(),
        }
    }

    fn note(&mut self, viewer: usize, batch: &Batch, read: Instant, delivery: &mut Delivery) {
        let viewer = &mut self.viewers[viewer];
        if let Some(between) = viewer.frame(batch.replay, read) {
            delivery.between.record(between);
        }
        for &number in &batch.messages {
            let message = &mut self.messages[number];
            let measured = number >= self.measured_from;
            let new = viewer.note(number, message.id, batch.replay, measured);
            if !new || !measured {
                continue;
            }
            message.shown = true;
            match message.sent {
                Some(sent) if !batch.replay => delivery.record(sent, read),
                None if !batch.replay => message.early.push(read),
                _ => {}
            }
        }
    }

    fn recognize(&self, text: &[u8]) -> Option<Rc<Batch>> {
        let same = self.recent.iter().rev().find(|(bytes, _)| bytes == text);
        same.map(|(_, batch)| Rc::clone(batch))
    }

    fn decode(&mut self, text: &[u8], batch: &proto::v1::Batch) -> Result<Rc<Batch>, String> {
        let ids = batch.messages.iter().map(|message| message.id.parse().map_err(|_| message.id.clone()));
        let ids = ids.collect::<Result<Vec<MessageId>, _>>()?;
        let messages = ids.into_iter().map(|id| self.number(id)).collect();
        let batch = Rc::new(Batch { replay: batch.replay, messages });
        if self.recent.len() == RECENT_FRAMES {
            self.recent.pop_front();
        }
        self.recent.push_back((text.to_vec(), Rc::clone(&batch)));
        Ok(batch)
    }

    /// The number of a message, a new one if nobody has spoken of it.
    fn number(&mut self, id: MessageId) -> usize {
        *self.index.entry(id).or_insert_with(|| {
            self.messages.push(Message { id, sent: None, shown: false, early: Vec::new() });
            self.messages.len() - 1
        })
    }
}

impl Delivery {
    fn record(&mut self, sent: Sent, read: Instant) {
        self.from_written.record(read.saturating_duration_since(sent.written));
        self.from_intended.record(read.saturating_duration_since(sent.intended));
    }
}

#[cfg(test)]
mod tests;
