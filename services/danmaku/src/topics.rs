//! `danmaku topics apply`: creates the six topics with their settings. Services only verify them.

use std::{io::Write as _, time::Duration};

use anyhow::{Context as _, bail};
use chassis::{
    kafka::{Access, Cluster, Mismatch, TopicSpec, Tried, apply_topics, let_in, try_settings, verify_topics},
    settings::{KafkaAccess, Settings, list_of_brokers, parse_duration, topic_prefix},
};
use proto::Topic;

/// Creates the topics that are missing, with their settings, and checks those that exist. Nothing existing is altered.
///
/// Example: danmaku topics apply --brokers kafka:9092 --partitions 64 --replication 3
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku topics")]
pub struct Topics {
    /// What to do: `apply` creates and checks, `verify` only checks.
    #[arg(value_parser = ["apply", "verify"])]
    pub action: String,

    /// Kafka's brokers to begin with, a comma list of host:port.
    #[arg(long, env = "DANMAKU_BROKERS", value_name = "HOST:PORT,...", value_parser = list_of_brokers)]
    pub brokers: String,

    /// How many partitions rooms are spread over, for the life of the topics.
    #[arg(long, env = "DANMAKU_PARTITIONS", default_value_t = 64, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub partitions: i32,

    /// Copies of each partition; -1 takes the broker's default.
    #[arg(long, default_value_t = -1, allow_negative_numbers = true)]
    pub replication: i32,

    /// Put before every topic's name.
    #[arg(long, env = "DANMAKU_TOPIC_PREFIX", default_value = "", hide_default_value = true, value_parser = topic_prefix)]
    pub topic_prefix: String,

    /// How long output is kept for viewers who come back; production keeps 24h.
    #[arg(long, env = "DANMAKU_OUTPUT_RETENTION", default_value = "1h", value_parser = parse_duration)]
    pub output_retention: Duration,

    /// As whom Kafka is asked.
    #[command(flatten)]
    pub kafka: KafkaAccess,
}

impl Settings for Topics {
    fn problems(&self) -> Vec<String> {
        self.kafka.problems()
    }
}

/// Does what was asked and prints a line a topic.
pub async fn run(topics: Topics) -> anyhow::Result<()> {
    let retention_ms = u64::try_from(topics.output_retention.as_millis()).unwrap_or(u64::MAX);
    let specs: Vec<TopicSpec> = Topic::ALL
        .iter()
        .map(|topic| topic.described(&topics.topic_prefix, topics.partitions, retention_ms).into())
        .collect();
    let access = Access::of(&topics.kafka).map_err(anyhow::Error::msg)?;
    let cluster = Cluster::real(&*topics.brokers).asked_as(access);
    if !topics.kafka.is_plain() {
        let_in(&cluster).await.map_err(anyhow::Error::msg)?;
    }
    let mut out = std::io::stdout();
    if topics.action == "apply" {
        let applied = apply_topics(&cluster, &specs, topics.replication)
            .await
            .with_context(|| format!("topics could not be created at {}", topics.brokers))?;
        for (name, created) in applied {
            writeln!(out, "{name}: {}", if created { "created" } else { "exists" })?;
        }
    }
    let mismatches = settled(&cluster, &specs).await?;
    for mismatch in &mismatches {
        writeln!(out, "{mismatch}")?;
    }
    if !mismatches.is_empty() {
        bail!("{} of the topics' properties differ", mismatches.len());
    }
    for TopicSpec { name, .. } in &specs {
        if try_settings(&cluster, name).await == Tried::Denied {
            bail!(
                "the settings of {name} cannot be read, so nobody knows whether they are right; allow this account DescribeConfigs on it"
            );
        }
    }
    Ok(())
}

/// A topic just created is not known to every broker at once, so "missing" is asked again for 10 s.
async fn settled(cluster: &Cluster, specs: &[TopicSpec]) -> anyhow::Result<Vec<Mismatch>> {
    for _ in 0..50 {
        let mismatches = verify_topics(cluster, specs).await?;
        if !mismatches.iter().any(|mismatch| matches!(mismatch, Mismatch::Missing(_))) {
            return Ok(mismatches);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(verify_topics(cluster, specs).await?)
}
