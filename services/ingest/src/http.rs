//! The door's three paths, and what happens to a request behind them. Which status an outcome has is `answer`'s.
//!
//! The order of a request: size → token → room → ban → text sanity → limits → produce → answer, and before all of it what
//! the headers alone can say (page's origin, method, content type). Watching a room is not served here.

mod answer;
mod cors;
#[cfg(test)]
mod described;

use std::{
    net::SocketAddr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use chassis::{
    address,
    http::{Collected, Response, collect, decode, is_json},
    origin,
};
use hyper::{HeaderMap, Method, Request, body::Incoming, header::ORIGIN};
use proto::{RoomId, v1, v1::input::Body};

use crate::{
    admit,
    door::Door,
    produce::Written,
    refusal::Refusal,
    token::{self, Act},
    trace::Caller,
};

/// A danmaku of 100 characters takes 400 bytes in Chinese, and 3 KiB if each character is an emoji of 30 bytes.
const DANMAKU_BYTES_MAX: usize = 4 * 1024;
/// An event's `data` takes 2 KiB, and 12 when each letter of it is escaped; the rest is a danmaku.
const EVENT_BYTES_MAX: usize = 16 * 1024;

/// For how long after it was accepted a message can be sent again and will not show twice. The judge remembers a `client_id`
/// for 60 s of append time; of the 10 s left, the last retry's own way to Kafka takes at most the produce timeout and 2 s
/// (7 s by default, measured). It counts from the first try, which is the one that the judge remembers; the door remembers none,
/// so whoever sends keeps the first answer's.
const RETRY_FOR_MS: u64 = 50_000;

/// Whether a path is the door's to answer, for a program that serves the hall's paths on the same port.
#[must_use]
pub fn serves(path: &str) -> bool {
    route(path).is_some()
}

/// What a path asks for, and the room as it stands there. A slash within the room does not make it another path: the room
/// is refused for it. An announcement is for every room and has none.
fn route(path: &str) -> Option<(Act, &str)> {
    if path == "/v1/announcements" {
        return Some((Act::Announce, ""));
    }
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
            answer::refused(&refusal)
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
        self.write(input, Caller::of(&head.headers)).await
    }

    /// Token → room → ban → text sanity → limits: what goes on record, or why nothing does.
    fn admit(&self, heard: &Heard<'_>, bytes: &[u8]) -> Result<v1::Input, Refusal> {
        let speaker = token::speaker(heard.headers, &self.verifier, heard.now_ms / 1000)?;
        let room = heard.room()?;
        let role = speaker.may(heard.act, room.as_ref())?;
        let text_max = self.config.text_max as usize;
        let (admitted, said_by) = match heard.act {
            Act::Say => {
                let address = || address::of_request(heard.peer, heard.headers, &self.trusted_proxies);
                let address = speaker.relayed_from().unwrap_or_else(address);
                self.unless_banned(speaker.person(address), heard.now_ms)?;
                let admitted = admit::say(bytes, text_max)?;
                self.limits.check(speaker.id(), address)?;
                (admitted, speaker.on_record(address))
            }
            // A platform's server speaks for all its users at once, so its pace is its own, and what it posts is said in a
            // user's name or in nobody's.
            Act::Post => {
                let admitted = admit::post(bytes, text_max)?;
                let said_by = v1::Input { user: admitted.user.clone(), ..v1::Input::default() };
                (admitted, said_by)
            }
            Act::Announce => (admit::announce(bytes, text_max)?, v1::Input::default()),
        };
        Ok(v1::Input {
            generation: self.generation,
            room: room.map(|room| room.as_str().to_owned()).unwrap_or_default(),
            role: role as i32,
            accepted_ms: heard.now_ms.cast_signed(),
            client_id: admitted.client_id,
            body: Some(admitted.body),
            ..said_by
        })
    }

    /// Is anybody listening? → produce → answer.
    async fn write(&self, input: v1::Input, caller: Caller) -> Result<Response, Refusal> {
        // From when it was accepted, not from when it is answered: that is when the first one may have been written.
        let unavailable = Refusal::Unavailable { retry_until_ms: input.accepted_ms.cast_unsigned() + RETRY_FOR_MS };
        if !self.is_verified() {
            return Err(unavailable);
        }
        let announced = match &input.body {
            Some(Body::Announcement(word)) => Some(word.id.clone()),
            _ => None,
        };
        let own = self.input.partition_of(&input.room);
        let to = if announced.is_some() { self.input.partitions() } else { own..own + 1 };
        if to.clone().any(|partition| self.lag.is_closed(partition)) {
            return Err(Refusal::JudgeBehind);
        }
        match self.input.write(to, input, caller).await {
            Written::Acknowledged(id) => Ok(answer::accepted(&announced.unwrap_or_else(|| id.to_string()))),
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

impl Heard<'_> {
    /// The room it is for; `None` is every room.
    fn room(&self) -> Result<Option<RoomId>, Refusal> {
        if self.act == Act::Announce {
            return Ok(None);
        }
        let name = decode(self.room).ok_or_else(|| Refusal::BadRoom("it is not percent-encoded UTF-8".into()))?;
        RoomId::new(&name).map(Some).map_err(|why| Refusal::BadRoom(why.to_string()))
    }
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
        Act::Post | Act::Announce => EVENT_BYTES_MAX,
    }
}

pub(crate) fn unix_ms() -> u64 {
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
            ("/v1/announcements", Some((Act::Announce, ""))),
            ("/v1/announcements/", None),
            ("/v1/rooms/demo/live", None),
            ("/v1/rooms/danmaku", None),
            ("/v1/rooms/demo/danmaku/", None),
            ("/", None),
            ("/sub", None),
        ] {
            assert_eq!(route(path), expected, "{path}");
        }
    }
}
