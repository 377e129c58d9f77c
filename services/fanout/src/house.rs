//! What all threads of a hall share, and what each of them may do with it: read settings, raise wishes, and look into the raw
//! records for a moment.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use chassis::{
    ground::Ground,
    tokens::{Claims, Verifier},
};
use proto::{Topic, UserId};

use crate::{
    admission::Caps, bans::Bans, config::Config, lookup::LookUps, places::Places, presence::Presence, raw::Raw,
    relay::Relay, standing::Standing, trace::Told, wants::Wants,
};

/// What all threads of a hall share.
pub(crate) struct House {
    /// What this node calls itself.
    pub(crate) node: String,
    /// The hall's settings.
    pub(crate) config: Config,
    /// Of the topics that are read; a record may be of a higher one.
    pub(crate) generation: u32,
    /// Which partitions shards want to hear.
    pub(crate) wants: Wants,
    /// Questions to Kafka.
    pub(crate) lookups: LookUps,
    /// For how many there is room.
    pub(crate) caps: Arc<Caps>,
    /// Which users have places here.
    pub(crate) places: Places,
    /// How many watch a room.
    pub(crate) presence: Presence,
    /// Where what viewers send goes; `None` when there is no door for it.
    pub(crate) relay: Option<Relay>,
    /// Who may not be here.
    pub(crate) bans: Bans,
    /// Whom spans are told to.
    pub(crate) told: Told,
    /// Who may do what.
    verifier: Arc<Verifier>,
    /// The end was asked for; the Kafka thread stops.
    pub(crate) is_over: AtomicBool,
    /// When the hall opened: the zero of its clock and of its rooms' windows.
    pub(crate) epoch: Instant,
    /// A lock a partition. The Kafka thread holds one to add a burst of records, a shard to find what it will write: both for
    /// microseconds, and nobody does I/O under it.
    raws: Vec<Mutex<Raw>>,
    /// As `raws`: a shard holds one to greet a viewer.
    standing: Vec<Mutex<Standing>>,
    connections: AtomicU64,
}

/// One reading of the clocks, for everything that happens in a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// For durations.
    pub(crate) now: Instant,
    /// For clients.
    pub(crate) unix_ms: i64,
}

impl Moment {
    /// Now.
    pub(crate) fn now() -> Self {
        Self { now: Instant::now(), unix_ms: unix_ms() }
    }

    /// Unix time in seconds, as tokens count it.
    pub(crate) fn unix_secs(self) -> u64 {
        self.unix_ms.unsigned_abs() / 1000
    }
}

fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

impl House {
    /// What a good token says, or why it is none; one whose user could say nothing at the door is none here either.
    pub(crate) fn believe(&self, token: &str, moment: Moment) -> Result<Arc<Claims>, String> {
        let claims = self.verifier.verify(token, moment.unix_secs()).map_err(|error| error.to_string())?;
        UserId::new(&claims.sub).map_err(|error| format!("the token's sub is no user id: {error}"))?;
        Ok(claims)
    }

    /// The house of a hall of so many shards.
    pub(crate) fn new(ground: &Ground, config: Config, shards: usize, places: Places) -> Self {
        let partitions = usize::try_from(ground.partitions).unwrap_or(0);
        Self {
            node: config.node(),
            generation: ground.generation,
            wants: Wants::new(shards, partitions),
            lookups: LookUps::default(),
            caps: Arc::new(Caps::new(&config, shards)),
            places,
            presence: Presence::default(),
            relay: None,
            told: Told::new(ground.tracer.of("fanout"), Topic::Output.name(&ground.topic_prefix)),
            verifier: ground.verifier.clone(),
            is_over: AtomicBool::new(false),
            epoch: Instant::now(),
            raws: (0..partitions).map(|_| Mutex::new(Raw::new(config.history))).collect(),
            standing: (0..partitions).map(|_| Mutex::default()).collect(),
            bans: Bans::default(),
            connections: AtomicU64::new(0),
            config,
        }
    }

    /// The same house with a way to the door.
    pub(crate) fn relaying(self, relay: Option<Relay>) -> Self {
        Self { relay, ..self }
    }

    /// How many partitions there are.
    pub(crate) fn partitions(&self) -> usize {
        self.raws.len()
    }

    /// The raw records of a partition.
    pub(crate) fn raw(&self, partition: usize) -> MutexGuard<'_, Raw> {
        self.raws[partition].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What stands in the rooms of a partition: modes and sticky events.
    pub(crate) fn standing(&self, partition: usize) -> MutexGuard<'_, Standing> {
        self.standing[partition].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a connection, unique in this process.
    pub(crate) fn connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use chassis::{
        admin::{Pages, Readiness},
        kafka::Cluster,
        shutdown::Shutdown,
        tokens::Signer,
    };

    use super::*;

    /// A ground for one part of the hall.
    pub(crate) fn ground(cluster: Cluster, partitions: i32) -> Ground {
        Ground {
            cluster,
            topic_prefix: String::new(),
            generation: 1,
            partitions,
            redis: None,
            readiness: Readiness::new(),
            pages: Pages::default(),
            tracer: chassis::trace::Tracer::off(),
            shutdown: Shutdown::new(),
            verifier: Arc::new(Signer::random_hs256().verifier().unwrap()),
            trusted_proxies: Vec::new(),
            origins: Vec::new(),
            drain: Duration::from_secs(1),
        }
    }
}
