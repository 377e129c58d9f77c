//! One question to the moderators' service: a method, a path with its query, and what is sent along. Pure.

use std::fmt::Display;

use bytes::Bytes;
use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) kind: Option<&'static str>,
    pub(super) body: Bytes,
}

/// A part of a path or a query, as it is written there.
pub(crate) fn part(text: impl Display) -> String {
    utf8_percent_encode(&text.to_string(), NON_ALPHANUMERIC).to_string()
}

impl Question {
    fn new(method: Method, path: String, kind: Option<&'static str>, body: Bytes) -> Self {
        Self { method, path, kind, body }
    }

    /// Reads what is below `/v1/moderation/`.
    pub(crate) fn get(path: impl Display) -> Self {
        Self::new(Method::GET, format!("/v1/moderation/{path}"), None, Bytes::new())
    }

    /// Reads what is elsewhere.
    pub(super) fn get_from(path: &str) -> Self {
        Self::new(Method::GET, path.to_owned(), None, Bytes::new())
    }

    /// Takes away what is below `/v1/moderation/`.
    pub(crate) fn delete(path: impl Display) -> Self {
        Self::new(Method::DELETE, format!("/v1/moderation/{path}"), None, Bytes::new())
    }

    /// Posts there.
    pub(crate) fn post(path: impl Display, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        Self::new(Method::POST, format!("/v1/moderation/{path}"), Some("application/json"), body)
    }

    /// Puts there.
    pub(crate) fn put(path: impl Display, body: &Value) -> Self {
        Self { method: Method::PUT, ..Self::post(path, body) }
    }

    /// Posts a file there.
    pub(crate) fn file(path: impl Display, file: Vec<u8>) -> Self {
        let kind = Some("application/octet-stream");
        Self::new(Method::POST, format!("/v1/moderation/{path}"), kind, file.into())
    }

    /// Adds to the query what is given, and nothing otherwise.
    #[must_use]
    pub(crate) fn with(mut self, key: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let joint = if self.path.contains('?') { '&' } else { '?' };
            self.path = format!("{}{joint}{key}={}", self.path, part(value));
        }
        self
    }

    /// Adds a word to the query that stands there only if it is so.
    #[must_use]
    pub(crate) fn when(self, key: &str, is_so: bool) -> Self {
        self.with(key, is_so.then_some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_written_into_the_path() {
        let question = Question::get(format_args!("lists/{}/entries", part("a/b")));
        let question =
            question.with("room", Some("嗨 &x")).with("limit", None::<u32>).when("force", true).when("x", false);
        assert_eq!(question.path, "/v1/moderation/lists/a%2Fb/entries?room=%E5%97%A8%20%26x&force=true");
    }
}
