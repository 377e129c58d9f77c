//! The held queue: what waits, letting it through or not, and how long a room waits.

use axum::Json;
use proto::MessageId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params, Said},
    live::{Because, reason},
};
use crate::{
    access::Act,
    audit::Note,
    holds::{self, Answer, Held, Rule},
    private::Hidden,
    refusal::{Problem, Refusal},
};

/// Messages told at a time.
const PAGE_MAX: i64 = 200;

/// Which messages.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// The room.
    room: String,
    /// What was decided, the newest first, instead of what waits, the oldest first.
    #[serde(default)]
    decided: bool,
    /// Behind the message with this id.
    after: Option<String>,
    /// At most so many, 200 at the most.
    limit: Option<i64>,
}

/// A message that waits, or waited.
#[derive(Serialize, ToSchema)]
pub(super) struct Hold {
    /// Under which it will be shown.
    id: String,
    /// Where.
    room: String,
    /// Whose.
    user: String,
    /// His name as everybody sees it.
    name: String,
    /// What it says.
    text: String,
    /// When it began to wait.
    held_ms: i64,
    /// When it is decided on by itself.
    deadline_ms: i64,
    /// The entry that held it.
    rule: String,
    /// What was found in it; without what others keep private.
    hits: Vec<Found>,
    /// The version of the rule book that judged it.
    rules_version: u64,
    /// What was decided; absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decided>,
}

/// Where an entry was found: from the character `start` up to `end`, as readers count them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Found {
    /// The entry.
    pub(super) entry: String,
    /// Its list.
    pub(super) list: String,
    /// Its category.
    pub(super) category: String,
    /// The first character.
    pub(super) start: u32,
    /// One behind the last.
    pub(super) end: u32,
    /// Its list only watches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) observe: bool,
}

/// A decision.
#[derive(Serialize, ToSchema)]
pub(super) struct Decided {
    /// `approved` or `rejected`.
    outcome: String,
    /// By whom; `danmaku` if nobody did in time.
    by: String,
    /// When.
    at_ms: i64,
    /// Why.
    reason: String,
    /// The text it was let through with, if another.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
    /// What the judge made of it, once he did: `approved`, `rejected`, or `muted` if its author was meanwhile.
    #[serde(skip_serializing_if = "String::is_empty")]
    verdict: String,
}

/// Messages.
#[derive(Serialize, ToSchema)]
pub(super) struct Holds {
    /// These.
    holds: Vec<Hold>,
}

/// What waits for a decision, or was decided on
#[utoipa::path(get, path = "/v1/moderation/holds", tag = "holds", params(Which), responses((status = 200, body = Holds)))]
pub(super) async fn all(here: Here, Params(which): Params<Which>) -> Result<Json<Holds>, Refusal> {
    let room = here.room(&which.room, Act::Moderate)?;
    let limit = which.limit.unwrap_or(50).clamp(1, PAGE_MAX);
    let after = match &which.after {
        None => None,
        Some(id) => Some(here.held(id).await?).filter(|held| held.room == room.as_str()),
    };
    let held = holds::list(&here.house.store, room.as_str(), !which.decided, after.as_ref(), limit).await?;
    let hidden = Hidden::from(&here.house, &here.caller, Some(&room)).await?;
    Ok(Json(Holds { holds: held.into_iter().map(|held| told(held, &hidden)).collect() }))
}

/// One of them
#[utoipa::path(get, path = "/v1/moderation/holds/{id}", tag = "holds", params(("id" = String, Path)),
    responses((status = 200, body = Hold), (status = 404, body = Fault)))]
pub(super) async fn one(here: Here, Named(id): Named) -> Result<Json<Hold>, Refusal> {
    let held = here.held(&id).await?;
    let room = here.room(&held.room, Act::Moderate)?;
    let hidden = Hidden::from(&here.house, &here.caller, Some(&room)).await?;
    Ok(Json(told(held, &hidden)))
}

/// Letting it through.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Approve {
    /// Shown instead of what was said, and as edited; at most 100 characters.
    text: Option<String>,
    /// For the audit log.
    #[serde(default)]
    reason: String,
}

/// Let a held message through, as it is or with another text. The first decision holds
#[utoipa::path(post, path = "/v1/moderation/holds/{id}/approve", tag = "holds", params(("id" = String, Path)),
    request_body = Approve,
    responses((status = 200, body = Hold), (status = 404, body = Fault), (status = 409, body = Fault),
        (status = 422, body = Fault)))]
pub(super) async fn approve(here: Here, Named(id): Named, Said(said): Said<Approve>) -> Result<Json<Hold>, Refusal> {
    here.decide(&id, Answer::Approve(said.text), &said.reason).await.map(Json)
}

