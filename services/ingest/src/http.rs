//! The door's two paths, and the only place where a status code is chosen.
//!
//! The order of a request: size → token → room → text sanity → limits → produce → answer, and before all of it what the
//! headers alone can say (page's origin, method, content type). Watching a room is not served here.

mod cors;
mod trace;

use std::{
    net::SocketAddr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use chassis::{
    address,
    http::{self, Collected, Response, collect, decode},
    origin,
};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Incoming,
    header::{CONTENT_TYPE, HeaderValue, ORIGIN, WWW_AUTHENTICATE},
};
use proto::{MessageId, RoomId, room::BadId, v1};

use crate::{
    admit,
    door::Door,
    produce::Written,
    refusal::Refusal,
    token::{self, Act},
};

/// A danmaku of 100 characters takes 400 bytes in Chinese, and 3 KiB if each character is an emoji of 30 bytes.
const DANMAKU_BYTES_MAX: usize = 4 * 1024;
/// An event's `data` takes 2 KiB, and up to six times the bytes when it is escaped.
const EVENT_BYTES_MAX: usize = 8 * 1024;

/// For how long after it was accepted a message can be sent again and will not show twice. The judge remembers a `client_id`
/// for 60 s of append time; of the 10 s left, the last retry's own way to Kafka takes at most the produce timeout and 2 s
/// (7 s by default, measured).
const RETRY_FOR_MS: u64 = 50_000;
/// How long to wait before trying again when nothing says better: a leader is elected, a filter replaced within seconds.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Whether a path is the door's to answer, for a program that serves the hall's paths on the same port.
#[must_use]
pub fn serves(path: &str) -> bool {
    route(path).is_some()
}

/// What a path asks for, and the room as it stands there. A slash within the room does not make it another path: the room
/// is refused for it.
fn route(path: &str) -> Option<(Act, &str)> {
    let rest = path.strip_prefix("/v1/rooms/")?;
    let (room, act) = rest.rsplit_once('/')?;
    match act {
        "danmaku" => Some((Act::Say, room)),
        "events" => Some((Act::Post, room)),
        _ => None,
    }
}

impl Door {
    /// Answers one request. A refusal is counted here; an accepted message where Kafka acknowledges it.
    pub async fn handle(&self, request: Request<Incoming>, peer: SocketAddr) -> Response {
        let page = request.headers().get(ORIGIN).cloned();
        let may_speak = origin::may_speak(request.headers(), &self.origins);
        let outcome = match may_speak {
            true => self.respond(request, peer).await,
            false => Err(Refusal::Forbidden("pages of this origin may not speak here".into())),
        };
        let mut response = outcome.unwrap_or_else(|refusal| {
            self.metrics.refused(&refusal);
            tracing::debug!(%peer, code = refusal.code(), "refused");
            refused(&refusal)
        });
        if let Some(page) = page.filter(|_| may_speak) {
            cors::allow(response.headers_mut(), page);
        }
        response
    }

    async fn respond(&self, request: Request<Incoming>, peer: SocketAddr) -> Result<Response, Refusal> {
        let (head, body) = request.into_parts();
        let (act, room) = route(head.uri.path()).ok_or(Refusal::NotFound)?;
        match head.method {
            Method::POST => {}
            Method::OPTIONS => return Ok(cors::preflight()),
            _ => return Err(Refusal::MethodNotAllowed),
        }
        if !is_json(&head.headers) {
            return Err(Refusal::UnsupportedType);
        }
        let bytes = whole(act, body, self.config.body_timeout).await?;
        let heard = Heard { act, room, headers: &head.headers, peer, now_ms: unix_ms() };
        let input = self.admit(&heard, &bytes)?;
        self.write(input, trace::parent(&head.headers)).await
    }

