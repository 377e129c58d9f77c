//! Following a compacted topic of one partition: from its beginning to its end, and then live, on a thread of its own.
//!
//! No group and no commits: whoever starts reads it whole, which is what compaction is for. What its records mean is kept out.

mod place;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{Cluster, Error, Heard, LookUp, Reader, Record, Seen, Watchdog};
use crate::{admin::Condition, lately::Lately};
use place::Place;

/// How long a poll may wait: also how long the thread may take to end.
const POLL_WAIT: Duration = Duration::from_millis(100);

/// How long the broker may hold a fetch. A real one answers at the first record anyway; for an embedded one this is how late
/// a record is heard, and four empty fetches a second are all that following costs while nothing happens.
const FETCH_WAIT: Duration = Duration::from_millis(250);

/// How long Kafka may take to say where the topic begins and ends.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// How often that is asked, and how long until a failed beginning is tried again.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What a follower tells.
pub enum News<'a> {
    /// What was told is not what the topic holds: it is told from its beginning again.
    Anew,
    /// The next record. One without a value is a tombstone.
    Record(Record<'a>),
    /// All that stood in the topic when it was last begun has been told.
    CaughtUp,
}

/// Follows as long as it is held. Its thread ends within [`POLL_WAIT`] after, or [`LOOK_UP_TIMEOUT`] when the broker is away.
#[must_use = "dropping it ends the following"]
pub struct Follower {
    is_over: Arc<AtomicBool>,
    asked: Arc<Lately>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
    }
}

