//! Whether this process should be sent work: named conditions, each ready or with a sentence why not; and notes, which are
//! told beside them and decide nothing.
//! Kept out: who asks and how (the admin port), and being alive, which needs no condition.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metrics::{describe_gauge, gauge};
use serde::Serialize;
use tokio::sync::watch;

/// All conditions of a process, in the order they were named; ready when each is. Clones share them.
#[derive(Debug, Clone)]
pub struct Readiness {
    conditions: watch::Sender<Vec<Named>>,
    notes: Arc<Mutex<Vec<Noted>>>,
}

#[derive(Debug)]
struct Named {
    name: &'static str,
    not_ready: Option<String>,
    was_ready: bool,
}

/// One condition; clones set the same one. It stays as it was last set when all of them are dropped, because a part
/// that died has not become ready.
#[derive(Debug, Clone)]
pub struct Condition {
    conditions: watch::Sender<Vec<Named>>,
    index: usize,
}

/// What is told about a part that this process can do without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// The part.
    pub part: &'static str,
    /// How it is.
    pub state: String,
}

/// Writes one note; clones write the same one.
#[derive(Debug, Clone)]
pub struct Note {
    notes: Arc<Mutex<Vec<Noted>>>,
    index: usize,
}

/// A condition that is not ready, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotReady {
    /// The condition's name.
    pub condition: &'static str,
    /// Why it is not ready.
    pub reason: String,
}

impl Default for Readiness {
    fn default() -> Self {
        Self { conditions: watch::Sender::new(Vec::new()), notes: Arc::default() }
    }
}

impl Readiness {
    /// No conditions yet, which is ready.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a condition, not ready at first. Two may bear one name: a part that runs twice names its own each time.
    #[must_use]
    pub fn condition(&self, name: &'static str) -> Condition {
        let mut index = 0;
        self.conditions.send_modify(|conditions| {
            index = conditions.len();
            conditions.push(Named { name, not_ready: Some("starting".into()), was_ready: false });
        });
        Condition { conditions: self.conditions.clone(), index }
    }

    /// Adds a note.
    #[must_use]
    pub fn note(&self, part: &'static str, state: impl Into<String>) -> Note {
        let mut notes = lock(&self.notes);
        notes.push(Noted { part, state: state.into() });
        Note { notes: self.notes.clone(), index: notes.len() - 1 }
    }

    /// All notes.
    #[must_use]
    pub fn notes(&self) -> Vec<Noted> {
        lock(&self.notes).clone()
    }

    /// What is not ready; empty when all is.
    #[must_use]
    pub fn not_ready(&self) -> Vec<NotReady> {
        let conditions = self.conditions.borrow();
        let reason = |named: &Named| Some(NotReady { condition: named.name, reason: named.not_ready.clone()? });
        conditions.iter().filter_map(reason).collect()
    }

    /// Whether every condition is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        all_ready(&self.conditions.borrow())
    }

    /// Tells the metrics, as `/readyz` would say it now.
    pub(super) fn tell(&self) {
        describe_gauge!("danmaku_ready", "1 if the process should be sent work, 0 if not; /readyz says why.");
        gauge!("danmaku_ready").set(f64::from(u8::from(self.is_ready())));
    }

    /// Waits until every condition is ready; at once if they are.
    pub async fn wait_ready(&self) {
        // The sender is ours and lives as long as this call, so the wait cannot be cut off.
        let _ = self.conditions.subscribe().wait_for(|conditions| all_ready(conditions)).await;
    }
}

fn lock(notes: &Mutex<Vec<Noted>>) -> MutexGuard<'_, Vec<Noted>> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Note {
    /// Says how it is now.
    pub fn set(&self, state: impl Into<String>) {
        lock(&self.notes)[self.index].state = state.into();
    }
}

fn all_ready(conditions: &[Named]) -> bool {
    conditions.iter().all(|named| named.not_ready.is_none())
}

impl Condition {
    /// Sets it ready.
    pub fn ready(&self) {
        self.set(None);
    }

    /// Sets it not ready, with a sentence for the operator.
    pub fn not_ready(&self, reason: impl Into<String>) {
        self.set(Some(reason.into()));
    }

    /// Setting what is set already wakes nobody and logs nothing.
    fn set(&self, not_ready: Option<String>) {
        self.conditions.send_if_modified(|conditions| {
            let named = &mut conditions[self.index];
            let changed = named.not_ready != not_ready;
            if changed {
                log(named, not_ready.as_deref());
                named.was_ready |= not_ready.is_none();
                named.not_ready = not_ready;
            }
            changed
        });
    }
}

/// A start goes through several reasons, which is no fault; one that comes later is.
fn log(named: &Named, not_ready: Option<&str>) {
    let condition = named.name;
    match not_ready {
        None => tracing::info!(condition, "ready"),
        Some(reason) if named.was_ready => tracing::warn!(condition, reason, "not ready any more"),
        Some(reason) => tracing::info!(condition, reason, "not ready yet"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_is_when_every_condition_is() {
        let readiness = Readiness::new();
        assert!(readiness.is_ready());
        let (rules, kafka) = (readiness.condition("rules"), readiness.condition("kafka"));
        assert!(!readiness.is_ready());
        rules.ready();
        kafka.not_ready("no broker answers");
        let expected = vec![NotReady { condition: "kafka", reason: "no broker answers".into() }];
        assert_eq!(readiness.clone().not_ready(), expected);
        kafka.ready();
        assert!(readiness.is_ready());
    }

    #[test]
    fn two_conditions_of_one_name_are_two() {
        let readiness = Readiness::new();
        let (first, second) = (readiness.condition("core"), readiness.condition("core"));
        first.ready();
        assert!(!readiness.is_ready());
        second.ready();
        assert!(readiness.is_ready());
    }

    #[test]
    fn a_dropped_condition_stays_as_it_was() {
        let readiness = Readiness::new();
        drop(readiness.condition("rules"));
        assert_eq!(readiness.not_ready()[0].reason, "starting");
    }

    #[test]
    fn a_note_is_told_and_decides_nothing() {
        let readiness = Readiness::new();
        let (redis, mail) = (readiness.note("redis", "connecting"), readiness.note("mail", "idle"));
        redis.clone().set("away");
        drop(mail);
        let expected = [("redis", "away"), ("mail", "idle")];
        let expected = expected.map(|(part, state)| Noted { part, state: state.to_owned() });
        assert_eq!((readiness.notes(), readiness.is_ready()), (expected.to_vec(), true));
    }

    #[tokio::test]
    async fn waiting_ends_with_the_last_condition() {
        let readiness = Readiness::new();
        let condition = readiness.condition("rules");
        let waiting = tokio::spawn({
            let readiness = readiness.clone();
            async move { readiness.wait_ready().await }
        });
        condition.ready();
        waiting.await.unwrap();
    }
}
