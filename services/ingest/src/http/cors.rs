//! What a browser wants to hear before a page of another origin may send. Which origins may is `chassis::origin`'s.

use chassis::http::{Response, full};
use hyper::{
    HeaderMap, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderValue, VARY,
    },
};

/// Lets the page that asks read the answer. Its origin is told by name, because the answer is not for every page.
pub(super) fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// The answer to the question that goes before; it may be remembered for ten minutes, Chrome's own limit being two hours.
pub(super) fn preflight() -> Response {
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type, traceparent"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    methods(headers);
    response
}

/// What may be done at a path of ours.
pub(super) fn methods(headers: &mut HeaderMap) {
    headers.insert(ALLOW, HeaderValue::from_static("POST, OPTIONS"));
}
