//! Mutes of a room and bans: imposing, lifting, listing.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    ask::{Here, Named, Params, Said},
    impose::{Impose, Imposed},
    live::{reason, subject},
    now_ms,
};
use crate::{
    access::Act,
    refusal::Refusal,
    sanctions::{self, Kind, Row},
};

/// Sanctions told at a time.
const PAGE_MAX: i64 = 1_000;

/// A mute or ban.
#[derive(Serialize, ToSchema)]
pub(super) struct Sanction {
    /// On whom.
    subject: String,
    /// With whom it was imposed, and is lifted.
    of: String,
    /// Up to when, in Unix milliseconds; absent is for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    until_ms: Option<i64>,
    /// It ends with the broadcast.
    broadcast: bool,
    /// Who imposed it, or lifted it.
    by: String,
    /// When.
    at_ms: i64,
    /// Why.
    reason: String,
}

/// Sanctions.
#[derive(Serialize, ToSchema)]
pub(super) struct Sanctions {
    /// These.
    sanctions: Vec<Sanction>,
    /// Give it as `after` to go on; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// On whom a sanction is lifted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Whose {
    /// `user/NAME`, `device/NAME` or `address/` and its hash.
    subject: String,
    /// For the audit log.
    #[serde(default)]
    reason: String,
}

/// Which of them.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Behind this one.
    #[serde(default)]
    after: String,
    /// At most so many, 1,000 at the most.
    limit: Option<i64>,
}

/// Mute somebody in a room; it acts at once, and after a restart
#[utoipa::path(post, path = "/v1/moderation/rooms/{room}/mutes", tag = "sanctions", params(("room" = String, Path)),
    request_body = Impose, responses((status = 200, body = Imposed)))]
pub(super) async fn mute(here: Here, Named(room): Named, Said(said): Said<Impose>) -> Result<Json<Imposed>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    here.impose(Kind::Mute, room.as_str().to_owned(), said).await.map(Json)
}

/// Ban somebody from every room
#[utoipa::path(post, path = "/v1/moderation/bans", tag = "sanctions", request_body = Impose,
    responses((status = 200, body = Imposed)))]
pub(super) async fn ban(here: Here, Said(said): Said<Impose>) -> Result<Json<Imposed>, Refusal> {
    here.scope(None, Act::Moderate)?;
    let room = said.room.as_deref().map(|room| here.room(room, Act::Moderate)).transpose()?;
    here.impose(Kind::Ban, room.map(|room| room.as_str().to_owned()).unwrap_or_default(), said).await.map(Json)
}

/// Let somebody speak in a room again
#[utoipa::path(delete, path = "/v1/moderation/rooms/{room}/mutes", tag = "sanctions", params(("room" = String, Path), Whose),
    responses((status = 200, body = Imposed)))]
pub(super) async fn unmute(
    here: Here,
    Named(room): Named,
    Params(whose): Params<Whose>,
) -> Result<Json<Imposed>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    here.lift(Kind::Mute, room.as_str(), &whose).await.map(Json)
}

/// End a ban
#[utoipa::path(delete, path = "/v1/moderation/bans", tag = "sanctions", params(Whose),
    responses((status = 200, body = Imposed)))]
pub(super) async fn unban(here: Here, Params(whose): Params<Whose>) -> Result<Json<Imposed>, Refusal> {
    here.scope(None, Act::Moderate)?;
    here.lift(Kind::Ban, "", &whose).await.map(Json)
}

/// Who may not speak in a room
#[utoipa::path(get, path = "/v1/moderation/rooms/{room}/mutes", tag = "sanctions", params(("room" = String, Path), Which),
    responses((status = 200, body = Sanctions)))]
pub(super) async fn mutes(
    here: Here,
    Named(room): Named,
    Params(which): Params<Which>,
) -> Result<Json<Sanctions>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    here.sanctioned(Kind::Mute, room.as_str(), &which).await.map(Json)
}

/// Who is banned
#[utoipa::path(get, path = "/v1/moderation/bans", tag = "sanctions", params(Which),
    responses((status = 200, body = Sanctions)))]
pub(super) async fn bans(here: Here, Params(which): Params<Which>) -> Result<Json<Sanctions>, Refusal> {
    here.scope(None, Act::ReadLog)?;
    here.sanctioned(Kind::Ban, "", &which).await.map(Json)
}

impl Here {
    async fn lift(&self, kind: Kind, room: &str, whose: &Whose) -> Result<Imposed, Refusal> {
        let by = self.sanctions(reason(&whose.reason)?);
        let rows = sanctions::lift(&self.house.store, kind, room, &subject(&whose.subject)?, by).await?;
        Ok(Imposed { sanctions: rows.into_iter().map(Sanction::from).collect(), unknown: Vec::new() })
    }

    async fn sanctioned(&self, kind: Kind, room: &str, which: &Which) -> Result<Sanctions, Refusal> {
        let limit = which.limit.unwrap_or(100).clamp(1, PAGE_MAX);
        let rows = sanctions::list(&self.house.store, kind, room, now_ms(), &which.after, limit).await?;
        let is_full = rows.len() as i64 >= limit;
        let next = rows.last().filter(|_| is_full).map(|row| row.record_key.clone());
        Ok(Sanctions { sanctions: rows.into_iter().map(Sanction::from).collect(), next })
    }
}

impl From<Row> for Sanction {
    fn from(row: Row) -> Self {
        Self {
            subject: row.subject,
            of: row.of_subject,
            until_ms: Some(row.until_ms).filter(|until_ms| *until_ms != 0),
            broadcast: row.broadcast != 0,
            by: row.author,
            at_ms: row.at_ms,
            reason: row.reason,
        }
    }
}
