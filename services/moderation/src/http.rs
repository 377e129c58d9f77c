//! The service's paths, and what happens to a request before its handler: who asks, and is the body whole?
//! Which status an outcome has is `answer`'s; what is done is in the modules below the handlers.

mod answer;
mod ask;
mod audit;
mod backtest;
mod cors;
mod dry_run;
mod entries;
mod erase;
mod export;
mod files;
mod filters;
mod holds;
mod impose;
mod lists;
mod live;
mod modes;
mod policy;
mod recall;
mod reports;
mod sanctions;
mod statistics;
mod stream;
mod versions;

use std::{
    net::SocketAddr,
    sync::Weak,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use axum::{Router, extract::DefaultBodyLimit};
use chassis::{
    http::{Collected, Response, collect},
    origin,
};
use hyper::{
    HeaderMap, Method, Request,
    body::{Body as _, Incoming},
    header::{AUTHORIZATION, ORIGIN},
    http::request::Parts,
};
use proto::UserId;
use rand::RngExt as _;
use tower::ServiceExt as _;
use utoipa::OpenApi as _;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    access::Caller,
    files::Format,
    house::House,
    lists::entry::{Action, Kind},
    refusal::Refusal,
};

/// What handlers are given: the house, while it stands.
pub(crate) type Home = Weak<House>;

/// A list of 200,000 entries of 160 bytes, as a file or packed.
const FILE_BYTES_MAX: usize = 32 << 20;
/// Some thousands of entries in JSON, or a few hundred texts to try.
const BODY_BYTES_MAX: usize = 4 << 20;
/// An id, and a reason of 200 bytes.
const REPORT_BYTES_MAX: usize = 4 << 10;

const PREFIX: &str = "/v1/moderation/";
const OPENAPI: &str = "/openapi.json";
/// Where web players ask. The path is built into them.
const PLAYERS: &str = "/v3/";

/// Whether a path is this service's to answer, for a program that serves others on the same port.
#[must_use]
pub fn serves(path: &str) -> bool {
    path.starts_with(PREFIX) || path == OPENAPI || is_report(path) || is_export(path)
}

/// Viewers bring reports where they speak.
fn is_report(path: &str) -> bool {
    is_of_room(path, "/reports")
}

/// What was shown is found where it is shown, or where a web player looks for it. Players of other pages may read it.
fn is_export(path: &str) -> bool {
    path == PLAYERS || is_of_room(path, "/export.xml") || is_of_room(path, "/export.ndjson")
}

fn is_of_room(path: &str, end: &str) -> bool {
    let room = path.strip_prefix("/v1/rooms/").and_then(|rest| rest.strip_suffix(end));
    room.is_some_and(|room| !room.contains('/'))
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Danmaku moderation",
        description = "The rule book, its versions, and who did what. Every path needs a bearer token; `room` names a room's own \
                   book, and without it the one that holds everywhere is meant. Times are Unix milliseconds."
    ),
    components(schemas(answer::Fault, Format, Kind, Action))
)]
struct Api;

fn api() -> OpenApiRouter<Home> {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(lists::all))
        .routes(routes!(lists::put, lists::delete))
        .routes(routes!(entries::read, entries::edit))
        .routes(routes!(files::import))
        .routes(routes!(files::export))
        .routes(routes!(versions::all))
        .routes(routes!(versions::diff))
        .routes(routes!(filters::all))
        .routes(routes!(versions::rollback))
        .routes(routes!(versions::end_broadcast))
        .routes(routes!(policy::get, policy::put))
        .routes(routes!(dry_run::dry_run))
        .routes(routes!(audit::read))
        .routes(routes!(audit::export))
        .routes(routes!(audit::verify))
        .routes(routes!(holds::all))
        .routes(routes!(holds::one))
        .routes(routes!(holds::approve))
        .routes(routes!(holds::reject))
        .routes(routes!(holds::rule, holds::set_rule))
        .routes(routes!(sanctions::mutes, sanctions::mute, sanctions::unmute))
        .routes(routes!(sanctions::bans, sanctions::ban, sanctions::unban))
        .routes(routes!(modes::get, modes::put))
        .routes(routes!(modes::raise, modes::lower))
        .routes(routes!(modes::broadcast))
        .routes(routes!(recall::recall))
        .routes(routes!(backtest::test))
        .routes(routes!(statistics::entries))
        .routes(routes!(statistics::refusals))
        .routes(routes!(stream::of_room))
        .routes(routes!(stream::of_all))
        .routes(routes!(reports::all))
        .routes(routes!(reports::bring))
        .routes(routes!(erase::erase))
        .routes(routes!(export::xml))
        .routes(routes!(export::ndjson))
        .routes(routes!(export::newest, export::say))
}

/// The description of all of it, as `/openapi.json` serves it.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    answer::with_common(api().into_openapi())
}

