//! Questions to Kafka that may block while a leader is away: what is to be found out, and what was. Asking Kafka is the `answerer`'s, a
//! thread of its own.
//!
//! A question stands in a set until it is answered: asking twice is asking once, so nothing can pile up.

mod answerer;

pub(crate) use answerer::Answerer;

use std::{
    collections::BTreeSet,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chassis::kafka::Watermarks;

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
