//! What viewers send on their sockets, brought to a door over HTTP and answered into their shards.
//!
//! A shard hands a send over and goes on; the answer comes back through its inbox. One viewer's sends go out one after the
//! other, so they reach the door in his order, and a viewer who leaves takes back his answer, not what he said. Whether
//! something may be said is the door's to decide, and who may ask is the shard's.
//!
//! Bounds, and what happens beyond them: 256 sends wait to be taken up and 1,024 for their turn (`unavailable`), 8 of one
//! viewer (`rate_limited`), 64 are under way, and none longer than 5 s after it came (`unavailable`).

mod ask;
mod lanes;
mod token;

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use ahash::HashMap;
use chassis::tokens::Claims;
use proto::{RoomId, v1};
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    task::{Id, JoinError, JoinSet},
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    house::Moment,
    inbox::{Event, Inbox},
    metrics::SendMetrics,
};
use ask::{Asker, Outcome};
use lanes::{Lanes, NoPlace};
pub use token::Doors;
use token::Token;

/// Handed over and not yet taken up. The relay's task only puts them in line, so they wait for microseconds.
const UNTAKEN_MAX: usize = 256;

/// How long somebody waits for the answer to what he said: as long as the door waits for Kafka.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// After how long a client tries again what nobody could take.
pub(crate) const RETRY_AFTER_MS: u32 = 1_000;

/// The log hears of doors that do not answer once in a while; how often it happens is a metric's to tell.
const TROUBLE_SAID_EACH: Duration = Duration::from_secs(60);

/// Something a viewer said.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) reply_to: ReplyTo,
    pub(crate) room: RoomId,
    pub(crate) claims: Arc<Claims>,
    pub(crate) address: IpAddr,
    pub(crate) send: v1::Send,
    pub(crate) came: Instant,
}

/// Whom an answer goes to. A shard's seats are taken again, a connection's number is not.
#[derive(Debug, Clone)]
pub(crate) struct ReplyTo {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) key: usize,
    pub(crate) connection: u64,
}

/// An answer on its way to who asked.
#[derive(Debug)]
pub(crate) struct Acked {
    pub(crate) key: usize,
    pub(crate) connection: u64,
    pub(crate) ack: v1::Ack,
}

/// Where shards hand over what viewers send.
#[derive(Debug)]
pub(crate) struct Relay(mpsc::Sender<Word>);

#[derive(Debug)]
enum Word {
    Send(Box<Job>),
    End,
}

/// The answer to a send that did not get an id.
pub(crate) fn refusal(client_id: &str, code: &str) -> v1::Ack {
    let retry_after_ms = if matches!(code, "unavailable" | "rate_limited") { RETRY_AFTER_MS } else { 0 };
    v1::Ack { client_id: client_id.to_owned(), code: code.to_owned(), retry_after_ms, ..v1::Ack::default() }
}

impl Relay {
    /// Starts the relay's task on the runtime that this is called on; the task ends with its handle.
    pub(crate) fn start(
        doors: Doors,
        verifier: &chassis::tokens::Verifier,
    ) -> anyhow::Result<(Self, AbortOnDropHandle<()>)> {
        let (addresses, source) = doors.into_parts();
        let token = Token::new(source, verifier, Moment::now().unix_secs())?;
        let (sender, words) = mpsc::channel(UNTAKEN_MAX);
        let desk = Desk {
            lanes: Lanes::default(),
            out: JoinSet::new(),
            whose: HashMap::default(),
            asker: Arc::new(Asker::new(addresses)),
            token,
            metrics: SendMetrics::new(),
            trouble_said: None,
        };
        Ok((Self(sender), AbortOnDropHandle::new(tokio::spawn(desk.run(words)))))
    }

    /// Hands a send over, or gives it back when too many wait already.
    pub(crate) fn offer(&self, job: Job) -> Result<(), Box<Job>> {
        match self.0.try_send(Word::Send(Box::new(job))) {
            Err(TrySendError::Full(Word::Send(job)) | TrySendError::Closed(Word::Send(job))) => Err(job),
            _ => Ok(()),
        }
    }

