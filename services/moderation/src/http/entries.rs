//! The entries of a list: reading them, and editing one or thousands at once. Files are `files`'.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::{IntoParams, ToSchema};

use super::{
    answer::Fault,
    ask::{Here, Named, Params, Said},
    lists::Why,
    new_id, now_ms,
};
use crate::{
    access::Act,
    lists::{
        edit::{By, Edit, PROBLEMS_MAX, placed},
        entry::Entry,
        report::{BROAD_PERCENT, Report},
    },
    refusal::{Problem, Refusal},
    versions::{self, Stamp, Wish},
};

/// Entries told at a time.
const PAGE_MAX: usize = 1_000;
/// Clean texts that an edit may bring.
const SAMPLE_MAX: usize = 10_000;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// A room's own book; without it, the one that holds everywhere.
    room: Option<String>,
    /// Only entries whose text holds this, after folding.
    #[serde(default)]
    find: String,
    /// Behind the entry with this id.
    #[serde(default)]
    after: String,
    /// At most so many, 1,000 at the most.
    limit: Option<usize>,
}

/// Entries of a list, in the order of their ids.
#[derive(Serialize, ToSchema)]
pub(super) struct Entries {
    /// The version they are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i64>,
    /// How many the list has.
    total: usize,
    /// These.
    entries: Vec<Entry>,
    /// Give it as `after` to go on; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// What is on a list
#[utoipa::path(get, path = "/v1/moderation/lists/{list}/entries", tag = "entries",
    params(("list" = String, Path), Which),
    responses((status = 200, body = Entries), (status = 404, body = Fault)))]
pub(super) async fn read(
    here: Here,
    Named(list): Named,
    Params(which): Params<Which>,
) -> Result<Json<Entries>, Refusal> {
    let scope = here.scope(which.room.as_deref(), Act::ReadBook)?;
    let (version, content) = versions::current(&here.house.store, &here.house.cache, &scope).await?;
    if !content.lists.contains_key(&list) {
        return Err(Refusal::NotFound(format!("there is no list {list}")));
    }
    let limit = which.limit.unwrap_or(100).clamp(1, PAGE_MAX);
    let find = crate::fold::key(&which.find);
    let sees = |author: &str| here.caller.sees_private(author);
    let mut found: Vec<_> = content
        .of(&list)
        .filter(|kept| kept.entry.id > which.after)
        .filter(|kept| find.is_empty() || kept.folded.contains(&find) && (!kept.private || sees(&kept.author)))
        .collect();
    found.sort_unstable_by(|a, b| a.entry.id.cmp(&b.entry.id));
    let next = found.get(limit).and_then(|_| found.get(limit - 1)).map(|kept| kept.entry.id.clone());
    let entries = found.into_iter().take(limit).map(|kept| Entry::told(kept, sees(&kept.author))).collect();
    let total = content.of(&list).count();
    Ok(Json(Entries { version: version.map(|stamp| stamp.number), total, entries, next }))
}

/// An edit of a list: all of it, or nothing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditList {
    /// New entries, each as an object, or as its text alone.
    // Read one by one, so that what is wrong with one is told with its place.
    #[serde(default)]
    #[schema(value_type = Vec<AddEntry>)]
    add: Vec<Box<RawValue>>,
    /// Ids or texts.
    #[serde(default)]
    remove: Vec<String>,
    /// Whole entries in the place of those with their ids.
    #[serde(default)]
    change: Vec<Entry>,
    /// Texts that a good entry does not hit; at most 10,000.
    #[serde(default)]
    sample: Vec<String>,
    /// The share of them in percent above which an entry is called too broad; 1 unless it is given.
    sample_percent: Option<f64>,
    /// For the audit log.
    #[serde(default)]
    reason: String,
    /// Adds also what the report doubts.
    #[serde(default)]
    force: bool,
    /// Only tells what would be done.
    #[serde(default)]
    dry_run: bool,
    /// The version that was looked at; if there is a newer one, nothing is done (409). `If-Match` says the same.
    base_version: Option<i64>,
}

/// An entry, or the text of one, as the description has it.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is read by `entries`, which can say what is wrong with it")]
enum AddEntry {
    /// All else at its default.
    Text(String),
    /// Whole.
    Entry(Box<Entry>),
}

