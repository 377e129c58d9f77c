//! Sanctions as rows. What they lead to is kept out.

use proto::{ban::Subject, record, v1};
use sqlx::FromRow;

use super::{By, Kind};
use crate::store::{Change, Error, Store};

/// A mute or ban, in force or not any more.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Row {
    /// Its key on `danmaku-rules`.
    pub(crate) record_key: String,
    pub(crate) kind: String,
    pub(crate) room: String,
    pub(crate) subject: String,
    /// The subject it was imposed with.
    pub(crate) of_subject: String,
    /// 0 is for good.
    pub(crate) until_ms: i64,
    pub(crate) broadcast: i64,
    pub(crate) sequence: i64,
    pub(crate) author: String,
    pub(crate) at_ms: i64,
    pub(crate) reason: String,
}

impl Row {
    /// One that only the rule book can know.
    pub(super) fn unknown(record_key: String, kind: Kind, room: &str, subject: &Subject) -> Self {
        Self {
            record_key,
            kind: kind.name().to_owned(),
            room: room.to_owned(),
            subject: subject.to_string(),
            of_subject: subject.to_string(),
            until_ms: 0,
            broadcast: 0,
            sequence: 0,
            author: String::new(),
            at_ms: 0,
            reason: String::new(),
        }
    }

    /// The same, ended now.
    pub(super) fn lifted(self, sequence: i64, by: By<'_>) -> Self {
        Self {
            // An end that is already past stays what it was.
            until_ms: if self.until_ms == 0 { by.now_ms } else { self.until_ms.min(by.now_ms) },
            sequence,
            author: by.actor.to_owned(),
            at_ms: by.now_ms,
            reason: by.reason.to_owned(),
            ..self
        }
    }

    /// Whether it holds at `now_ms`. One that was lifted ended when that was written down, whatever the clock says now.
    pub(super) fn is_on(&self, now_ms: i64) -> bool {
        self.until_ms == 0 || self.until_ms > now_ms.max(self.at_ms)
    }

    /// One that the rule book has and the table has not, as after the database was restored.
    fn of_record(record_key: String, record: &[u8]) -> Option<Self> {
        let rules: v1::Rules = record::decode(record).ok()?;
        let (kind, room, subject, until_ms, reason) = match rules.record? {
            v1::rules::Record::Mute(mute) => (Kind::Mute, mute.room, mute.subject, mute.until, mute.reason),
            v1::rules::Record::Ban(ban) => (Kind::Ban, String::new(), ban.subject, ban.until, ban.reason),
            _ => return None,
        };
        let subject: Subject = subject.parse().ok()?;
        Some(Self { until_ms, reason, ..Self::unknown(record_key, kind, &room, &subject) })
    }
}

/// Writes a row in the place of the one with its key.
pub(super) async fn put(change: &mut Change, row: &Row) -> Result<(), Error> {
    let sql = "INSERT INTO sanctions (record_key, kind, room, subject, of_subject, until_ms, broadcast, sequence, author, \
               at_ms, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
               ON CONFLICT (record_key) DO UPDATE SET room = excluded.room, of_subject = excluded.of_subject, \
               until_ms = excluded.until_ms, broadcast = excluded.broadcast, sequence = excluded.sequence, \
               author = excluded.author, at_ms = excluded.at_ms, reason = excluded.reason";
    sqlx::query(sql)
        .bind(row.record_key.clone())
        .bind(row.kind.clone())
        .bind(row.room.clone())
        .bind(row.subject.clone())
        .bind(row.of_subject.clone())
        .bind(row.until_ms)
        .bind(row.broadcast)
        .bind(row.sequence)
        .bind(row.author.clone())
        .bind(row.at_ms)
        .bind(row.reason.clone())
        .execute(change.connection())
        .await
        .map(drop)
}

/// The sanction with this key, and those that were imposed with it.
pub(super) async fn with(
    connection: &mut sqlx::AnyConnection,
    kind: Kind,
    room: &str,
    key: &str,
    subject: &str,
) -> Result<Vec<Row>, Error> {
    // A ban's room is where it was pronounced; it is one ban all the same.
    let sql = "SELECT record_key, kind, room, subject, of_subject, until_ms, broadcast, sequence, author, at_ms, reason \
               FROM sanctions WHERE record_key = $1 OR (kind = $2 AND (kind = 'ban' OR room = $3) AND of_subject = $4)";
    sqlx::query_as(sql)
        .bind(key.to_owned())
        .bind(kind.name())
        .bind(room.to_owned())
        .bind(subject.to_owned())
        .fetch_all(connection)
        .await
}

