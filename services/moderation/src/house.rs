//! The parts of the moderators' service in one place: opening it, what runs beside the requests, and leaving.
//! Requests are `http`'s.

mod first;

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use chassis::{ground::Ground, tokens::Verifier};
use tokio::{sync::Semaphore, task::JoinSet};

use crate::{
    config::Config, events, export::Shelf, history::Archive, http, metrics::Metrics, outbox::publish, pulse,
    store::Store, timers::Timers, verdicts::follow, versions::Cache,
};

/// Imports, dry runs and back-tests at a time: each may hold 32 MiB of text and its entries, 200 MB at most.
const HEAVY_MAX: usize = 2;

/// Readings of what was said, for mutes and recalls, at a time: 40 MB each. They wait for nothing that may wait itself.
const URGENT_MAX: usize = 2;

/// Bodies of more than 4 MiB that are read at a time: 256 MiB. The next one waits on the wire.
const LARGE_MAX: usize = 8;

/// Streams of events at a time, which query the table ten times a second each at most.
const STREAMS_MAX: usize = 64;

/// Exports at a time: each reads a partition, twice, at whatever speed Kafka has.
const EXPORTS_MAX: usize = 2;

/// Web players that are told rows at a time, beside those: any viewer may ask, and keeps no moderator from his file.
const PLAYERS_MAX: usize = 2;

/// Reported messages that are looked up at a time: each makes a client for Kafka, and any viewer may report.
const REPORTED_MAX: usize = 2;

/// An open service. Dropping it ends what runs beside it.
pub struct House {
    pub(crate) config: Config,
    pub(crate) ground: Ground,
    pub(crate) verifier: Arc<Verifier>,
    pub(crate) origins: Vec<String>,
    pub(crate) store: Arc<Store>,
    pub(crate) cache: Cache,
    pub(crate) heavy: Arc<Semaphore>,
    pub(crate) urgent: Arc<Semaphore>,
    pub(crate) large: Semaphore,
    pub(crate) archive: Archive,
    pub(crate) shelf: Shelf,
    pub(crate) exports: Arc<Semaphore>,
    pub(crate) players: Arc<Semaphore>,
    pub(crate) reported: Arc<Semaphore>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) metrics: Metrics,
    pub(crate) router: axum::Router,
    beside: Mutex<JoinSet<()>>,
}

impl House {
    /// Opens the service on `ground`. It is ready (`ground.readiness`) once it publishes, or waits for its turn to.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub async fn open(ground: &Ground, config: Config) -> anyhow::Result<Arc<Self>> {
        Self::open_with(ground, config, None).await
    }

    /// The same; a database in which nothing was ever kept begins with a list of these words, one a line.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub async fn open_with(ground: &Ground, config: Config, words: Option<&str>) -> anyhow::Result<Arc<Self>> {
        let metrics = Metrics::new();
        let store = Arc::new(Store::open(config.database()).await?);
        if let Some(words) = words {
            first::list(&store, words).await.context("the first words cannot be kept")?;
        }
        let mut beside = JoinSet::new();
        let condition = ground.readiness.condition("moderation publisher");
        condition.not_ready("the rule book is not published yet");
        beside.spawn(publish::run(Arc::clone(&store), ground.clone(), condition, metrics.clone()));
        live(&mut beside, &store, ground, &config, &metrics);
        Ok(Arc::new_cyclic(|house| Self {
            config,
            ground: ground.clone(),
            verifier: Arc::clone(&ground.verifier),
            origins: ground.origins.clone(),
            store,
            cache: Cache::default(),
            heavy: Arc::new(Semaphore::new(HEAVY_MAX)),
            urgent: Arc::new(Semaphore::new(URGENT_MAX)),
            large: Semaphore::new(LARGE_MAX),
            archive: Archive::of(ground),
            shelf: Shelf::of(ground),
            exports: Arc::new(Semaphore::new(EXPORTS_MAX)),
            players: Arc::new(Semaphore::new(PLAYERS_MAX)),
            reported: Arc::new(Semaphore::new(REPORTED_MAX)),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            metrics,
            router: http::router(house.clone()),
            beside: Mutex::new(beside),
        }))
    }

    /// Ends publishing, whose rest is published at the next start, and lets go of the database.
    pub async fn leave(&self) {
        self.beside.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        self.store.close().await;
    }
}

/// Starts what goes on beside the requests while streams are live.
fn live(beside: &mut JoinSet<()>, store: &Arc<Store>, ground: &Ground, config: &Config, metrics: &Metrics) {
    let condition = ground.readiness.condition("moderation verdicts");
    condition.not_ready("the verdicts are not read yet");
    beside.spawn(follow::run(Arc::clone(store), ground.clone(), condition, metrics.clone()));
    let timers = Timers {
        store: Arc::clone(store),
        generation: ground.generation,
        keep: config.moderation_keep,
        versions_keep: config.versions_keep,
    };
    beside.spawn(timers.run());
    beside.spawn(pulse::keep_asking(Arc::clone(store), metrics.clone()));
    beside.spawn(events::hear_others(Arc::clone(store)));
}
