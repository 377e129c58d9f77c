//! Which decisions in the outbox reached the judge already: a publisher that died between Kafka's acknowledgement and its own
//! leaves them there. The judge knows a second decision on one message for 60 s; after a longer pause only this keeps a message
//! from being shown twice.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use anyhow::Context as _;
use chassis::{
    ground::Ground,
    kafka::{Cluster, LookUp},
};
use proto::{
    Topic, partition, record,
    v1::{Input, Verdict, Word, input::Body},
};

use super::{Parcel, kafka::TIMEOUT};
use crate::{
    history::{Stretch, TIME_MAX, each},
    store::Store,
};

/// The ids of what was held and is decided on in the outbox, and whose decision the judge has given a verdict on.
pub(super) async fn judged(store: &Store, ground: &Ground) -> anyhow::Result<HashSet<String>> {
    let waiting = waiting(store, ground.partitions).await?;
    let mut judged = HashSet::new();
    for (partition, ids) in waiting {
        for id in &ids {
            let known: Option<(String,)> = sqlx::query_as("SELECT id FROM holds WHERE id = $1 AND came_to <> ''")
                .bind(id.clone())
                .fetch_optional(store.reads())
                .await?;
            judged.extend(known.map(|(id,)| id));
        }
        // What the database has not read yet.
        let place: Option<(i64,)> = sqlx::query_as("SELECT next FROM places WHERE part = $1")
            .bind(i64::from(partition))
            .fetch_optional(store.reads())
            .await?;
        let from = place.map_or(0, |(next,)| next.cast_unsigned());
        let (cluster, topic) = (ground.cluster.clone(), Topic::Verdicts.name(&ground.topic_prefix));
        let read = move || decided(&cluster, &topic, partition, from);
        let read = tokio::task::spawn_blocking(read).await?.context("the verdicts cannot be read to their end")?;
        judged.extend(read.into_iter().filter(|id| ids.contains(id)));
    }
    Ok(judged)
}

/// The decisions in the outbox, by the partition of their rooms.
async fn waiting(store: &Store, partitions: i32) -> anyhow::Result<BTreeMap<i32, BTreeSet<String>>> {
    let rows: Vec<(Vec<u8>,)> = sqlx::query_as("SELECT body FROM outbox").fetch_all(store.reads()).await?;
    let mut waiting: BTreeMap<i32, BTreeSet<String>> = BTreeMap::new();
    for (body,) in rows {
        for input in record::decode::<Parcel>(&body)?.controls {
            if let Some(id) = held_id(&input) {
                let partition = partition::of(input.room.as_bytes(), partitions);
                waiting.entry(partition).or_default().insert(id.to_owned());
            }
        }
    }
    Ok(waiting)
}

/// What a decision is on.
pub(super) fn held_id(input: &Input) -> Option<&str> {
    match &input.body {
        Some(Body::Decision(decision)) => Some(&decision.held_id),
        _ => None,
    }
}

/// What was decided on, by the verdicts of a partition from `from` to the end it has now.
fn decided(cluster: &Cluster, topic: &str, partition: i32, from: u64) -> anyhow::Result<Vec<String>> {
    let marks = LookUp::new(cluster, "danmaku-moderation", TIMEOUT)?.watermarks(topic, partition)?;
    let mut ids = Vec::new();
    let from = from.max(marks.low);
    if from >= marks.high {
        return Ok(ids);
    }
    let stretch = Stretch { topic, partition, from, end: marks.high, within: TIME_MAX };
    let whole = each(cluster, &stretch, |record| {
        let verdict: Verdict = record::decode(record.value()).unwrap_or_default();
        // A later release's word is one that the judge has given: another decision could show the message twice.
        let is_first = !matches!(Word::known(verdict.word), Some(Word::Repeated | Word::Superseded));
        ids.extend(verdict.input.as_ref().filter(|_| is_first).and_then(held_id).map(str::to_owned));
        true
    })?;
    anyhow::ensure!(whole, "it takes too long");
    Ok(ids)
}
