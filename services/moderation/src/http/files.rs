//! Lists as files: bringing one in, with its report, and taking one out.

use axum::{Json, response::IntoResponse};
use bytes::Bytes;
use hyper::{HeaderMap, header::CONTENT_TYPE};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params},
    entries::{Edited, How, apply},
    lists::Why,
};
use crate::{
    access::Act,
    files::{self, Format},
    lists::{
        edit::{Edit, placed},
        entry::{Action, Entry, Kind},
        report::BROAD_PERCENT,
    },
    places,
    refusal::Refusal,
    versions,
};

/// How a file is brought in.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Import {
    /// A room's own book; without it, the one that holds everywhere.
    room: Option<String>,
    /// How the file is written.
    #[serde(default)]
    format: Format,
    /// What its entries are where it does not say.
    #[serde(default)]
    kind: Kind,
    /// The category of entries that name none.
    #[serde(default)]
    category: String,
    /// The severity of entries that name none.
    #[serde(default)]
    severity: u32,
    /// The action of entries that name none.
    #[serde(default)]
    action: Action,
    /// Whether what was on the list goes.
    #[serde(default)]
    replace: bool,
    /// Adds also what the report doubts.
    #[serde(default)]
    force: bool,
    /// Only tells what would be done.
    #[serde(default)]
    dry_run: bool,
    /// For the audit log.
    #[serde(default)]
    reason: String,
    /// The version that was looked at; if there is a newer one, nothing is done (409). `If-Match` says the same.
    base_version: Option<i64>,
}

/// A file with texts that it should not hit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WithSample {
    /// The file's text.
    text: String,
    /// Texts that a good entry does not hit.
    sample: Vec<String>,
    /// The share of them in percent above which an entry is called too broad; 1 unless it is given.
    sample_percent: Option<f64>,
}

/// Bring in a file
///
/// The body is the file itself, as text or gzip; or JSON, with texts that a good entry does not hit.
#[utoipa::path(post, path = "/v1/moderation/lists/{list}/import", tag = "entries",
    params(("list" = String, Path), Import), request_body(content((String = "text/plain"), (String = "text/csv"),
        (Vec<u8> = "application/gzip"), (WithSample = "application/json"))),
    responses((status = 200, body = Edited), (status = 409, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn import(
    here: Here,
    Named(list): Named,
    Params(how): Params<Import>,
    headers: HeaderMap,
    file: Bytes,
) -> Result<Json<Edited>, Refusal> {
    let scope = here.scope(how.room.as_deref(), Act::EditBook)?;
    let kind = body_kind(&headers)?;
    let place = places::wait(&here.house.heavy).await?;
    let like = Entry {
        kind: how.kind,
        category: how.category,
        severity: how.severity,
        action: how.action,
        ..Entry::default()
    };
    let (name, format) = (list.clone(), how.format);
    let read = places::work(place, "the import", move || {
        let with = match kind {
            BodyKind::File => WithSample { text: files::text(&file)?, sample: Vec::new(), sample_percent: None },
            BodyKind::Json => serde_json::from_slice(&file)
                .map_err(|error| Refusal::Malformed(format!("not as described: {error}")))?,
        };
        let entries = files::parse(&with.text, format, &like)?;
        let add = placed(&name, entries).map_err(Refusal::Invalid)?;
        Ok::<_, Refusal>((add, with.sample, with.sample_percent))
    });
    let (read, place) = read.await?;
    let (add, sample, percent) = read?;
    let why = Why { room: None, reason: how.reason, base_version: how.base_version };
    let wish = here.wish(&scope, "import", &list, &why)?;
    let edit = Edit { clear: how.replace, add, ..Edit::default() };
    let percent = percent.unwrap_or(BROAD_PERCENT);
    let how = How { from_file: true, force: how.force, dry_run: how.dry_run, sample, percent, place: Some(place) };
    apply(&here, wish, &list, edit, how).await.map(Json)
}

enum BodyKind {
    File,
    Json,
}

fn body_kind(headers: &HeaderMap) -> Result<BodyKind, Refusal> {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("text/plain");
    match said.split(';').next().unwrap_or_default().trim() {
        "text/plain" | "text/csv" | "application/gzip" | "application/octet-stream" => Ok(BodyKind::File),
        "application/json" => Ok(BodyKind::Json),
        other => Err(Refusal::UnsupportedType(format!(
            "a file is text/plain, text/csv, application/gzip or application/json, not {other}"
        ))),
    }
}

/// Which list, and how it is written.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// A room's own book; without it, the one that holds everywhere.
    room: Option<String>,
    /// How the file is written.
    #[serde(default)]
    format: Format,
    /// As it was in this version; without it, the newest.
    version: Option<i64>,
}

/// Take a list out as a file; private entries only for who may read them
#[utoipa::path(get, path = "/v1/moderation/lists/{list}/export", tag = "entries", params(("list" = String, Path), Which),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = Fault)))]
pub(super) async fn export(
    here: Here,
    Named(list): Named,
    Params(which): Params<Which>,
) -> Result<impl IntoResponse, Refusal> {
    let scope = here.scope(which.room.as_deref(), Act::ReadBook)?;
    let content = versions::content(&here.house.store, &here.house.cache, &scope, which.version).await?;
    if !content.lists.contains_key(&list) {
        return Err(Refusal::NotFound(format!("there is no list {list}")));
    }
    let file = files::write(content.of(&list), which.format, |author| here.caller.sees_private(author));
    Ok(([(CONTENT_TYPE, which.format.content_type())], file))
}
