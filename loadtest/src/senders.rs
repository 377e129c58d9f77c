//! The senders: every cue at its time, whether or not earlier ones have been answered. Who they are is the schedule's.
//!
//! An open loop: a crowd that waited for a slow server would send less just when it matters, and the latencies it then
//! did not suffer would be missing (coordinated omission). So a message's time counts from when the file wanted it, too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use proto::v1::Send;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::book::Sent;
use crate::door::{Answer, Door};
use crate::file::Line;
use crate::latency::Latency;
use crate::pass::Pass;
use crate::schedule::Cue;
use crate::scrape::ByLabel;
use crate::split;
use crate::viewers::Viewers;

/// Requests in flight, and so connections: at 1,000 messages a second a server may take a second for each. When all are
/// taken a cue waits, which its time from the file's wish shows.
pub const IN_FLIGHT_MAX: usize = 1024;

/// All that a request needs.
pub struct Senders {
    /// Where to send.
    pub door: Door,
    /// Who the senders are.
    pub pass: Pass,
    /// Who hears what was accepted.
    pub viewers: Arc<Viewers>,
    /// The file.
    pub lines: Vec<Line>,
    /// The rooms' names.
    pub rooms: Vec<String>,
    /// Makes `client_id`s of this run unlike those of others.
    pub run: String,
    /// What became of the messages.
    pub tally: Mutex<Tally>,
    /// How many were given to a request so far, for the progress.
    pub begun: AtomicU64,
}

/// What became of the messages so far.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Answers 202.
    pub accepted: u64,
    /// Answers that say no, by code.
    pub refused: ByLabel,
    /// Messages of unknown fate, by why.
    pub unknown: ByLabel,
    /// From a request's writing to its answer.
    pub answer: Latency,
    /// From a cue's time to its request's writing: how late the senders were.
    pub late: Latency,
}

impl Senders {
    /// Sends the cues from `start` on and awaits the last answer. `cast` tells the users of one part from another's.
    pub async fn send(self: &Arc<Self>, cues: &[Cue], cast: &'static str, start: Instant) {
        self.begun.store(0, Ordering::Relaxed);
        let (in_flight, mut requests) = (Arc::new(Semaphore::new(IN_FLIGHT_MAX)), JoinSet::new());
        for (number, cue) in cues.iter().copied().enumerate() {
            tokio::time::sleep_until(start + cue.at).await;
            // The semaphore is never closed; without a permit there would only be one request more.
            let permit = Arc::clone(&in_flight).acquire_owned().await;
            self.begun.fetch_add(1, Ordering::Relaxed);
            let senders = Arc::clone(self);
            requests.spawn(async move {
                let line = &senders.lines[cue.line];
                let user = format!("{cast}{}", split::name(&line.user, cue.part));
                let client_id = format!("{}-{cast}{number}", senders.run);
                senders.say(cue.room, line, &user, client_id, start + cue.at).await;
                drop(permit);
            });
            while requests.try_join_next().is_some() {}
        }
        while requests.join_next().await.is_some() {}
    }

    /// Says one word to each room.
    pub async fn probe(self: &Arc<Self>) {
        let mut requests = JoinSet::new();
        for room in 0..self.rooms.len() {
            let senders = Arc::clone(self);
            requests.spawn(async move {
                let line = Line { text: "试音".into(), user: String::new(), ..senders.lines[0].clone() };
                let client_id = format!("{}-probe-{room}", senders.run);
                senders.say(room, &line, "probe", client_id, Instant::now()).await;
            });
        }
        while requests.join_next().await.is_some() {}
    }

    /// What became of the messages since this was last asked.
    pub fn take_tally(&self) -> Tally {
        std::mem::take(&mut self.tally.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn say(&self, room: usize, line: &Line, user: &str, client_id: String, intended: Instant) {
        let send = Send {
            client_id,
            text: line.text.clone(),
            color: line.color,
            position: line.position as i32,
            ..Send::default()
        };
        // A body of strings and numbers is always JSON.
        let body = serde_json::to_vec(&send).unwrap_or_default();
        let token = self.pass.mint(user).unwrap_or_default();
        let mut written = std::time::Instant::now();
        let answer = self.door.say(&self.rooms[room], &token, body, &mut written).await;
        let sent = Sent { intended: intended.into_std(), written };
        self.note(&answer, sent);
        if let Answer::Accepted(id) = answer {
            self.viewers.accepted(room, id, sent).await;
        }
    }

    fn note(&self, answer: &Answer, sent: Sent) {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.answer.record(sent.written.elapsed());
        tally.late.record(sent.written.saturating_duration_since(sent.intended));
        match answer {
            Answer::Accepted(_) => tally.accepted += 1,
            Answer::Refused(code) => *tally.refused.entry(code.clone()).or_default() += 1,
            Answer::Unknown(why) => *tally.unknown.entry(why.clone()).or_default() += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "accepted {}, refused {:?}, unknown {:?}", self.accepted, self.refused, self.unknown)
    }
}
