//! Trying a draft on what was said.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    answer::Fault,
    ask::{Here, Named, Said},
    holds::Found,
    now_ms,
};
use crate::{
    access::Act,
    backtest::{self, Compared, Sample, Side},
    lists::entry::Entry,
    places,
    private::Hidden,
    refusal::{Problem, Refusal},
    trial::{Draft, Trial, drafted},
    verdicts::learn::said_in,
    versions,
};

/// As long as what was said is kept.
const MINUTES_MAX: i64 = 60;
/// A room's own list.
const ENTRIES_MAX: usize = 1_000;

/// What is tried: a `list` of the room or of all rooms as if it were in force, or `entries` in the room.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// On so many of the last minutes, at most 60.
    minutes: i64,
    /// A list that is a draft, or only watches.
    list: Option<String>,
    /// At most 1,000.
    #[serde(default)]
    entries: Vec<Entry>,
}

/// What the draft would have changed.
#[derive(Serialize, ToSchema)]
pub(super) struct Tested {
    /// Whether all of those minutes could be looked through.
    whole: bool,
    /// Messages that were looked at.
    looked_at: usize,
    /// Found by the rules in force.
    found_before: usize,
    /// Found with the draft.
    found_after: usize,
    /// Found only with the draft.
    new: Difference,
    /// Found only without it.
    lost: Difference,
    /// Found by both, and something else would be done about them.
    otherwise: usize,
}

/// Messages that one of the two finds.
#[derive(Serialize, ToSchema)]
pub(super) struct Difference {
    /// How many.
    count: usize,
    /// The first 50.
    samples: Vec<Spoken>,
}

/// A message.
#[derive(Serialize, ToSchema)]
pub(super) struct Spoken {
    /// Its id.
    id: String,
    /// When.
    at_ms: i64,
    /// Whose.
    user: String,
    /// What it says.
    text: String,
    /// What is done about it, for example `mask`.
    #[schema(value_type = String)]
    action: judge::rules::Action,
    /// Where what was found; without what others keep private.
    hits: Vec<Found>,
}

/// Try a draft on what was said in the last minutes; nothing acts
#[utoipa::path(post, path = "/v1/moderation/rooms/{room}/back-test", tag = "rooms", params(("room" = String, Path)),
    request_body = Test,
    responses((status = 200, body = Tested), (status = 404, body = Fault), (status = 422, body = Fault)))]
pub(super) async fn test(here: Here, Named(room): Named, Said(said): Said<Test>) -> Result<Json<Tested>, Refusal> {
    let scope = here.scope(Some(&room), Act::Moderate)?;
    let room = here.room(&room, Act::Moderate)?;
    if !(1..=MINUTES_MAX).contains(&said.minutes) {
        return Err(Problem::whole("minutes is 1 to 60").into());
    }
    let (store, cache) = (&here.house.store, &here.house.cache);
    let (_, global) = versions::current(store, cache, &proto::rules::Scope::Global).await?;
    let (_, own) = versions::current(store, cache, &scope).await?;
    let draft = match (said.list, &*said.entries) {
        (Some(list), []) if global.lists.contains_key(&list) || own.lists.contains_key(&list) => Draft::List(list),
        (Some(list), []) => return Err(Refusal::NotFound(format!("there is no list {list}, here or for all rooms"))),
        (None, entries) if !entries.is_empty() => Draft::Entries(drafted(entries, ENTRIES_MAX)?),
        _ => return Err(Problem::whole("say one of list and entries").into()),
    };
    let hidden = Hidden::from(&here.house, &here.caller, Some(&room)).await?;
    let place = places::wait(&here.house.heavy).await?;
    let (history, place) = here.house.archive.read(room.as_str(), said.minutes * 60_000, now_ms(), place).await?;
    let whole = history.whole;
    let compared = places::work(place, "the test", move || {
        let in_force = Trial::in_force(&global, &room, &own, None)?;
        let with = Trial::in_force(&global, &room, &own, Some(&draft))?;
        Ok::<_, Refusal>(backtest::compare(&history, &in_force, &with))
    });
    Ok(Json(told(compared.await?.0?, whole, &hidden)))
}

fn told(compared: Compared, whole: bool, hidden: &Hidden) -> Tested {
    let side = |side: Side| Difference {
        count: side.count,
        samples: side.samples.into_iter().map(|sample| sampled(sample, hidden)).collect(),
    };
    let Compared { looked_at, found_before, found_after, new, lost, otherwise } = compared;
    Tested { whole, looked_at, found_before, found_after, new: side(new), lost: side(lost), otherwise }
}

fn sampled(sample: Sample, hidden: &Hidden) -> Spoken {
    let Sample { past, action, hits } = sample;
    Spoken {
        id: past.id.to_string(),
        at_ms: past.at_ms,
        user: past.input.user_id().to_owned(),
        text: said_in(&past.input).to_owned(),
        action,
        hits: hits.iter().filter(|hit| !hidden.hides(&hit.entry)).map(Found::from).collect(),
    }
}
