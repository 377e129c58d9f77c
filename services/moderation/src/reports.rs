//! Viewers who say that a message should not be there. Enough of them put it before the moderators; nothing is done by itself.

use proto::MessageId;
use serde::Serialize;
use sqlx::FromRow;

use crate::{
    events::{About, Kind},
    history::Past,
    refusal::Refusal,
    store::{Error, Store},
    verdicts::learn::said_in,
};

/// Reports that one user may bring in [`WINDOW_MS`]: who means it needs one or two.
const OF_USER_MAX: i64 = 5;

/// The time that a user's reports are counted in.
const WINDOW_MS: i64 = 60_000;

/// Bytes of a reason.
const REASON_BYTES_MAX: usize = 200;

/// A report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report<'a> {
    pub(crate) room: &'a str,
    pub(crate) id: MessageId,
    pub(crate) user: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) now_ms: i64,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It counts; so many users have reported the message now.
    Counted(i64),
    /// He reported it before.
    Again(i64),
}

/// Messages that were reported.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Reported {
    pub(crate) id: String,
    pub(crate) reports: i64,
    pub(crate) last_ms: i64,
}

/// What moderators hear of a message that enough have reported.
#[derive(Serialize)]
struct Told<'a> {
    id: &'a str,
    reports: i64,
    #[serde(skip_serializing_if = "str::is_empty")]
    user: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    reason: &'a str,
}

/// Takes a report.
///
/// # Errors
/// [`Refusal::TooMany`] with how long to wait, for who reports too much.
pub(crate) async fn take(store: &Store, report: Report<'_>) -> Result<Taken, Refusal> {
    if report.reason.len() > REASON_BYTES_MAX || report.reason.contains(char::is_control) {
        return Err(Refusal::Malformed(format!("reason is at most {REASON_BYTES_MAX} bytes in one line")));
    }
    let mut change = store.change().await?;
    let id = report.id.to_string();
    let sql = "INSERT INTO reports (id, user_id, room, at_ms, reason) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (id, user_id) DO NOTHING";
    let is_new = sqlx::query(sql)
        .bind(id.clone())
        .bind(report.user.to_owned())
        .bind(report.room.to_owned())
        .bind(report.now_ms)
        .bind(report.reason.to_owned())
        .execute(change.connection())
        .await?
        .rows_affected()
        == 1;
    // Those that are still to come by a clock that was set back are none of this minute.
    let sql = "SELECT COUNT(*), COALESCE(MIN(at_ms), 0) FROM reports WHERE user_id = $1 AND at_ms > $2 AND at_ms <= $3";
    let (of_user, first_ms): (i64, i64) = sqlx::query_as(sql)
        .bind(report.user.to_owned())
        .bind(report.now_ms - WINDOW_MS)
        .bind(report.now_ms)
        .fetch_one(change.connection())
        .await?;
    if is_new && of_user > OF_USER_MAX {
        // Dropping the change takes the row back.
        let wait_ms = (first_ms + WINDOW_MS - report.now_ms).clamp(1_000, WINDOW_MS);
        return Err(Refusal::TooMany(wait_ms.cast_unsigned()));
    }
    let (reports,): (i64,) =
        sqlx::query_as("SELECT COUNT(*) FROM reports WHERE id = $1").bind(id).fetch_one(change.connection()).await?;
    change.commit().await?;
    Ok(if is_new { Taken::Counted(reports) } else { Taken::Again(reports) })
}

/// Puts a message before the moderators, with what it says if that is known still.
pub(crate) async fn flag(store: &Store, report: Report<'_>, reports: i64, said: Option<&Past>) -> Result<(), Error> {
    let mut change = store.change().await?;
    let id = report.id.to_string();
    let user = said.map_or("", |past| past.input.user_id());
    let text = said.map_or("", |past| said_in(&past.input));
    let told = Told { id: &id, reports, user, text, reason: report.reason };
    change.tell(Kind::Reported, About { room: report.room, user, at_ms: report.now_ms }, &told).await?;
    change.commit().await
}

/// The messages of a room that at least `least` users have reported, the last one first.
pub(crate) async fn list(store: &Store, room: &str, least: i64, limit: i64) -> Result<Vec<Reported>, Error> {
    let sql = "SELECT id, COUNT(*) AS reports, MAX(at_ms) AS last_ms FROM reports WHERE room = $1 GROUP BY id \
               HAVING COUNT(*) >= $2 ORDER BY MAX(at_ms) DESC, id LIMIT $3";
    sqlx::query_as(sql).bind(room.to_owned()).bind(least).bind(limit).fetch_all(store.reads()).await
}
