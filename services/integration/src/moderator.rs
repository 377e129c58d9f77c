//! Somebody who moderates, over the service's own API; an answer that should be a success and is none ends the test.

use std::{net::SocketAddr, time::Duration};

use http_body_util::Full;
use hyper::{Method, Request};
use serde_json::{Value, json};

use crate::{node::Node, sender::Http, until};

/// How long an edit may take until a filter judges by it. It takes some ten milliseconds; a test that waits so long has failed.
const IN_FORCE_WITHIN: Duration = Duration::from_secs(60);

/// A moderator with a token, at one service.
#[derive(Debug, Clone)]
pub struct Moderator {
    pub(crate) desk: SocketAddr,
    pub(crate) token: String,
    pub(crate) http: Http,
}

impl Moderator {
    /// Asks anything below `/v1/moderation/`: the status, and what was said.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri(format!("http://{}/v1/moderation/{path}", self.desk));
        request = request.header("authorization", format!("Bearer {}", self.token));
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let (status, text) =
            self.http.ask(request.body(Full::from(body)).expect("a request")).await.expect("a desk answers");
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// What a page of the service's holds that is not below `/v1/moderation/`, as it stands.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn read(&self, path: &str) -> String {
        let request = Request::get(format!("http://{}{path}", self.desk));
        let request = request.header("authorization", format!("Bearer {}", self.token)).body(Full::default());
        let (status, text) = self.http.ask(request.expect("a request")).await.expect("a desk answers");
        assert_eq!(status, 200, "{path}: {text}");
        text
    }

    /// What a path holds.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn get(&self, path: &str) -> Value {
        self.done(Method::GET, path, None).await
    }

    /// Posts.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn post(&self, path: &str, body: &Value) -> Value {
        self.done(Method::POST, path, Some(body)).await
    }

    /// Puts.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn put(&self, path: &str, body: &Value) -> Value {
        self.done(Method::PUT, path, Some(body)).await
    }

    /// Takes away.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn delete(&self, path: &str) -> Value {
        self.done(Method::DELETE, path, None).await
    }

    async fn done(&self, method: Method, path: &str, body: Option<&Value>) -> Value {
        let (status, said) = self.ask(method.clone(), path, body).await;
        assert_eq!(status, 200, "{method} {path}: {said}");
        said
    }

    /// Posts, and tells status and code of whatever is answered.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn tries(&self, path: &str, body: &Value) -> (u16, String) {
        let (status, said) = self.ask(Method::POST, path, Some(body)).await;
        (status, said["code"].as_str().unwrap_or_default().to_owned())
    }

    /// Makes a list in a mode; the number of the version that has it.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn list(&self, name: &str, mode: &str) -> u64 {
        number(&self.put(&format!("lists/{name}"), &json!({ "mode": mode })).await)
    }

    /// Adds an entry, given as the API takes it, whatever its report doubts; the number of the version that has it.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn add(&self, list: &str, entry: Value) -> u64 {
        let said = self.post(&format!("lists/{list}/entries"), &json!({ "add": [entry], "force": true })).await;
        number(&said["version"])
    }

    /// Adds a word that blocks.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn block(&self, list: &str, word: &str) -> u64 {
        self.add(list, json!({ "text": word, "action": "block" })).await
    }

    /// Removes an entry by its text.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn remove(&self, list: &str, word: &str) -> u64 {
        let said = self.post(&format!("lists/{list}/entries"), &json!({ "remove": [word] })).await;
        number(&said["version"])
    }
}

/// The number of a version as it was answered.
///
/// # Panics
/// When there is none.
pub fn number(version: &Value) -> u64 {
    version["number"].as_u64().unwrap_or_else(|| panic!("no version: {version}"))
}

/// Waits until each of these filters judges by this version, or a later one.
///
/// # Panics
/// When one of them does not in time.
pub async fn in_force(filters: &[&Node], number: u64) {
    for filter in filters {
        until(&format!("version {number} in force on {}", filter.name), IN_FORCE_WITHIN, async || {
            // Versions are small numbers here; a gauge holds them exactly.
            let version = filter.metrics().await.sum("danmaku_filter_rules_version");
            (version >= number as f64).then_some(())
        })
        .await;
    }
}
