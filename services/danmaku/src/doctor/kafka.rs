//! What Kafka says of the topics, and what it lets us try there.

use chassis::{
    admin::About,
    kafka::{
        Access, Cluster, Ends, Mismatch, READERS, TopicSpec, Tried, reach, read_ends, try_group, try_settings,
        try_write, verify_topics,
    },
};
use proto::{
    Topic,
    topics::{OUTPUT_RETENTION_MS, filter_group},
};

use super::{
    facts::{Kafka, Node, TopicFacts},
    node::unix_ms,
};

/// Asks the Kafka that the processes name, or `brokers`; what they name differently is judged elsewhere.
pub(super) async fn ask(nodes: &[Node], brokers: Option<&str>, access: Access) -> Option<Kafka> {
    let about = nodes.iter().find_map(|node| node.said.as_ref().ok()).map(|said| &said.about)?;
    let brokers = brokers.unwrap_or(&about.brokers);
    let cluster = Cluster { embedded: about.embedded, ..Cluster::real(brokers).asked_as(access) };
    let group = filter_group(&about.topic_prefix, about.generation);
    let mut kafka = Kafka {
        brokers: brokers.to_owned(),
        is_embedded: about.embedded,
        answers: reach(&cluster).await,
        topics: Vec::new(),
        group: (group.clone(), Tried::Unknown("Kafka does not answer".to_owned())),
        readers: (READERS.to_owned(), Tried::Unknown("Kafka does not answer".to_owned())),
        read_ms: unix_ms(),
    };
    if kafka.answers.is_ok() {
        // Side by side: each waits for some seconds where a partition has no leader.
        let trying = Topic::ALL.map(|topic| tokio::spawn(tried(cluster.clone(), about.clone(), topic)));
        for topic in trying {
            kafka.topics.extend(topic.await);
        }
        // Not before: what was said meanwhile is no sign of a clock that is ahead.
        kafka.read_ms = unix_ms();
        let (input, rules) = (Topic::Input.name(&about.topic_prefix), Topic::Rules.name(&about.topic_prefix));
        // Of a topic that each account may see.
        let (group, readers) = tokio::join!(try_group(&cluster, &group, &input), try_group(&cluster, READERS, &rules));
        (kafka.group.1, kafka.readers.1) = (group, readers);
    }
    Some(kafka)
}

async fn tried(cluster: Cluster, about: About, topic: Topic) -> TopicFacts {
    let spec = TopicSpec::from(topic.described(&about.topic_prefix, about.partitions, OUTPUT_RETENTION_MS));
    let (name, partitions) = (spec.name.clone(), spec.partitions);
    let verified = verify_topics(&cluster, &[spec]).await;
    let is_denied = verified.as_ref().is_err_and(chassis::kafka::Error::is_denied);
    let mismatches = verified.map_err(|error| error.to_string());
    let (ends, write, settings) = match &mismatches {
        // Who may read or write a topic may see it.
        Err(_) if is_denied => (Ends { read: Tried::Denied, newest_ms: None }, Tried::Denied, Tried::Denied),
        Ok(mismatches) if mismatches.iter().any(|mismatch| matches!(mismatch, Mismatch::Missing(_))) => {
            let untried = || Tried::Unknown("it does not exist".to_owned());
            (Ends { read: untried(), newest_ms: None }, untried(), untried())
        }
        // It knows no accounts, and no sizes.
        _ if cluster.embedded => (read_ends(&cluster, &name, partitions).await, Tried::Allowed, Tried::Allowed),
        _ => tokio::join!(
            read_ends(&cluster, &name, partitions),
            try_write(&cluster, &name),
            try_settings(&cluster, &name)
        ),
    };
    TopicFacts { topic, name, mismatches, ends, write, settings }
}
