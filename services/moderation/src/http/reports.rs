//! Reports: viewers bring them, moderators read them.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params, Said},
    now_ms,
};
use crate::{
    access::Act,
    places,
    refusal::{Problem, Refusal},
    reports::{self, Report, Reported, Taken},
};

/// Messages told at a time.
const PAGE_MAX: i64 = 200;

/// A message that should not be there.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bring {
    /// Its id.
    id: String,
    /// Why; at most 200 bytes.
    #[serde(default)]
    reason: String,
}

/// A report was taken.
#[derive(Serialize, ToSchema)]
pub(super) struct Brought {
    /// He reported it before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
}

/// Report a message; a token of any role will do
#[utoipa::path(post, path = "/v1/rooms/{room}/reports", tag = "reports", params(("room" = String, Path)),
    request_body = Bring,
    responses((status = 202, body = Brought), (status = 422, body = Fault), (status = 429, body = Fault)))]
pub(super) async fn bring(
    here: Here,
    Named(room): Named,
    Said(said): Said<Bring>,
) -> Result<(hyper::StatusCode, Json<Brought>), Refusal> {
    let room = here.room(&room, Act::Report)?;
    let house = &here.house;
    let named = house.archive.river().message(room.as_str(), &said.id);
    let id = named.map_err(|why| Refusal::from(Problem::whole(format!("id: {why}"))))?;
    let report = Report { room: room.as_str(), id, user: &here.caller.id, reason: &said.reason, now_ms: now_ms() };
    let enough = i64::from(house.config.reports_to_flag);
    let mut taken = reports::take(&house.store, report, enough, None).await?;
    if taken == Taken::Last {
        let place = places::wait(&house.reported).await?;
        // Whether the message can still be read or not, it was reported.
        let said = house.archive.message(room.as_str(), id, place).await.unwrap_or_default();
        taken = reports::take(&house.store, report, enough, Some(said.as_ref())).await?;
    }
    Ok((hyper::StatusCode::ACCEPTED, Json(Brought { again: taken == Taken::Again })))
}

/// Which messages.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Reported by so many users at least; 1 unless it is given.
    least: Option<i64>,
    /// At most so many, 200 at the most.
    limit: Option<i64>,
}

/// A message and how many users reported it.
#[derive(Serialize, ToSchema)]
pub(super) struct Message {
    /// Its id.
    id: String,
    /// How many users.
    reports: i64,
    /// When the last one did.
    last_ms: i64,
}

/// Messages.
#[derive(Serialize, ToSchema)]
pub(super) struct Messages {
    /// These.
    messages: Vec<Message>,
}

/// What viewers reported in a room, the last one first
#[utoipa::path(get, path = "/v1/moderation/rooms/{room}/reports", tag = "reports", params(("room" = String, Path), Which),
    responses((status = 200, body = Messages)))]
pub(super) async fn all(
    here: Here,
    Named(room): Named,
    Params(which): Params<Which>,
) -> Result<Json<Messages>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    let limit = which.limit.unwrap_or(50).clamp(1, PAGE_MAX);
    let reported = reports::list(&here.house.store, room.as_str(), which.least.unwrap_or(1), limit).await?;
    let messages = reported.into_iter().map(|Reported { id, reports, last_ms }| Message { id, reports, last_ms });
    Ok(Json(Messages { messages: messages.collect() }))
}
