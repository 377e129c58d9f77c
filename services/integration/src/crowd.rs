//! A steady murmur in some rooms while a test hurts something. It counts what was accepted and refused, and hides nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use proto::MessageId;
use tokio::task::JoinSet;

use crate::{
    sender::{Answer, Sender},
    until_so,
};

/// A room's speakers.
#[derive(Debug, Clone)]
pub struct Table {
    /// The room.
    pub room: String,
    /// They speak in turn, so that none of them is faster than the judge allows.
    pub senders: Vec<Sender>,
}

/// What a crowd said and was told.
#[derive(Debug, Default)]
pub struct Said {
    /// Accepted ids by room.
    pub accepted: BTreeMap<String, BTreeSet<MessageId>>,
    /// How many were refused, by code; `silent` are those without an answer.
    pub refused: BTreeMap<String, usize>,
}

impl Said {
    /// Accepted ids of all rooms.
    pub fn ids(&self) -> BTreeSet<MessageId> {
        self.accepted.values().flatten().copied().collect()
    }
}

/// Speakers in the background. They go on until [`Crowd::stop`].
pub struct Crowd {
    rooms: JoinSet<(String, BTreeSet<MessageId>, BTreeMap<String, usize>)>,
    stop: Arc<AtomicBool>,
    accepted: Arc<AtomicUsize>,
}

impl Crowd {
    /// Lets each table say something every `pace`, or as fast as the door answers if that is slower.
    pub fn start(tables: Vec<Table>, pace: Duration) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let accepted = Arc::new(AtomicUsize::new(0));
        let mut rooms = JoinSet::new();
        for table in tables {
            rooms.spawn(murmur(table, pace, Arc::clone(&stop), Arc::clone(&accepted)));
        }
        Self { rooms, stop, accepted }
    }

    /// How many messages were accepted so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Waits until `more` messages were accepted from now on.
    ///
    /// # Panics
    /// When they were not `within` the time.
    pub async fn until_more(&self, more: usize, within: Duration) {
        let goal = self.accepted() + more;
        until_so("the crowd is heard", within, || self.accepted() >= goal).await;
    }

    /// Ends it, and waits for the answers on the way.
    pub async fn stop(self) -> Said {
        self.stop.store(true, Ordering::Relaxed);
        let mut said = Said::default();
        for (room, accepted, refused) in self.rooms.join_all().await {
            said.accepted.entry(room).or_default().extend(accepted);
            for (word, count) in refused {
                *said.refused.entry(word).or_default() += count;
            }
        }
        said
    }
}

async fn murmur(
    table: Table,
    pace: Duration,
    stop: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
) -> (String, BTreeSet<MessageId>, BTreeMap<String, usize>) {
    let (mut accepted, mut refused) = (BTreeSet::new(), BTreeMap::new());
    let mut tick = tokio::time::interval(pace);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for (turn, sender) in table.senders.iter().cycle().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        tick.tick().await;
        match sender.say(&table.room, &format!("word {turn}")).await {
            Answer::Accepted { id } => {
                accepted.insert(id);
                count.fetch_add(1, Ordering::Relaxed);
            }
            other => *refused.entry(other.word().to_owned()).or_default() += 1,
        }
    }
    (table.room, accepted, refused)
}