impl Follower {
    /// Tells `hear` of all of `topic`, in order. `condition` is ready once it was told to its end for the first time; a
    /// broker that is away later changes nothing, as what is known stays known.
    ///
    /// # Errors
    /// When a client or the thread cannot be made.
    pub fn start(
        cluster: &Cluster,
        topic: &str,
        condition: Condition,
        hear: impl FnMut(News<'_>) + Send + 'static,
    ) -> anyhow::Result<Self> {
        let cluster = Cluster { fetch_wait: FETCH_WAIT, ..cluster.clone() };
        let following = Following {
            lookup: LookUp::new(&cluster, "danmaku-follower", LOOK_UP_TIMEOUT)?,
            reader: Reader::of_committed(&cluster, topic)?,
            cluster,
            topic: topic.to_owned(),
            condition: condition.clone(),
            hear,
            has_begun: false,
            place: Place::default(),
            watchdog: Watchdog::new(0, Instant::now()),
            seen_to: 0,
            asked: Arc::default(),
            last_error: None,
        };
        let asked = Arc::clone(&following.asked);
        condition.not_ready(format!("{topic} is being read"));
        let is_over = Arc::new(AtomicBool::new(false));
        let (name, over) = (format!("follow-{topic}"), Arc::clone(&is_over));
        let guarded = move || {
            // Nothing of what it owned is looked at afterwards.
            if catch_unwind(AssertUnwindSafe(|| following.run(&over))).is_err() {
                condition.not_ready("its reader failed; restart this node");
            }
        };
        thread::Builder::new().name(name.clone()).spawn(guarded).with_context(|| format!("thread {name}"))?;
        Ok(Self { is_over, asked })
    }

    /// When Kafka last said how far the topic goes, and all of that had been read, or more than at the question before.
    pub fn asked(&self) -> Arc<Lately> {
        Arc::clone(&self.asked)
    }
}

struct Following<H> {
    cluster: Cluster,
    topic: String,
    condition: Condition,
    hear: H,
    lookup: LookUp,
    reader: Reader,
    /// The reader has a place in the topic.
    has_begun: bool,
    place: Place,
    watchdog: Watchdog,
    /// How far it was read at the last look.
    seen_to: u64,
    asked: Arc<Lately>,
    last_error: Option<Instant>,
}

impl<H: FnMut(News<'_>)> Following<H> {
    fn run(mut self, is_over: &AtomicBool) {
        let is_over = || is_over.load(Ordering::Acquire);
        let mut next_look = Instant::now();
        while !is_over() {
            if Instant::now() >= next_look {
                next_look = Instant::now() + LOOK_EVERY;
                let looked = if self.has_begun { self.look() } else { self.begin() };
                if let Err(error) = looked {
                    self.complain(&error);
                }
            }
            self.read();
        }
    }

    /// Reads from wherever the topic begins now; nothing of it is assigned yet. What fails is tried again at the next look.
    fn begin(&mut self) -> Result<(), Error> {
        (self.place, self.has_begun) = (Place::default(), false);
        let marks = self.lookup.watermarks(&self.topic, 0)?;
        self.reader.assign(0, marks.low)?;
        self.place = Place { next: marks.low, read_to: marks.low, high: marks.high, is_caught_up: false };
        self.watchdog = Watchdog::new(marks.low, Instant::now());
        self.has_begun = true;
        self.take_up();
        Ok(())
    }

    fn read(&mut self) {
        match self.reader.poll(POLL_WAIT) {
            Ok(None) => return,
            Ok(Some(Heard::Record(record))) => {
                let offset = record.offset();
                // A late one of before the beginning.
                if offset < self.place.next {
                    return;
                }
                self.place.record(offset);
                (self.hear)(News::Record(record));
            }
            Ok(Some(Heard::End(_))) => self.place.end(),
            Err(error) => return self.complain(&error),
        }
        self.take_up();
    }

    fn take_up(&mut self) {
        if self.place.takes_up() {
            tracing::debug!(topic = self.topic, high = self.place.high, "topic read to its end");
            (self.hear)(News::CaughtUp);
            self.condition.ready();
        }
    }

    /// Compares how far it was read with how far the topic goes.
    fn look(&mut self) -> Result<(), Error> {
        let marks = self.lookup.watermarks(&self.topic, 0)?;
        self.place.high = self.place.high.max(marks.high);
        let seen_to = std::mem::replace(&mut self.seen_to, self.place.read_to);
        if self.place.read_to >= marks.high || self.place.read_to > seen_to {
            self.asked.is_so();
        }
        match self.watchdog.look(self.place.read_to, marks, Instant::now()) {
            Seen::Fine => Ok(()),
            Seen::Stuck => {
                // Or a transaction's marker was the last: then this hears of the end, and all is well.
                tracing::debug!(
                    topic = self.topic,
                    next = self.place.next,
                    "topic stands still, read on by a new consumer"
                );
                self.reader = Reader::of_committed(&self.cluster, &self.topic)?;
                self.watchdog = Watchdog::new(self.place.read_to, Instant::now());
                self.reader.assign(0, self.place.next)
            }
            seen @ (Seen::Shorter | Seen::CutOff) => {
                tracing::warn!(topic = self.topic, ?seen, "topic is not what was read, it is read anew");
                // One that knew the old topic may take its time to believe in the new one.
                self.reader = Reader::of_committed(&self.cluster, &self.topic)?;
                (self.hear)(News::Anew);
                self.begin()
            }
        }
    }

    /// A broker that is away says so many times a second.
    fn complain(&mut self, error: &Error) {
        if !self.place.is_caught_up {
            self.condition.not_ready(format!("{} cannot be read: {error}", self.topic));
        }
        let now = Instant::now();
        if self.last_error.is_none_or(|last| now.duration_since(last) > Duration::from_secs(5)) {
            self.last_error = Some(now);
            tracing::warn!(topic = self.topic, %error, "topic cannot be followed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_that_fails_leaves_no_place_of_before() {
        let (cluster, readiness) = (Cluster::real("127.0.0.1:1"), crate::admin::Readiness::new());
        let before = Place { next: 9, read_to: 9, high: 9, is_caught_up: true };
        let mut following = Following {
            lookup: LookUp::new(&cluster, "g", Duration::from_millis(10)).unwrap(),
            reader: Reader::of_committed(&cluster, "t").unwrap(),
            cluster,
            topic: "t".to_owned(),
            condition: readiness.condition("t"),
            hear: |_: News<'_>| panic!("nothing is read"),
            has_begun: true,
            place: before,
            watchdog: Watchdog::new(9, Instant::now()),
            seen_to: 9,
            asked: Arc::default(),
            last_error: None,
        };
        assert!(following.begin().is_err());
        assert_eq!((following.has_begun, following.place), (false, Place::default()));
    }
}
