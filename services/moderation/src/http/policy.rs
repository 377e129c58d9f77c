//! What a scope does about hits: reading and setting the table.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    answer::Fault,
    ask::{Here, Params, Said},
    lists::{InScope, Why},
};
use crate::{
    access::Act,
    lists::{edit::Tally, policy::Policy},
    refusal::Refusal,
    versions::{self, Stamp},
};

/// A scope's policy.
#[derive(Serialize, ToSchema)]
pub(super) struct OfScope {
    /// Absent: the one that holds everywhere, or the built-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<Policy>,
    /// The newest version; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Stamp>,
}

/// What a book does about hits
#[utoipa::path(get, path = "/v1/moderation/policy", tag = "policy", params(InScope),
    responses((status = 200, body = OfScope)))]
pub(super) async fn get(here: Here, Params(asked): Params<InScope>) -> Result<Json<OfScope>, Refusal> {
    let scope = here.scope(asked.room.as_deref(), Act::ReadBook)?;
    let (version, content) = versions::current(&here.house.store, &here.house.cache, &scope).await?;
    Ok(Json(OfScope { policy: content.policy.as_ref().map(Policy::from), version }))
}

/// Set what a book does about hits; `null` leaves it to the one that holds everywhere
#[utoipa::path(put, path = "/v1/moderation/policy", tag = "policy", params(Why), request_body = Option<Policy>,
    responses((status = 200, body = Stamp), (status = 409, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn put(
    here: Here,
    Params(why): Params<Why>,
    Said(said): Said<Option<Policy>>,
) -> Result<Json<Stamp>, Refusal> {
    let scope = here.scope(why.room.as_deref(), Act::EditBook)?;
    let policy = said.map(Policy::record).transpose().map_err(Refusal::Invalid)?;
    let wish = here.wish(&scope, "put_policy", "", &why)?;
    let stamp = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
        content.policy.clone_from(&policy);
        Ok(Some(Tally::default()))
    });
    Ok(Json(stamp.await?))
}
