//! How a room may be spoken in: set by a moderator, for good or for a while, and then as it was before. Kept out: what a mode
//! does (the judge, and the hall for its delay).

use proto::{
    record::{decode, encode},
    v1::{self, input::Body},
};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    audit::Note,
    control::Controls,
    events::{About, Kind},
    outbox::Parcel,
    refusal::{Problem, Refusal},
    store::{Change, Error, Store},
};

/// As the judge's: one message in ten minutes.
const SLOW_MS_MAX: u32 = 600_000;
/// Ten years.
const FOLLOWERS_S_MAX: u32 = 10 * 365 * 24 * 3600;
/// As the hall's: at a longer head start a ring is too short.
const DELAY_MS_MAX: u32 = 6_000;

/// How a room may be spoken in. All at their defaults: freely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Mode {
    /// Between two messages of a user, in milliseconds; at most 600,000.
    pub(crate) slow_ms: u32,
    /// The least level.
    pub(crate) level_min: u32,
    /// How long somebody must have followed, in seconds.
    pub(crate) followers_min_s: u32,
    /// Nothing but emotes.
    pub(crate) emote_only: bool,
    /// Nobody but those who run the room.
    pub(crate) emergency: bool,
    /// How much later than its moderators everybody sees the room, in milliseconds; at most 6,000.
    pub(crate) delay_ms: u32,
}

/// A room in a storm: slow, and for those who followed before it began.
pub(crate) const SHIELD: Mode =
    Mode { slow_ms: 10_000, level_min: 0, followers_min_s: 600, emote_only: false, emergency: false, delay_ms: 4_000 };

impl From<Mode> for v1::Mode {
    fn from(mode: Mode) -> Self {
        let Mode { slow_ms, level_min, followers_min_s, emote_only, emergency, delay_ms } = mode;
        Self { slow_ms, level_min, followers_min_s, emote_only, emergency, delay_ms }
    }
}

impl From<v1::Mode> for Mode {
    fn from(mode: v1::Mode) -> Self {
        let v1::Mode { slow_ms, level_min, followers_min_s, emote_only, emergency, delay_ms } = mode;
        Self { slow_ms, level_min, followers_min_s, emote_only, emergency, delay_ms }
    }
}

impl Mode {
    /// Whether it can be one.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let faults = [
            (self.slow_ms > SLOW_MS_MAX, "slow_ms is at most 600,000"),
            (self.followers_min_s > FOLLOWERS_S_MAX, "followers_min_s is at most ten years"),
            (self.delay_ms > DELAY_MS_MAX, "delay_ms is at most 6,000"),
        ];
        let problems: Vec<_> = faults.iter().filter(|(is_so, _)| *is_so).map(|(_, why)| Problem::whole(*why)).collect();
        if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems)) }
    }
}

/// A room's mode as it was set here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Set {
    pub(crate) mode: Mode,
    pub(crate) author: String,
    pub(crate) at_ms: i64,
    /// When it ends by itself; 0 is never.
    pub(crate) ends_ms: i64,
    /// What it is then.
    pub(crate) afterwards: Mode,
}

#[derive(FromRow)]
struct Row {
    room: String,
    mode: Vec<u8>,
    author: String,
    at_ms: i64,
    ends_ms: i64,
    afterwards: Vec<u8>,
}

impl From<Row> for Set {
    fn from(row: Row) -> Self {
        let mode = |bytes: &[u8]| decode::<v1::Mode>(bytes).unwrap_or_default().into();
        Self {
            mode: mode(&row.mode),
            author: row.author,
            at_ms: row.at_ms,
            ends_ms: row.ends_ms,
            afterwards: mode(&row.afterwards),
        }
    }
}

/// Who sets it, and why, when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct By<'a> {
    pub(crate) actor: &'a str,
    /// What the audit log calls it.
    pub(crate) act: &'static str,
    pub(crate) reason: &'a str,
    pub(crate) now_ms: i64,
    /// Of the records that are written now.
    pub(crate) generation: u32,
}

/// The mode of a room.
pub(crate) async fn get(connection: &mut sqlx::AnyConnection, room: &str) -> Result<Set, Error> {
    let sql = "SELECT room, mode, author, at_ms, ends_ms, afterwards FROM modes WHERE room = $1";
    let row: Option<Row> = sqlx::query_as(sql).bind(room.to_owned()).fetch_optional(connection).await?;
    Ok(row.map(Set::from).unwrap_or_default())
}

/// Sets a room's mode: for good, or up to `ends_ms`, and then it is again what it was.
pub(crate) async fn set(store: &Store, room: &str, mode: Mode, ends_ms: i64, by: By<'_>) -> Result<Set, Refusal> {
    mode.check()?;
    let mut change = store.change().await?;
    let before = get(change.connection(), room).await?;
    let afterwards = match (ends_ms, before.ends_ms) {
        (0, _) => Mode::default(),
        // One passing mode after another: what comes back is what was there before the first.
        (_, ends) if ends != 0 => before.afterwards,
        _ => before.mode,
    };
    let set = Set { mode, author: by.actor.to_owned(), at_ms: by.now_ms, ends_ms, afterwards };
    write(&mut change, room, &before, &set, by).await?;
    change.commit().await?;
    Ok(set)
}