    /// Token → room → text sanity → limits: what goes on record, or why nothing does.
    fn admit(&self, heard: &Heard<'_>, bytes: &[u8]) -> Result<v1::Input, Refusal> {
        let speaker = token::speaker(heard.headers, &self.verifier, heard.now_ms / 1000)?;
        let name = decode(heard.room).ok_or(BadId::Character);
        let room = name.and_then(|name| RoomId::new(&name)).map_err(Refusal::BadRoom)?;
        let role = speaker.may(heard.act, &room)?;
        let text_max = self.config.text_max as usize;
        let (admitted, said_by) = match heard.act {
            Act::Say => {
                let admitted = admit::say(bytes, text_max)?;
                let address = address::of_request(heard.peer, heard.headers, &self.trusted_proxies);
                self.limits.check(speaker.id(), address)?;
                (admitted, speaker.on_record())
            }
            // A platform's server speaks for all its users at once, so its pace is its own, and what it posts is said in a
            // user's name or in nobody's.
            Act::Post => {
                let admitted = admit::post(bytes, text_max)?;
                let said_by = v1::Input { user: admitted.user.clone(), ..v1::Input::default() };
                (admitted, said_by)
            }
        };
        Ok(v1::Input {
            generation: self.generation,
            room: room.as_str().to_owned(),
            role: role as i32,
            accepted_ms: heard.now_ms.cast_signed(),
            client_id: admitted.client_id,
            body: Some(admitted.body),
            ..said_by
        })
    }

    /// Is anybody listening? → produce → answer.
    async fn write(&self, input: v1::Input, traceparent: Option<String>) -> Result<Response, Refusal> {
        // From when it was accepted, not from when it is answered: that is when the first one may have been written.
        let unavailable = Refusal::Unavailable { retry_until_ms: input.accepted_ms.cast_unsigned() + RETRY_FOR_MS };
        if !self.is_verified() {
            return Err(unavailable);
        }
        let partition = self.input.partition_of(&input.room);
        if self.lag.is_closed(partition) {
            return Err(Refusal::JudgeBehind);
        }
        match self.input.write(partition, input, traceparent).await {
            Written::Acknowledged(id) => Ok(accepted(id)),
            Written::Unknown => Err(unavailable),
            Written::Refused => Err(Refusal::TooLong("the message is too large for Kafka".into())),
        }
    }
}

/// A request whose body has arrived.
struct Heard<'a> {
    act: Act,
    /// As it stands in the path.
    room: &'a str,
    headers: &'a HeaderMap,
    peer: SocketAddr,
    now_ms: u64,
}

async fn whole(act: Act, body: Incoming, timeout: Duration) -> Result<Bytes, Refusal> {
    match collect(body, bytes_max(act), timeout).await {
        Collected::Whole(bytes) => Ok(bytes),
        Collected::TooLong => Err(Refusal::TooLong(format!("the body is over {} bytes", bytes_max(act)))),
        Collected::Slow => Err(Refusal::SlowBody),
        Collected::Broken => Err(Refusal::Malformed("the body broke off".into())),
    }
}

fn bytes_max(act: Act) -> usize {
    match act {
        Act::Say => DANMAKU_BYTES_MAX,
        Act::Post => EVENT_BYTES_MAX,
    }
}

/// `application/json`, with or without parameters. What a page may send without asking (a form, plain text) is refused by
/// this too.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn accepted(id: MessageId) -> Response {
    http::json(StatusCode::ACCEPTED, &serde_json::json!({ "id": id.to_string() }))
}

fn refused(refusal: &Refusal) -> Response {
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

fn status(refusal: &Refusal) -> StatusCode {
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

fn unix_ms() -> u64 {
    // A clock before 1970 makes every token expired, which is the right answer to it.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::MAX);
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/v1/rooms/demo/danmaku", Some((Act::Say, "demo"))),
            ("/v1/rooms/demo/events", Some((Act::Post, "demo"))),
            ("/v1/rooms//danmaku", Some((Act::Say, ""))),
            ("/v1/rooms/a/b/danmaku", Some((Act::Say, "a/b"))),
            ("/v1/rooms/../danmaku", Some((Act::Say, ".."))),
            ("/v1/rooms/demo/live", None),
            ("/v1/rooms/danmaku", None),
            ("/v1/rooms/demo/danmaku/", None),
            ("/", None),
            ("/sub", None),
        ] {
            assert_eq!(route(path), expected, "{path}");
        }
    }

    #[test]
    fn content_types() {
        for (value, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/json5", false),
            ("text/plain", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            assert_eq!(is_json(&headers), expected, "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
