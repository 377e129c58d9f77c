//! The parts of the door in one place: opening it, what runs beside the requests, and leaving. Requests are `http`'s.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use chassis::{
    admin::Condition,
    ground::Ground,
    kafka::{Follower, LookUp, TopicSpec, keep_verifying},
    tokens::Verifier,
};
use proto::{Topic, ban::Person, topics};
use tokio::{task::JoinSet, time};

use crate::{
    bans::{self, Bans},
    config::Config,
    lag::{self, Lag},
    limit::{JANITOR_EVERY, Limits},
    metrics::Metrics,
    produce::InputTopic,
    refusal::Refusal,
};

/// The producer's id comes with the statistics, once a second.
const WARM_UP_EVERY: Duration = Duration::from_millis(100);
/// How long the filter group's coordinator may take to answer.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(2);
/// How often numbers that nobody reports by himself are read.
const OBSERVE_EVERY: Duration = Duration::from_secs(1);

/// An open door. Dropping it ends what runs beside it.
pub struct Door {
    pub(crate) config: Config,
    pub(crate) generation: u32,
    pub(crate) verifier: Arc<Verifier>,
    pub(crate) trusted_proxies: Vec<ipnet::IpNet>,
    pub(crate) origins: Vec<String>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) lag: Arc<Lag>,
    pub(crate) input: Arc<InputTopic>,
    pub(crate) metrics: Metrics,
    /// Whether the topics are what rooms are spread over; nothing is written until it is known.
    verified: Arc<AtomicBool>,
    pub(crate) bans: Arc<Bans>,
    _following: Follower,
    _beside: JoinSet<()>,
}

impl Door {
    /// Opens the door on `ground`, within a tokio runtime. It is ready (`ground.readiness`) once the topics are what they
    /// should be, the bans were read, and the producer is warm; until then every message is answered 503 `unavailable`.
    ///
    /// # Errors
    /// When a Kafka client cannot be made, which is a matter of settings and not of the cluster's health.
    pub fn open(ground: &Ground, config: Config) -> anyhow::Result<Arc<Self>> {
        let metrics = Metrics::new();
        let lag = Arc::new(Lag::new(ground.partitions, config.judge_behind_after));
        let input = InputTopic::open(ground, config.produce_timeout, Arc::clone(&lag), metrics.clone())
            .context("ingest: no producer can be made")?;
        let group = topics::filter_group(&ground.topic_prefix, ground.generation);
        let look_up = LookUp::new(&ground.cluster, &group, LOOK_UP_TIMEOUT)
            .context("ingest: no client for the filter group's offsets can be made")?;
        let (input, limits) = (Arc::new(input), Arc::new(Limits::new(&config)));
        let verified = Arc::new(AtomicBool::new(false));

        let bans = Arc::default();
        let following = bans::follow(ground, &bans, metrics.clone()).context("ingest: nobody can follow the bans")?;

        let mut beside = JoinSet::new();
        let spec = |topic: Topic| {
            TopicSpec::from(topic.described(&ground.topic_prefix, ground.partitions, topics::OUTPUT_RETENTION_MS))
        };
        let specs = [Topic::Input, Topic::Rules].map(spec).into();
        let condition = ground.readiness.condition("ingest topics");
        let verifying = keep_verifying(ground.cluster.clone(), specs, condition, verified.clone());
        beside.spawn(verifying);
        beside.spawn(warm_up(Arc::clone(&input), ground.readiness.condition("ingest producer")));
        beside.spawn(lag::follow(Arc::clone(&lag), Arc::new(look_up), input.name(), metrics.clone()));
        beside.spawn(sweep(Arc::clone(&limits), metrics.clone()));
        beside.spawn(observe(Arc::clone(&input), metrics.clone()));

        Ok(Arc::new(Self {
            config,
            generation: ground.generation,
            verifier: Arc::clone(&ground.verifier),
            trusted_proxies: ground.trusted_proxies.clone(),
            origins: ground.origins.clone(),
            limits,
            lag,
            input,
            metrics,
            verified,
            bans,
            _following: following,
            _beside: beside,
        }))
    }

    /// Whether anything may be written: a topic with other partitions than ours would take a room's messages astray, and
    /// before the bans were read nobody knows whose may not be.
    pub(crate) fn is_verified(&self) -> bool {
        self.verified.load(Ordering::Relaxed) && self.bans.are_known()
    }

    /// Who is banned says nothing, through whichever door.
    pub(crate) fn unless_banned(&self, person: Person<'_>, now_ms: u64) -> Result<(), Refusal> {
        self.bans.until(person, now_ms).map_or(Ok(()), |until| Err(Refusal::Forbidden(until.to_string())))
    }

    /// Waits until all that was handed to Kafka is acknowledged or given up, at most the produce timeout. Requests that
    /// still come are served; stopping them is the listener's part.
    pub async fn leave(&self) {
        self.input.finished().await;
    }
}

async fn warm_up(input: Arc<InputTopic>, condition: Condition) {
    loop {
        match input.warm_up().await {
            Ok(true) => break condition.ready(),
            Ok(false) => {}
            Err(error) => condition.not_ready(format!("kafka does not answer: {error}")),
        }
        time::sleep(WARM_UP_EVERY).await;
    }
}

async fn sweep(limits: Arc<Limits>, metrics: Metrics) {
    loop {
        time::sleep(JANITOR_EVERY).await;
        let keys = limits.sweep();
        metrics.user_keys.set(keys.users as f64);
        metrics.address_keys.set(keys.addresses as f64);
    }
}

async fn observe(input: Arc<InputTopic>, metrics: Metrics) {
    loop {
        metrics.in_flight_bytes.set(input.in_flight_bytes() as f64);
        time::sleep(OBSERVE_EVERY).await;
    }
}
