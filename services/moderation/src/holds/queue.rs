//! What waits for a moderator, and what waited: the rows of both. What a decision does is kept out.

use proto::{record, v1};
use serde::Serialize;
use sqlx::FromRow;

use super::rule::rule;
use crate::{
    events::{About, Kind},
    store::{Change, Error, Store},
    verdicts::learn::{Lesson, said},
};

/// Messages of a room that may wait at a time: more than a moderator reads in a minute, ten times over. One more is decided
/// on at once, as if nobody had in time.
const WAITING_MAX: i64 = 1_000;

/// What was decided on a message that was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is let through.
    Approved,
    /// It is not.
    Rejected,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

/// A message that waits, or waited.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Held {
    pub(crate) id: String,
    pub(crate) room: String,
    pub(crate) user_id: String,
    pub(crate) held_ms: i64,
    pub(crate) deadline_ms: i64,
    /// The deciding entry.
    pub(crate) rule: String,
    /// The judge's record, with the message and what was found.
    pub(super) verdict: Vec<u8>,
    /// Empty while it waits.
    pub(crate) outcome: String,
    pub(crate) decided_by: String,
    pub(crate) decided_ms: i64,
    pub(crate) reason: String,
    /// The text it was let through with, if another.
    pub(crate) said: String,
    /// What the judge made of the decision, in the contract's word.
    pub(crate) came_to: String,
}

impl Held {
    /// The judge's record.
    pub(crate) fn verdict(&self) -> v1::Verdict {
        // An erased one is empty.
        record::decode(&self.verdict).unwrap_or_default()
    }
}

/// What moderators hear of a new one.
#[derive(Serialize)]
struct Waits<'a> {
    id: &'a str,
    user: &'a str,
    name: &'a str,
    text: &'a str,
    code: &'a str,
    rule: &'a str,
    deadline_ms: i64,
}

/// What moderators hear of what became of a decision.
#[derive(Serialize)]
struct CameTo<'a> {
    id: &'a str,
    verdict: &'a str,
    code: &'a str,
}

/// A message begins to wait at `from_ms`. One that is known already does not begin again.
pub(crate) async fn open(change: &mut Change, lesson: &Lesson, from_ms: i64) -> Result<(), Error> {
    let (room, user) = (lesson.room(), lesson.user());
    let rule = rule(change.connection(), room).await?;
    let (waiting,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM holds WHERE room = $1 AND outcome = ''")
        .bind(room.to_owned())
        .fetch_one(change.connection())
        .await?;
    let deadline_ms = if waiting < WAITING_MAX { from_ms.saturating_add(rule.hold_ms) } else { from_ms };
    let id = lesson.id.to_string();
    let sql = "INSERT INTO holds (id, room, user_id, held_ms, deadline_ms, rule, verdict, outcome, decided_by, decided_ms, \
               reason, said, came_to) VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', 0, '', '', '') ON CONFLICT (id) DO NOTHING";
    let new = sqlx::query(sql)
        .bind(id.clone())
        .bind(room.to_owned())
        .bind(user.to_owned())
        .bind(from_ms)
        .bind(deadline_ms)
        .bind(lesson.verdict.rule.clone())
        .bind(record::encode(&lesson.verdict))
        .execute(change.connection())
        .await?;
    if new.rows_affected() == 0 {
        return Ok(());
    }
    let count = sqlx::query("UPDATE entry_hits SET held = held + 1 WHERE entry = $1").bind(lesson.verdict.rule.clone());
    count.execute(change.connection()).await?;
    let name = lesson.verdict.input.as_ref().and_then(|input| input.user.as_ref()).map_or("", |user| &user.name);
    let (code, rule) = (&*lesson.verdict.code, &*lesson.verdict.rule);
    let waits = Waits { id: &id, user, name, text: lesson.text(), code, rule, deadline_ms };
    change.tell(Kind::Held, About { room, user, at_ms: from_ms }, &waits).await
}

/// The judge said what became of a decision: it is shown, or not, or its author was banned meanwhile.
pub(crate) async fn came_to(
    change: &mut Change,
    held_id: &str,
    verdict: &v1::Verdict,
    now_ms: i64,
) -> Result<(), Error> {
    let (word, code) = (v1::Word::name_of(verdict.word), &*verdict.code);
    sqlx::query("UPDATE holds SET came_to = $1 WHERE id = $2")
        .bind(word)
        .bind(held_id.to_owned())
        .execute(change.connection())
        .await?;
    let room = verdict.input.as_ref().map_or("", |input| &input.room);
    let body = CameTo { id: held_id, verdict: word, code };
    change.tell(Kind::CameTo, About { room, user: "", at_ms: now_ms }, &body).await
}

const COLUMNS: &str = "id, room, user_id, held_ms, deadline_ms, rule, verdict, outcome, decided_by, decided_ms, reason, \
                       said, came_to";

/// One of them.
pub(crate) async fn find(connection: &mut sqlx::AnyConnection, id: &str) -> Result<Option<Held>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM holds WHERE id = $1");
    sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id.to_owned()).fetch_optional(connection).await
}

