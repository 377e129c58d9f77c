//! What a room was shown, as a file that is written while it is taken; and its newest rows for web players. How rows are
//! found and written is `export`'s.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{Json, body::Body, response::IntoResponse};
use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use hyper::{
    HeaderMap,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS},
};
use serde::{Deserialize, Serialize};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params},
    now_ms,
};
use crate::{
    access::Act,
    export::{
        Found, Shelf, Span,
        form::Form,
        player::{Newest, Shown},
    },
    refusal::Refusal,
};

/// Bytes that are gathered before they are sent. One such piece may wait for its reader.
const PIECE_BYTES: usize = 32 << 10;

/// How long a piece may wait. Whoever takes nothing for so long is let go, with a file that has no end.
const TAKEN_WITHIN: Duration = Duration::from_secs(20);

/// How long to wait when as many read as may.
const AGAIN_MS: u64 = 5_000;

/// Rows for a player that says no number, as most say it themselves; and the most, as all of them are drawn.
const PLAYER_ROWS: usize = 1_000;
const PLAYER_ROWS_MAX: usize = 5_000;

/// For so long an answer to nobody in particular may be kept on the way.
const PLAYER_KEPT: &str = "public, max-age=30";

/// Which part of it, by when it was shown.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Part {
    /// From then on, in Unix milliseconds; without it, from the first that is held.
    from: Option<i64>,
    /// Until then, which is not in it; without it, until now.
    to: Option<i64>,
}

/// What was shown in a room, as recorders write it
///
/// From what Kafka still holds, without what was taken back, in the order of time; 200,000 rows at most. `since` in the head of
/// the file, and in `Danmaku-Since`, says from when on nothing is missing, `until` where the next file goes on. Gifts and
/// super-chats are `<gift>` and `<sc>`; events have no shape in this form.
#[utoipa::path(get, path = "/v1/rooms/{room}/export.xml", tag = "export", params(("room" = String, Path), Part),
    responses((status = 200, body = String, content_type = "application/xml",
        headers(("danmaku-since" = i64), ("danmaku-start" = i64), ("danmaku-until" = i64))),
        (status = 422, body = Fault), (status = 429, body = Fault),
        (status = 503, body = Fault, description = "Kafka is away.")))]
pub(super) async fn xml(
    here: Here,
    Named(room): Named,
    Params(part): Params<Part>,
) -> Result<impl IntoResponse, Refusal> {
    file(here, &room, part, Form::Xml).await
}

/// What was shown in a room, a JSON object a line
///
/// The same rows as messages of the wire, with `room` and `shown`, when the room saw it; events too. The first line says
/// `export`, the last one `end`: without it the file broke off.
#[utoipa::path(get, path = "/v1/rooms/{room}/export.ndjson", tag = "export", params(("room" = String, Path), Part),
    responses((status = 200, body = String, content_type = "application/x-ndjson",
        headers(("danmaku-since" = i64), ("danmaku-start" = i64), ("danmaku-until" = i64))),
        (status = 422, body = Fault), (status = 429, body = Fault),
        (status = 503, body = Fault, description = "Kafka is away.")))]
pub(super) async fn ndjson(
    here: Here,
    Named(room): Named,
    Params(part): Params<Part>,
) -> Result<impl IntoResponse, Refusal> {
    file(here, &room, part, Form::Ndjson).await
}

/// A room's newest rows, as a web player asks for them.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// The room.
    id: String,
    /// At most so many; 1,000 unless it is said, 5,000 at the most.
    max: Option<usize>,
    /// The same.
    limit: Option<usize>,
    /// Where the player's time begins, in Unix milliseconds; without it, at the first row that is held.
    from: Option<i64>,
    /// Until then.
    to: Option<i64>,
}

/// Rows for a web player.
#[derive(Serialize, ToSchema)]
pub(super) struct Rows {
    /// 0: these are the rows.
    code: u8,
    /// Seconds, type (0 scrolls, 1 top, 2 bottom), color, author and text, both without HTML.
    data: Vec<Shown>,
}

/// The newest rows of a room, in the order of time, for web players
///
/// With a viewer's token; with `--anonymous-players true` without one. Other parameters are passed over.
#[utoipa::path(get, path = "/v3/", tag = "export", params(Asked),
    responses((status = 200, body = Rows), (status = 422, body = Fault), (status = 429, body = Fault),
        (status = 503, body = Fault, description = "Kafka is away.")))]
