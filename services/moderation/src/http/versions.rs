//! Versions: which there were, what differs between two, and going back to one.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Params, Said},
    lists::{InScope, Why},
    now_ms,
};
use crate::{
    access::Act,
    refusal::Refusal,
    versions::{
        self, Stamp, Wish,
        diff::{self, Diff},
    },
};

/// Versions told at a time.
const PAGE_MAX: i64 = 200;

/// Which versions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// A room's own book; without it, the one that holds everywhere.
    room: Option<String>,
    /// Only those before this one.
    before: Option<i64>,
    /// At most so many, 200 at the most.
    limit: Option<i64>,
}

/// Versions, newest first.
#[derive(Serialize, ToSchema)]
pub(super) struct Versions {
    /// These.
    versions: Vec<Stamp>,
    /// The number up to which everything is on Kafka; what filters judge by `filters` says.
    published: i64,
}

/// Which versions there were
#[utoipa::path(get, path = "/v1/moderation/versions", tag = "versions", params(Which),
    responses((status = 200, body = Versions)))]
pub(super) async fn all(here: Here, Params(which): Params<Which>) -> Result<Json<Versions>, Refusal> {
    let scope = here.scope(which.room.as_deref(), Act::ReadBook)?;
    let limit = which.limit.unwrap_or(50).clamp(1, PAGE_MAX);
    let versions = versions::list(&here.house.store, &scope, which.before.unwrap_or(i64::MAX), limit).await?;
    let published = versions::published(&here.house.store).await?;
    Ok(Json(Versions { versions, published }))
}

/// Which two versions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Between {
    /// A room's own book; without it, the one that holds everywhere.
    room: Option<String>,
    /// The earlier; 0 is before the first.
    from: i64,
    /// The later; without it, the newest.
    to: Option<i64>,
}

/// What differs between two versions
#[utoipa::path(get, path = "/v1/moderation/diff", tag = "versions", params(Between),
    responses((status = 200, body = Diff), (status = 404, body = Fault)))]
pub(super) async fn diff(here: Here, Params(between): Params<Between>) -> Result<Json<Diff>, Refusal> {
    let scope = here.scope(between.room.as_deref(), Act::ReadBook)?;
    let (store, cache) = (&here.house.store, &here.house.cache);
    let from = versions::content(store, cache, &scope, Some(between.from)).await?;
    let to = versions::content(store, cache, &scope, between.to).await?;
    let caller = here.caller.clone();
    let found = tokio::task::spawn_blocking(move || diff::diff(&from, &to, |author| caller.sees_private(author))).await;
    found.map(Json).map_err(|_| Refusal::Unavailable("the comparison was given up".to_owned()))
}

/// Where to go back to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rollback {
    /// The version whose content is wanted again.
    to: i64,
    /// For the audit log.
    #[serde(default)]
    reason: String,
    /// The version that was looked at; if there is a newer one, nothing is done (409). `If-Match` says the same.
    base_version: Option<i64>,
}

/// Go back to an earlier version, by a new one with its content
#[utoipa::path(post, path = "/v1/moderation/rollback", tag = "versions", params(InScope), request_body = Rollback,
    responses((status = 200, body = Stamp), (status = 404, body = Fault), (status = 409, body = Fault),
        (status = 422, body = Fault)))]
pub(super) async fn rollback(
    here: Here,
    Params(scope): Params<InScope>,
    Said(said): Said<Rollback>,
) -> Result<Json<Stamp>, Refusal> {
    let scope = here.scope(scope.room.as_deref(), Act::EditBook)?;
    let old = versions::content(&here.house.store, &here.house.cache, &scope, Some(said.to)).await?;
    let why = Why { room: None, reason: said.reason, base_version: said.base_version };
    let subject = format!("version {}", said.to);
    let back_to = Some(said.to).filter(|number| *number > 0);
    let wish = Wish { back_to, ..here.wish(&scope, "rollback", &subject, &why)? };
    let stamp = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
        let mut next = (*old).clone();
        next.end_as_in(content);
        let tally = diff::tally(content, &next);
        *content = next;
        Ok(Some(tally))
    });
    Ok(Json(stamp.await?))
}

/// End what is for this broadcast only
#[utoipa::path(post, path = "/v1/moderation/end-broadcast", tag = "versions", params(Why),
    responses((status = 200, body = Stamp), (status = 404, body = Fault), (status = 409, body = Fault)))]
pub(super) async fn end_broadcast(here: Here, Params(why): Params<Why>) -> Result<Json<Stamp>, Refusal> {
    let scope = here.scope(why.room.as_deref(), Act::EditBook)?;
    let now = now_ms();
    let wish = here.wish(&scope, "end_broadcast", "", &why)?;
    let stamp = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
        Ok(Some(content.end_broadcast(now)).filter(|tally| tally.changed > 0))
    });
    Ok(Json(stamp.await?))
}
