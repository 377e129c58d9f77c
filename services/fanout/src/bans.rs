//! Who is banned, as `danmaku-rules` says it, followed live. When somebody is looked up, and what he is told, is kept out.

use std::{
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
};

use chassis::{
    ground::Ground,
    kafka::{Follower, News},
    tokens::Claims,
};
use proto::{
    Topic,
    ban::{AddressHash, Book, Books, Person, Taken, Until},
};

use crate::{
    house::{House, Moment},
    metrics::BanMetrics,
};

/// The bans in force. Before the topic was read for the first time there are none; the node is not ready until then, and who
/// came earlier is found by the next sweep.
#[derive(Debug, Default)]
pub(crate) struct Bans(RwLock<Books>);

impl Bans {
    /// Whether somebody is banned, and for how long: by his token's user and device, and by where he comes from.
    pub(crate) fn until(&self, claims: Option<&Claims>, address: IpAddr, moment: Moment) -> Option<Until> {
        let books = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let book = books.in_force().filter(|book| !book.is_empty())?;
        let person = Person {
            user: claims.map(|claims| &*claims.sub),
            device: claims.and_then(|claims| claims.device.as_deref()),
            // A hash costs half a microsecond, and the sweep asks for everybody.
            address: book.has_addresses().then(|| AddressHash::of(address)),
        };
        book.until(person, moment.unix_ms)
    }

    fn hear(&self, news: News<'_>, metrics: &BanMetrics) {
        let mut books = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match news {
            News::Anew => books.anew(),
            News::CaughtUp => books.caught_up(),
            News::Record(record) => {
                let key = record.key().unwrap_or_default();
                match books.hear(key, record.value(), Moment::now().unix_ms) {
                    Taken::Kept | Taken::Older | Taken::Other => {}
                    taken @ (Taken::Unreadable | Taken::NoRoom) => {
                        metrics.lost.increment(1);
                        tracing::error!(offset = record.offset(), ?taken, "a ban is not kept");
                    }
                }
            }
        }
        metrics.bans.set(books.in_force().map_or(0, Book::len) as f64);
    }
}

/// Follows the bans on `ground` into `house`, for as long as the answer is held.
pub(crate) fn follow(ground: &Ground, house: &Arc<House>) -> anyhow::Result<Follower> {
    let (house, metrics) = (Arc::clone(house), BanMetrics::new());
    let condition = ground.readiness.condition("fanout bans");
    Follower::start(&ground.cluster, &Topic::Rules.name(&ground.topic_prefix), condition, move |news| {
        house.bans.hear(news, &metrics);
    })
}
