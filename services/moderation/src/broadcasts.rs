//! A room's broadcast begins and ends, and with it what was for this broadcast only. What that is, is said where it is made.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    audit::Note,
    events::{About, Kind},
    refusal::Refusal,
    sanctions::{self, By},
    store::{Error, Store},
};

/// Whether a room is live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It began.
    Started,
    /// It is over.
    Ended,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Ended => "ended",
        }
    }
}

/// What moderators hear of it.
#[derive(Serialize)]
struct Told {
    state: State,
    mutes_ended: usize,
}

/// Takes down that a broadcast began or ended, and ends the mutes that were for the one before. How many those were.
///
/// # Errors
/// When the database does not answer; nothing was changed then.
pub(crate) async fn set(store: &Store, room: &str, state: State, by: By<'_>) -> Result<usize, Refusal> {
    // What a broadcast left behind that nobody said was over ends when the next one begins. It is a change of its own, as
    // each change has one row in the audit log.
    let mut change = store.change().await?;
    let mutes_ended = sanctions::end_broadcast(&mut change, room, by).await?;
    change.commit().await?;
    let mut change = store.change().await?;
    let sql = "INSERT INTO rooms (room, hold_ms, on_timeout, broadcast, broadcast_ms) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (room) DO UPDATE SET broadcast = excluded.broadcast, broadcast_ms = excluded.broadcast_ms";
    let rule = crate::holds::Rule::default();
    sqlx::query(sql)
        .bind(room.to_owned())
        .bind(rule.hold_ms)
        .bind("deny")
        .bind(state.name())
        .bind(by.now_ms)
        .execute(change.connection())
        .await?;
    let told = Told { state, mutes_ended };
    let note = Note {
        actor: by.actor,
        act: "broadcast",
        scope: &format!("room/{room}"),
        subject: state.name(),
        reason: by.reason,
        before: "",
        after: &serde_json::to_string(&told).map_err(|error| Error::Encode(error.into()))?,
    };
    change.note(note, by.now_ms).await?;
    change.tell(Kind::Broadcast, About { room, user: "", at_ms: by.now_ms }, &told).await?;
    change.commit().await?;
    Ok(mutes_ended)
}
