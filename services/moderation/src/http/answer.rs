//! What the service answers: the only place where a status code is chosen, and where those that every path has are described.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::response::IntoResponse;
use bytes::Bytes;
use chassis::http::Response;
use http_body_util::BodyExt as _;
use hyper::{
    StatusCode,
    body::Frame,
    header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde::Serialize;
use utoipa::{
    ToSchema,
    openapi::{
        Content, OpenApi, Ref, RefOr, ResponseBuilder,
        path::{Operation, PathItem},
    },
};

use crate::{
    lists::report::Report,
    refusal::{Problem, Refusal},
    versions::Stamp,
};

/// Every answer that is no success.
#[derive(Serialize, ToSchema)]
pub(crate) struct Fault {
    /// One word a program can tell cases apart by.
    code: &'static str,
    /// One sentence with the remedy.
    message: String,
    /// Each fault with its line or place, at most 100.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// How long to wait, with `rate_limited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// The newest version, with `stale_version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<Stamp>,
    /// What is doubtful, with `needs_force`.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> axum::response::Response {
        let status = self.status();
        let fault = Fault::from(self);
        let mut response = chassis::http::json(status, &fault).map(axum::body::Body::new);
        if let Some(wait_ms) = fault.retry_after_ms {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_ms.div_ceil(1000)));
        }
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Malformed(_) | Self::BadRoom(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed | Self::Elsewhere(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Self::Stale(_) | Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid(_) | Self::NeedsForce(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        let fault = |code, message| Self {
            code,
            message,
            problems: Vec::new(),
            retry_after_ms: None,
            newest: None,
            report: None,
        };
        match refusal {
            Refusal::Malformed(why) => fault("malformed", why),
            Refusal::BadRoom(why) => fault("bad_room", why),
            Refusal::Unauthorized(why) => fault("unauthorized", why),
            Refusal::Forbidden(why) => fault("forbidden", why),
            Refusal::NotFound(why) => fault("not_found", why),
            Refusal::MethodNotAllowed => fault("method_not_allowed", "this path knows other methods".to_owned()),
            Refusal::Elsewhere(where_) => fault("method_not_allowed", where_),
            Refusal::SlowBody => fault("slow_body", "the body did not come in time".to_owned()),
            Refusal::Conflict(why) => fault("conflict", why),
            Refusal::TooLong(why) => fault("too_long", why),
            Refusal::UnsupportedType(why) => fault("unsupported_type", why),
            Refusal::Unavailable(why) => fault("unavailable", why),
            Refusal::TooMany(wait_ms) => {
                let message = "too many of a kind; wait for as long as it says".to_owned();
                Self { retry_after_ms: Some(wait_ms), ..fault("rate_limited", message) }
            }
            Refusal::Invalid(problems) => {
                let first = problems.first().map(ToString::to_string).unwrap_or_default();
                Self { problems, ..fault("invalid", format!("nothing was changed: {first}")) }
            }
            Refusal::NeedsForce(report) => {
                let message = "nothing was changed: the report names doubts; send force=true to go on all the same";
                Self { report: Some(*report), ..fault("needs_force", message.to_owned()) }
            }
            Refusal::Stale(newest) => {
                let message = format!("version {} is newer: look at it, and edit again", newest.number);
                Self { newest: Some(*newest), ..fault("stale_version", message) }
            }
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The answer in the body type that all services share. A body that breaks ends there.
pub(super) fn body(response: axum::response::Response) -> Response {
    response.map(|body| Ending(body).boxed_unsync())
}

struct Ending(axum::body::Body);

impl hyper::body::Body for Ending {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx).map(|frame| match frame {
            Some(Ok(frame)) => Some(Ok(frame)),
            Some(Err(error)) => {
                tracing::debug!(%error, "an answer broke off");
                None
            }
            None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.0.size_hint()
    }
}

/// Adds to every operation the refusals that come before its handler.
pub(super) fn with_common(mut api: OpenApi) -> OpenApi {
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(named(method, path));
            let mut common = vec![
                ("401", "No token, or one that is not believed."),
                ("403", "The token does not go so far."),
                ("503", "The database is away; nothing was changed."),
            ];
            if operation.request_body.is_some() || operation.parameters.is_some() {
                common.push(("400", "What was sent cannot be read."));
            }
            if operation.request_body.is_some() {
                common.push(("408", "The body did not come in time."));
                common.push(("413", "The body is too large."));
                common.push(("415", "The body is of another type."));
            }
            for (status, description) in common {
                let content = Content::new(Some(RefOr::<utoipa::openapi::Schema>::Ref(Ref::from_schema_name("Fault"))));
                let response = ResponseBuilder::new().description(description).content("application/json", content);
                operation.responses.responses.entry(status.to_owned()).or_insert_with(|| RefOr::T(response.build()));
            }
            for (status, response) in &mut operation.responses.responses {
                // One without words is no OpenAPI.
                if let RefOr::T(response) = response
                    && response.description.is_empty()
                {
                    response.description = meaning(status);
                }
            }
        }
    }
    api
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let all = [("get", &mut item.get), ("put", &mut item.put), ("post", &mut item.post), ("delete", &mut item.delete)];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// What an operation is called in clients that are made of the description: `get_moderation_lists_list_entries`.
fn named(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty() && *word != "v1");
    std::iter::once(method).chain(words).collect::<Vec<_>>().join("_")
}

/// What a status means, where nobody said it in words of his own.
fn meaning(status: &str) -> String {
    let status = hyper::StatusCode::from_bytes(status.as_bytes()).ok();
    status.and_then(|status| status.canonical_reason()).unwrap_or("Something else.").to_owned()
}