    /// Nothing more comes: the task ends once all that was handed over is answered.
    pub(crate) async fn end(&self) {
        // It fails only when the task has ended.
        let _ = self.0.send(Word::End).await;
    }
}

/// The relay's task.
struct Desk {
    lanes: Lanes<Job>,
    out: JoinSet<Option<Trouble>>,
    /// Whose send each task of `out` carries.
    whose: HashMap<Id, u64>,
    asker: Arc<Asker>,
    token: Token,
    metrics: SendMetrics,
    trouble_said: Option<Instant>,
}

/// What an operator should hear of.
struct Trouble {
    why: String,
    is_unbelieved: bool,
}

impl Desk {
    async fn run(mut self, mut words: mpsc::Receiver<Word>) {
        let mut is_open = true;
        while is_open || !self.out.is_empty() {
            tokio::select! {
                word = words.recv(), if is_open => match word {
                    Some(Word::Send(job)) => self.take(*job),
                    Some(Word::End) | None => is_open = false,
                },
                Some(ended) = self.out.join_next_with_id() => self.back(ended),
            }
            self.send_out().await;
        }
    }

    fn take(&mut self, job: Job) {
        if let Err((job, why)) = self.lanes.put(job.reply_to.connection, job) {
            let code = match why {
                NoPlace::Behind => "rate_limited",
                NoPlace::Full => "unavailable",
            };
            answer(&job.reply_to, refusal(&job.send.client_id, code), &self.metrics);
        }
    }

    async fn send_out(&mut self) {
        while let Some(job) = self.lanes.next() {
            let bearer = self.token.bearer(Moment::now().unix_secs()).await;
            let (asker, metrics, connection) = (self.asker.clone(), self.metrics.clone(), job.reply_to.connection);
            let sending = async move {
                let outcome = asker.ask(&job, bearer, job.came + ANSWER_WAIT).await;
                let (ack, trouble) = told(&job, outcome);
                answer(&job.reply_to, ack, &metrics);
                trouble
            };
            self.whose.insert(self.out.spawn(sending).id(), connection);
        }
    }

    fn back(&mut self, ended: Result<(Id, Option<Trouble>), JoinError>) {
        let (id, trouble) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "a send was lost on its way");
            (error.id(), None)
        });
        if let Some(connection) = self.whose.remove(&id) {
            self.lanes.back(connection);
        }
        let Some(Trouble { why, is_unbelieved }) = trouble else { return };
        if is_unbelieved {
            self.token.doubt();
        }
        if self.trouble_said.is_none_or(|said| said.elapsed() >= TROUBLE_SAID_EACH) {
            self.trouble_said = Some(Instant::now());
            tracing::warn!(why, "what a viewer sent was not taken; look at --ingest and at the door");
        }
    }
}

/// What an outcome means to who asked, and to an operator.
fn told(job: &Job, outcome: Outcome) -> (v1::Ack, Option<Trouble>) {
    let client_id = &job.send.client_id;
    match outcome {
        Outcome::Answered(ack) => (v1::Ack { client_id: client_id.clone(), ..ack }, None),
        // Between our look at his time and the door's it ran out.
        Outcome::Unbelieved if job.claims.check_time(Moment::now().unix_secs()).is_err() => {
            (refusal(client_id, "unauthorized"), None)
        }
        Outcome::Unbelieved => {
            let why = "the door does not believe the relay token of this node".to_owned();
            (refusal(client_id, "unavailable"), Some(Trouble { why, is_unbelieved: true }))
        }
        Outcome::Silent(why) => (refusal(client_id, "unavailable"), Some(Trouble { why, is_unbelieved: false })),
    }
}

fn answer(to: &ReplyTo, ack: v1::Ack, metrics: &SendMetrics) {
    metrics.answered(&ack);
    to.inbox.tell(Event::Acked(Box::new(Acked { key: to.key, connection: to.connection, ack })));
}
