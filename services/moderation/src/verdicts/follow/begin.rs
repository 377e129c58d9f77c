//! Where each partition of the verdicts is read from: what the database says, if the topic is still the one it speaks of.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use chassis::{
    ground::Ground,
    kafka::{LookUp, Watermarks},
};
use proto::OwnerNumber;

use crate::{
    http::now_ms,
    modes,
    store::{Change, Error, Store},
    verdicts::learn::Place,
};

/// How long a question to Kafka may take.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// Where a partition is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// From here, as the database says or from the first record that is kept.
    At(Place),
    /// From the beginning of another topic: what was written down of this partition speaks of a former one.
    Anew(Place),
}

/// The places to read from. `is_new_broker` says that no topic is one that was known before.
pub(super) async fn begin(
    store: &Store,
    ground: &Ground,
    topic: &str,
    is_new_broker: bool,
) -> anyhow::Result<BTreeMap<i32, Place>> {
    let marks = marks(ground, topic.to_owned()).await?;
    let all = known(store).await.context("the places cannot be read")?;
    let mut change = store.change().await?;
    let mut places = BTreeMap::new();
    for (partition, marks) in marks {
        let known = all.get(&partition).copied();
        let place = match start(known.filter(|_| !is_new_broker), marks, ground.generation) {
            Start::At(place) => place,
            Start::Anew(place) => {
                tracing::warn!(
                    partition,
                    "the verdicts are not those that were read, they are read from their beginning"
                );
                forget(&mut change, &format!("{}-{partition}-%", known.unwrap_or_default().generation)).await?;
                place
            }
        };
        put(&mut change, partition, &place).await?;
        places.insert(partition, place);
    }
    if is_new_broker {
        forget(&mut change, "%").await?;
    }
    if is_new_broker || is_moved(&all, ground) {
        modes::say_again(&mut change, ground.generation, now_ms()).await?;
    }
    change.commit().await?;
    Ok(places)
}

/// Whether the topics are of a later generation than those that were read: none of them holds what was said of modes. What is
/// known of partitions that are no more stays as it was.
fn is_moved(known: &BTreeMap<i32, Place>, ground: &Ground) -> bool {
    known.range(..ground.partitions).any(|(_, place)| place.generation < ground.generation)
}

fn start(known: Option<Place>, marks: Watermarks, generation: u32) -> Start {
    let first = Place { generation, next: marks.low, ..Place::default() };
    match known {
        None => Start::At(first),
        // Topics of a later generation may have grown longer already than those that were read.
        Some(place) if place.next > marks.high || place.generation < generation => Start::Anew(first),
        Some(place) => Start::At(Place { next: place.next.max(marks.low), ..place }),
    }
}

async fn marks(ground: &Ground, topic: String) -> anyhow::Result<Vec<(i32, Watermarks)>> {
    let (cluster, partitions) = (ground.cluster.clone(), ground.partitions);
    let ask = move || {
        let lookup = LookUp::new(&cluster, "danmaku-moderation", LOOK_UP_TIMEOUT)?;
        (0..partitions).map(|partition| Ok((partition, lookup.watermarks(&topic, partition)?))).collect()
    };
    tokio::task::spawn_blocking(ask).await?
}

async fn known(store: &Store) -> Result<BTreeMap<i32, Place>, Error> {
    let sql = "SELECT part, generation, next, counted, bump, group_generation, rewinds FROM places";
    let rows: Vec<(i64, i64, i64, i64, i64, i64, i64)> = sqlx::query_as(sql).fetch_all(store.reads()).await?;
    let place = |(part, generation, next, counted, bump, group, rewinds): (i64, i64, i64, i64, i64, i64, i64)| {
        let owner = OwnerNumber {
            bump: bump.cast_unsigned(),
            group_generation: i32::try_from(group).unwrap_or_default(),
            rewinds: rewinds.cast_unsigned(),
        };
        let generation = u32::try_from(generation).unwrap_or_default();
        let place = Place { generation, next: next.cast_unsigned(), counted: counted.cast_unsigned(), owner };
        (i32::try_from(part).unwrap_or_default(), place)
    };
    Ok(rows.into_iter().map(place).collect())
}

async fn put(change: &mut Change, partition: i32, place: &Place) -> Result<(), Error> {
    let sql = "INSERT INTO places (part, generation, next, counted, bump, group_generation, rewinds) \
               VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (part) DO UPDATE SET generation = excluded.generation, \
               next = excluded.next, counted = excluded.counted, bump = excluded.bump, \
               group_generation = excluded.group_generation, rewinds = excluded.rewinds";
    sqlx::query(sql)
        .bind(i64::from(partition))
        .bind(i64::from(place.generation))
        .bind(place.next.cast_signed())
        .bind(place.counted.cast_signed())
        .bind(place.owner.bump.cast_signed())
        .bind(i64::from(place.owner.group_generation))
        .bind(place.owner.rewinds.cast_signed())
        .execute(change.connection())
        .await
        .map(drop)
}

/// Forgets messages by the pattern of their ids: others will have them.
async fn forget(change: &mut Change, ids: &str) -> Result<(), Error> {
    for sql in [
        "DELETE FROM holds WHERE id LIKE $1",
        "DELETE FROM refusals WHERE id LIKE $1",
        "DELETE FROM reports WHERE id LIKE $1",
    ] {
        sqlx::query(sql).bind(ids.to_owned()).execute(change.connection()).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_reading_begins() {
        let place = |next| Place { generation: 1, next, counted: 40, ..Place::default() };
        let marks = |low, high| Watermarks { low, high };
        let first = |next| Place { generation: 1, next, ..Place::default() };
        for (known, marks, expected) in [
            (None, marks(5, 9), Start::At(first(5))),
            (Some(place(7)), marks(5, 9), Start::At(place(7))),
            (Some(place(9)), marks(5, 9), Start::At(place(9))),
            // Retention went over what was not read yet.
            (Some(place(3)), marks(5, 9), Start::At(place(5))),
            // The topic was made anew.
            (Some(place(10)), marks(0, 9), Start::Anew(first(0))),
        ] {
            assert_eq!(start(known, marks, 1), expected, "{known:?} {marks:?}");
        }
        let anew = Place { generation: 2, next: 5, ..Place::default() };
        assert_eq!(start(Some(place(7)), marks(5, 9), 2), Start::Anew(anew), "it was made anew, and has grown as long");
    }
}
