//! How a room may be spoken in: reading, setting, and a shield that ends by itself. And whether its broadcast is on.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    answer::Fault,
    ask::{Here, Named, Said},
    live::reason,
    now_ms,
};
use crate::{
    access::Act,
    broadcasts::{self, State},
    lists::edit::Tally,
    modes::{self, Mode, SHIELD, Set},
    refusal::{Problem, Refusal},
    versions::{self, Wish},
};

/// A day: what lasts longer is no passing mode.
const LASTS_S_MAX: i64 = 24 * 3600;

/// As long as a raid lasts, and a little.
const SHIELD_MINUTES: i64 = 20;

/// A mode to be set.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PutMode {
    /// How the room may be spoken in from now on; what is left out is free.
    mode: Mode,
    /// For so many seconds, and then as before; at most a day. Absent is for good.
    lasts_s: Option<i64>,
    /// For the audit log.
    #[serde(default)]
    reason: String,
}

/// A shield to be raised.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Raise {
    /// How long, at most 1,440; 20 unless it is given.
    minutes: Option<i64>,
    /// For the audit log.
    #[serde(default)]
    reason: String,
}

/// A room's mode.
#[derive(Serialize, ToSchema)]
pub(super) struct InForce {
    /// How it may be spoken in.
    mode: Mode,
    /// When it ends by itself; absent is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_ms: Option<i64>,
    /// Who set it; empty if nobody did.
    by: String,
    /// When.
    at_ms: i64,
}

impl From<Set> for InForce {
    fn from(set: Set) -> Self {
        let ends_ms = Some(set.ends_ms).filter(|ends_ms| *ends_ms != 0);
        Self { mode: set.mode, ends_ms, by: set.author, at_ms: set.at_ms }
    }
}

/// How a room may be spoken in
#[utoipa::path(get, path = "/v1/moderation/rooms/{room}/mode", tag = "rooms", params(("room" = String, Path)),
    responses((status = 200, body = InForce)))]
pub(super) async fn get(here: Here, Named(room): Named) -> Result<Json<InForce>, Refusal> {
    let room = here.room(&room, Act::ReadBook)?;
    let mut connection = here.house.store.reads().acquire().await?;
    Ok(Json(modes::get(&mut connection, room.as_str()).await?.into()))
}

/// Set how a room may be spoken in
#[utoipa::path(put, path = "/v1/moderation/rooms/{room}/mode", tag = "rooms", params(("room" = String, Path)),
    request_body = PutMode, responses((status = 200, body = InForce), (status = 422, body = Fault)))]
pub(super) async fn put(here: Here, Named(room): Named, Said(said): Said<PutMode>) -> Result<Json<InForce>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    let by = here.sets("mode", reason(&said.reason)?);
    let ends_ms = match said.lasts_s {
        None => 0,
        Some(seconds) if (1..=LASTS_S_MAX).contains(&seconds) => by.now_ms + seconds * 1_000,
        Some(_) => return Err(Problem::whole("lasts_s is 1 to 86,400").into()),
    };
    Ok(Json(modes::set(&here.house.store, room.as_str(), said.mode, ends_ms, by).await?.into()))
}

/// Shield a room in a storm: slow, for who followed before, moderators first; it ends by itself
#[utoipa::path(post, path = "/v1/moderation/rooms/{room}/shield", tag = "rooms", params(("room" = String, Path)),
    request_body = Raise, responses((status = 200, body = InForce), (status = 422, body = Fault)))]
pub(super) async fn raise(here: Here, Named(room): Named, Said(said): Said<Raise>) -> Result<Json<InForce>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    let by = here.sets("shield", reason(&said.reason)?);
    let minutes = said.minutes.unwrap_or(SHIELD_MINUTES);
    if !(1..=LASTS_S_MAX / 60).contains(&minutes) {
        return Err(Problem::whole("minutes is 1 to 1,440").into());
    }
    let ends_ms = by.now_ms + minutes * 60_000;
    Ok(Json(modes::set(&here.house.store, room.as_str(), SHIELD, ends_ms, by).await?.into()))
}

/// End a mode that would end by itself; the room is again what it was before
#[utoipa::path(delete, path = "/v1/moderation/rooms/{room}/shield", tag = "rooms", params(("room" = String, Path)),
    responses((status = 200, body = InForce), (status = 404, body = Fault)))]
pub(super) async fn lower(here: Here, Named(room): Named) -> Result<Json<InForce>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    let ended = modes::end(&here.house.store, room.as_str(), true, here.sets("shield_ended", "")).await?;
    let ended = ended.ok_or_else(|| Refusal::NotFound("the room has no mode that would end by itself".to_owned()))?;
    Ok(Json(ended.into()))
}

/// Whether a broadcast is on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Broadcast {
    /// It began, or is over. Either ends what was for the one before.
    state: State,
    /// For the audit log.
    #[serde(default)]
    reason: String,
}

/// What ended with it.
#[derive(Serialize, ToSchema)]
pub(super) struct Ended {
    /// Mutes.
    mutes: usize,
    /// Entries of the room's book.
    entries: i64,
}

/// Say that a room's broadcast began or ended: what was for this broadcast only ends
#[utoipa::path(post, path = "/v1/moderation/rooms/{room}/broadcast", tag = "rooms", params(("room" = String, Path)),
    request_body = Broadcast, responses((status = 200, body = Ended)))]
pub(super) async fn broadcast(
    here: Here,
    Named(room): Named,
    Said(said): Said<Broadcast>,
) -> Result<Json<Ended>, Refusal> {
    let scope = here.scope(Some(&room), Act::Moderate)?;
    let room = here.room(&room, Act::Moderate)?;
    let reason = reason(&said.reason)?;
    let mutes = broadcasts::set(&here.house.store, room.as_str(), said.state, here.sanctions(reason)).await?;
    let now = now_ms();
    let wish = Wish {
        scope: &scope,
        author: &here.caller.id,
        act: "end_broadcast",
        subject: "",
        reason,
        base: None,
        back_to: None,
        now_ms: now,
    };
    let (_, before) = versions::current(&here.house.store, &here.house.cache, &scope).await?;
    let is_any =
        before.entries().any(|kept| kept.broadcast && (kept.entry.expires_ms == 0 || kept.entry.expires_ms > now));
    let entries = if is_any {
        let made = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
            Ok(Some(content.end_broadcast(now)).filter(|tally: &Tally| tally.changed > 0))
        });
        made.await?.changed
    } else {
        0
    };
    Ok(Json(Ended { mutes, entries }))
}
