//! Somebody who says something through a door, and what the door answers.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, http::request::Builder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proto::MessageId;
use serde::Deserialize;
use serde_json::json;

/// An HTTP client that senders share, so that 10,000 of them need no 10,000 connections.
#[derive(Debug, Clone)]
pub struct Http(Client<HttpConnector, Full<Bytes>>);

/// Longer than any door takes: its produce deadline is 5 s.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);

impl Default for Http {
    fn default() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        // A door closes an idle connection after 5 s; ours are given up before, so that no request meets a closing one.
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(Duration::from_secs(2)).pool_timer(TokioTimer::new());
        Self(builder.build(connector))
    }
}

impl Http {
    /// A request's status and body.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn ask(&self, request: Request<Full<Bytes>>) -> anyhow::Result<(u16, String)> {
        let asking = async {
            let response = self.0.request(request).await?;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await?.to_bytes();
            Ok((status, String::from_utf8_lossy(&body).into_owned()))
        };
        tokio::time::timeout(ANSWERED_WITHIN, asking).await.context("no answer in time")?
    }

    /// A page.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get(&self, address: SocketAddr, path: &str) -> anyhow::Result<(u16, String)> {
        self.ask(Request::get(format!("http://{address}{path}")).body(Full::default())?).await
    }
}

/// What a door answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 202: it is durable, under this id.
    Accepted {
        /// The message's id.
        id: MessageId,
    },
    /// It said no.
    Refused {
        /// The HTTP status.
        status: u16,
        /// The machine-readable word.
        code: String,
        /// When to come again.
        retry_after_ms: Option<u64>,
        /// Until when a retry with the same `client_id` is safe, if this is the first answer; Unix milliseconds.
        retry_until: Option<u64>,
    },
    /// It said nothing: the message may have been accepted or not.
    Silent(String),
}

impl Answer {
    /// The id, if it was accepted.
    pub fn id(&self) -> Option<MessageId> {
        match self {
            Self::Accepted { id } => Some(*id),
            _ => None,
        }
    }

    /// The id.
    ///
    /// # Panics
    /// When it was not accepted.
    #[track_caller]
    pub fn accepted(self) -> MessageId {
        match self {
            Self::Accepted { id } => id,
            other => panic!("not accepted: {other:?}"),
        }
    }

    /// The code of a refusal, `accepted` or `silent`.
    pub fn word(&self) -> &str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Refused { code, .. } => code,
            Self::Silent(_) => "silent",
        }
    }
}

/// A user with a token, at one door.
#[derive(Debug, Clone)]
pub struct Sender {
    pub(crate) door: SocketAddr,
    pub(crate) token: String,
    pub(crate) http: Http,
}

#[derive(Deserialize)]
struct Body {
    id: Option<String>,
    #[serde(default)]
    code: String,
    retry_after_ms: Option<u64>,
    retry_until: Option<u64>,
}

impl Sender {
    /// Says `text`, without retry safety.
    pub async fn say(&self, room: &str, text: &str) -> Answer {
        self.post(room, &json!({ "text": text })).await
    }

    /// Says `text` under a `client_id`.
    pub async fn say_as(&self, room: &str, text: &str, client_id: &str) -> Answer {
        self.post(room, &json!({ "text": text, "client_id": client_id })).await
    }

    /// Says `text` and that it belongs to a trace.
    pub async fn say_under(&self, traceparent: &str, room: &str, text: &str) -> Answer {
        let room = utf8_percent_encode(room, NON_ALPHANUMERIC);
        let request = self.request(&format!("/v1/rooms/{room}/danmaku")).header("traceparent", traceparent);
        match self.ask(request, &json!({ "text": text })).await {
            Ok((status, text)) => read(status, &text),
            Err(error) => Answer::Silent(format!("{error:#}")),
        }
    }

    /// Says something with more than a text.
    pub async fn say_all(&self, room: &str, body: &serde_json::Value) -> Answer {
        self.post(room, body).await
    }

    /// Posts what only the platform's own servers may: a gift, a super-chat, an event. Its `client_id` is made here.
    pub async fn event(&self, room: &str, mut event: serde_json::Value) -> Answer {
        event["client_id"] = format!("{:016x}", rand::random::<u64>()).into();
        self.give(room, &event).await
    }

    /// Posts a gift of `user`'s.
    pub async fn gift(&self, room: &str, user: &str, gift: &str, count: u64, value: u64) -> Answer {
        let data = json!({ "gift": gift, "name": gift, "count": count, "value": value });
        self.event(room, json!({ "kind": "gift", "user": { "id": user }, "data": data })).await
    }

    /// Announces `text` to every room; its id, or why it was not accepted.
    ///
    /// # Errors
    /// What the door said instead.
    pub async fn announce(&self, text: &str, client_id: &str) -> Result<String, Answer> {
        let body = json!({ "text": text, "client_id": client_id });
        let (status, text) =
            self.asked("/v1/announcements", &body).await.map_err(|error| Answer::Silent(format!("{error:#}")))?;
        let id = serde_json::from_str::<Body>(&text).ok().and_then(|body| body.id);
        id.filter(|_| status == 202).ok_or_else(|| read(status, &text))
    }

    /// The same user at another door.
    #[must_use]
    pub fn through(&self, door: SocketAddr) -> Self {
        Self { door, ..self.clone() }
    }

    /// Posts a gift, super-chat, system line or event, as a platform's own server does.
    pub async fn give(&self, room: &str, event: &serde_json::Value) -> Answer {
        self.post_to("events", room, event).await
    }

    async fn post(&self, room: &str, body: &serde_json::Value) -> Answer {
        self.post_to("danmaku", room, body).await
    }

    async fn post_to(&self, what: &str, room: &str, body: &serde_json::Value) -> Answer {
        let room = utf8_percent_encode(room, NON_ALPHANUMERIC);
        match self.asked(&format!("/v1/rooms/{room}/{what}"), body).await {
            Ok((status, text)) => read(status, &text),
            Err(error) => Answer::Silent(format!("{error:#}")),
        }
    }

    async fn asked(&self, path: &str, body: &serde_json::Value) -> anyhow::Result<(u16, String)> {
        self.ask(self.request(path), body).await
    }

    fn request(&self, path: &str) -> Builder {
        Request::post(format!("http://{}{path}", self.door))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
    }

    async fn ask(&self, request: Builder, body: &serde_json::Value) -> anyhow::Result<(u16, String)> {
        self.http.ask(request.body(Full::from(body.to_string()))?).await
    }
}

fn read(status: u16, text: &str) -> Answer {
    let Ok(body) = serde_json::from_str::<Body>(text) else {
        return Answer::Silent(format!("status {status} with no JSON: {text}"));
    };
    match body.id.as_deref().map(str::parse) {
        Some(Ok(id)) if status == 202 => Answer::Accepted { id },
        _ => Answer::Refused {
            status,
            code: body.code,
            retry_after_ms: body.retry_after_ms,
            retry_until: body.retry_until,
        },
    }
}
