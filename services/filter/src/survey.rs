//! Looking at a partition's past before it is judged: what is committed, what the output's tail holds, how far back to replay
//! (F6, F8, F10). What follows from it is decided in `ownership` and `warmup`.
//!
//! The questions block while a leader or coordinator is away, so they are asked by helper threads of their own, shared by all
//! judging threads: a sick leader holds up one helper for a few seconds, and nobody who judges or polls.

mod read;
mod states;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::Duration,
};

use anyhow::{Context as _, anyhow};
use chassis::kafka::{Cluster, LookUp, Reader, Watermarks};
use proto::{record::decode, v1::Output};

use crate::{
    clock::Clock,
    guard::guarded,
    ownership::{Start, Tail, TailReading, TailRecord, start},
    warmup::{self, From},
    write::Names,
};
use read::{Readers, read, read_whole};

pub(crate) use states::States;

/// How long one question may take: a leader election on a healthy cluster, so the helper is soon free for others.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Helpers: a few, so that one sick leader does not hold up partitions of healthy ones.
const HELPERS: usize = 4;

/// A helper that was not asked for so long lets its readers go.
const IDLE: Duration = Duration::from_secs(60);

/// A question about one partition.
pub(crate) struct Question {
    /// Comes back with the answer, so that one that has gone stale is told from the present one.
    pub(crate) ticket: u64,
    pub(crate) partition: i32,
    pub(crate) about: About,
    pub(crate) answer: SyncSender<Answer>,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum About {
    /// Its past up to our owner record, which stands at this offset of the output.
    Past { claim: u64 },
    /// Where its input begins and ends.
    Input,
}

/// The answer to a [`Question`].
pub(crate) struct Answer {
    pub(crate) ticket: u64,
    pub(crate) partition: i32,
    pub(crate) found: anyhow::Result<Found>,
}

/// What was found.
pub(crate) enum Found {
    /// For [`About::Past`].
    Past(Box<Past>),
    /// For [`About::Input`].
    Input(Watermarks),
}

/// What a partition's past comes to.
pub(crate) struct Past {
    /// What readers have seen of the output.
    pub(crate) tail: Tail,
    /// What the group has stored.
    pub(crate) stored: Option<u64>,
    /// Where judging starts.
    pub(crate) start: Start,
    /// Where reading starts, to learn what is finished.
    pub(crate) read_from: u64,
    /// When that was appended, or a little before; 0 if nothing is replayed.
    pub(crate) since_ms: i64,
    /// What the next judge must know of its rooms.
    pub(crate) states: States,
    /// Our clock when our owner record was read, less its append time.
    pub(crate) clock_difference_ms: Option<i64>,
}

/// What a helper needs to know.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) cluster: Cluster,
    pub(crate) group: String,
    pub(crate) names: Names,
    pub(crate) generation: u32,
    pub(crate) clock: Clock,
}

/// Starts the helpers for a river of `partitions`, and returns where questions go. They end when all who can ask are gone.
pub(crate) fn open(site: &Site, partitions: i32) -> anyhow::Result<SyncSender<Question>> {
    // A partition has one question open, and perhaps one of a life before a rebalance. When full, who asks tries again.
    let (ask, asked) = mpsc::sync_channel(usize::try_from(partitions).unwrap_or(1) * 2);
    let asked = Arc::new(Mutex::new(asked));
    let look_up = Arc::new(LookUp::new(&site.cluster, &site.group, QUESTION_TIMEOUT)?);
    // The mock broker's one thread answers no faster to several.
    let helpers = if site.cluster.embedded { 1 } else { HELPERS };
    for number in 0..helpers {
        let mut surveyor = Surveyor { site: site.clone(), look_up: Arc::clone(&look_up), readers: None };
        let asked = Arc::clone(&asked);
        let thread = thread::Builder::new().name(format!("survey-{number}"));
        thread.spawn(move || surveyor.serve(&asked)).context("start a survey thread")?;
    }
    Ok(ask)
}

/// A helper.
struct Surveyor {
    site: Site,
    look_up: Arc<LookUp>,
    /// Made when a past is asked about, and let go when none is for a while: few processes rebalance all day.
    readers: Option<Readers>,
}

