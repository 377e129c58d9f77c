//! The HTTP words all services share: a body type, JSON answers, refusals, bounded bodies, percent-decoding.
//! Kept out: which status a refusal has (each service's `http` says so) and the sockets (`listen`).

mod body;
mod decode;

pub use body::{Collected, collect, is_json};
pub use decode::{decode, query};

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde::Serialize;

/// Every answer's body: some bytes, or a stream that goes on for hours.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Every answer.
pub type Response = hyper::Response<Body>;

/// A body that is there already.
pub fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed_unsync()
}

/// An answer of some bytes and their type.
pub fn answer(status: StatusCode, content_type: &'static str, bytes: impl Into<Bytes>) -> Response {
    let mut response = Response::new(full(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// An answer in JSON that nobody on the way may keep.
pub fn json(status: StatusCode, value: &impl Serialize) -> Response {
    // Only a map with keys that are no strings, or a failing `Serialize` of our own, can end here.
    let (status, bytes) = match serde_json::to_vec(value) {
        Ok(bytes) => (status, bytes),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            (StatusCode::INTERNAL_SERVER_ERROR, br#"{"code":"internal","message":"internal error"}"#.to_vec())
        }
    };
    let mut response = answer(status, "application/json", bytes);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Why a request was not granted, for a machine (`code`) and a person (`message`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The status of the answer.
    #[serde(skip)]
    pub status: StatusCode,
    /// One word a program can tell cases apart by.
    pub code: &'static str,
    /// One sentence for who reads it, with the remedy where there is one.
    pub message: String,
    /// How long to wait before asking again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Until when asking again is safe, in Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_until: Option<u64>,
}

impl Refusal {
    /// A refusal without a time.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after_ms: None, retry_until: None }
    }

    /// Says how long to wait.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Says until when asking again is safe, in Unix milliseconds.
    #[must_use]
    pub fn retry_until(mut self, unix_ms: u64) -> Self {
        self.retry_until = Some(unix_ms);
        self
    }

    /// The answer. `Retry-After` counts in seconds and is rounded up, so that nobody comes back too early.
    #[must_use]
    pub fn into_response(self) -> Response {
        let mut response = json(self.status, &self);
        if let Some(wait_ms) = self.retry_after_ms {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait_ms.div_ceil(1000)));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn text(response: Response) -> String {
        String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_refusal_is_its_code_and_message() {
        let response = Refusal::new(StatusCode::BAD_REQUEST, "malformed", "not JSON").into_response();
        assert_eq!(response.status(), 400);
        assert_eq!(response.headers()["content-type"], "application/json");
        assert!(response.headers().get("retry-after").is_none());
        assert_eq!(text(response).await, r#"{"code":"malformed","message":"not JSON"}"#);
    }

    #[tokio::test]
    async fn a_wait_is_told_twice_and_the_header_is_rounded_up() {
        for (wait_ms, seconds) in [(0, "0"), (1, "1"), (1000, "1"), (1001, "2")] {
            let refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", "slower")
                .retry_after(Duration::from_millis(wait_ms))
                .retry_until(7);
            let response = refusal.into_response();
            assert_eq!(response.headers()["retry-after"], seconds);
            let expected =
                format!(r#"{{"code":"rate_limited","message":"slower","retry_after_ms":{wait_ms},"retry_until":7}}"#);
            assert_eq!(text(response).await, expected);
        }
    }
}
