//! What the handlers of the live part share: the room in the path, and who does what when.

use proto::{RoomId, UserId, ban::Subject, rules::Scope};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::{ask::Here, now_ms};
use crate::{
    access::Act,
    history::History,
    holds, modes, places, recall,
    refusal::{Problem, Refusal},
    sanctions,
};

/// For a change that needs nothing but a reason.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Because {
    /// For the audit log, and for who is concerned.
    pub(super) reason: String,
}

/// Bytes of a reason.
const REASON_BYTES_MAX: usize = 500;

impl Here {
    /// The room in the path, if the caller may do this there.
    pub(super) fn room(&self, room: &str, act: Act) -> Result<RoomId, Refusal> {
        match self.scope(Some(room), act)? {
            Scope::Room(room) => Ok(room),
            Scope::Global => Err(Refusal::BadRoom("a room is needed".to_owned())),
        }
    }

    /// What was said in a room of late, for who acts now; and the place that it takes.
    pub(super) async fn said_of_late(
        &self,
        room: &str,
        back_ms: i64,
    ) -> Result<(History, OwnedSemaphorePermit), Refusal> {
        let place = places::wait(&self.house.urgent).await?;
        self.house.archive.read(room, back_ms, now_ms(), place).await
    }

    fn generation(&self) -> u32 {
        self.house.ground.generation
    }

    pub(super) fn decides<'a>(&'a self, reason: &'a str) -> holds::By<'a> {
        holds::By { actor: &self.caller.id, reason, now_ms: now_ms(), generation: self.generation() }
    }

    pub(super) fn sanctions<'a>(&'a self, reason: &'a str) -> sanctions::By<'a> {
        sanctions::By { actor: &self.caller.id, reason, now_ms: now_ms(), generation: self.generation() }
    }

    pub(super) fn recalls<'a>(&'a self, reason: &'a str) -> recall::By<'a> {
        recall::By { actor: &self.caller.id, reason, now_ms: now_ms(), generation: self.generation() }
    }

    pub(super) fn sets<'a>(&'a self, act: &'static str, reason: &'a str) -> modes::By<'a> {
        modes::By { actor: &self.caller.id, act, reason, now_ms: now_ms(), generation: self.generation() }
    }
}

/// A reason that can be kept.
pub(super) fn reason(reason: &str) -> Result<&str, Refusal> {
    if reason.len() > REASON_BYTES_MAX || reason.contains(char::is_control) {
        return Err(Refusal::Malformed(format!("a reason is at most {REASON_BYTES_MAX} bytes in one line")));
    }
    Ok(reason.trim())
}

/// A user's id as the API says it.
pub(super) fn user(text: &str) -> Result<UserId, Refusal> {
    UserId::new(text).map_err(|why| Refusal::from(Problem::whole(format!("no user: {why}"))))
}

/// A subject as the API says it.
pub(super) fn subject(text: &str) -> Result<Subject, Refusal> {
    text.parse().map_err(|_| {
        Refusal::Malformed(
            "a subject is user/NAME, device/NAME or address/ and 32 hexadecimal digits; a name is 1 to 128 bytes in one line"
                .to_owned(),
        )
    })
}
