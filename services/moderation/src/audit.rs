//! What was done, by whom and why: rows that are only added, each with a hash over itself and the one before.
//! Kept out: private texts, which no row holds, and who may read it.
//!
//! Whoever changes a row, takes one out or puts one in breaks the chain there; taking rows off its end shows only to whoever
//! wrote a head's hash down before. A row's hash covers a salted digest of what the row says. So its words can be erased with
//! the salt, when a person must be forgotten, and the chain can still be followed: what such a row said nobody can tell.

use proto::rules::Scope;
use rand::RngExt as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::store::{Change, Error, Store};

/// Rows that are read at a time. A row takes about 500 B.
pub(crate) const PAGE: i64 = 1_000;

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, FromRow, ToSchema)]
pub struct Row {
    /// Its place in the order of all changes; not every number is a row.
    pub sequence: i64,
    /// When, in Unix milliseconds, by the clock of the service.
    pub at_ms: i64,
    /// What, for example `edit` or `rollback`.
    pub act: String,
    /// Where: `global` or `room/` and the room.
    pub scope: String,
    /// Who: the `sub` of the token.
    pub actor: String,
    /// On what or whom.
    pub subject: String,
    /// Why, in the actor's words.
    pub reason: String,
    /// What was before, as JSON; empty when nothing was.
    pub before: String,
    /// What is now, as JSON.
    pub after: String,
    /// Random; empty once what the row says was erased.
    pub salt: String,
    /// SHA-256 over salt, actor, subject, reason, before and after.
    pub digest: String,
    /// SHA-256 over the hash before, sequence, time, act, scope and digest.
    pub hash: String,
}

/// What is written down of a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note<'a> {
    pub(crate) actor: &'a str,
    pub(crate) act: &'a str,
    pub(crate) scope: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
}

impl Change {
    /// Writes down what this change is. Once a change.
    pub(crate) async fn note(&mut self, note: Note<'_>, at_ms: i64) -> Result<(), Error> {
        let before: Option<(String,)> = sqlx::query_as("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")
            .fetch_optional(self.connection())
            .await?;
        let mut row = Row {
            sequence: self.sequence(),
            at_ms,
            actor: note.actor.to_owned(),
            act: note.act.to_owned(),
            scope: note.scope.to_owned(),
            subject: note.subject.to_owned(),
            reason: note.reason.to_owned(),
            before: note.before.to_owned(),
            after: note.after.to_owned(),
            salt: format!("{:016x}", rand::rng().random::<u64>()),
            digest: String::new(),
            hash: String::new(),
        };
        row.digest = row.digested();
        row.hash = row.hashed(&before.map(|(hash,)| hash).unwrap_or_default());
        insert(&row, self.connection()).await
    }
}

async fn insert(row: &Row, connection: &mut sqlx::AnyConnection) -> Result<(), Error> {
    let sql = "INSERT INTO audit (sequence, at_ms, act, scope, actor, subject, reason, before, after, salt, digest, hash) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let Row { act, scope, actor, subject, reason, before, after, salt, digest, hash, .. } = row;
    let query = sqlx::query(sql).bind(row.sequence).bind(row.at_ms);
    let texts = [act, scope, actor, subject, reason, before, after, salt, digest, hash];
    let query = texts.into_iter().fold(query, |query, text| query.bind(text.clone()));
    query.execute(connection).await.map(drop)
}

impl Row {
    /// The digest of what it says.
    fn digested(&self) -> String {
        hashed([&self.salt, &self.actor, &self.subject, &self.reason, &self.before, &self.after].map(|s| &**s))
    }

    /// The hash it must have behind a row with the hash `previous`.
    fn hashed(&self, previous: &str) -> String {
        let [sequence, at] = [self.sequence, self.at_ms].map(|number| number.to_string());
        hashed([previous, &sequence, &at, &self.act, &self.scope, &self.digest])
    }

    /// Whether it is what it was when it was written behind `previous`, or says nothing any more.
    fn is_whole(&self, previous: &str) -> bool {
        let says = [&self.actor, &self.subject, &self.reason, &self.before, &self.after];
        let is_erased = self.salt.is_empty() && says.iter().all(|text| text.is_empty());
        self.hash == self.hashed(previous) && (is_erased || self.digest == self.digested())
    }
}

/// SHA-256 in hexadecimal. Each text goes in with its length, so that no two rows are the same bytes.
fn hashed<const N: usize>(texts: [&str; N]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    hex(&hash.finalize())
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        text
    })
}

/// The rows behind `after`, at most `limit`; of one scope, if one is given.
pub(crate) async fn read(store: &Store, scope: Option<&Scope>, after: i64, limit: i64) -> Result<Vec<Row>, Error> {
    match scope {
        None => sqlx::query_as("SELECT * FROM audit WHERE sequence > $1 ORDER BY sequence LIMIT $2")
            .bind(after)
            .bind(limit.clamp(1, PAGE)),
        Some(scope) => {
            sqlx::query_as("SELECT * FROM audit WHERE sequence > $1 AND scope = $3 ORDER BY sequence LIMIT $2")
                .bind(after)
                .bind(limit.clamp(1, PAGE))
                .bind(scope.to_string())
        }
    }
    .fetch_all(store.reads())
    .await
}

/// What a look through the whole chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Verified {
    /// Whether every row is what it was when it was written.
    pub whole: bool,
    /// Rows looked at.
    pub rows: u64,
    /// The first row that is not, or behind which one is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<i64>,
    /// The hash of the last row: who keeps it elsewhere can tell later that nothing was taken off the end.
    pub head: String,
}

/// Follows the chain from its first row.
pub(crate) async fn verify(store: &Store) -> Result<Verified, Error> {
    let mut verified = Verified { whole: true, rows: 0, broken_at: None, head: String::new() };
    let mut after = 0;
    loop {
        let rows = read(store, None, after, PAGE).await?;
        let Some(last) = rows.last() else { return Ok(verified) };
        after = last.sequence;
        for row in &rows {
            if !row.is_whole(&verified.head) {
                return Ok(Verified { whole: false, broken_at: Some(row.sequence), ..verified });
            }
            verified.rows += 1;
            verified.head.clone_from(&row.hash);
        }
    }
}

#[cfg(test)]
mod tests;
