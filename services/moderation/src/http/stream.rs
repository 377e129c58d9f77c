//! What moderators should hear at once, as an event stream: holds, decisions, hits, reports, sanctions, modes. A stream is a
//! place in the table of events, so it has no queue: who is slow hears later, and who is too slow is let go and comes back.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{body::Body, extract::FromRequestParts, http::request::Parts, response::IntoResponse};
use bytes::{Bytes, BytesMut};
use http_body_util::channel::{Channel, Sender};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, TryAcquireError},
    time,
};
use utoipa::IntoParams;

use super::{
    answer::Fault,
    ask::{Here, Named, Params},
    now_ms,
};
use crate::{
    access::{Act, Caller},
    events::{self, Event},
    house::House,
    refusal::Refusal,
};

/// Events that are read and written at a time: 60 KB.
const PAGE: i64 = 200;

/// How long a page may wait for its reader. Whoever takes nothing for so long is let go; he comes back where he was.
const TAKEN_WITHIN: Duration = Duration::from_secs(20);

/// How often it is said that the line is alive.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// Between two looks at the table, so that a storm of events is not one of queries: 64 streams make 640 a second.
const PACE: Duration = Duration::from_millis(100);

/// From where on.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Since {
    /// Behind this event, as `Last-Event-ID`; without either, from now on.
    since: Option<i64>,
}

/// `Last-Event-ID`, which a browser sends when it comes back.
pub(super) struct LastEvent(Option<i64>);

impl<S: Send + Sync> FromRequestParts<S> for LastEvent {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let Some(value) = parts.headers.get("last-event-id") else { return Ok(Self(None)) };
        let id = value.to_str().ok().and_then(|text| text.parse().ok());
        id.map(|id| Self(Some(id))).ok_or_else(|| Refusal::Malformed("Last-Event-ID is the id of an event".to_owned()))
    }
}

/// What happens in a room, as it happens
///
/// An event stream: `held`, `decided`, `came_to`, `hits`, `sanction`, `mode`, `recall`, `reported`, `broadcast`, each with JSON
/// and its id. `gap` comes first where events behind `since` are not kept any more. It ends with its token.
#[utoipa::path(get, path = "/v1/moderation/rooms/{room}/stream", tag = "stream", params(("room" = String, Path), Since),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 429, body = Fault)))]
pub(super) async fn of_room(
    here: Here,
    Named(room): Named,
    Params(since): Params<Since>,
    last: LastEvent,
) -> Result<impl IntoResponse, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    open(&here, Some(room.as_str().to_owned()), since.since.or(last.0)).await
}

/// What happens in all rooms, as it happens
#[utoipa::path(get, path = "/v1/moderation/stream", tag = "stream", params(Since),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 429, body = Fault)))]
pub(super) async fn of_all(
    here: Here,
    Params(since): Params<Since>,
    last: LastEvent,
) -> Result<impl IntoResponse, Refusal> {
    here.scope(None, Act::Moderate)?;
    open(&here, None, since.since.or(last.0)).await
}

async fn open(here: &Here, room: Option<String>, since: Option<i64>) -> Result<impl IntoResponse + use<>, Refusal> {
    let (house, ends) = (&here.house, left(&here.caller, now_ms()));
    let place = match Arc::clone(&house.streams).try_acquire_owned() {
        Ok(place) => place,
        Err(TryAcquireError::NoPermits | TryAcquireError::Closed) => return Err(Refusal::TooMany(5_000)),
    };
    // Read before it is answered, so that a database that is away is an answer.
    let (oldest, newest) = events::ends(&house.store).await?;
    let after = since.unwrap_or(newest);
    let (pages, body) = Channel::<Bytes, Infallible>::new(1);
    let mut stream = Stream { house: Arc::clone(house), room, after, pages, _place: place };
    // One whose id is higher than any comes from another database, and begins anew.
    let is_missed = after + 1 < oldest || after > newest;
    if is_missed {
        stream.after = if after > newest { newest } else { oldest - 1 };
    }
    tokio::spawn(async move {
        let metrics = stream.house.metrics.clone();
        metrics.stream_opened();
        tokio::select! {
            () = stream.run(is_missed) => {}
            () = time::sleep(ends) => {}
        }
        metrics.stream_closed();
    });
    Ok(([(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")], Body::new(body)))
}

/// How long his token is good: nothing outlives it.
fn left(caller: &Caller, now_ms: i64) -> Duration {
    let ends = Duration::from_secs(caller.expires);
    ends.saturating_sub(Duration::from_millis(now_ms.unsigned_abs()))
}

/// One that listens.
struct Stream {
    house: Arc<House>,
    room: Option<String>,
    /// The last event he was told.
    after: i64,
    pages: Sender<Bytes, Infallible>,
    _place: OwnedSemaphorePermit,
}

impl Stream {
    async fn run(&mut self, is_missed: bool) {
        let mut told = self.house.store.told();
        let shutdown = self.house.ground.shutdown.clone();
        let hello = if is_missed { b"event: gap\ndata: {}\n\n".as_slice() } else { b":\n\n".as_slice() };
        if !self.say(Bytes::from_static(hello)).await {
            return;
        }
        loop {
            match self.go_on().await {
                Some(true) => continue,
                Some(false) => {}
                None => return,
            }
            tokio::select! {
                _ = told.changed() => time::sleep(PACE).await,
                () = time::sleep(COMMENT_EVERY) => {
                    if !self.say(Bytes::from_static(b":\n\n")).await {
                        return;
                    }
                }
                () = shutdown.requested() => return,
            }
        }
    }

    /// Tells the next page; whether there may be more, or nothing if it is over.
    async fn go_on(&mut self) -> Option<bool> {
        let events = match events::read(&self.house.store, self.room.as_deref(), self.after, PAGE).await {
            Ok(events) => events,
            Err(error) => {
                tracing::warn!(%error, "a stream broke off");
                return None;
            }
        };
        let Some(last) = events.last() else { return Some(false) };
        self.after = last.id;
        let is_full = events.len() as i64 >= PAGE;
        self.say(page(&events)).await.then_some(is_full)
    }

    /// Whether he took it.
    async fn say(&mut self, bytes: Bytes) -> bool {
        matches!(time::timeout(TAKEN_WITHIN, self.pages.send_data(bytes)).await, Ok(Ok(())))
    }
}

fn page(events: &[Event]) -> Bytes {
    let mut page = BytesMut::with_capacity(events.iter().map(|event| event.body.len() + 128).sum());
    for Event { id, kind, room, body } in events {
        page.extend_from_slice(format!("event: {kind}\nid: {id}\ndata: ").as_bytes());
        // The room stands in each, as one stream may be of many; a body is an object in one line.
        let room = serde_json::to_string(room).unwrap_or_default();
        let rest = body.strip_prefix('{').unwrap_or(body);
        let comma = if rest == "}" { "" } else { "," };
        page.extend_from_slice(format!("{{\"room\":{room}{comma}{rest}\n\n").as_bytes());
    }
    page.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_its_name_its_id_and_an_object_with_its_room() {
        let event =
            |id, body: &str| Event { id, kind: "held".to_owned(), room: "弹\"幕".to_owned(), body: body.to_owned() };
        let page = page(&[event(7, r#"{"id":"1-0-2"}"#), event(8, "{}")]);
        let expected = "event: held\nid: 7\ndata: {\"room\":\"弹\\\"幕\",\"id\":\"1-0-2\"}\n\n\
                        event: held\nid: 8\ndata: {\"room\":\"弹\\\"幕\"}\n\n";
        assert_eq!(std::str::from_utf8(&page).unwrap(), expected);
    }
}
