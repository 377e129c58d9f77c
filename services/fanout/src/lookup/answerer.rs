//! Who asks Kafka, and may have to wait for it: where a partition begins and ends, and from where to read it so that the last 75 seconds
//! are there. Which question is next is the parent's.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use chassis::kafka::{Cluster, Heard, LookUp, Reader, Watermarks};

use super::{Answer, LookUps, Question};
use crate::inbox::{Event, Inbox};

/// How much history is read at most when a partition is assigned: at 20,000 records a second it takes 5 s.
const RECORDS_MAX: u64 = 100_000;

/// How long Kafka may take for one answer before the others get their turn.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Who answers.
pub(crate) struct Answerer {
    lookup: LookUp,
    /// Reads a partition's last record, for its time.
    tail: Reader,
    topic: String,
    states: String,
    /// How much history is wanted; `None` on a broker that knows no times, where it is all there is.
    history: Option<Duration>,
}

impl Answerer {
    /// Asks about `topic`, and about `states` besides.
    pub(crate) fn new(cluster: &Cluster, topic: &str, states: &str, history: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            lookup: LookUp::new(cluster, "danmaku-fanout", TIMEOUT).context("a kafka client for look-ups")?,
            tail: Reader::new(cluster, topic).context("a kafka client for the last records")?,
            topic: topic.to_owned(),
            states: states.to_owned(),
            history: (!cluster.embedded).then_some(history),
        })
    }

    /// Answers questions until it is over; what cannot be answered is asked again.
    pub(crate) fn run(self, lookups: &LookUps, shards: &[Arc<Inbox>]) {
        while let Some(question) = lookups.next() {
            if let Err(error) = self.answer(question, lookups, shards) {
                tracing::warn!(?question, error = format!("{error:#}"), "look-up failed, asking again");
                lookups.defer(question);
            }
        }
    }

    fn answer(&self, question: Question, lookups: &LookUps, shards: &[Arc<Inbox>]) -> anyhow::Result<()> {
        match question {
            Question::Start(partition) => {
                // Watermarks first: what is appended after this question is read as live.
                let marks = self.lookup.watermarks(&self.topic, partition)?;
                let start = self.start(partition, marks)?;
                lookups.answer(Answer::Start { partition, start, marks });
            }
            Question::High { partition, shard } => {
                let marks = self.lookup.watermarks(&self.topic, partition)?;
                shards[shard].tell(Event::High { partition, offset: marks.high });
            }
            Question::States(partition) => {
                let marks = self.lookup.watermarks(&self.states, partition)?;
                lookups.answer(Answer::States { partition, marks });
            }
            Question::Watch(partition) => {
                let marks = self.lookup.watermarks(&self.topic, partition)?;
                lookups.answer(Answer::Watch { partition, marks });
            }
        }
        Ok(())
    }

    fn start(&self, partition: i32, marks: Watermarks) -> anyhow::Result<u64> {
        let Some(history) = self.history else { return Ok(marks.low) };
        if marks.low >= marks.high {
            return Ok(marks.high);
        }
        let least = marks.low.max(marks.high.saturating_sub(RECORDS_MAX));
        // Counted from the last record, so that only the broker's own times are compared.
        let Some(last_ms) = self.time_of_last(partition, marks.high)? else { return Ok(least) };
        let from_ms = last_ms - i64::try_from(history.as_millis()).unwrap_or(i64::MAX);
        let found = self.lookup.offset_at(&self.topic, partition, from_ms.max(0))?;
        Ok(found.unwrap_or(marks.high).clamp(least, marks.high))
    }

    /// When the last record was appended; `None` if the partition's end is not a record.
    fn time_of_last(&self, partition: i32, high: u64) -> anyhow::Result<Option<i64>> {
        self.tail.assign(partition, high - 1)?;
        let time = self.read_one(partition);
        self.tail.release(partition)?;
        time
    }

    fn read_one(&self, partition: i32) -> anyhow::Result<Option<i64>> {
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            match self.tail.poll(Duration::from_millis(100)) {
                Ok(Some(Heard::Record(record))) if record.partition() == partition => {
                    return Ok(Some(record.time_ms()));
                }
                Ok(Some(Heard::End(ended))) if ended == partition => return Ok(None),
                // Something late of a partition that was asked before, or a broker in trouble.
                Ok(_) | Err(_) => {}
            }
        }
        anyhow::bail!("the last record of partition {partition} was not read within {TIMEOUT:?}")
    }
}
