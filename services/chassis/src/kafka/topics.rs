//! Creating topics with their settings, and checking that topics are what a service was built for.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rdkafka::{
    ClientConfig,
    admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication},
    types::RDKafkaErrorCode,
};

use super::{Cluster, Error, LookUp, context::Quiet};
use crate::admin::Condition;

/// A topic as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSpec {
    /// Its whole name.
    pub name: String,
    /// How many partitions.
    pub partitions: i32,
    /// Broker settings it is created with: name, value, whether another value is a mismatch.
    pub settings: Vec<(String, String, bool)>,
    /// A retention below this is a mismatch.
    pub retention_ms_min: Option<u64>,
}

impl From<(String, i32, Vec<(String, String, bool)>, Option<u64>)> for TopicSpec {
    fn from(
        (name, partitions, settings, retention_ms_min): (String, i32, Vec<(String, String, bool)>, Option<u64>),
    ) -> Self {
        Self { name, partitions, settings, retention_ms_min }
    }
}

/// Where a topic is not what it should be, in words for an operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It does not exist.
    #[error("topic {0} does not exist; create it with `danmaku topics apply`")]
    Missing(String),
    /// Another partition count: every room would be looked for in the wrong place.
    #[error(
        "topic {topic} has {found} partitions, --partitions says {expected}; set --partitions {found}, or raise --generation and recreate the topic"
    )]
    Partitions {
        /// The topic.
        topic: String,
        /// As the broker has it.
        found: i32,
        /// As the setting has it.
        expected: i32,
    },
    /// A broker setting differs.
    #[error(
        "topic {topic} has {name}={found}, needed is {expected}; alter the topic, or recreate it with `danmaku topics apply`"
    )]
    Setting {
        /// The topic.
        topic: String,
        /// The setting.
        name: String,
        /// As the broker has it.
        found: String,
        /// As it must be.
        expected: String,
    },
}

impl Mismatch {
    /// The topic that it is about.
    #[must_use]
    pub fn topic(&self) -> &str {
        match self {
            Self::Missing(topic) | Self::Partitions { topic, .. } | Self::Setting { topic, .. } => topic,
        }
    }
}

/// What became of a topic in [`apply_topics`].
pub type Applied = (String, bool);

fn admin(cluster: &Cluster) -> Result<AdminClient<Quiet>, Error> {
    let config: ClientConfig = cluster.client();
    Ok(config.create_with_context(Quiet::default())?)
}

/// Creates the topics that do not exist; tells each topic's name and whether it was created now. Nothing is altered.
pub async fn apply_topics(cluster: &Cluster, topics: &[TopicSpec], replication: i32) -> Result<Vec<Applied>, Error> {
    let admin = admin(cluster)?;
    let new = topics.iter().map(|topic| {
        let fresh = NewTopic::new(&topic.name, topic.partitions, TopicReplication::Fixed(replication));
        topic.settings.iter().fold(fresh, |fresh, (name, value, _)| fresh.set(name, value))
    });
    let new: Vec<_> = new.collect();
    let options = AdminOptions::new().operation_timeout(Some(Duration::from_secs(30)));
    let mut applied = Vec::new();
    for result in admin.create_topics(&new, &options).await? {
        match result {
            Ok(name) => applied.push((name, true)),
            Err((name, RDKafkaErrorCode::TopicAlreadyExists)) => applied.push((name, false)),
            Err((_, code)) => return Err(Error(rdkafka::error::KafkaError::AdminOp(code))),
        }
    }
    Ok(applied)
}

/// Compares the cluster's topics with what they should be. Settings are compared where the broker lets us read them.
pub async fn verify_topics(cluster: &Cluster, topics: &[TopicSpec]) -> Result<Vec<Mismatch>, Error> {
    let lookup_cluster = cluster.clone();
    let names: Vec<String> = topics.iter().map(|topic| topic.name.clone()).collect();
    let counts = tokio::task::spawn_blocking(move || {
        let lookup = LookUp::new(&lookup_cluster, "danmaku-verify", Duration::from_secs(5))?;
        names.iter().map(|name| lookup.partitions(name)).collect::<Result<Vec<_>, Error>>()
    });
    let counts = counts.await.map_err(|_| Error(rdkafka::error::KafkaError::Canceled))??;
    let mut mismatches = Vec::new();
    for (topic, count) in topics.iter().zip(counts) {
        match count {
            None => mismatches.push(Mismatch::Missing(topic.name.clone())),
            Some(found) if found != topic.partitions => {
                mismatches.push(Mismatch::Partitions { topic: topic.name.clone(), found, expected: topic.partitions });
            }
            Some(_) if cluster.embedded => {}
            Some(_) => mismatches.extend(settings_mismatch(cluster, topic).await?),
        }
    }
    Ok(mismatches)
}