/// Do not let a held message through. The first decision holds
#[utoipa::path(post, path = "/v1/moderation/holds/{id}/reject", tag = "holds", params(("id" = String, Path)),
    request_body = Because,
    responses((status = 200, body = Hold), (status = 404, body = Fault), (status = 409, body = Fault)))]
pub(super) async fn reject(here: Here, Named(id): Named, Said(said): Said<Because>) -> Result<Json<Hold>, Refusal> {
    here.decide(&id, Answer::Reject, &said.reason).await.map(Json)
}

impl Here {
    /// What is held under an id. Whether it is, is for moderators alone to know.
    async fn held(&self, id: &str) -> Result<Held, Refusal> {
        self.caller.moderates()?;
        let id = id.parse::<MessageId>().map_err(|_| Refusal::NotFound("no message has such an id".to_owned()))?;
        let id = &*id.to_string();
        let mut connection = self.house.store.reads().acquire().await?;
        let held = holds::find(&mut connection, id).await?;
        held.ok_or_else(|| Refusal::NotFound(format!("no message {id} is or was held")))
    }

    async fn decide(&self, id: &str, answer: Answer, why: &str) -> Result<Hold, Refusal> {
        let room = self.held(id).await?.room;
        let room = self.room(&room, Act::Moderate)?;
        let by = self.decides(reason(why)?);
        let held = holds::decide(&self.house.store, room.as_str(), id, answer, by).await?;
        let hidden = Hidden::from(&self.house, &self.caller, Some(&room)).await?;
        Ok(told(held, &hidden))
    }
}

fn told(held: Held, hidden: &Hidden) -> Hold {
    let verdict = held.verdict();
    let name = verdict.input.as_ref().and_then(|input| input.user.as_ref()).map_or("", |user| &user.name);
    let hits = verdict.hits.iter().filter(|hit| !hidden.hides(&hit.entry)).map(Found::from);
    Hold {
        name: name.to_owned(),
        text: held.text(),
        hits: hits.collect(),
        rules_version: verdict.rules_version,
        decision: (!held.outcome.is_empty()).then(|| Decided {
            outcome: held.outcome.clone(),
            by: held.decided_by.clone(),
            at_ms: held.decided_ms,
            reason: held.reason.clone(),
            text: held.said.clone(),
            verdict: held.came_to.clone(),
        }),
        id: held.id,
        room: held.room,
        user: held.user_id,
        held_ms: held.held_ms,
        deadline_ms: held.deadline_ms,
        rule: held.rule,
    }
}

impl From<&proto::v1::Hit> for Found {
    fn from(hit: &proto::v1::Hit) -> Self {
        Self {
            entry: hit.entry.clone(),
            list: hit.list.clone(),
            category: hit.category.clone(),
            start: hit.start,
            end: hit.end,
            observe: hit.observe,
        }
    }
}

/// How long held messages wait in a room, and what becomes of them then
#[utoipa::path(get, path = "/v1/moderation/rooms/{room}/holding", tag = "holds", params(("room" = String, Path)),
    responses((status = 200, body = Rule)))]
pub(super) async fn rule(here: Here, Named(room): Named) -> Result<Json<Rule>, Refusal> {
    let room = here.room(&room, Act::ReadBook)?;
    let mut connection = here.house.store.reads().acquire().await?;
    Ok(Json(holds::rule(&mut connection, room.as_str()).await?))
}

/// Set it; what waits already waits on as it did
#[utoipa::path(put, path = "/v1/moderation/rooms/{room}/holding", tag = "holds", params(("room" = String, Path)),
    request_body = Rule, responses((status = 200, body = Rule), (status = 422, body = Fault)))]
pub(super) async fn set_rule(here: Here, Named(room): Named, Said(rule): Said<Rule>) -> Result<Json<Rule>, Refusal> {
    let room = here.room(&room, Act::EditBook)?;
    rule.check().map_err(|why| Refusal::from(Problem::whole(why)))?;
    let mut change = here.house.store.change().await?;
    let before = holds::rule(change.connection(), room.as_str()).await?;
    holds::set_rule(&mut change, room.as_str(), rule).await?;
    let json = |rule: &Rule| serde_json::to_string(rule).unwrap_or_default();
    let note = Note {
        actor: &here.caller.id,
        act: "put_holding",
        scope: &format!("room/{}", room.as_str()),
        subject: "holding",
        reason: "",
        before: &json(&before),
        after: &json(&rule),
    };
    change.note(note, super::now_ms()).await?;
    change.commit().await?;
    Ok(Json(rule))
}
