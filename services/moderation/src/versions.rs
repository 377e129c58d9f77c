//! The versions of each scope: reading one, making the next, and what differs between two.
//! Kept out: what an edit is (`lists`), and how a version gets to Kafka (`outbox`).
//!
//! A version is whole and never changes: its lists, its policy, and the names of its pages. Numbers count over the whole
//! book. A rollback is a new version with an old one's content.

mod blobs;
mod cache;
pub mod diff;
mod forget;
mod next;
mod read;

pub(crate) use cache::Cache;
pub(crate) use forget::forget;
pub(crate) use read::{chunk, content, current, in_force, list, published, record, waiting};

use std::sync::Arc;

use judge::book::chunks::Hash;
use proto::{record, rules::Scope, v1};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    audit::{Note, hex},
    lists::{Content, edit::Tally, page::Page},
    outbox::Parcel,
    refusal::Refusal,
    store::{Change, Error, Store},
};
use next::Next;
use read::{absent, current_on, exists};

/// A version without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromRow, ToSchema)]
pub struct Stamp {
    /// Over all scopes.
    pub number: i64,
    /// `global` or `room/` and the room.
    pub scope: String,
    /// Who made it.
    pub author: String,
    /// When, in Unix milliseconds; never before the one before it.
    pub at_ms: i64,
    /// Why, in the author's words.
    pub reason: String,
    /// Entries it has.
    pub entries: i64,
    /// Of those, the ones that are in the rule book; the others are drafts.
    pub published: i64,
    /// Entries that the one before did not have.
    pub added: i64,
    /// Entries that only the one before had.
    pub removed: i64,
    /// Entries that were otherwise.
    pub changed: i64,
}

/// A version's row.
#[derive(Debug, Clone, FromRow)]
struct Row {
    #[sqlx(flatten)]
    stamp: Stamp,
    pages: String,
    chunks: String,
    lists: String,
    policy: Vec<u8>,
}

const ROW: &str = "SELECT number, scope, author, at_ms, reason, entries, published, added, removed, changed, \
                   pages, chunks, lists, policy FROM versions WHERE number = $1";

/// What is asked of a scope besides the change itself.
#[derive(Debug, Clone)]
pub(crate) struct Wish<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) author: &'a str,
    /// What the audit log calls it.
    pub(crate) act: &'static str,
    /// On what.
    pub(crate) subject: &'a str,
    pub(crate) reason: &'a str,
    /// The version that the author has seen; if it is not the newest any more, nothing is done.
    pub(crate) base: Option<i64>,
    /// The version that is gone back to, whose pages the new one has.
    pub(crate) back_to: Option<i64>,
    pub(crate) now_ms: i64,
}

