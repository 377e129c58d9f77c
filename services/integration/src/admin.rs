//! What an operator might do to topics behind the services' backs: delete them, cut their beginning, place them by hand.

use anyhow::{Context as _, anyhow};
use proto::Topic;
use rdkafka::{
    ClientConfig, Offset, TopicPartitionList,
    admin::{AdminClient, AdminOptions, NewTopic, TopicReplication},
    client::DefaultClientContext,
};

use crate::world::{PARTITIONS, World};

fn admin(world: &World) -> anyhow::Result<AdminClient<DefaultClientContext>> {
    Ok(ClientConfig::new().set("bootstrap.servers", world.kafka.direct()).create()?)
}

/// Deletes topics.
///
/// # Errors
/// What Kafka said.
pub async fn delete_topics(world: &World, topics: &[Topic]) -> anyhow::Result<()> {
    let names: Vec<_> = topics.iter().map(|topic| topic.name(&world.prefix)).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    for deleted in admin(world)?.delete_topics(&names, &AdminOptions::new()).await? {
        deleted.map_err(|(name, code)| anyhow!("{name} is not deleted: {code}"))?;
    }
    Ok(())
}

/// Deletes all records of a partition that stand there now.
///
/// # Errors
/// What Kafka said.
pub async fn delete_records(world: &World, topic: Topic, partition: i32) -> anyhow::Result<()> {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(&topic.name(&world.prefix), partition, Offset::End)?;
    admin(world)?.delete_records(&list, &AdminOptions::new()).await.context("records are deleted")?;
    Ok(())
}

/// Creates Kafka's own topic of groups with its leader, which is every group's coordinator, where `replicas` begins. Before
/// any group exists.
///
/// # Errors
/// What Kafka said.
pub async fn place_coordinator(world: &World, replicas: &[i32]) -> anyhow::Result<()> {
    let places = [replicas];
    let new = NewTopic::new("__consumer_offsets", 1, TopicReplication::Variable(&places));
    let new = new.set("cleanup.policy", "compact").set("compression.type", "producer");
    for created in admin(world)?.create_topics([&new], &AdminOptions::new()).await? {
        created.map_err(|(name, code)| anyhow!("{name} is not created: {code}"))?;
    }
    Ok(())
}

/// Creates all topics with replicas of each partition where `place` says.
///
/// # Errors
/// What Kafka said.
pub async fn place_topics(world: &World, place: impl Fn(Topic, i32) -> Vec<i32>) -> anyhow::Result<()> {
    for topic in Topic::ALL {
        let spec = world.spec(topic, PARTITIONS);
        let places: Vec<_> = (0..spec.partitions).map(|partition| place(topic, partition)).collect();
        let places: Vec<_> = places.iter().map(Vec::as_slice).collect();
        let new = NewTopic::new(&spec.name, spec.partitions, TopicReplication::Variable(&places));
        let new = spec.settings.iter().fold(new, |new, (name, value, _)| new.set(name, value));
        for created in admin(world)?.create_topics([&new], &AdminOptions::new()).await? {
            created.map_err(|(name, code)| anyhow!("{name} is not created: {code}"))?;
        }
    }
    Ok(())
}
