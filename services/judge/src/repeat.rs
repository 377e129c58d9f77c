//! The same message twice: a sender who did not hear our answer and sent it again under the same `client_id`, or a second
//! decision on what was held.
//!
//! The first one's verdict stands, whatever it was: were a refused one judged anew, a replay that limits a little differently
//! at the start of its window could show a message twice. Who was refused sends anew under a new `client_id`.

use ahash::RandomState;
use proto::{MessageId, v1::input::Body};

use crate::{heard::Heard, recent::Recent, who::Who};

/// The door tells senders to retry within 50 s; ten more for the last retry to reach the log.
const WINDOW_MS: i64 = 60_000;

/// The messages of the last 60 s that carried a `client_id`, and the decisions.
pub(crate) struct Repeats {
    first: Recent<MessageId>,
}

/// What makes a record the same as another. What a service brings in a user's name is kept apart from what he says himself:
/// nobody keeps a gift of his from being shown by guessing the id that it will have.
#[derive(Hash)]
enum Same<'a> {
    Said(&'a str),
    Brought(&'a str),
    // Whoever decides.
    Decided(&'a str),
}

impl Repeats {
    pub(crate) fn new() -> Self {
        Self { first: Recent::new(WINDOW_MS) }
    }

    /// The first one, if `heard` is a repeat; it is remembered otherwise.
    pub(crate) fn check(&mut self, keys: &RandomState, heard: &Heard, who: Who, now_ms: i64) -> Option<MessageId> {
        let key = key(keys, heard, who)?;
        if let Some(first) = self.first.get(key, now_ms) {
            return Some(*first.value);
        }
        self.first.put(key, heard.id(), now_ms);
        None
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.first.forgotten()
    }
}

fn key(keys: &RandomState, heard: &Heard, who: Who) -> Option<u64> {
    let client_id = Some(&*heard.input().client_id).filter(|id| !id.is_empty());
    Some(match &heard.input().body {
        Some(Body::Decision(decision)) => keys.hash_one((who.room, Same::Decided(&decision.held_id))),
        // A client may count its ids anew in each room.
        Some(Body::Say(_)) => who.and(keys, Same::Said(client_id?)),
        _ => who.and(keys, Same::Brought(client_id?)),
    })
}
