//! What entries found and moderators thought of it, and what was refused of late.

use axum::Json;
use proto::UserId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    ask::{Here, Params},
    live,
};
use crate::{
    access::Act,
    refusal::Refusal,
    statistics::{self, Numbers, Refused},
};

/// Rows told at a time.
const PAGE_MAX: i64 = 1_000;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct WhichEntries {
    /// Only those of this list.
    list: Option<String>,
    /// At most so many, 1,000 at the most.
    limit: Option<i64>,
}

/// An entry's numbers.
#[derive(Serialize, ToSchema)]
pub(super) struct OfEntry {
    /// The entry.
    entry: String,
    /// Its list, when it was found last.
    list: String,
    /// Its category, then.
    category: String,
    /// Messages it was found in.
    hits: i64,
    /// Of those, the ones in which it only watched.
    observed: i64,
    /// When it was found first.
    first_ms: i64,
    /// When it was found last.
    last_ms: i64,
    /// Messages it held.
    held: i64,
    /// Of those, the ones that moderators let through.
    approved: i64,
    /// The ones that they did not.
    rejected: i64,
    /// The share they let through of those they decided on: near 1 is a bad entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    approve_rate: Option<f64>,
}

/// Entries, those with the most hits first.
#[derive(Serialize, ToSchema)]
pub(super) struct Entries {
    /// These.
    entries: Vec<OfEntry>,
}

/// What entries found
#[utoipa::path(get, path = "/v1/moderation/statistics", tag = "statistics", params(WhichEntries),
    responses((status = 200, body = Entries)))]
pub(super) async fn entries(here: Here, Params(which): Params<WhichEntries>) -> Result<Json<Entries>, Refusal> {
    here.scope(None, Act::ReadBook)?;
    let limit = which.limit.unwrap_or(100).clamp(1, PAGE_MAX);
    let numbers = statistics::entries(&here.house.store, which.list.as_deref(), limit).await?;
    Ok(Json(Entries { entries: numbers.into_iter().map(OfEntry::from).collect() }))
}

impl From<Numbers> for OfEntry {
    fn from(numbers: Numbers) -> Self {
        let approve_rate = numbers.approve_rate();
        let Numbers { entry, list, category, hits, observed, first_ms, last_ms, held, approved, rejected } = numbers;
        Self { entry, list, category, hits, observed, first_ms, last_ms, held, approved, rejected, approve_rate }
    }
}

/// Whose refusals.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct WhichRefusals {
    /// In this room.
    room: String,
    /// Only this user's.
    user: Option<String>,
    /// At most so many, 1,000 at the most.
    limit: Option<i64>,
}

/// A message that was not shown as it was said.
#[derive(Serialize, ToSchema)]
pub(super) struct OfMessage {
    /// Its id.
    id: String,
    /// Whose.
    user: String,
    /// When.
    at_ms: i64,
    /// What the judge said: `flagged`, `masked`, `blocked`, `shadowed` or `muted`.
    verdict: String,
    /// Why, as its sender was told.
    code: String,
    /// The deciding entry.
    rule: String,
    /// What it says.
    text: String,
}

/// Refusals, the newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct Refusals {
    /// These.
    refusals: Vec<OfMessage>,
}

/// What was not shown as it was said, of late
#[utoipa::path(get, path = "/v1/moderation/refusals", tag = "statistics", params(WhichRefusals),
    responses((status = 200, body = Refusals)))]
pub(super) async fn refusals(here: Here, Params(which): Params<WhichRefusals>) -> Result<Json<Refusals>, Refusal> {
    let room = here.room(&which.room, Act::Moderate)?;
    let limit = which.limit.unwrap_or(100).clamp(1, PAGE_MAX);
    let user = which.user.as_deref().map(live::user).transpose()?;
    let user = user.as_ref().map(UserId::as_str);
    let refused = statistics::refused(&here.house.store, room.as_str(), user, limit).await?;
    Ok(Json(Refusals { refusals: refused.into_iter().map(OfMessage::from).collect() }))
}

impl From<Refused> for OfMessage {
    fn from(refused: Refused) -> Self {
        let Refused { id, user_id, at_ms, word, code, rule, said, .. } = refused;
        Self { id, user: user_id, at_ms, verdict: word, code, rule, text: said }
    }
}