/// What an edit did, or would do.
#[derive(Serialize, ToSchema)]
pub(super) struct Edited {
    /// The version that it made; absent if it made none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<Stamp>,
    /// What is doubtful about what was added.
    pub(super) report: Report,
}

/// Add, remove and change entries
#[utoipa::path(post, path = "/v1/moderation/lists/{list}/entries", tag = "entries",
    params(("list" = String, Path), super::lists::InScope), request_body = EditList,
    responses((status = 200, body = Edited), (status = 409, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn edit(
    here: Here,
    Named(list): Named,
    Params(scope): Params<super::lists::InScope>,
    Said(said): Said<EditList>,
) -> Result<Json<Edited>, Refusal> {
    let scope = here.scope(scope.room.as_deref(), Act::EditBook)?;
    if said.sample.len() > SAMPLE_MAX {
        return Err(Problem::whole("a sample has at most 10,000 texts").into());
    }
    if said.add.is_empty() && said.remove.is_empty() && said.change.is_empty() {
        return Err(Problem::whole("there is nothing to add, remove or change").into());
    }
    let add = placed(&list, entries(&said.add)?).map_err(Refusal::Invalid)?;
    let edit = Edit { clear: false, remove: said.remove, change: said.change, add };
    let why = Why { room: None, reason: said.reason, base_version: said.base_version };
    let wish = here.wish(&scope, "edit", &list, &why)?;
    let how = How {
        from_file: false,
        force: said.force,
        dry_run: said.dry_run,
        sample: said.sample,
        percent: said.sample_percent.unwrap_or(BROAD_PERCENT),
        place: None,
    };
    apply(&here, wish, &list, edit, how).await.map(Json)
}

/// Entries with their places.
fn entries(said: &[Box<RawValue>]) -> Result<Vec<(usize, Entry)>, Refusal> {
    let (mut entries, mut problems) = (Vec::with_capacity(said.len()), Vec::new());
    for (said, place) in said.iter().map(|said| said.get()).zip(1..) {
        let read = if said.starts_with('"') {
            serde_json::from_str(said).map(|text: String| Entry::word(text))
        } else {
            serde_json::from_str(said)
        };
        match read {
            Ok(entry) => entries.push((place, entry)),
            Err(error) if problems.len() < PROBLEMS_MAX => problems.push(Problem::at(place, error.to_string())),
            Err(_) => break,
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(Refusal::Invalid(problems)) }
}

/// How careful an edit is.
pub(super) struct How {
    pub(super) from_file: bool,
    pub(super) force: bool,
    pub(super) dry_run: bool,
    pub(super) sample: Vec<String>,
    pub(super) percent: f64,
    /// Taken until it is done.
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Reports on an edit, and makes it unless there are doubts or it is only tried.
pub(super) async fn apply(here: &Here, wish: Wish<'_>, list: &str, edit: Edit, how: How) -> Result<Edited, Refusal> {
    let (store, cache) = (&here.house.store, &here.house.cache);
    let told = Arc::new(Mutex::new(None));
    let tell = Arc::clone(&told);
    let (scope, list, author) = (wish.scope.clone(), list.to_owned(), wish.author.to_owned());
    let sees_private = here.caller.sees_private("");
    let made = versions::publish(store, cache, wish, move |content| {
        let _place = &how.place;
        let base = if edit.clear { content.without(&list) } else { content.clone() };
        let report = Report::on(&base, &list, &edit.add, &how.sample, how.percent);
        let by = By { author: &author, sees_private, now_ms: now_ms() };
        let tally = content.edit(&scope, &list, &edit, by, new_id).map_err(Refusal::Invalid)?;
        if !how.force && !how.dry_run && report.wants_force(how.from_file) {
            return Err(Refusal::NeedsForce(Box::new(report)));
        }
        let is_real = !how.dry_run && tally != crate::lists::edit::Tally::default();
        *tell.lock().unwrap_or_else(PoisonError::into_inner) = Some((report, is_real));
        Ok(is_real.then_some(tally))
    });
    let made = made.await;
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (made, told) {
        (Ok(stamp), Some((report, is_real))) => Ok(Edited { version: is_real.then_some(stamp), report }),
        // There is no version yet, and this made none.
        (Err(Refusal::NotFound(_)), Some((report, false))) => Ok(Edited { version: None, report }),
        (Err(refusal), _) => Err(refusal),
        (Ok(_), None) => Err(Refusal::Unavailable("the edit was given up".to_owned())),
    }
}