pub(super) async fn newest(here: Here, Params(asked): Params<Asked>) -> Result<impl IntoResponse, Refusal> {
    let is_for_all = here.house.config.anonymous_players;
    if !here.caller.is_known() && !is_for_all {
        return Err(Refusal::Unauthorized("a bearer token is needed".to_owned()));
    }
    let room = here.room(&asked.id, Act::Watch)?;
    let most = asked.max.or(asked.limit).unwrap_or(PLAYER_ROWS).min(PLAYER_ROWS_MAX);
    let span = Span { from_ms: asked.from, to_ms: asked.to };
    let reading = Reading::of(&here.house.shelf, room.as_str(), span, &here.house.players).await?;
    let data = reading.newest(most).await?;
    let kept = if is_for_all && !here.caller.is_known() { PLAYER_KEPT } else { "no-store" };
    Ok(([(CACHE_CONTROL, kept)], Json(Rows { code: 0, data })))
}

/// A player's way of saying something; it is said at the door
#[utoipa::path(post, path = "/v3/", tag = "export", responses((status = 405, body = Fault)))]
pub(super) async fn say() -> Refusal {
    Refusal::Elsewhere(
        "nothing is said here: POST /v1/rooms/{room}/danmaku, at the door, with the viewer's token".to_owned(),
    )
}

async fn file(here: Here, room: &str, part: Part, form: Form) -> Result<impl IntoResponse + use<>, Refusal> {
    let room = here.room(room, Act::ReadLog)?;
    let span = Span { from_ms: part.from, to_ms: part.to };
    let reading = Reading::of(&here.house.shelf, room.as_str(), span, &here.house.exports).await?;
    let headers = headers(&reading.found, form);
    let (pieces, body) = Channel::<Bytes, Infallible>::new(1);
    reading.write(form, pieces);
    Ok((headers, Body::new(body)))
}

fn headers(found: &Found, form: Form) -> HeaderMap {
    let head = &found.head;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    // What viewers said is no page of ours.
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let times = [("danmaku-since", head.since_ms), ("danmaku-start", head.start_ms), ("danmaku-until", head.until_ms)];
    headers.extend(times.map(|(name, ms)| (HeaderName::from_static(name), HeaderValue::from(ms))));
    headers
}

/// A room whose rows were found, and a place among those who read at a time.
struct Reading {
    shelf: Shelf,
    found: Found,
    place: OwnedSemaphorePermit,
}

impl Reading {
    async fn of(shelf: &Shelf, room: &str, span: Span, places: &Arc<Semaphore>) -> Result<Self, Refusal> {
        let place = Arc::clone(places).try_acquire_owned().map_err(|_| Refusal::TooMany(AGAIN_MS))?;
        let (shelf, room) = (shelf.clone(), room.to_owned());
        let look = move || shelf.look(&room, span, now_ms()).map(|found| Self { shelf, found, place });
        tokio::task::spawn_blocking(look).await.map_err(|_| given_up())?
    }

    /// Writes a file, as it is taken.
    fn write(self, form: Form, pieces: Sender<Bytes, Infallible>) {
        let mut pieces = Pieces { pieces, gathered: Vec::with_capacity(PIECE_BYTES), runtime: Handle::current() };
        tokio::task::spawn_blocking(move || {
            let Self { shelf, found, place: _place } = self;
            form.head(&mut pieces.gathered, &found.head);
            let told = shelf.tell(&found, |row| {
                form.row(&mut pieces.gathered, &found.head, row);
                pieces.gathered.len() < PIECE_BYTES || pieces.send()
            });
            match told {
                Ok(Some(rows)) => {
                    form.tail(&mut pieces.gathered, rows);
                    pieces.send();
                }
                Ok(None) => tracing::debug!("an export was not taken to its end"),
                Err(error) => tracing::warn!(%error, "an export broke off"),
            }
        });
    }

    async fn newest(self, most: usize) -> Result<Vec<Shown>, Refusal> {
        let Self { shelf, found, place } = self;
        let read = move || {
            let (mut newest, _place) = (Newest::of(most), place);
            let told = shelf.tell(&found, |row| {
                newest.add(&found.head, row);
                true
            });
            told.map(|_| newest.rows())
        };
        let read = tokio::task::spawn_blocking(read).await.map_err(|_| given_up())?;
        read.map_err(|_| Refusal::Unavailable("kafka does not answer; there are no rows".to_owned()))
    }
}

fn given_up() -> Refusal {
    Refusal::Unavailable("the export was given up".to_owned())
}

/// The way of a file to who takes it.
struct Pieces {
    pieces: Sender<Bytes, Infallible>,
    gathered: Vec<u8>,
    runtime: Handle,
}

impl Pieces {
    /// Sends what is gathered; whether it was taken. Blocks.
    fn send(&mut self) -> bool {
        let piece = Bytes::from(std::mem::replace(&mut self.gathered, Vec::with_capacity(PIECE_BYTES)));
        let sent = async { time::timeout(TAKEN_WITHIN, self.pieces.send_data(piece)).await };
        matches!(self.runtime.block_on(sent), Ok(Ok(())))
    }
}
