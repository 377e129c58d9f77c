//! `POST /v1/users/{user}/notices`: a direct notice from the platform's own server to one user, wherever he is.
//!
//! The order: method → content type → size → token → user → what it says → mailbox → answer.

use std::time::Duration;

use bytes::Bytes;
use chassis::{
    http::{Collected, Refusal, Response, collect, decode, is_json, json},
    tokens::Role,
};
use hyper::{HeaderMap, Method, Request, StatusCode, body::Incoming};
use proto::{UserId, v1::Notice};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    handshake::{self, Token},
    refusals,
};
use crate::{hall::Hall, house::Moment, metrics};

/// Text and data of 2 KiB each; escaped, JSON may take six bytes for one.
const BODY_BYTES_MAX: usize = 24 * 1024;
const TEXT_BYTES_MAX: usize = 2 * 1024;
const DATA_BYTES_MAX: usize = 2 * 1024;
const ID_BYTES_MAX: usize = 64;

/// How long a body may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(5);

/// Redis is asked again twice a second while it is away.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
struct Body {
    id: Option<String>,
    #[serde(default)]
    text: String,
    data: Option<Box<RawValue>>,
}

/// The user's id as it stands in the path.
pub(super) fn raw_user(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/users/")?.strip_suffix("/notices")
}

fn no(status: StatusCode, code: &'static str, message: impl Into<String>) -> Refusal {
    Refusal::new(status, code, message)
}

impl Hall {
    /// Takes a notice into its user's mailbox, or says why not.
    pub(crate) async fn take_notice(&self, request: Request<Incoming>) -> Response {
        match self.notice(request).await {
            Ok(id) => json(StatusCode::ACCEPTED, &json!({ "id": id })),
            Err(refusal) => {
                metrics::refused(refusal.status.as_u16(), refusal.code);
                refusals::answer(refusal, &Method::POST)
            }
        }
    }

    async fn notice(&self, request: Request<Incoming>) -> Result<String, Refusal> {
        let (head, body) = request.into_parts();
        if head.method != Method::POST {
            return Err(refusals::method_not_allowed("a notice is sent with POST"));
        }
        if !is_json(&head.headers) {
            let message = "the body must be JSON: send Content-Type: application/json";
            return Err(no(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_type", message));
        }
        let body = whole(collect(body, BODY_BYTES_MAX, BODY_WAIT).await)?;
        self.is_service(&head.headers)?;
        let user = decode(raw_user(head.uri.path()).unwrap_or_default()).and_then(|user| UserId::new(&user).ok());
        let bad_user = || no(StatusCode::BAD_REQUEST, "malformed", "the user in the path is 1 to 128 bytes of UTF-8");
        let (user, notice) = (user.ok_or_else(bad_user)?, read(&body)?);
        let gone = |message| no(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message).retry_after(AGAIN);
        let message = "--redis (DANMAKU_REDIS) names no Redis, and without one nobody can be found";
        let nodes = self.nodes.as_ref().ok_or_else(|| gone(message))?;
        let message = "mailboxes cannot be reached; send it again with the same id, and it is one notice";
        nodes.post(&user, &notice).await.ok_or_else(|| gone(message))?;
        Ok(notice.id)
    }

    fn is_service(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let unauthorized = |message: &str| no(StatusCode::UNAUTHORIZED, "unauthorized", message);
        let Token::Bearer(token) = handshake::token(headers) else {
            return Err(unauthorized("a token is needed: send Authorization: Bearer <token>"));
        };
        let claims = self.house.believe(token, Moment::now()).map_err(|why| unauthorized(&why))?;
        let forbidden = || no(StatusCode::FORBIDDEN, "forbidden", "notices are sent with the role service");
        claims.has(Role::Service).then_some(()).ok_or_else(forbidden)
    }
}

fn whole(collected: Collected) -> Result<Bytes, Refusal> {
    match collected {
        Collected::Whole(bytes) => Ok(bytes),
        Collected::TooLong => {
            Err(no(StatusCode::PAYLOAD_TOO_LARGE, "too_long", format!("the body is over {BODY_BYTES_MAX} bytes")))
        }
        Collected::Slow => Err(no(StatusCode::REQUEST_TIMEOUT, "slow_body", "the body did not arrive in time")),
        Collected::Broken => Err(no(StatusCode::BAD_REQUEST, "malformed", "the body broke off")),
    }
}

/// What the body says, under an id of its own if it brings none: then sending it again is another notice.
fn read(body: &[u8]) -> Result<Notice, Refusal> {
    let malformed = |why: String| no(StatusCode::BAD_REQUEST, "malformed", why);
    let body: Body = serde_json::from_slice(body).map_err(|error| malformed(error.to_string()))?;
    let data = body.data.map(|data| data.get().to_owned()).unwrap_or_default();
    for (name, text, most) in [("text", &body.text, TEXT_BYTES_MAX), ("data", &data, DATA_BYTES_MAX)] {
        if text.len() > most {
            return Err(no(StatusCode::PAYLOAD_TOO_LARGE, "too_long", format!("{name} is over {most} bytes")));
        }
    }
    if body.text.trim().is_empty() {
        return Err(no(StatusCode::UNPROCESSABLE_ENTITY, "empty", "a notice says something in text"));
    }
    let id = body.id.unwrap_or_else(|| format!("{:016x}", rand::random::<u64>()));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if id.is_empty() || id.len() > ID_BYTES_MAX || !id.bytes().all(is_plain) {
        return Err(malformed("id is 1 to 64 of A-Z, a-z, 0-9, _ and -".to_owned()));
    }
    Ok(Notice { id, text: body.text, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/v1/users/u7/notices", Some("u7")),
            ("/v1/users/idp%2F42/notices", Some("idp%2F42")),
            ("/v1/users//notices", Some("")),
            ("/v1/users/u7", None),
            ("/v1/rooms/u7/notices", None),
        ] {
            assert_eq!(raw_user(path), expected, "{path}");
        }
    }

    #[test]
    fn bodies() {
        let long = |count| format!(r#"{{"text":"{}"}}"#, "x".repeat(count));
        for (body, expected) in [
            (r#"{"id":"a-1","text":"hi","data":{"n":[1,2]}}"#.to_owned(), Ok(("a-1", r#"{"n":[1,2]}"#))),
            (r#"{"id":"a-1","text":"hi","later":true}"#.to_owned(), Ok(("a-1", ""))),
            (r#"{"id":"a b","text":"hi"}"#.to_owned(), Err((400, "malformed"))),
            (r#"{"id":"","text":"hi"}"#.to_owned(), Err((400, "malformed"))),
            (r#"{"text":" "}"#.to_owned(), Err((422, "empty"))),
            (r#"{"id":"a"}"#.to_owned(), Err((422, "empty"))),
            (r#"{"text":"a","text":"b"}"#.to_owned(), Err((400, "malformed"))),
            (r#"["text"]"#.to_owned(), Err((400, "malformed"))),
            (long(TEXT_BYTES_MAX + 1), Err((413, "too_long"))),
        ] {
            let notice = read(body.as_bytes());
            let found = notice.as_ref().map(|notice| (notice.id.as_str(), notice.data.as_str()));
            assert_eq!(found.map_err(|refusal| (refusal.status.as_u16(), refusal.code)), expected, "{body}");
        }
        assert_eq!(read(long(TEXT_BYTES_MAX).as_bytes()).unwrap().id.len(), 16, "an id is made");
    }
}
