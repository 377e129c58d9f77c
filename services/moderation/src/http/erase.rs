//! Forgetting a person: for owners alone, as it cannot be undone.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    answer::Fault,
    ask::{Here, Named, Said},
    live::{self, reason},
};
use crate::{
    access::Act,
    erase::{self, Erased, Sanctions, StillKept},
    refusal::Refusal,
};

/// How somebody is erased.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Erase {
    /// His mutes and bans stay under his name; otherwise they are lifted and go.
    keep_sanctions: bool,
    /// For the audit log, which does not name him.
    #[serde(default)]
    reason: String,
}

/// What was erased, and what stays for a while.
#[derive(Serialize, ToSchema)]
pub(super) struct Forgotten {
    /// In the database.
    erased: Erased,
    /// On Kafka, which deletes by age alone.
    still_kept: Vec<StillKept>,
    /// What is not touched.
    not_erased: Vec<&'static str>,
}

const NOT_ERASED: [&str; 3] = [
    "what he did himself as a moderator, in the audit log and as the author of entries",
    "entries of lists that hold his name as a text",
    "copies of exports and streams that were taken before",
];

/// Erase a user
#[utoipa::path(post, path = "/v1/moderation/users/{user}/erase", tag = "users", params(("user" = String, Path)),
    request_body = Erase, responses((status = 200, body = Forgotten), (status = 422, body = Fault)))]
pub(super) async fn erase(here: Here, Named(user): Named, Said(said): Said<Erase>) -> Result<Json<Forgotten>, Refusal> {
    here.scope(None, Act::Erase)?;
    let user = live::user(&user)?;
    let with = if said.keep_sanctions { Sanctions::Keep } else { Sanctions::Lift };
    let by = here.sanctions(reason(&said.reason)?);
    let erased = erase::erase(&here.house.store, user.as_str(), with, by).await?;
    let ground = &here.house.ground;
    let still_kept = erase::still_kept(&ground.topic_prefix, &erase::retention(ground).await, with, by.now_ms);
    Ok(Json(Forgotten { erased, still_kept, not_erased: NOT_ERASED.to_vec() }))
}
