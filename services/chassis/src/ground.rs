//! What a service is given to stand on while it runs, alone or beside others in one process. Its own settings are kept out.

use std::{sync::Arc, time::Duration};

use ipnet::IpNet;

use crate::{
    admin::{Pages, Readiness},
    kafka::Cluster,
    redis::Redis,
    settings::Common,
    shutdown::Shutdown,
    tokens::Verifier,
    trace::Tracer,
};

/// The surroundings of a service. Cheap to clone; in one process all services share them.
#[derive(Clone)]
pub struct Ground {
    /// The Kafka cluster.
    pub cluster: Cluster,
    /// Before every topic, group and transactional id.
    pub topic_prefix: String,
    /// In every record, id and cursor.
    pub generation: u32,
    /// Of the topics that rooms are spread over.
    pub partitions: i32,
    /// What may be lost, if there is a place for it.
    pub redis: Option<Redis>,
    /// Where a service says whether it can work.
    pub readiness: Readiness,
    /// Where a service shows operators what is to be looked at.
    pub pages: Pages,
    /// Whom spans are told to.
    pub tracer: Tracer,
    /// Asked to leave?
    pub shutdown: Shutdown,
    /// Who may do what.
    pub verifier: Arc<Verifier>,
    /// Whose X-Forwarded-For is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whose pages may speak to us besides our own.
    pub origins: Vec<String>,
    /// How long leaving may take.
    pub drain: Duration,
}

impl Ground {
    /// The ground that the common settings describe; must be called on a tokio runtime.
    pub fn new(
        common: &Common,
        cluster: Cluster,
        verifier: Verifier,
        readiness: Readiness,
        pages: Pages,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            cluster,
            topic_prefix: common.topic_prefix.clone(),
            generation: common.generation,
            partitions: common.partitions,
            redis: common.redis.address().map(|address| Redis::open(address, &readiness)),
            readiness,
            pages,
            tracer: common
                .otlp_endpoint
                .as_ref()
                .map_or_else(Tracer::off, |endpoint| Tracer::open(endpoint, common.trace_one_in)),
            shutdown,
            verifier: Arc::new(verifier),
            trusted_proxies: common.trusted_proxies.clone(),
            origins: common.origins.clone(),
            drain: common.drain,
        }
    }
}
