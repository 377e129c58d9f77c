//! Reading versions: which there are, their content, and what is published of them. Making one is the parent's.

use std::{str::FromStr as _, sync::Arc};

use judge::book::chunks::Hash;
use proto::{record, rules::Scope, v1};

use super::{Cache, ROW, Row, Stamp, blobs};
use crate::{
    lists::Content,
    outbox::Parcel,
    refusal::Refusal,
    store::{Error, Store},
};

/// The newest version of a scope with its content; nothing, before the first.
pub(crate) type Current = (Option<Stamp>, Arc<Content>);

/// The newest version of a scope.
async fn newest(scope: &Scope, connection: &mut sqlx::AnyConnection) -> Result<Option<Stamp>, Error> {
    let sql = "SELECT number, scope, author, at_ms, reason, entries, published, added, removed, changed \
               FROM versions WHERE scope = $1 ORDER BY number DESC LIMIT 1";
    sqlx::query_as(sql).bind(scope.to_string()).fetch_optional(connection).await
}

/// The versions of a scope below `before`, newest first.
pub(crate) async fn list(store: &Store, scope: &Scope, before: i64, limit: i64) -> Result<Vec<Stamp>, Error> {
    let sql = "SELECT number, scope, author, at_ms, reason, entries, published, added, removed, changed \
               FROM versions WHERE scope = $1 AND number < $2 ORDER BY number DESC LIMIT $3";
    sqlx::query_as(sql).bind(scope.to_string()).bind(before).bind(limit).fetch_all(store.reads()).await
}

/// What is newest now.
pub(crate) async fn current(store: &Store, cache: &Cache, scope: &Scope) -> Result<Current, Error> {
    current_on(cache, scope, &mut *store.reads().acquire().await?).await
}

/// The same, as a connection sees it.
pub(super) async fn current_on(
    cache: &Cache,
    scope: &Scope,
    connection: &mut sqlx::AnyConnection,
) -> Result<Current, Error> {
    let newest = newest(scope, connection).await?;
    let content = match &newest {
        Some(newest) => cache.content(newest.number, connection).await?,
        None => Arc::new(Content::empty()),
    };
    Ok((newest, content))
}

/// The content of a scope's version, by default of the newest; 0 is what was before the first.
pub(crate) async fn content(
    store: &Store,
    cache: &Cache,
    scope: &Scope,
    number: Option<i64>,
) -> Result<Arc<Content>, Refusal> {
    let number = match number {
        None => return Ok(current(store, cache, scope).await?.1),
        Some(0) => return Ok(Arc::new(Content::empty())),
        Some(number) => number,
    };
    let found = list(store, scope, number.saturating_add(1), 1).await?;
    if found.first().is_none_or(|stamp| stamp.number != number) {
        return Err(absent(scope, number));
    }
    let mut connection = store.reads().acquire().await?;
    match cache.content(number, &mut connection).await {
        // It was forgotten between the two questions.
        Err(Error::RowNotFound) => Err(absent(scope, number)),
        content => Ok(content?),
    }
}

/// What is said of a version that never was, or is not any more.
pub(super) fn absent(scope: &Scope, number: i64) -> Refusal {
    Refusal::NotFound(format!(
        "{scope} has no version {number}; what is older than --versions-keep is forgotten but for the newest 50; \
         /v1/moderation/versions tells those there are"
    ))
}

/// Whether there is a version with this number.
pub(super) async fn exists(number: i64, connection: &mut sqlx::AnyConnection) -> Result<bool, Error> {
    let found: Option<(i64,)> =
        sqlx::query_as("SELECT number FROM versions WHERE number = $1").bind(number).fetch_optional(connection).await?;
    Ok(found.is_some())
}

/// The versions in the outbox.
pub(crate) async fn waiting(store: &Store) -> Result<Vec<i64>, Error> {
    let rows: Vec<(Vec<u8>,)> = sqlx::query_as("SELECT body FROM outbox").fetch_all(store.reads()).await?;
    let parcels = rows.iter().filter_map(|(body,)| record::decode::<Parcel>(body).ok());
    Ok(parcels.map(|parcel| parcel.version).filter(|number| *number > 0).collect())
}

/// The number up to which every version of every scope is on Kafka.
pub(crate) async fn published(store: &Store) -> Result<i64, Error> {
    let next = waiting(store).await?.into_iter().min();
    let (highest,): (i64,) =
        sqlx::query_as("SELECT COALESCE(MAX(number), 0) FROM versions").fetch_one(store.reads()).await?;
    Ok(next.map_or(highest, |next| next - 1))
}

/// What is published of a version: its record, and the chunks it names.
pub(crate) async fn record(store: &Store, number: i64) -> Result<Option<v1::RuleVersion>, Error> {
    let Some(row) = sqlx::query_as::<_, Row>(ROW).bind(number).fetch_optional(store.reads()).await? else {
        return Ok(None);
    };
    Ok(Some(v1::RuleVersion {
        scope: row.stamp.scope.clone(),
        number: number.cast_unsigned(),
        chunks: row.chunks.split(',').filter_map(blobs::hash).map(|hash| hash.to_vec()).collect(),
        published_ms: row.stamp.at_ms,
        author: row.stamp.author.clone(),
        policy: row.policy()?,
        entries: u32::try_from(row.stamp.published).unwrap_or(u32::MAX),
    }))
}

/// The bytes of a chunk.
pub(crate) async fn chunk(store: &Store, hash: &Hash) -> Result<Vec<u8>, Error> {
    let mut connection = store.reads().acquire().await?;
    blobs::read(hash, &mut connection).await
}

/// The newest version of every scope.
pub(crate) async fn in_force(store: &Store) -> Result<Vec<(Scope, i64)>, Error> {
    let rows: Vec<(String, i64)> = sqlx::query_as("SELECT scope, MAX(number) FROM versions GROUP BY scope ORDER BY 2")
        .fetch_all(store.reads())
        .await?;
    Ok(rows.into_iter().filter_map(|(scope, number)| Some((Scope::from_str(&scope).ok()?, number))).collect())
}
