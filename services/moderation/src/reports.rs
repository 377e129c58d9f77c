//! Viewers who say that a message should not be there. Enough of them put it before the moderators; nothing is done by itself.

use proto::MessageId;
use serde::Serialize;
use sqlx::FromRow;

use crate::{
    events::{About, Kind},
    history::Past,
    refusal::Refusal,
    store::{Change, Error, Store},
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
    /// It counts.
    Counted,
    /// He reported it before.
    Again,
    /// It does not count yet: it would put the message before the moderators, and what that says was not looked up.
    Last,
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

/// Takes a report. The one with which `enough` have reported the message puts it before the moderators, with what was `said`,
/// as far as that was looked up and found.
///
/// # Errors
/// [`Refusal::TooMany`] with how long to wait, for who reports too much.
pub(crate) async fn take(
    store: &Store,
    report: Report<'_>,
    enough: i64,
    said: Option<Option<&Past>>,
) -> Result<Taken, Refusal> {
    if report.reason.len() > REASON_BYTES_MAX || report.reason.contains(char::is_control) {
        return Err(Refusal::Malformed(format!("reason is at most {REASON_BYTES_MAX} bytes in one line")));
    }
    let mut change = store.change().await?;
    let is_new = insert(&mut change, report).await?;
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
    let sql = "SELECT COUNT(*) FROM reports WHERE id = $1";
    let (reports,): (i64,) = sqlx::query_as(sql).bind(report.id.to_string()).fetch_one(change.connection()).await?;
    if is_new && reports == enough {
        let Some(said) = said else { return Ok(Taken::Last) };
        flag(&mut change, report, reports, said).await?;
    }
    change.commit().await?;
    Ok(if is_new { Taken::Counted } else { Taken::Again })
}

/// Whether it is the first of this user on this message.
async fn insert(change: &mut Change, report: Report<'_>) -> Result<bool, Error> {
    let sql = "INSERT INTO reports (id, user_id, room, at_ms, reason) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (id, user_id) DO NOTHING";
    let inserted = sqlx::query(sql)
        .bind(report.id.to_string())
        .bind(report.user.to_owned())
        .bind(report.room.to_owned())
        .bind(report.now_ms)
        .bind(report.reason.to_owned())
        .execute(change.connection())
        .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Puts a message before the moderators.
async fn flag(change: &mut Change, report: Report<'_>, reports: i64, said: Option<&Past>) -> Result<(), Error> {
    let id = report.id.to_string();
    let user = said.map_or("", |past| past.input.user_id());
    let text = said.map_or("", |past| said_in(&past.input));
    let told = Told { id: &id, reports, user, text, reason: report.reason };
    change.tell(Kind::Reported, About { room: report.room, user, at_ms: report.now_ms }, &told).await
}

/// The messages of a room that at least `least` users have reported, the last one first.
pub(crate) async fn list(store: &Store, room: &str, least: i64, limit: i64) -> Result<Vec<Reported>, Error> {
    let sql = "SELECT id, COUNT(*) AS reports, MAX(at_ms) AS last_ms FROM reports WHERE room = $1 GROUP BY id \
               HAVING COUNT(*) >= $2 ORDER BY MAX(at_ms) DESC, id LIMIT $3";
    sqlx::query_as(sql).bind(room.to_owned()).bind(least).bind(limit).fetch_all(store.reads()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events;

    #[tokio::test]
    async fn the_report_that_is_enough_counts_only_together_with_what_moderators_hear() {
        let folder = std::env::temp_dir().join(format!("danmaku-reports-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let store = Store::open(&format!("sqlite://{}/moderation.db", folder.display())).await.unwrap();
        let id = MessageId { generation: 1, partition: 0, offset: 7 };
        for (user, said, taken, counted, told) in [
            ("v1", None, Taken::Counted, 1, 0),
            // His asker went while the message was looked up, and comes again; another comes between.
            ("v2", None, Taken::Last, 1, 0),
            ("v3", None, Taken::Last, 1, 0),
            ("v3", Some(None), Taken::Counted, 2, 1),
            ("v2", Some(None), Taken::Counted, 3, 1),
            ("v2", None, Taken::Again, 3, 1),
            ("v4", None, Taken::Counted, 4, 1),
        ] {
            let report = Report { room: "demo", id, user, reason: "", now_ms: 1_000 };
            assert_eq!(take(&store, report, 2, said).await.unwrap(), taken, "{user}");
            let listed = list(&store, "demo", 1, 10).await.unwrap();
            let heard = events::read(&store, Some("demo"), 0, 10).await.unwrap();
            assert_eq!((listed[0].reports, heard.len()), (counted, told), "{user}");
        }
        store.close().await;
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
