//! Trying texts on a version or on drafts. Nothing is written, and nobody hears of it.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequest, Request},
};
use bytes::Bytes;
use chassis::http::is_json;
use hyper::header::CONTENT_TYPE;
use judge::rules::{Action, Scratch};
use proto::rules::Scope;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    Home,
    answer::Fault,
    ask::{Here, Params},
    now_ms,
};
use crate::{
    access::Act,
    dryrun::{How, Part, Rules, Tried},
    files,
    lists::{Content, Mode, policy::Role},
    places,
    refusal::{Problem, Refusal},
    versions,
};

/// Texts at a time, and what is told of them: those that do not simply pass.
const TEXTS_MAX: usize = 100_000;
const TOLD_MAX: usize = 1_000;
/// Characters of a text; a danmaku has 100.
const TEXT_BYTES_MAX: usize = 4 * 1024;

/// On what texts are tried, with a file as the body. With JSON the body says it.
#[derive(Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct On {
    /// With the book of this room beside the one of all rooms.
    room: Option<String>,
    /// A version of the room's book, or of the one of all rooms if no room is named; without it, the newest.
    version: Option<i64>,
    /// Draft lists that are tried as if they acted, a comma list.
    #[serde(default)]
    drafts: String,
}

/// Texts to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TryTexts {
    /// One text, whose reading is told character by character.
    text: Option<String>,
    /// Texts, at most 100,000; those that do not simply pass are told.
    #[serde(default)]
    texts: Vec<String>,
    /// With the book of this room beside the one of all rooms.
    room: Option<String>,
    /// Who would say it; `sender` unless it is given.
    role: Option<Role>,
    /// Under which name.
    #[serde(default)]
    name: String,
    /// When, in Unix milliseconds; now unless it is given.
    at_ms: Option<i64>,
    /// A version of the room's book, or of the one of all rooms if no room is named; without it, the newest.
    version: Option<i64>,
    /// Draft lists that are tried as if they acted.
    #[serde(default)]
    drafts: Vec<String>,
}

/// What would become of the texts.
#[derive(Serialize, ToSchema)]
pub(super) struct Outcome {
    /// Texts tried.
    texts: usize,
    /// Texts that would not simply pass.
    found: usize,
    /// Those, at most 1,000; and a text that was tried alone, in any case.
    tried: Vec<Tried>,
}

/// Try texts on a version, or on drafts as if they acted
///
/// The body is JSON, or a file with a text a line.
#[utoipa::path(post, path = "/v1/moderation/dry-run", tag = "dry run", params(On),
    request_body(content((TryTexts = "application/json"), (String = "text/plain"))),
    responses((status = 200, body = Outcome), (status = 404, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn dry_run(here: Here, Params(on): Params<On>, said: Said) -> Result<Json<Outcome>, Refusal> {
    let said = said.with(on)?;
    let scope = here.scope(said.room.as_deref(), Act::ReadBook)?;
    let (store, cache) = (&here.house.store, &here.house.cache);
    let named = versions::content(store, cache, &scope, said.version).await?;
    let global = match &scope {
        Scope::Global => Arc::clone(&named),
        Scope::Room(_) => versions::content(store, cache, &Scope::Global, None).await?,
    };
    if let Some(absent) = said.drafts.iter().find(|draft| !is_draft(&named, draft) && !is_draft(&global, draft)) {
        return Err(Refusal::NotFound(format!("there is no draft list {absent}")));
    }
    let place = places::wait(&here.house.heavy).await?;
    let caller = here.caller.clone();
    let tried = places::work(place, "the dry run", move || {
        let part = |content| Part { content, drafts: &said.drafts };
        let room = match &scope {
            Scope::Room(room) => Some((room.clone(), part(&*named))),
            Scope::Global => None,
        };
        let rules = Rules::new(part(&*global), room, |author| caller.sees_private(author));
        rules.map(|rules| outcome(&rules, &said)).map_err(|bad| Refusal::from(Problem::whole(bad.to_string())))
    });
    tried.await?.0.map(Json)
}

fn is_draft(content: &Content, list: &str) -> bool {
    content.lists.get(list).is_some_and(|list| list.mode == Mode::Draft)
}

fn outcome(rules: &Rules, said: &TryTexts) -> Outcome {
    let mut scratch = Scratch::default();
    let at_ms = said.at_ms.unwrap_or_else(now_ms);
    let how = How { role: said.role.unwrap_or(Role::Sender), name: &said.name, at_ms, trace: said.text.is_some() };
    let mut outcome = Outcome { texts: 0, found: 0, tried: Vec::new() };
    for (line, text) in (1..).zip(said.text.iter().chain(&said.texts)) {
        let tried = rules.try_on(line, text, how, &mut scratch);
        let is_found = tried.action != Action::Pass || !tried.hits.is_empty();
        outcome.texts += 1;
        outcome.found += usize::from(is_found);
        if (is_found || said.text.is_some()) && outcome.tried.len() < TOLD_MAX {
            outcome.tried.push(tried);
        }
    }
    outcome
}

/// The body, as JSON or as a file.
pub(super) enum Said {
    Json(Box<TryTexts>),
    File(String),
}

impl FromRequest<Home> for Said {
    type Rejection = Refusal;

    async fn from_request(request: Request, home: &Home) -> Result<Self, Refusal> {
        let (is_json, kind) = (is_json(request.headers()), request.headers().get(CONTENT_TYPE).cloned());
        let bytes = Bytes::from_request(request, home).await;
        let bytes = bytes.map_err(|error| Refusal::Malformed(error.body_text()))?;
        if is_json {
            let said = serde_json::from_slice(&bytes);
            return said.map(Self::Json).map_err(|error| Refusal::Malformed(format!("not as described: {error}")));
        }
        match kind.as_ref().and_then(|kind| kind.to_str().ok()).and_then(|kind| kind.split(';').next()) {
            Some("text/plain" | "application/gzip") => files::text(&bytes).map(Self::File),
            _ => Err(Refusal::UnsupportedType("texts are application/json, or text/plain with one a line".to_owned())),
        }
    }
}

impl Said {
    /// Everything that is asked, once it is known to be right.
    fn with(self, on: On) -> Result<TryTexts, Refusal> {
        let said = match self {
            Self::Json(said) if on.room.is_some() || on.version.is_some() || !on.drafts.is_empty() => {
                drop(said);
                return Err(Refusal::Malformed("with JSON the body says room, version and drafts".to_owned()));
            }
            Self::Json(said) => *said,
            Self::File(text) => TryTexts {
                text: None,
                texts: text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect(),
                room: on.room,
                role: None,
                name: String::new(),
                at_ms: None,
                version: on.version,
                drafts: on.drafts.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            },
        };
        let problem = match (said.text.is_some(), said.texts.len()) {
            (false, 0) => Problem::whole("there is no text to try; send text or texts"),
            (true, 1..) => Problem::whole("send text or texts, not both"),
            (_, count) if count > TEXTS_MAX => Problem::whole("at most 100,000 texts are tried at a time"),
            _ => match said.text.iter().chain(&said.texts).position(|text| text.len() > TEXT_BYTES_MAX) {
                Some(place) => Problem::at(place + 1, "a text is at most 4 KiB"),
                None => return Ok(said),
            },
        };
        Err(problem.into())
    }
}