/// What waits of a user, the oldest first.
pub(super) async fn waiting_of(connection: &mut sqlx::AnyConnection, user: &str) -> Result<Vec<Held>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM holds WHERE user_id = $1 AND outcome = '' ORDER BY held_ms, id");
    sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user.to_owned()).fetch_all(connection).await
}

/// What waits in a room, the oldest first, or what was decided there, the newest first; behind `after`. Many are held in the same
/// millisecond, and their ids, of one partition, are in order by length first.
pub(crate) async fn list(
    store: &Store,
    room: &str,
    waits: bool,
    after: Option<&Held>,
    limit: i64,
) -> Result<Vec<Held>, Error> {
    let (which, order) = match waits {
        true => ("outcome = '' AND (held_ms, LENGTH(id), id) > ($2, LENGTH($3), $3)", "held_ms, LENGTH(id), id"),
        false => (
            "outcome <> '' AND (held_ms, LENGTH(id), id) < ($2, LENGTH($3), $3)",
            "held_ms DESC, LENGTH(id) DESC, id DESC",
        ),
    };
    let sql = format!("SELECT {COLUMNS} FROM holds WHERE room = $1 AND {which} ORDER BY {order} LIMIT $4");
    let begin = (if waits { i64::MIN } else { i64::MAX }, "");
    let (held_ms, id) = after.map_or(begin, |held| (held.held_ms, held.id.as_str()));
    let query = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(room.to_owned()).bind(held_ms).bind(id.to_owned());
    query.bind(limit).fetch_all(store.reads()).await
}

/// What nobody decided on in time, at most `limit`, with its room.
pub(crate) async fn expired(store: &Store, now_ms: i64, limit: i64) -> Result<Vec<(String, String, i64)>, Error> {
    let sql = "SELECT id, room, deadline_ms FROM holds WHERE outcome = '' AND deadline_ms <= $1 ORDER BY deadline_ms LIMIT $2";
    sqlx::query_as(sql).bind(now_ms).bind(limit).fetch_all(store.reads()).await
}

/// What waits since a time that lies ahead of `now_ms`, the newest by more than `skew_ms`, waits from now on, each as long as it was
/// to wait and in the order in which it came. How many they are.
pub(crate) async fn begin_anew(change: &mut Change, now_ms: i64, skew_ms: i64) -> Result<u64, Error> {
    let sql = "SELECT COALESCE(MAX(held_ms), 0) FROM holds WHERE outcome = ''";
    let (newest_ms,): (i64,) = sqlx::query_as(sql).fetch_one(change.connection()).await?;
    let ahead_ms = newest_ms - now_ms;
    if ahead_ms <= skew_ms {
        return Ok(0);
    }
    let sql =
        "UPDATE holds SET held_ms = held_ms - $1, deadline_ms = deadline_ms - $1 WHERE outcome = '' AND held_ms > $2";
    let earlier = sqlx::query(sql).bind(ahead_ms).bind(now_ms);
    Ok(earlier.execute(change.connection()).await?.rows_affected())
}

/// When the next one must be decided on.
pub(crate) async fn next_deadline(store: &Store) -> Result<Option<i64>, Error> {
    let sql = "SELECT deadline_ms FROM holds WHERE outcome = '' ORDER BY deadline_ms LIMIT 1";
    let found: Option<(i64,)> = sqlx::query_as(sql).fetch_optional(store.reads()).await?;
    Ok(found.map(|(deadline_ms,)| deadline_ms))
}

impl Held {
    /// What was said.
    pub(crate) fn text(&self) -> String {
        said(&self.verdict()).to_owned()
    }
}
