//! Questions to Kafka that may block while a leader is away, asked by a thread of their own: where a partition begins and
//! ends, and from where to read it so that the last 75 seconds are there.
//!
//! A question stands in a set until it is answered: asking twice is asking once, so nothing can pile up.

use std::{
    collections::BTreeSet,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use chassis::kafka::{Cluster, Heard, LookUp, Reader, Watermarks};

use crate::inbox::{Event, Inbox};

/// How much history is read at most when a partition is assigned: at 20,000 records a second it takes 5 s.
const RECORDS_MAX: u64 = 100_000;

/// How long Kafka may take for one answer before the others get their turn.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A question without an answer is asked again so much later, and the others come first: its leader is being elected.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Something to find out. The order is that of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// From where to read a partition.
    Start(i32),
    /// Between which offsets its states lie: from where to read them, and for their watchdog.
    States(i32),
    /// How far a partition goes, for a viewer whose cursor is ahead of this node.
    High {
        /// The partition.
        partition: i32,
        /// Whom to tell.
        shard: usize,
    },
    /// Between which offsets a partition lies, for the watchdog.
    Watch(i32),
}

/// An answer for the Kafka thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Read it from `start`; it is caught up at the high watermark.
    Start {
        /// The partition.
        partition: i32,
        /// Where to begin.
        start: u64,
        /// Where it begins and ends.
        marks: Watermarks,
    },
    /// Its states lie between these.
    States {
        /// The partition.
        partition: i32,
        /// Where they begin and end.
        marks: Watermarks,
    },
    /// It lies between these.
    Watch {
        /// The partition.
        partition: i32,
        /// Where it begins and ends.
        marks: Watermarks,
    },
}

/// The open questions and the answers nobody has fetched yet; of these there are at most as many as there were questions.
#[derive(Debug, Default)]
pub(crate) struct LookUps {
    table: Mutex<Table>,
    has_question: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    questions: BTreeSet<Question>,
    /// Those that are asked again, and when.
    deferred: Vec<(Instant, Question)>,
    answers: Vec<Answer>,
    is_over: bool,
}

impl LookUps {
    /// Puts a question, unless it waits to be asked again.
    pub(crate) fn ask(&self, question: Question) {
        let mut table = self.lock();
        if !table.deferred.iter().any(|(_, deferred)| *deferred == question) {
            table.questions.insert(question);
            self.has_question.notify_one();
        }
    }

    /// The answers so far.
    pub(crate) fn take_answers(&self) -> Vec<Answer> {
        std::mem::take(&mut self.lock().answers)
    }

    #[cfg(test)]
    pub(crate) fn take_questions(&self) -> Vec<Question> {
        std::mem::take(&mut self.lock().questions).into_iter().collect()
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        self.lock().is_over = true;
        self.has_question.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most urgent question, as soon as there is one, and one that is asked again when there is no other; `None` when it is
    /// over.
    fn next(&self) -> Option<Question> {
        let mut table = self.lock();
        loop {
            if table.is_over {
                return None;
            }
            if let Some(question) = table.questions.pop_first().or_else(|| table.again(Instant::now())) {
                return Some(question);
            }
            let wait = if table.deferred.is_empty() { Duration::MAX } else { AGAIN_AFTER / 4 };
            let waited = self.has_question.wait_timeout(table, wait);
            table = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whoever has put it again meanwhile waits with it.
    fn defer(&self, question: Question) {
        let mut table = self.lock();
        table.questions.remove(&question);
        table.deferred.push((Instant::now() + AGAIN_AFTER, question));
    }

    fn answer(&self, answer: Answer) {
        self.lock().answers.push(answer);
    }
}

impl Table {
    /// What may be asked again, and has waited longest.
    fn again(&mut self, now: Instant) -> Option<Question> {
        let index = self.deferred.iter().position(|(at, _)| *at <= now)?;
        Some(self.deferred.remove(index).1)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_twice_is_asking_once_and_the_urgent_comes_first() {
        let lookups = LookUps::default();
        lookups.ask(Question::Watch(1));
        lookups.ask(Question::High { partition: 7, shard: 0 });
        lookups.ask(Question::High { partition: 7, shard: 0 });
        lookups.ask(Question::Start(9));
        let order: Vec<_> = (0..3).map(|_| lookups.next().unwrap()).collect();
        assert_eq!(order, [Question::Start(9), Question::High { partition: 7, shard: 0 }, Question::Watch(1)]);
        lookups.end();
        assert_eq!(lookups.next(), None);
    }

    #[test]
    fn what_failed_does_not_stand_in_the_way_and_comes_again() {
        let lookups = LookUps::default();
        lookups.defer(Question::Start(1));
        lookups.ask(Question::Watch(2));
        assert_eq!(lookups.next(), Some(Question::Watch(2)));
        assert_eq!(lookups.next(), Some(Question::Start(1)));
    }
    #[test]
    fn one_without_a_leader_takes_no_turn_of_the_others() {
        let lookups = LookUps::default();
        // Urgent ones and others of a partition whose leader is away; each fails, and housekeeping puts it again meanwhile.
        let away = [Question::States(3), Question::Watch(3)];
        for round in 0..3 {
            away.iter().for_each(|question| lookups.ask(*question));
            (1..8).for_each(|partition| lookups.ask(Question::Watch(partition)));
            let mut asked = Vec::new();
            while lookups.lock().questions.first().is_some() {
                let question = lookups.next().unwrap();
                if away.contains(&question) {
                    lookups.ask(question);
                    lookups.defer(question);
                }
                asked.push(question);
            }
            let others = asked.iter().filter(|question| !away.contains(question)).count();
            assert_eq!((others, asked.len()), (6, if round == 0 { 8 } else { 6 }), "{asked:?}");
        }
        assert_eq!([lookups.next().unwrap(), lookups.next().unwrap()], away);
    }
}
