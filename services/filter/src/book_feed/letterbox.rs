//! What `danmaku-rules` tells, put down by the thread that follows it and picked up by the one that compiles. What is made of it
//! is kept out.
//!
//! Nothing queues here: what was told stands in one assembly, so whoever comes late finds the newest and not a backlog.

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use chassis::kafka::News;
use judge::book::{Assembly, Change, Mutes, Refused, Renewal};
use proto::ban;

/// Where news is left.
#[derive(Default)]
pub(crate) struct Letterbox(Mutex<Told>);

#[derive(Default)]
struct Told {
    assembly: Assembly,
    is_caught_up: bool,
    people_changed: bool,
    heard: Option<Instant>,
}

/// What was left since the last look.
#[derive(Default)]
pub(crate) struct Post {
    /// The topic was told to its end at least once.
    pub(crate) is_caught_up: bool,
    pub(crate) renewals: Vec<Renewal>,
    pub(crate) people: Option<(Mutes, ban::Book)>,
    /// When the first of the renewals was heard of.
    pub(crate) heard: Option<Instant>,
}

/// What a piece of news asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing.
    Rest,
    /// That somebody looks.
    Look,
    /// That an operator knows.
    Tell(Refused),
}

impl Letterbox {
    /// Takes what the follower tells.
    pub(crate) fn hear(&self, news: News<'_>, now: Instant) -> Then {
        match news {
            News::Record(record) => {
                self.record(record.key().unwrap_or_default(), record.value(), record.time_ms(), now)
            }
            News::Anew => {
                self.told().assembly.anew();
                Then::Rest
            }
            News::CaughtUp => {
                let mut told = self.told();
                told.assembly.caught_up();
                (told.is_caught_up, told.people_changed) = (true, true);
                Then::Look
            }
        }
    }

    pub(crate) fn record(&self, key: &[u8], value: &[u8], at_ms: i64, now: Instant) -> Then {
        let mut told = self.told();
        match told.assembly.hear(key, value, at_ms) {
            Change::Nothing => return Then::Rest,
            Change::Rules => drop(told.heard.get_or_insert(now)),
            Change::Mutes | Change::Bans => told.people_changed = true,
            Change::Refused(refused) => return Then::Tell(refused),
        }
        if told.is_caught_up { Then::Look } else { Then::Rest }
    }

    /// Takes everything out, once the topic was told to its end.
    pub(crate) fn take(&self) -> Post {
        let mut told = self.told();
        if !told.is_caught_up {
            return Post::default();
        }
        let people_changed = mem::take(&mut told.people_changed);
        let people = || (told.assembly.mutes().clone(), told.assembly.bans().clone());
        let people = people_changed.then(people);
        Post { is_caught_up: true, renewals: told.assembly.renewals(), people, heard: told.heard.take() }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
