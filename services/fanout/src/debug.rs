//! `/debug/viewers?room=`: the slowest viewers of a room on this node, for an operator who asks why somebody lags; `rooms` is
//! the page of the largest.
//!
//! Shards are asked through their inboxes and answer when they come to it: none of them waits, and a user is told as a hash.

mod rooms;

pub(crate) use rooms::{Watched, rooms};

use std::{cmp::Reverse, sync::Arc, time::Duration};

use chassis::{
    admin::Query,
    http::{Refusal, Response, json},
};
use hyper::StatusCode;
use proto::RoomId;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use crate::inbox::{Event, Inbox};

/// As many as fit on a screen.
const SHOWN_MAX: usize = 20;

/// A shard has a turn every few milliseconds; one that takes longer is named as silent.
const ANSWER_WAIT: Duration = Duration::from_secs(2);

/// What a shard found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Viewers of the room.
    viewers: usize,
    /// The slowest of them, the worst first.
    slowest: Vec<Slow>,
}

/// One viewer.
#[derive(Debug, Serialize)]
pub(crate) struct Slow {
    /// The beginning of his id's SHA-256; nobody is anonymous.
    pub(crate) user: Option<String>,
    /// How he is spoken to.
    pub(crate) wire: String,
    /// Messages that are neither written to him nor counted in a gap; unknown until his join is answered.
    pub(crate) lag_messages: Option<u64>,
    /// How long the first of them has been waiting.
    pub(crate) lag_ms: Option<u64>,
    /// Messages he was told he will not see.
    pub(crate) dropped: u32,
    /// For how long his socket has taken nothing.
    pub(crate) blocked_ms: u64,
    /// When he came, in Unix milliseconds.
    pub(crate) since: i64,
}

#[derive(Serialize)]
struct Page<'a> {
    room: &'a str,
    viewers: usize,
    silent_shards: usize,
    slowest: &'a [Slow],
}

impl Found {
    /// All viewers of a shard's room.
    pub(crate) fn of(viewers: Vec<Slow>) -> Self {
        let mut found = Self { viewers: viewers.len(), slowest: viewers };
        found.keep_slowest();
        found
    }

    fn add(&mut self, other: Self) {
        self.viewers += other.viewers;
        self.slowest.extend(other.slowest);
        self.keep_slowest();
    }

    fn keep_slowest(&mut self) {
        self.slowest.sort_by_key(|slow| Reverse((slow.blocked_ms, slow.lag_messages, slow.lag_ms, slow.dropped)));
        self.slowest.truncate(SHOWN_MAX);
    }
}

/// A user as operators may see him: `printf USER | sha256sum` begins like this.
pub(crate) fn hashed(user: &str) -> String {
    Sha256::digest(user.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Answers the page.
pub(crate) async fn viewers(shards: Vec<Arc<Inbox>>, query: Query) -> Response {
    let room = query.into_iter().find(|(name, _)| name == "room").and_then(|(_, room)| RoomId::new(&room).ok());
    let Some(room) = room else {
        let message = "which room? Ask for /debug/viewers?room=NAME, the name percent-encoded";
        return Refusal::new(StatusCode::BAD_REQUEST, "bad_room", message).into_response();
    };
    let (found, silent_shards) = ask_all(&shards, |answer| Event::Look(room.clone(), answer)).await;
    let mut all = Found::default();
    found.into_iter().for_each(|found| all.add(found));
    let page = Page { room: room.as_str(), viewers: all.viewers, silent_shards, slowest: &all.slowest };
    json(StatusCode::OK, &page)
}

/// What each shard answers, and how many do not in time.
async fn ask_all<T>(shards: &[Arc<Inbox>], question: impl Fn(oneshot::Sender<T>) -> Event) -> (Vec<T>, usize) {
    let ask = |shard: &Arc<Inbox>| {
        let (answer, answered) = oneshot::channel();
        shard.tell(question(answer));
        answered
    };
    let asked: Vec<_> = shards.iter().map(ask).collect();
    let deadline = tokio::time::Instant::now() + ANSWER_WAIT;
    let (mut answers, mut silent) = (Vec::new(), 0);
    for answered in asked {
        match tokio::time::timeout_at(deadline, answered).await {
            Ok(Ok(answer)) => answers.push(answer),
            _ => silent += 1,
        }
    }
    (answers, silent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(blocked_ms: u64, lag_messages: u64) -> Slow {
        let (lag_messages, lag_ms) = (Some(lag_messages), Some(0));
        Slow { user: None, wire: "json".into(), lag_messages, lag_ms, dropped: 0, blocked_ms, since: 0 }
    }

    #[test]
    fn the_slowest_of_all_shards_come_first() {
        let mut all = Found::of((0..30).map(|lag| slow(0, lag)).collect());
        all.add(Found::of(vec![slow(0, 28), slow(7, 0)]));
        let first: Vec<_> = all.slowest.iter().take(4).map(|slow| (slow.blocked_ms, slow.lag_messages)).collect();
        assert_eq!(first, [(7, Some(0)), (0, Some(29)), (0, Some(28)), (0, Some(28))]);
        assert_eq!((all.viewers, all.slowest.len()), (32, SHOWN_MAX));
    }

    #[test]
    fn a_hash_is_what_the_shell_says() {
        assert_eq!(hashed("u7"), "e8180000fa67e824");
    }
}
