//! Writes down what a batch of verdicts taught, and how far they were read, in one commit. What a verdict means is `learn`'s.

use std::collections::BTreeMap;

use proto::v1::Word;
use serde::Serialize;

use super::learn::{Lesson, Place, count};
use crate::{
    events::{About, Kind},
    holds,
    store::{Change, Error, Store},
};

/// Some verdicts, in the order of their partitions.
pub(crate) struct Batch {
    /// What counts of them, with when its record was written.
    pub(crate) lessons: Vec<(Lesson, i64)>,
    /// How far each partition was read before, and is now.
    pub(crate) places: BTreeMap<i32, (Place, Place)>,
    /// Whether these came as they were written, and not from a time when nobody read.
    pub(crate) is_live: bool,
}

/// Somebody else read on from the same place.
#[derive(Debug)]
pub(crate) enum NotKept {
    /// Another process reads these verdicts.
    Elsewhere,
    /// The database.
    Database(Error),
}

impl From<Error> for NotKept {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// Entries that were found, as moderators hear of it.
#[derive(Serialize)]
struct Found<'a> {
    entry: &'a str,
    list: &'a str,
    category: &'a str,
    hits: i64,
    observed: i64,
    last_id: &'a str,
}

/// Writes a batch down, at `now_ms`.
pub(crate) async fn keep(store: &Store, batch: &Batch, now_ms: i64) -> Result<(), NotKept> {
    let mut change = store.change().await?;
    for (partition, (before, after)) in &batch.places {
        if !advance(&mut change, *partition, before, after).await? {
            return Err(NotKept::Elsewhere);
        }
    }
    // First, so that what is held finds its entry there.
    hits(&mut change, batch, now_ms).await?;
    for (lesson, at_ms) in &batch.lessons {
        if let Some(held_id) = lesson.decided() {
            holds::came_to(&mut change, held_id, &lesson.verdict, now_ms).await?;
        } else if lesson.is_held() {
            let from_ms = if batch.is_live { now_ms } else { (*at_ms).min(now_ms) };
            holds::open(&mut change, lesson, from_ms).await?;
        } else if lesson.is_refusal() {
            refusal(&mut change, lesson, (*at_ms).min(now_ms)).await?;
        }
    }
    Ok(change.commit().await?)
}

/// Moves a partition's place on, if it still is what it was.
async fn advance(change: &mut Change, partition: i32, before: &Place, after: &Place) -> Result<bool, Error> {
    let sql = "UPDATE places SET generation = $1, next = $2, counted = $3, bump = $4, group_generation = $5, rewinds = $6 \
               WHERE part = $7 AND next = $8 AND generation = $9";
    let moved = sqlx::query(sql)
        .bind(i64::from(after.generation))
        .bind(after.next.cast_signed())
        .bind(after.counted.cast_signed())
        .bind(after.owner.bump.cast_signed())
        .bind(i64::from(after.owner.group_generation))
        .bind(after.owner.rewinds.cast_signed())
        .bind(i64::from(partition))
        .bind(before.next.cast_signed())
        .bind(i64::from(before.generation))
        .execute(change.connection())
        .await?;
    Ok(moved.rows_affected() == 1)
}

async fn refusal(change: &mut Change, lesson: &Lesson, at_ms: i64) -> Result<(), Error> {
    let sql = "INSERT INTO refusals (id, room, user_id, at_ms, word, code, rule, said) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING";
    sqlx::query(sql)
        .bind(lesson.id.to_string())
        .bind(lesson.room().to_owned())
        .bind(lesson.user().to_owned())
        .bind(at_ms)
        .bind(Word::name_of(lesson.verdict.word))
        .bind(lesson.verdict.code.clone())
        .bind(lesson.verdict.rule.clone())
        // PostgreSQL takes no NUL in a text. No door of ours lets one in; a record that has one must not stop the reader.
        .bind(lesson.text().replace('\0', ""))
        .execute(change.connection())
        .await
        .map(drop)
}

/// Adds up what entries found, and tells it.
async fn hits(change: &mut Change, batch: &Batch, now_ms: i64) -> Result<(), Error> {
    for ((room, entry), count) in count(batch.lessons.iter().map(|(lesson, _)| lesson)) {
        let sql = "INSERT INTO entry_hits (entry, list, category, hits, observed, first_ms, last_ms, held, approved, rejected) \
                   VALUES ($1, $2, $3, $4, $5, $6, $6, 0, 0, 0) ON CONFLICT (entry) DO UPDATE SET list = excluded.list, \
                   category = excluded.category, hits = entry_hits.hits + excluded.hits, \
                   observed = entry_hits.observed + excluded.observed, last_ms = excluded.last_ms";
        sqlx::query(sql)
            .bind(entry.clone())
            .bind(count.list.clone())
            .bind(count.category.clone())
            .bind(count.hits)
            .bind(count.observed)
            .bind(now_ms)
            .execute(change.connection())
            .await?;
        let found = Found {
            entry: &entry,
            list: &count.list,
            category: &count.category,
            hits: count.hits,
            observed: count.observed,
            last_id: &count.last_id,
        };
        change.tell(Kind::Hits, About { room: &room, user: "", at_ms: now_ms }, &found).await?;
    }
    Ok(())
}
