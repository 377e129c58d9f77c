//! What the door answers, and the only place where a status code is chosen. What led to it is kept out.

use std::time::Duration;

use chassis::http::{self, Response};
use hyper::{
    StatusCode,
    header::{HeaderValue, WWW_AUTHENTICATE},
};

use super::cors;
use crate::refusal::Refusal;

/// How long to wait before trying again when nothing says better: a leader is elected, a filter replaced within seconds.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The answer to what is durable under this id.
pub(super) fn accepted(id: &str) -> Response {
    http::json(StatusCode::ACCEPTED, &serde_json::json!({ "id": id }))
}

/// A refusal's answer.
pub(super) fn refused(refusal: &Refusal) -> Response {
    let answer = http::Refusal::new(status(refusal), refusal.code(), refusal.message());
    let answer = match refusal {
        Refusal::RateLimited(wait) => answer.retry_after(*wait),
        Refusal::JudgeBehind => answer.retry_after(RETRY_AFTER),
        Refusal::Unavailable { retry_until_ms } => answer.retry_after(RETRY_AFTER).retry_until(*retry_until_ms),
        _ => answer,
    };
    let mut response = answer.into_response();
    match refusal {
        Refusal::Unauthorized(_) => {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Refusal::MethodNotAllowed => cors::methods(response.headers_mut()),
        _ => {}
    }
    response
}

pub(super) fn status(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Malformed(_) | Refusal::BadRoom(_) => StatusCode::BAD_REQUEST,
        Refusal::Unauthorized(_) => StatusCode::UNAUTHORIZED,
        Refusal::Forbidden(_) => StatusCode::FORBIDDEN,
        Refusal::NotFound => StatusCode::NOT_FOUND,
        Refusal::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Refusal::SlowBody => StatusCode::REQUEST_TIMEOUT,
        Refusal::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Refusal::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Refusal::Empty | Refusal::ClusterTooLong => StatusCode::UNPROCESSABLE_ENTITY,
        Refusal::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
        Refusal::JudgeBehind | Refusal::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
    }
}