impl Surveyor {
    /// Answers until nobody can ask.
    fn serve(&mut self, asked: &Mutex<Receiver<Question>>) {
        loop {
            // The lock is held while waiting: another helper that is free waits for the lock instead, which is the same.
            let next = asked.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(IDLE);
            match next {
                Ok(Question { ticket, partition, about, answer }) => {
                    // After a panic the readers are gone, and nothing else is changed by looking.
                    let found = guarded(|| self.look(partition, about)).unwrap_or_else(|| Err(anyhow!("a panic")));
                    // Who asked may be gone.
                    let _ = answer.send(Answer { ticket, partition, found });
                }
                Err(RecvTimeoutError::Timeout) => self.readers = None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look(&mut self, partition: i32, about: About) -> anyhow::Result<Found> {
        match about {
            About::Past { claim } => self.past(partition, claim).map(|past| Found::Past(Box::new(past))),
            About::Input => self.input_marks(partition).map(Found::Input),
        }
    }

    fn past(&mut self, partition: i32, claim: u64) -> anyhow::Result<Past> {
        let readers = match self.readers.take() {
            Some(readers) => readers,
            None => Readers::new(&self.site)?,
        };
        let past = self.past_read_with(&readers, partition, claim);
        self.readers = Some(readers);
        past
    }

    fn past_read_with(&self, readers: &Readers, partition: i32, claim: u64) -> anyhow::Result<Past> {
        let names = &self.site.names;
        let committed = self.look_up.committed(&names.input, &[partition]).context("committed offset")?;
        let stored = committed.get(&partition).copied();
        let low = self.look_up.watermarks(&names.output, partition).context("the output's watermarks")?.low;
        let reading = TailReading::new(self.site.generation, stored, low, claim);
        let (tail, clock_difference_ms) = self.tail(&readers.output, partition, reading)?;
        let states = self.states(&readers.state, partition)?;
        // Asked for last: an input that the tail answers was there before.
        let input = self.input_marks(partition)?;
        let start = start(stored, input, &tail);
        let window_ms = warmup::window_ms(states.slowest_ms());
        let (read_from, since_ms) = match start {
            Start::At { offset, .. } => self.replay_from(&readers.input, partition, offset, input, window_ms)?,
            Start::Recreated { .. } => (input.high, 0),
        };
        Ok(Past { tail, stored, start, read_from, since_ms, states, clock_difference_ms })
    }

    /// What `danmaku-state` holds for the judge.
    fn states(&self, reader: &Reader, partition: i32) -> anyhow::Result<States> {
        let marks = self.look_up.watermarks(&self.site.names.state, partition).context("the state's watermarks")?;
        let mut states = States::default();
        read_whole(reader, partition, marks.low..marks.high, |record| {
            states.hear(record.key().unwrap_or_default(), record.value());
        })
        .context("the rooms' modes")?;
        Ok(states)
    }

    fn input_marks(&self, partition: i32) -> anyhow::Result<Watermarks> {
        self.look_up.watermarks(&self.site.names.input, partition).context("the input's watermarks")
    }

    /// Reads our owner record, and the tail before it backwards (F6).
    fn tail(&self, output: &Reader, partition: i32, mut reading: TailReading) -> anyhow::Result<(Tail, Option<i64>)> {
        let claim = reading.claim();
        let mut clock_difference_ms = None;
        read(output, partition, claim..claim + 1, |record| {
            clock_difference_ms = Some(self.site.clock.now_ms() - record.time_ms());
        })
        .context("our owner record")?;
        while let Some(block) = reading.next_block() {
            let mut records = Vec::new();
            read(output, partition, block.clone(), |record| {
                // What cannot be decoded is no answer of ours, and readers pass over it as well.
                records.extend(decode(record.value()).map(|output: Output| TailRecord::of(&output)));
            })
            .context("the output's tail")?;
            reading.take(block, records);
        }
        Ok((reading.finish(), clock_difference_ms))
    }

    /// Where the replay into the judge's memory begins (F8), and when what stands there was appended at the earliest.
    fn replay_from(
        &self,
        reader: &Reader,
        partition: i32,
        start: u64,
        input: Watermarks,
        window_ms: i64,
    ) -> anyhow::Result<(u64, i64)> {
        let last = match warmup::from(start, input, !self.site.cluster.embedded) {
            From::Offset(offset) => return Ok((offset, 0)),
            From::WindowBefore(last) => last,
        };
        let mut append_ms = None;
        read(reader, partition, last..last + 1, |record| append_ms = Some(record.time_ms()))
            .context("the last finished input")?;
        let Some(append_ms) = append_ms else { return Ok((start, 0)) };
        let since_ms = append_ms - window_ms;
        let found =
            self.look_up.offset_at(&self.site.names.input, partition, since_ms).context("the replay's start")?;
        // The last finished record itself is younger than that, so there is an answer unless it was deleted just now.
        Ok((found.unwrap_or(start).clamp(input.low, start), since_ms))
    }
}