/// Makes the next version of a scope by `make`, which is given the newest content and tells what it did; `None` is nothing,
/// and then there is no new version. The rest is in the outbox when this returns.
///
/// It may take seconds, and all changes queue for one lock, a mute too: so it is made before there is one. Where another
/// version comes between, `make` is asked once more, and then none can.
pub(crate) async fn publish<F>(store: &Store, cache: &Cache, wish: Wish<'_>, make: F) -> Result<Stamp, Refusal>
where
    F: Fn(&mut Content) -> Result<Option<Tally>, Refusal> + Send + Sync + 'static,
{
    let make = Arc::new(make);
    let mut before = current(store, cache, wish.scope).await?;
    let Some(mut next) = wish.next(&before, &make).await? else { return unchanged(before.0) };
    let mut change = store.change().await?;
    if let Some(number) = wish.back_to
        && !exists(number, change.connection()).await?
    {
        return Err(absent(wish.scope, number));
    }
    let now = current_on(cache, wish.scope, change.connection()).await?;
    if now.0 != before.0 {
        let Some(again) = wish.next(&now, &make).await? else { return unchanged(now.0) };
        (before, next) = (now, again);
    }
    let Next { content, tally, blobs } = next;
    blobs::keep(&blobs, change.connection()).await?;
    let stamp = stamp(&wish, before.0.as_ref(), &content, tally, change.next_number().await?);
    insert(&stamp, &content, change.connection()).await?;
    note(&mut change, &wish, before.0.as_ref(), &stamp).await?;
    change.put(&Parcel::version(stamp.number)).await?;
    change.commit().await?;
    cache.put(stamp.number, Arc::new(content));
    Ok(stamp)
}

fn unchanged(newest: Option<Stamp>) -> Result<Stamp, Refusal> {
    newest.ok_or_else(|| Refusal::NotFound("there is no version yet".to_owned()))
}

fn stamp(wish: &Wish<'_>, newest: Option<&Stamp>, content: &Content, tally: Tally, number: i64) -> Stamp {
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let (entries, published) = content.count();
    Stamp {
        number,
        scope: wish.scope.to_string(),
        author: wish.author.to_owned(),
        // A clock that was set back must not turn the order of versions around.
        at_ms: wish.now_ms.max(newest.map_or(0, |newest| newest.at_ms)),
        reason: wish.reason.to_owned(),
        entries: count(entries),
        published: count(published),
        added: count(tally.added),
        removed: count(tally.removed),
        changed: count(tally.changed),
    }
}

async fn note(change: &mut Change, wish: &Wish<'_>, before: Option<&Stamp>, after: &Stamp) -> Result<(), Error> {
    let before = before.map(|before| format!(r#"{{"number":{},"entries":{}}}"#, before.number, before.entries));
    let Stamp { number, entries, added, removed, changed, .. } = after;
    let after =
        format!(r#"{{"number":{number},"entries":{entries},"added":{added},"removed":{removed},"changed":{changed}}}"#);
    let note = Note {
        actor: wish.author,
        act: wish.act,
        scope: &wish.scope.to_string(),
        subject: wish.subject,
        reason: wish.reason,
        before: &before.unwrap_or_default(),
        after: &after,
    };
    change.note(note, wish.now_ms).await
}

async fn insert(stamp: &Stamp, content: &Content, connection: &mut sqlx::AnyConnection) -> Result<(), Error> {
    let lists = serde_json::to_string(&content.lists).map_err(|error| Error::Encode(error.into()))?;
    let sql = "INSERT INTO versions (number, scope, author, at_ms, reason, entries, published, added, removed, changed, \
               pages, chunks, lists, policy) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    sqlx::query(sql)
        .bind(stamp.number)
        .bind(stamp.scope.clone())
        .bind(stamp.author.clone())
        .bind(stamp.at_ms)
        .bind(stamp.reason.clone())
        .bind(stamp.entries)
        .bind(stamp.published)
        .bind(stamp.added)
        .bind(stamp.removed)
        .bind(stamp.changed)
        .bind(names(content, |stored| stored.page))
        .bind(names(content, |stored| stored.chunk))
        .bind(lists)
        .bind(policy_bytes(content.policy.as_ref()))
        .execute(connection)
        .await
        .map(drop)
}

/// The names of a content's pages or chunks, one for each of the 64, empty where there is none.
fn names(content: &Content, which: impl Fn(crate::lists::page::Stored) -> Option<Hash>) -> String {
    let name = |page: &Page| page.stored().and_then(&which).map(|hash| hex(&hash)).unwrap_or_default();
    content.pages.iter().map(name).collect::<Vec<_>>().join(",")
}

/// A policy as it is stored: none is nothing, and one begins with a 1.
fn policy_bytes(policy: Option<&v1::Policy>) -> Vec<u8> {
    policy.map(|policy| [vec![1], record::encode(policy)].concat()).unwrap_or_default()
}

impl Row {
    fn policy(&self) -> Result<Option<v1::Policy>, Error> {
        match self.policy.split_first() {
            Some((_, bytes)) => record::decode(bytes).map(Some).map_err(|error| Error::Decode(error.into())),
            None => Ok(None),
        }
    }
}

/// Takes in a version that stands on the topic and is not known here, with what it holds.
pub(crate) async fn adopt(change: &mut Change, version: &v1::RuleVersion, mut content: Content) -> anyhow::Result<()> {
    let blobs = content.pack()?;
    blobs::keep(&blobs, change.connection()).await?;
    let (entries, published) = content.count();
    let stamp = Stamp {
        number: i64::try_from(version.number)?,
        scope: version.scope.clone(),
        author: version.author.clone(),
        at_ms: version.published_ms,
        reason: "taken from danmaku-rules, as the database did not know it".to_owned(),
        entries: i64::try_from(entries)?,
        published: i64::try_from(published)?,
        added: i64::try_from(entries)?,
        removed: 0,
        changed: 0,
    };
    Ok(insert(&stamp, &content, change.connection()).await?)
}

/// Gives a version's content the next number, as it stands.
pub(crate) async fn renumber(change: &mut Change, number: i64) -> Result<i64, Error> {
    let next = change.next_number().await?;
    let sql = "INSERT INTO versions (number, scope, author, at_ms, reason, entries, published, added, removed, changed, \
               pages, chunks, lists, policy) SELECT $1, scope, author, at_ms, reason, entries, published, 0, 0, 0, \
               pages, chunks, lists, policy FROM versions WHERE number = $2";
    sqlx::query(sql).bind(next).bind(number).execute(change.connection()).await?;
    Ok(next)
}

#[cfg(test)]
mod tests;
