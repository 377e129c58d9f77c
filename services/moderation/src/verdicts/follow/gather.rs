//! The thread that reads verdicts and gathers them into batches. What becomes of a batch is kept out.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use chassis::kafka::{Cluster, Heard, LookUp, Reader, Record, Seen, Watchdog};
use proto::{record, v1::Verdict};
use tokio::sync::mpsc;

use crate::verdicts::{
    keep::Batch,
    learn::{Lesson, Place},
};

/// Records of a batch: at 1 KB a verdict it takes half a megabyte, and a commit of so many rows 20 ms.
const RECORDS_MAX: usize = 500;

/// How long a batch may gather: so late, at most, a moderator sees what is held.
const GATHER: Duration = Duration::from_millis(50);

/// How long a place may move on without a commit while nothing in it matters: so much is read again after a crash.
const MARK_EVERY: Duration = Duration::from_secs(5);

/// How often it is asked whether a partition stands still although it goes on.
const LOOK_EVERY: Duration = Duration::from_secs(10);

const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// What the thread tells.
pub(super) enum Gathered {
    /// The next verdicts.
    Batch(Batch),
    /// All that stood there at the beginning was told.
    CaughtUp,
}

/// Gathers as long as it is held.
#[must_use = "dropping it ends the thread"]
pub(super) struct Gatherer(Arc<AtomicBool>);

impl Drop for Gatherer {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Gatherer {
    /// Begins to read `topic` from `places`.
    pub(super) fn start(
        cluster: &Cluster,
        topic: &str,
        places: BTreeMap<i32, Place>,
        out: mpsc::Sender<Gathered>,
    ) -> anyhow::Result<Self> {
        let reader = Reader::new(cluster, topic)?;
        for (partition, place) in &places {
            reader.assign(*partition, place.next)?;
        }
        let now = Instant::now();
        let mut gathering = Gathering {
            lookup: LookUp::new(cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?,
            topic: topic.to_owned(),
            watchdogs: places.iter().map(|(partition, place)| (*partition, Watchdog::new(place.next, now))).collect(),
            behind: places.keys().copied().collect(),
            kept: places.clone(),
            places,
            lessons: Vec::new(),
            records: 0,
            since: now,
            out,
        };
        let over = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&over);
        let life = move || {
            if let Err(error) = gathering.run(&reader, &is_over) {
                tracing::warn!(error = format!("{error:#}"), "verdicts cannot be read");
            }
        };
        thread::Builder::new().name("verdicts".to_owned()).spawn(life).context("thread verdicts")?;
        Ok(Self(over))
    }
}

struct Gathering {
    lookup: LookUp,
    topic: String,
    watchdogs: BTreeMap<i32, Watchdog>,
    /// Partitions whose end was not reached yet.
    behind: BTreeSet<i32>,
    /// How far the last batch went.
    kept: BTreeMap<i32, Place>,
    places: BTreeMap<i32, Place>,
    lessons: Vec<(Lesson, i64)>,
    records: usize,
    /// When the batch began.
    since: Instant,
    out: mpsc::Sender<Gathered>,
}

impl Gathering {
    /// Reads until nobody listens, or something is wrong that a new reader mends.
    fn run(&mut self, reader: &Reader, is_over: &AtomicBool) -> anyhow::Result<()> {
        let mut next_look = Instant::now() + LOOK_EVERY;
        while !is_over.load(Ordering::Acquire) {
            match reader.poll(GATHER / 2) {
                Ok(Some(Heard::Record(record))) => self.hear(&record),
                Ok(Some(Heard::End(partition))) => self.end(partition)?,
                Ok(None) => {}
                // It names a broker in trouble and heals by itself; what does not, the look below finds.
                Err(error) => tracing::debug!(%error, "verdicts"),
            }
            if self.is_due() {
                self.flush()?;
            }
            if Instant::now() >= next_look {
                next_look = Instant::now() + LOOK_EVERY;
                self.look()?;
            }
        }
        Ok(())
    }

    fn hear(&mut self, record: &Record<'_>) {
        let Some(place) = self.places.get_mut(&record.partition()) else { return };
        if self.records == 0 {
            self.since = Instant::now();
        }
        self.records += 1;
        // What nobody can read says nothing.
        let verdict: Verdict = record::decode(record.value()).unwrap_or_default();
        let lesson = place.hear(record.offset(), verdict).filter(matters);
        self.lessons.extend(lesson.map(|lesson| (lesson, record.time_ms())));
    }

    fn end(&mut self, partition: i32) -> anyhow::Result<()> {
        if self.behind.remove(&partition) && self.behind.is_empty() {
            self.flush_as(false)?;
            self.send(Gathered::CaughtUp)?;
        }
        Ok(())
    }

    fn is_due(&self) -> bool {
        let waited = self.since.elapsed();
        self.records >= RECORDS_MAX
            || (!self.lessons.is_empty() && waited >= GATHER)
            || (self.records > 0 && waited >= MARK_EVERY)
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.flush_as(self.behind.is_empty())
    }

    fn flush_as(&mut self, is_live: bool) -> anyhow::Result<()> {
        if self.records == 0 {
            return Ok(());
        }
        self.records = 0;
        let moved = self.places.iter().filter_map(|(partition, after)| {
            let before = self.kept.insert(*partition, *after)?;
            (before != *after).then_some((*partition, (before, *after)))
        });
        let batch = Batch { places: moved.collect(), lessons: std::mem::take(&mut self.lessons), is_live };
        self.send(Gathered::Batch(batch))
    }

    fn send(&self, gathered: Gathered) -> anyhow::Result<()> {
        self.out.blocking_send(gathered).ok().context("nobody listens any more")
    }

    /// Whether a partition stands still that goes on, or is not what it was.
    fn look(&mut self) -> anyhow::Result<()> {
        for (partition, watchdog) in &mut self.watchdogs {
            let marks = self.lookup.watermarks(&self.topic, *partition)?;
            let next = self.places.get(partition).map_or(0, |place| place.next);
            let seen = watchdog.look(next, marks, Instant::now());
            anyhow::ensure!(seen == Seen::Fine, "partition {partition} stands at {next}: {seen:?}");
        }
        Ok(())
    }
}

/// Whether anything is written down of it. What came too fast is not: it is counted by the filter, and can be most of a
/// partition.
fn matters(lesson: &Lesson) -> bool {
    lesson.is_held() || lesson.is_refusal() || lesson.decided().is_some() || !lesson.verdict.hits.is_empty()
}