/// A topic's settings, as its broker tells them; `None` if it does not tell us. Rdkafka passes over the broker's no, and what is
/// left is an answer without a single setting.
///
/// # Errors
/// When no broker answers.
pub async fn topic_settings(cluster: &Cluster, topic: &str) -> Result<Option<BTreeMap<String, String>>, Error> {
    let options = AdminOptions::new().request_timeout(Some(Duration::from_secs(5)));
    let answers = admin(cluster)?.describe_configs([&ResourceSpecifier::Topic(topic)], &options).await?;
    let told = answers.into_iter().flatten().flat_map(|resource| resource.entries);
    let told: BTreeMap<_, _> = told.filter_map(|entry| Some((entry.name, entry.value?))).collect();
    Ok(Some(told).filter(|told| !told.is_empty()))
}

async fn settings_mismatch(cluster: &Cluster, topic: &TopicSpec) -> Result<Vec<Mismatch>, Error> {
    let Some(told) = topic_settings(cluster, &topic.name).await? else {
        // Not allowed to read settings: what cannot be read is not judged.
        tracing::warn!(topic = topic.name, "topic settings cannot be read, so they are not verified");
        return Ok(Vec::new());
    };
    let found = |name: &str| told.get(name).cloned();
    let mismatch = |name: &str, found: String, expected: String| Mismatch::Setting {
        topic: topic.name.clone(),
        name: name.to_owned(),
        found,
        expected,
    };
    let mut mismatches = Vec::new();
    for (name, expected, _) in topic.settings.iter().filter(|(_, _, insist)| *insist) {
        if let Some(found) = found(name).filter(|found| found != expected) {
            mismatches.push(mismatch(name, found, expected.clone()));
        }
    }
    if let (Some(least), Some(found)) = (topic.retention_ms_min, found("retention.ms")) {
        // −1 keeps for ever.
        if found.parse::<i64>().is_ok_and(|ms| ms >= 0 && ms.unsigned_abs() < least) {
            mismatches.push(mismatch("retention.ms", found, format!("at least {least}")));
        }
    }
    Ok(mismatches)
}

/// How often topics that are not as they should be are looked at again.
const VERIFY_EVERY: Duration = Duration::from_secs(5);

/// The same once they were right. Each look costs a client and its connections, and topics are not altered by the minute.
const VERIFY_AGAIN_EVERY: Duration = Duration::from_secs(60);

/// Compares `topics` with the cluster's for ever: `condition` says what differs, `verified` whether work may be done on them.
pub async fn keep_verifying(cluster: Cluster, topics: Vec<TopicSpec>, condition: Condition, verified: Arc<AtomicBool>) {
    let mut told = String::new();
    loop {
        match verify_topics(&cluster, &topics).await {
            Ok(mismatches) if mismatches.is_empty() => {
                verified.store(true, Ordering::Release);
                condition.ready();
            }
            Ok(mismatches) => {
                verified.store(false, Ordering::Release);
                let reason = mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                if reason != told {
                    tracing::error!(reason, "topics are not what this service was built for");
                    told.clone_from(&reason);
                }
                condition.not_ready(reason);
            }
            // What was right once stays so while nobody can be asked: a cluster that is away is no reason to send clients
            // to another node, which would find it away as well.
            Err(error) if verified.load(Ordering::Acquire) => tracing::debug!(%error, "topics cannot be looked at"),
            Err(error) => condition.not_ready(format!("topics cannot be looked at: {error}")),
        }
        let right = verified.load(Ordering::Acquire);
        tokio::time::sleep(if right { VERIFY_AGAIN_EVERY } else { VERIFY_EVERY }).await;
    }
}
