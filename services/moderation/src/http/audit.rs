//! The audit log: reading, taking it all along, and looking whether it is whole.

use std::convert::Infallible;

use axum::{Json, body::Body, response::IntoResponse};
use bytes::Bytes;
use http_body_util::channel::Channel;
use hyper::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::ask::{Here, Params};
use crate::{
    access::Act,
    audit::{self, Row, Verified},
    refusal::Refusal,
};

/// Which rows.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Only what was done in this room's book.
    room: Option<String>,
    /// Behind the row with this sequence number.
    #[serde(default)]
    after: i64,
    /// At most so many, 1,000 at the most.
    limit: Option<i64>,
}

/// Rows of the audit log, oldest first.
#[derive(Serialize, ToSchema)]
pub(super) struct Rows {
    /// These.
    rows: Vec<Row>,
}

/// What was done
#[utoipa::path(get, path = "/v1/moderation/audit", tag = "audit", params(Which), responses((status = 200, body = Rows)))]
pub(super) async fn read(here: Here, Params(which): Params<Which>) -> Result<Json<Rows>, Refusal> {
    let scope = here.scope(which.room.as_deref(), Act::ReadLog)?;
    let scope = which.room.is_some().then_some(&scope);
    let rows = audit::read(&here.house.store, scope, which.after, which.limit.unwrap_or(100)).await?;
    Ok(Json(Rows { rows }))
}

/// All that was done, a JSON object a line
#[utoipa::path(get, path = "/v1/moderation/audit/export", tag = "audit",
    responses((status = 200, body = String, content_type = "application/x-ndjson")))]
pub(super) async fn export(here: Here) -> Result<impl IntoResponse, Refusal> {
    here.scope(None, Act::ReadLog)?;
    let store = std::sync::Arc::clone(&here.house.store);
    // Read before it is answered, so that a database that is away is an answer; then page by page, as it is taken.
    let first = audit::read(&store, None, 0, audit::PAGE).await?;
    // One page may wait for its reader: 500 KB.
    let (mut pages, body) = Channel::<Bytes, Infallible>::new(1);
    tokio::spawn(async move {
        let mut rows = first;
        while let Some(last) = rows.last() {
            let after = last.sequence;
            if pages.send_data(lines(&rows)).await.is_err() {
                return;
            }
            match audit::read(&store, None, after, audit::PAGE).await {
                Ok(next) => rows = next,
                Err(error) => {
                    tracing::error!(%error, "an export broke off");
                    let _ = pages.send_data(BROKEN_OFF.into()).await;
                    return;
                }
            }
        }
    });
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::new(body)))
}

/// The last line of an export that is not whole.
const BROKEN_OFF: &str = "{\"broken_off\":\"the database does not answer\"}\n";

fn lines(rows: &[Row]) -> Bytes {
    let mut bytes = Vec::with_capacity(rows.len() * 500);
    for row in rows {
        // A row of texts and numbers can always be written.
        if serde_json::to_writer(&mut bytes, row).is_ok() {
            bytes.push(b'\n');
        }
    }
    bytes.into()
}

/// Whether the log is what was written
#[utoipa::path(get, path = "/v1/moderation/audit/verify", tag = "audit", responses((status = 200, body = Verified)))]
pub(super) async fn verify(here: Here) -> Result<Json<Verified>, Refusal> {
    here.scope(None, Act::ReadLog)?;
    Ok(Json(audit::verify(&here.house.store).await?))
}