/// Ends a mode that would end by itself, if it still is due at `now`; with `anyway` also before. Whether there was one.
pub(crate) async fn end(store: &Store, room: &str, anyway: bool, by: By<'_>) -> Result<Option<Set>, Refusal> {
    let mut change = store.change().await?;
    let before = get(change.connection(), room).await?;
    if before.ends_ms == 0 || (!anyway && before.ends_ms > by.now_ms) {
        return Ok(None);
    }
    let set = Set { mode: before.afterwards, author: by.actor.to_owned(), at_ms: by.now_ms, ..Set::default() };
    write(&mut change, room, &before, &set, by).await?;
    change.commit().await?;
    Ok(Some(set))
}

/// Rooms whose mode is due to end, and when the next one is.
pub(crate) async fn due(store: &Store, now_ms: i64) -> Result<(Vec<String>, Option<i64>), Error> {
    let sql = "SELECT room, ends_ms FROM modes WHERE ends_ms > 0 ORDER BY ends_ms LIMIT 100";
    let rows: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(store.reads()).await?;
    let next = rows.iter().map(|(_, ends_ms)| *ends_ms).find(|ends_ms| *ends_ms > now_ms);
    Ok((rows.into_iter().filter(|(_, ends_ms)| *ends_ms <= now_ms).map(|(room, _)| room).collect(), next))
}

/// Modes that end by themselves and were set at a time more than `skew_ms` ahead of `now_ms` begin now. How many they are.
pub(crate) async fn begin_anew(change: &mut Change, now_ms: i64, skew_ms: i64) -> Result<u64, Error> {
    let sql = "UPDATE modes SET ends_ms = ends_ms - at_ms + $1, at_ms = $1 WHERE ends_ms > 0 AND at_ms > $2";
    let anew = sqlx::query(sql).bind(now_ms).bind(now_ms.saturating_add(skew_ms));
    Ok(anew.execute(change.connection()).await?.rows_affected())
}

/// Says every mode again, where the topics know of none.
pub(crate) async fn say_again(change: &mut Change, generation: u32, now_ms: i64) -> Result<(), Error> {
    let sql = "SELECT room, mode, author, at_ms, ends_ms, afterwards FROM modes";
    let rows: Vec<Row> = sqlx::query_as(sql).fetch_all(change.connection()).await?;
    let mut controls = Controls::of(change, generation, now_ms);
    let free = v1::Mode::default();
    for row in rows {
        let mode: v1::Mode = decode(&row.mode).unwrap_or_default();
        if mode != free {
            let record = controls.record(&row.room, Body::Mode(mode));
            change.put(&Parcel { controls: vec![record], ..Parcel::default() }).await?;
        }
    }
    Ok(())
}

async fn write(change: &mut Change, room: &str, before: &Set, set: &Set, by: By<'_>) -> Result<(), Error> {
    let sql = "INSERT INTO modes (room, mode, author, at_ms, ends_ms, afterwards) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (room) DO UPDATE SET mode = excluded.mode, author = excluded.author, at_ms = excluded.at_ms, \
               ends_ms = excluded.ends_ms, afterwards = excluded.afterwards";
    sqlx::query(sql)
        .bind(room.to_owned())
        .bind(encode(&v1::Mode::from(set.mode)))
        .bind(set.author.clone())
        .bind(set.at_ms)
        .bind(set.ends_ms)
        .bind(encode(&v1::Mode::from(set.afterwards)))
        .execute(change.connection())
        .await?;
    let record = Controls::of(change, by.generation, by.now_ms).record(room, Body::Mode(set.mode.into()));
    change.put(&Parcel { controls: vec![record], ..Parcel::default() }).await?;
    let json = |mode: &Mode| serde_json::to_string(mode).map_err(|error| Error::Encode(error.into()));
    let note = Note {
        actor: by.actor,
        act: by.act,
        scope: &format!("room/{room}"),
        subject: "mode",
        reason: by.reason,
        before: &json(&before.mode)?,
        after: &json(&set.mode)?,
    };
    change.note(note, by.now_ms).await?;
    let told = Told { mode: set.mode, ends_ms: set.ends_ms, by: by.actor, reason: by.reason };
    change.tell(Kind::Mode, About { room, user: "", at_ms: by.now_ms }, &told).await
}

/// What moderators hear of it.
#[derive(Serialize)]
struct Told<'a> {
    mode: Mode,
    ends_ms: i64,
    by: &'a str,
    reason: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_the_same_on_the_river_and_in_the_api() {
        let mode =
            Mode { slow_ms: 1, level_min: 2, followers_min_s: 3, emote_only: true, emergency: true, delay_ms: 4 };
        assert_eq!(Mode::from(v1::Mode::from(mode)), mode);
    }

    #[test]
    fn what_nobody_can_keep_is_no_mode() {
        assert!(SHIELD.check().is_ok() && Mode::default().check().is_ok());
        let edits: [fn(&mut Mode); 3] =
            [|mode| mode.slow_ms = 600_001, |mode| mode.followers_min_s = u32::MAX, |mode| mode.delay_ms = 6_001];
        for edit in edits {
            let mut mode = Mode::default();
            edit(&mut mode);
            assert!(matches!(mode.check(), Err(Refusal::Invalid(problems)) if problems.len() == 1), "{mode:?}");
        }
    }
}