pub(crate) fn router(home: Home) -> Router {
    let (router, _) = api().split_for_parts();
    let document = serde_json::to_vec(&document()).unwrap_or_default();
    let serve = move || async move { chassis::http::answer(hyper::StatusCode::OK, "application/json", document) };
    router
        .route(OPENAPI, axum::routing::get(serve))
        .fallback(|| async { Refusal::NotFound("there is no such path; see /openapi.json".to_owned()) })
        .method_not_allowed_fallback(|| async { Refusal::MethodNotAllowed })
        // `collect` has counted the bytes; axum's own limit is lower, and answers in its own words.
        .layer(DefaultBodyLimit::disable())
        .with_state(home)
}

impl House {
    /// Answers one request.
    pub async fn handle(&self, request: Request<Incoming>, peer: SocketAddr) -> Response {
        let began = Instant::now();
        let may_speak = origin::may_speak(request.headers(), &self.origins);
        let page = request.headers().get(ORIGIN).cloned().filter(|_| may_speak && is_export(request.uri().path()));
        let outcome = match may_speak {
            true => self.respond(request).await,
            false => Err(Refusal::Forbidden("pages of this origin may not speak here".to_owned())),
        };
        let mut response = outcome.unwrap_or_else(axum::response::IntoResponse::into_response);
        if let Some(page) = page {
            cors::allow(response.headers_mut(), page);
        }
        let status = response.status().as_u16();
        self.metrics.answered(status >= 400, began.elapsed());
        tracing::debug!(%peer, status, "answered");
        answer::body(response)
    }

    async fn respond(&self, request: Request<Incoming>) -> Result<axum::response::Response, Refusal> {
        let (mut head, body) = request.into_parts();
        match head.uri.path() {
            path if is_export(path) && head.method == Method::OPTIONS => return Ok(cors::preflight()),
            // Some of them cannot send a token.
            PLAYERS if !head.headers.contains_key(AUTHORIZATION) => _ = head.extensions.insert(Caller::nobody()),
            OPENAPI => {}
            _ => _ = head.extensions.insert(self.caller(&head.headers)?),
        }
        let bytes = self.body(&head, body).await?;
        let request = Request::from_parts(head, axum::body::Body::from(bytes));
        let answered = self.router.clone().oneshot(request).await;
        Ok(answered.unwrap_or_else(|never| match never {}))
    }

    /// The whole body, as far as its sender may bring one here: who moderates nothing brings reports, and nothing else.
    async fn body(&self, head: &Parts, body: Incoming) -> Result<bytes::Bytes, Refusal> {
        let path = head.uri.path();
        let (bytes_max, said) = match head.method {
            Method::GET | Method::HEAD | Method::DELETE => return Ok(bytes::Bytes::new()),
            // What is sent there is not taken, and told where it is.
            _ if is_export(path) => return Ok(bytes::Bytes::new()),
            _ if is_report(path) => (REPORT_BYTES_MAX, "4 KiB"),
            _ if path.ends_with("/import") || path.ends_with("/dry-run") => (FILE_BYTES_MAX, "32 MiB"),
            _ => (BODY_BYTES_MAX, "4 MiB"),
        };
        match head.extensions.get::<Caller>() {
            None => return Ok(bytes::Bytes::new()),
            Some(caller) if !is_report(path) => caller.moderates()?,
            Some(_) => {}
        }
        // One that does not say how long it is may become as long as is taken here.
        let most = body.size_hint().upper().unwrap_or(u64::MAX).min(bytes_max as u64);
        let is_large = most > BODY_BYTES_MAX as u64;
        let _place = if is_large { self.large.acquire().await.ok() } else { None };
        match collect(body, bytes_max, self.config.moderation_body_timeout).await {
            Collected::Whole(bytes) => Ok(bytes),
            Collected::TooLong => Err(Refusal::TooLong(format!("a body is at most {said} here"))),
            Collected::Slow => Err(Refusal::SlowBody),
            Collected::Broken => Err(Refusal::Malformed("the body broke off".to_owned())),
        }
    }

    /// Who asks, by the bearer token.
    fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let token = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = token.and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")));
        let token = token.ok_or_else(|| Refusal::Unauthorized("a bearer token is needed".to_owned()))?;
        let claims = self.verifier.verify(token.trim(), now_ms().cast_unsigned() / 1000);
        let claims = claims.map_err(|error| Refusal::Unauthorized(error.to_string()))?;
        let is_user = UserId::new(&claims.sub);
        is_user.map_err(|why| Refusal::Unauthorized(format!("the token's sub is no user id: {why}")))?;
        Ok(Caller::of(&claims))
    }
}

/// Unix milliseconds.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A name that no entry has: of 200,000 names of 64 random bits two are the same in one of a thousand million books.
pub(crate) fn new_id() -> String {
    format!("e{:016x}", rand::rng().random::<u64>())
}
