//! Lists: which there are, making, changing and dropping one. Entries are `entries`'.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params, Said},
    live::reason,
    now_ms,
};
use crate::{
    access::Act,
    lists::{List, Mode, edit::Tally},
    refusal::Refusal,
    versions::{self, Stamp, Wish},
};

/// Which book.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct InScope {
    /// A room's own book; without it, the one that holds everywhere.
    pub(super) room: Option<String>,
}

/// Which book, and on what ground it is changed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Why {
    /// A room's own book; without it, the one that holds everywhere.
    pub(super) room: Option<String>,
    /// For the audit log.
    #[serde(default)]
    pub(super) reason: String,
    /// The version that was looked at; if there is a newer one, nothing is done (409). `If-Match` says the same.
    pub(super) base_version: Option<i64>,
}

/// A list.
#[derive(Serialize, ToSchema)]
pub(super) struct Listed {
    /// Its name.
    name: String,
    /// Whether its entries act.
    mode: Mode,
    /// What it is for.
    comment: String,
    /// How many entries it has.
    entries: usize,
}

/// The lists of a scope.
#[derive(Serialize, ToSchema)]
pub(super) struct Lists {
    /// The newest version; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Stamp>,
    /// Its lists.
    lists: Vec<Listed>,
}

/// Which lists a book has
#[utoipa::path(get, path = "/v1/moderation/lists", tag = "lists", params(InScope),
    responses((status = 200, body = Lists)))]
pub(super) async fn all(here: Here, Params(asked): Params<InScope>) -> Result<Json<Lists>, Refusal> {
    let scope = here.scope(asked.room.as_deref(), Act::ReadBook)?;
    let (version, content) = versions::current(&here.house.store, &here.house.cache, &scope).await?;
    let listed = content.lists.iter().map(|(name, list)| Listed {
        name: name.clone(),
        mode: list.mode,
        comment: list.comment.clone(),
        entries: content.of(name).count(),
    });
    Ok(Json(Lists { version, lists: listed.collect() }))
}

/// A list to be made or changed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PutList {
    /// Whether its entries act.
    #[serde(default)]
    mode: Mode,
    /// What it is for.
    #[serde(default)]
    comment: String,
}

/// Make a list, or change its mode
#[utoipa::path(put, path = "/v1/moderation/lists/{list}", tag = "lists", params(("list" = String, Path), Why),
    request_body = PutList,
    responses((status = 200, body = Stamp), (status = 409, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn put(
    here: Here,
    Named(list): Named,
    Params(why): Params<Why>,
    Said(said): Said<PutList>,
) -> Result<Json<Stamp>, Refusal> {
    let scope = here.scope(why.room.as_deref(), Act::EditBook)?;
    let name = list.clone();
    let made = List { mode: said.mode, comment: said.comment };
    let wish = here.wish(&scope, "put_list", &list, &why)?;
    let stamp = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
        Ok(content.set_list(&name, made.clone())?.then(Tally::default))
    });
    Ok(Json(stamp.await?))
}

/// Drop a list with all its entries
#[utoipa::path(delete, path = "/v1/moderation/lists/{list}", tag = "lists", params(("list" = String, Path), Why),
    responses((status = 200, body = Stamp), (status = 404, body = Fault), (status = 409, body = Fault),
        (status = 422, body = Fault)))]
pub(super) async fn delete(here: Here, Named(list): Named, Params(why): Params<Why>) -> Result<Json<Stamp>, Refusal> {
    let scope = here.scope(why.room.as_deref(), Act::EditBook)?;
    let name = list.clone();
    let wish = here.wish(&scope, "drop_list", &list, &why)?;
    let stamp = versions::publish(&here.house.store, &here.house.cache, wish, move |content| {
        content.drop_list(&name).map(Some).ok_or_else(|| Refusal::NotFound(format!("there is no list {name}")))
    });
    Ok(Json(stamp.await?))
}

impl Here {
    /// What is asked of a scope, by this caller now.
    pub(super) fn wish<'a>(
        &'a self,
        scope: &'a proto::rules::Scope,
        act: &'static str,
        subject: &'a str,
        why: &'a Why,
    ) -> Result<Wish<'a>, Refusal> {
        let (base, reason) = (self.base(why.base_version), reason(&why.reason)?);
        Ok(Wish { scope, author: &self.caller.id, act, subject, reason, base, back_to: None, now_ms: now_ms() })
    }
}