/// Mutes that hold in a room as long as its broadcast.
pub(super) async fn of_broadcast(
    connection: &mut sqlx::AnyConnection,
    room: &str,
    now_ms: i64,
) -> Result<Vec<Row>, Error> {
    let sql = "SELECT record_key, kind, room, subject, of_subject, until_ms, broadcast, sequence, author, at_ms, reason \
               FROM sanctions WHERE kind = 'mute' AND room = $1 AND broadcast = 1 AND (until_ms = 0 OR (until_ms > $2 AND until_ms > at_ms))";
    sqlx::query_as(sql).bind(room.to_owned()).bind(now_ms).fetch_all(connection).await
}

/// All that were imposed on a subject.
pub(super) async fn of_user(connection: &mut sqlx::AnyConnection, subject: &str) -> Result<Vec<Row>, Error> {
    let sql = "SELECT record_key, kind, room, subject, of_subject, until_ms, broadcast, sequence, author, at_ms, reason \
               FROM sanctions WHERE subject = $1 OR of_subject = $1";
    sqlx::query_as(sql).bind(subject.to_owned()).fetch_all(connection).await
}

/// How many of those on a subject hold at `now_ms`.
pub(crate) async fn standing(change: &mut Change, subject: &str, now_ms: i64) -> Result<u64, Error> {
    let rows = of_user(change.connection(), subject).await?;
    Ok(rows.iter().filter(|row| row.is_on(now_ms)).count() as u64)
}

/// Deletes all that were imposed on a subject, here and among what is written to the rule book again.
pub(crate) async fn delete(change: &mut Change, subject: &str) -> Result<(), Error> {
    for row in of_user(change.connection(), subject).await? {
        for sql in ["DELETE FROM sanctions WHERE record_key = $1", "DELETE FROM standing WHERE record_key = $1"] {
            sqlx::query(sql).bind(row.record_key.clone()).execute(change.connection()).await?;
        }
    }
    Ok(())
}

/// Mutes of a room, or bans, that hold at `now_ms`; those behind the key `after`, at most `limit`. On the first page stand also
/// those that only the rule book knows.
pub(crate) async fn list(
    store: &Store,
    kind: Kind,
    room: &str,
    now_ms: i64,
    after: &str,
    limit: i64,
) -> Result<Vec<Row>, Error> {
    let sql = "SELECT record_key, kind, room, subject, of_subject, until_ms, broadcast, sequence, author, at_ms, reason \
               FROM sanctions WHERE kind = $1 AND (kind = 'ban' OR room = $2) AND (until_ms = 0 OR (until_ms > $3 AND until_ms > at_ms)) \
               AND record_key > $4 ORDER BY record_key LIMIT $5";
    let mut rows: Vec<Row> = sqlx::query_as(sql)
        .bind(kind.name())
        .bind(room.to_owned())
        .bind(now_ms)
        .bind(after.to_owned())
        .bind(limit)
        .fetch_all(store.reads())
        .await?;
    if after.is_empty() {
        let mut unknown = unknown(store, kind, room, now_ms).await?;
        unknown.append(&mut rows);
        rows = unknown;
    }
    Ok(rows)
}

/// Those that only the rule book knows, as after the database was restored to an older state. There are few.
async fn unknown(store: &Store, kind: Kind, room: &str, now_ms: i64) -> Result<Vec<Row>, Error> {
    let sql = "SELECT record_key, record FROM standing WHERE record_key LIKE $1 AND (until_ms = 0 OR until_ms > $2) \
               AND record_key NOT IN (SELECT record_key FROM sanctions) LIMIT 1000";
    let rows: Vec<(String, Vec<u8>)> =
        sqlx::query_as(sql).bind(format!("{}/%", kind.name())).bind(now_ms).fetch_all(store.reads()).await?;
    let rows = rows.into_iter().filter_map(|(key, record)| Row::of_record(key, &record));
    Ok(rows.filter(|row| kind == Kind::Ban || row.room == room).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lifted_ends_now_and_no_later() {
        let subject: Subject = "user/ann".parse().unwrap();
        let by = By { actor: "mod", reason: "calm again", now_ms: 100, generation: 1 };
        for (until_ms, expected) in [(0, 100), (500, 100), (50, 50)] {
            let row = Row { until_ms, ..Row::unknown("mute/demo/user/ann".into(), Kind::Mute, "demo", &subject) };
            let lifted = row.lifted(9, by);
            assert_eq!((lifted.until_ms, lifted.sequence, lifted.author.as_str()), (expected, 9, "mod"));
            assert!(!lifted.is_on(100) && !lifted.is_on(20), "also by a clock that was set back");
        }
    }
}
