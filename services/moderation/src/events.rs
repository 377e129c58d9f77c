//! What moderators should hear at once, as rows in the order of commits: so a stream is a place in them, and one that broke
//! goes on where it was. Who may hear which is kept out (`http::stream`).

use std::time::Duration;

use serde::Serialize;
use sqlx::{FromRow, postgres::PgListener};

use crate::store::{self, Change, EVENTS, Error, Store};

/// Events that are kept: at 300 B an event 30 MB, and at ten a second the last three hours. Who comes back later is told that
/// he missed some.
const KEPT_MAX: i64 = 100_000;

/// How often those above it are deleted: once in so many.
const SWEEP_EVERY: i64 = 1_000;

/// How long until a broken connection is made anew.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message waits for a decision.
    Held,
    /// It was decided, or nobody did in time.
    Decided,
    /// What became of the decision on the river.
    CameTo,
    /// Entries were found.
    Hits,
    /// Somebody may not speak, or may again.
    Sanction,
    /// A room is spoken in otherwise.
    Mode,
    /// Messages were taken back.
    Recall,
    /// Viewers reported a message.
    Reported,
    /// A broadcast began or ended.
    Broadcast,
}

impl Kind {
    /// The event's name on the stream.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Decided => "decided",
            Self::CameTo => "came_to",
            Self::Hits => "hits",
            Self::Sanction => "sanction",
            Self::Mode => "mode",
            Self::Recall => "recall",
            Self::Reported => "reported",
            Self::Broadcast => "broadcast",
        }
    }
}

/// An event that was told.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Event {
    /// Its place in the order of all.
    pub(crate) id: i64,
    /// What happened.
    pub(crate) kind: String,
    /// Where; empty is everywhere.
    pub(crate) room: String,
    /// What, as JSON.
    pub(crate) body: String,
}

/// Where something happened, and to whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    /// Empty is everywhere.
    pub(crate) room: &'a str,
    /// Whom the event names, so that it can be erased with him; empty is nobody.
    pub(crate) user: &'a str,
    /// Unix milliseconds.
    pub(crate) at_ms: i64,
}

impl Change {
    /// Tells what this change means to moderators; they hear of it once it is committed.
    pub(crate) async fn tell(&mut self, kind: Kind, about: About<'_>, body: &impl Serialize) -> Result<(), Error> {
        let body = serde_json::to_string(body).map_err(|error| Error::Encode(error.into()))?;
        let id = self.next_event().await?;
        sqlx::query("INSERT INTO events (id, at_ms, kind, room, user_id, body) VALUES ($1, $2, $3, $4, $5, $6)")
            .bind(id)
            .bind(about.at_ms)
            .bind(kind.name())
            .bind(about.room.to_owned())
            .bind(about.user.to_owned())
            .bind(body)
            .execute(self.connection())
            .await?;
        if id % SWEEP_EVERY == 0 {
            let sweep = sqlx::query("DELETE FROM events WHERE id <= $1").bind(id - KEPT_MAX);
            sweep.execute(self.connection()).await?;
        }
        Ok(())
    }

    async fn next_event(&mut self) -> Result<i64, Error> {
        let sql = "UPDATE counters SET value = value + 1 WHERE name = 'event' RETURNING value";
        let (id,): (i64,) = sqlx::query_as(sql).fetch_one(self.connection()).await?;
        self.tells();
        Ok(id)
    }
}

/// The events behind `after`, at most `limit`; of one room and of none, if one is given.
pub(crate) async fn read(store: &Store, room: Option<&str>, after: i64, limit: i64) -> Result<Vec<Event>, Error> {
    match room {
        None => sqlx::query_as("SELECT id, kind, room, body FROM events WHERE id > $1 ORDER BY id LIMIT $2")
            .bind(after)
            .bind(limit),
        Some(room) => {
            let sql = "SELECT id, kind, room, body FROM events WHERE id > $1 AND room IN ('', $3) ORDER BY id LIMIT $2";
            sqlx::query_as(sql).bind(after).bind(limit).bind(room.to_owned())
        }
    }
    .fetch_all(store.reads())
    .await
}

/// The first event that is kept and the last that was told; 0 and 0 before any.
pub(crate) async fn ends(store: &Store) -> Result<(i64, i64), Error> {
    let (oldest,): (i64,) = sqlx::query_as("SELECT COALESCE(MIN(id), 0) FROM events").fetch_one(store.reads()).await?;
    let (newest,): (i64,) =
        sqlx::query_as("SELECT value FROM counters WHERE name = 'event'").fetch_one(store.reads()).await?;
    Ok((oldest, newest))
}

/// Hears of what other processes tell, as long as it runs. A file is one process's own, so there it hears nothing.
pub(crate) async fn hear_others(store: std::sync::Arc<Store>) {
    if store.kind() == store::Kind::Sqlite {
        return;
    }
    loop {
        if let Err(error) = listen(&store).await {
            tracing::warn!(%error, "other processes' events are not heard");
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}

async fn listen(store: &Store) -> Result<(), Error> {
    let mut listener = PgListener::connect(store.url()).await?;
    listener.listen(EVENTS).await?;
    // What was told before this connection was made is looked for now.
    store.ring();
    while listener.try_recv().await?.is_some() {
        store.ring();
    }
    Ok(())
}
