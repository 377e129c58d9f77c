//! What a new publisher does first: it reads the topic to its end and brings database and topic together.
//!
//! The database says what is in force. Numbers go on above the highest that was ever on the topic, so a database that was
//! restored to an older state publishes its content under new numbers. A sanction that only the topic knows is taken into the
//! database, so a restore forgives nobody; so is a scope that only the topic knows (`adopt`).

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use chassis::{
    ground::Ground,
    kafka::{Follower, News},
};
use proto::{
    Topic, record,
    rules::{Key, Scope},
    v1,
};
use tokio::sync::oneshot;

use super::{
    Parcel,
    shelf::{Shelf, hashes},
    stands::Stands,
};
use crate::{
    audit::Note,
    store::{Change, Store},
    versions,
};

/// Reads `danmaku-rules` to the end that it has now.
pub(super) async fn read(ground: &Ground) -> anyhow::Result<Shelf> {
    let shelf = Arc::new(Mutex::new(Shelf::default()));
    let heard = Arc::clone(&shelf);
    let hear = move |key: &[u8], value: &[u8]| heard.lock().unwrap_or_else(PoisonError::into_inner).hear(key, value);
    each(ground, hear).await?;
    let shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(shelf.clone())
}

/// Tells `hear` the key and value of each record of `danmaku-rules`, to the end that it has now. One that was told is told again
/// if the topic is made anew meanwhile.
pub(super) async fn each(ground: &Ground, mut hear: impl FnMut(&[u8], &[u8]) + Send + 'static) -> anyhow::Result<()> {
    let (tell, told) = oneshot::channel();
    let mut tell = Some(tell);
    let hear = move |news: News<'_>| match news {
        News::Anew => {}
        News::Record(record) => hear(record.key().unwrap_or_default(), record.value()),
        // The channel is full only once.
        News::CaughtUp => drop(tell.take().map(|tell| tell.send(()))),
    };
    let condition = ground.readiness.condition("moderation rules topic");
    let follower = Follower::start(&ground.cluster, &Topic::Rules.name(&ground.topic_prefix), condition, hear)?;
    told.await.context("the reader of the rules ended")?;
    drop(follower);
    Ok(())
}

/// Puts into the outbox what the topic lacks of the versions in force.
pub(super) async fn compare(store: &Store, shelf: &Shelf) -> anyhow::Result<()> {
    let mut change = store.change().await?;
    let in_force = versions::in_force(store).await?;
    let waiting = versions::waiting(store).await?;
    raise(&mut change, "number", shelf.highest()).await?;
    raise(&mut change, "sequence", shelf.highest_sequence()).await?;
    let mut renumbered = Vec::new();
    for (scope, number) in &in_force {
        let unsigned = number.cast_unsigned();
        let newest = shelf.newest(scope).map(|(number, _)| number);
        if newest == Some(unsigned) && shelf.has_whole(scope, unsigned) && is_same(store, shelf, scope, *number).await?
        {
            continue;
        }
        if unsigned <= shelf.highest() {
            let next = versions::renumber(&mut change, *number).await?;
            change.put(&Parcel::version(next)).await?;
            renumbered.push(format!("{scope}: {number} is {next} now"));
        } else if !waiting.contains(number) {
            change.put(&Parcel::version(*number)).await?;
        }
    }
    if renumbered.is_empty() {
        return Ok(change.commit().await?);
    }
    let note = Note {
        actor: "danmaku",
        act: "take_over",
        scope: &Scope::Global.to_string(),
        subject: "danmaku-rules",
        reason: "the topic is not what the database says",
        before: "",
        after: &serde_json::to_string(&renumbered)?,
    };
    change.note(note, crate::http::now_ms()).await?;
    Ok(change.commit().await?)
}

/// Whether the topic's version with this number is ours, and not one of a time that the database has forgotten.
async fn is_same(store: &Store, shelf: &Shelf, scope: &Scope, number: i64) -> anyhow::Result<bool> {
    let ours = versions::record(store, number).await?.unwrap_or_default();
    Ok(shelf.newest(scope).is_some_and(|(_, theirs)| theirs == hashes(&ours)))
}

async fn raise(change: &mut Change, name: &str, least: u64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE counters SET value = $1 WHERE name = $2 AND value < $1")
        .bind(least.cast_signed())
        .bind(name.to_owned())
        .execute(change.connection())
        .await
        .map(drop)
}

/// The sanctions that the topic lacks, or of which it has an older word. Those that only it has, or has a newer word of, are
/// taken in.
pub(super) async fn missing(store: &Store, shelf: &Shelf) -> anyhow::Result<Vec<(Key, Stands)>> {
    let rows: Vec<(String, Vec<u8>, i64, i64)> =
        sqlx::query_as("SELECT record_key, record, sequence, until_ms FROM standing").fetch_all(store.reads()).await?;
    let mut missing = Vec::new();
    for (key, record, sequence, until) in rows {
        let sequence = sequence.cast_unsigned();
        if shelf.standing().get(&key).is_none_or(|theirs| theirs.sequence < sequence) {
            record::decode::<v1::Rules>(&record).context("a stored sanction")?;
            missing.push((key.parse().context("a stored key")?, Stands { sequence, until, record }));
        }
    }
    let _turn = store.turn().await;
    let mut transaction = store.reads().begin().await?;
    for (key, theirs) in shelf.standing() {
        let stands = Stands { sequence: theirs.sequence, until: theirs.until, record: theirs.record.clone() };
        stands.keep(&key.parse()?, &mut transaction).await?;
    }
    transaction.commit().await?;
    Ok(missing)
}
