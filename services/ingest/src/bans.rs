//! Who may not speak, as `danmaku-rules` says it, followed live. When somebody is looked up, and the refusal, are kept out.

use std::sync::{Arc, PoisonError, RwLock};

use chassis::{
    ground::Ground,
    kafka::{Follower, News},
};
use proto::{
    Topic,
    ban::{Book, Books, Person, Taken, Until},
};

use crate::{http::unix_ms, metrics::Metrics};

/// The bans in force.
#[derive(Debug, Default)]
pub(crate) struct Bans(RwLock<Books>);

impl Bans {
    /// Whether the topic was read for the first time: before, nobody may speak, as nobody knows who may not.
    pub(crate) fn are_known(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).in_force().is_some()
    }

    /// Whether somebody is banned, and for how long.
    pub(crate) fn until(&self, person: Person<'_>, now_ms: u64) -> Option<Until> {
        let books = self.0.read().unwrap_or_else(PoisonError::into_inner);
        books.in_force()?.until(person, now_ms.cast_signed())
    }

    fn hear(&self, news: News<'_>, metrics: &Metrics) {
        let mut books = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match news {
            News::Anew => books.anew(),
            News::CaughtUp => books.caught_up(),
            News::Record(record) => {
                let key = record.key().unwrap_or_default();
                match books.hear(key, record.value(), unix_ms().cast_signed()) {
                    Taken::Kept | Taken::Older | Taken::Other => {}
                    taken @ (Taken::Unreadable | Taken::NoRoom) => {
                        metrics.bans_lost.increment(1);
                        tracing::error!(offset = record.offset(), ?taken, "a ban is not kept");
                    }
                }
            }
        }
        metrics.bans.set(books.in_force().map_or(0, Book::len) as f64);
    }
}

/// Follows the bans on `ground` into `bans`, for as long as the answer is held.
pub(crate) fn follow(ground: &Ground, bans: &Arc<Bans>, metrics: Metrics) -> anyhow::Result<Follower> {
    let bans = Arc::clone(bans);
    let condition = ground.readiness.condition("ingest bans");
    Follower::start(&ground.cluster, &Topic::Rules.name(&ground.topic_prefix), condition, move |news| {
        bans.hear(news, &metrics);
    })
}
