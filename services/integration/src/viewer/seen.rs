//! Everything a viewer heard, as plain fields. A repeat is written down twice; how it came is kept out.

use proto::{
    MessageId,
    frame::FromServer,
    v1::{self, Kind},
};

/// One message as it was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// Its id.
    pub id: MessageId,
    /// What was said.
    pub text: String,
    /// Who said it.
    pub user: String,
    /// When the door accepted it.
    pub at: i64,
    /// What it is.
    pub kind: Kind,
    /// Its data, JSON.
    pub data: String,
}

impl Heard {
    /// Whether a viewer who is too slow may miss it.
    pub fn is_chat(&self) -> bool {
        self.kind == Kind::Chat
    }
}

/// Everything a viewer heard so far, in order.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Messages of live batches.
    pub messages: Vec<Heard>,
    /// Messages of batches marked as replay.
    pub replayed: Vec<Heard>,
    /// All messages, of both kinds, in the order they came.
    pub all: Vec<Heard>,
    /// Gaps.
    pub gaps: Vec<v1::Gap>,
    /// The last hello.
    pub hello: Option<v1::Hello>,
    /// How many hellos there were.
    pub hellos: usize,
    /// Announcements, live or replayed, as id and text.
    pub announcements: Vec<(String, String)>,
    /// The texts of all messages and announcements, in the order they came.
    pub texts: Vec<String>,
    /// What the door answered to what he sent.
    pub acks: Vec<v1::Ack>,
    /// What the judge told him alone.
    pub told: Vec<v1::Told>,
    /// Direct notices; one that comes again stands here again.
    pub notices: Vec<v1::Notice>,
    /// Pongs.
    pub pongs: Vec<v1::Pong>,
    /// Requests to reconnect.
    pub reconnects: Vec<v1::Reconnect>,
    /// Errors.
    pub errors: Vec<v1::Error>,
    /// Recalls.
    pub recalls: Vec<v1::Recall>,
    /// How the room may be spoken in, each time that it was told.
    pub modes: Vec<v1::Mode>,
    /// Frames that say something else, or that cannot be read.
    pub others: usize,
    /// All frames in the order they came.
    pub frames: Vec<FromServer>,
    /// Of an event stream: comments …
    pub comments: usize,
    /// … and the id of the last event that had one.
    pub event_id: String,
    /// The newest cursor, of whatever frame.
    pub cursor: String,
    /// The close code, once closed; 0 when the connection ended without one.
    pub closed: Option<u16>,
}

impl Seen {
    /// The ids of live messages, in order.
    pub fn ids(&self) -> Vec<MessageId> {
        self.messages.iter().map(|heard| heard.id).collect()
    }

    /// Everything that may not be missed, in order.
    pub fn lossless(&self) -> Vec<MessageId> {
        self.all.iter().filter(|heard| !heard.is_chat()).map(|heard| heard.id).collect()
    }

    /// Where in [`Seen::frames`] the first stands for which this holds.
    pub fn position(&self, is_it: impl Fn(&FromServer) -> bool) -> Option<usize> {
        self.frames.iter().position(is_it)
    }

    /// Where in [`Seen::frames`] a message stands.
    pub fn position_of(&self, id: MessageId) -> Option<usize> {
        let id = id.to_string();
        self.position(
            |frame| matches!(frame, FromServer::Batch(batch) if batch.messages.iter().any(|one| one.id == id)),
        )
    }

    /// How many messages the gaps counted; one of unknown size counts nothing and shows in [`Seen::gaps`].
    pub fn dropped(&self) -> u64 {
        self.gaps.iter().map(|gap| u64::from(gap.dropped.unwrap_or_default())).sum()
    }

    pub(super) fn hear(&mut self, frame: FromServer) {
        self.frames.push(frame.clone());
        let cursor = match frame {
            FromServer::Hello(hello) => {
                self.hellos += 1;
                let cursor = hello.cursor.clone();
                self.hello = Some(hello);
                cursor
            }
            FromServer::Batch(batch) => {
                self.texts.extend(batch.messages.iter().map(|message| message.text.clone()));
                // Its id is its client_id's, for all rooms; a message's is its place in the river.
                let (announced, messages): (Vec<_>, Vec<_>) =
                    batch.messages.into_iter().partition(|message| message.id.starts_with("a-"));
                self.announcements.extend(announced.into_iter().map(|message| (message.id, message.text)));
                let heard: Vec<_> = messages.into_iter().map(heard).collect();
                self.all.extend(heard.iter().cloned());
                if batch.replay { &mut self.replayed } else { &mut self.messages }.extend(heard);
                batch.cursor
            }
            FromServer::Gap(gap) => {
                let cursor = gap.cursor.clone();
                self.gaps.push(gap);
                cursor
            }
            FromServer::Pong(pong) => {
                let cursor = pong.cursor.clone();
                self.pongs.push(pong);
                cursor
            }
            FromServer::Reconnect(reconnect) => {
                let cursor = reconnect.cursor.clone();
                self.reconnects.push(reconnect);
                cursor
            }
            FromServer::Ack(ack) => {
                self.acks.push(ack);
                String::new()
            }
            FromServer::Notice(notice) => {
                self.notices.push(notice);
                String::new()
            }
            FromServer::Verdict(told) => {
                self.told.push(told);
                String::new()
            }
            FromServer::Error(error) => {
                self.errors.push(error);
                String::new()
            }
            FromServer::Recall(recall) => {
                self.recalls.push(recall);
                String::new()
            }
            FromServer::Mode(mode) => {
                self.modes.push(mode);
                String::new()
            }
        };
        if !cursor.is_empty() {
            self.cursor = cursor;
        }
    }
}

fn heard(message: v1::Message) -> Heard {
    let id = message.id.parse().expect("an id of ours");
    let kind = message.kind();
    let user = message.user.map(|user| user.id).unwrap_or_default();
    Heard { id, text: message.text, user, at: message.at, kind, data: message.data }
}
