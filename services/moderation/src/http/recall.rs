//! Taking messages back: one or some, what a user said, what entries would have stopped.

use axum::Json;
use proto::MessageId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    answer::Fault,
    ask::{Here, Named, Said},
    live::{self, reason},
};
use crate::{
    access::Act,
    lists::entry::Entry,
    places,
    recall::{self, What},
    refusal::{Problem, Refusal},
    trial::Trial,
};

/// Messages that are named one by one.
const IDS_MAX: usize = 1_000;
/// As long as what was said is kept.
const SECONDS_MAX: i64 = 3_600;
/// Entries that one recall looks for.
const ENTRIES_MAX: usize = 100;

/// What is to be taken back: `ids`, or what a `user` said, or what `entries` are found in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Recall {
    /// These messages, at most 1,000.
    #[serde(default)]
    ids: Vec<String>,
    /// What he said: all of it, or of the last `seconds`.
    user: Option<String>,
    /// What these would have stopped in the last `seconds`; at most 100.
    #[serde(default)]
    entries: Vec<Entry>,
    /// At most 3,600.
    seconds: Option<i64>,
    /// Only tells what would be taken back.
    #[serde(default)]
    dry_run: bool,
    /// Told with it.
    #[serde(default)]
    reason: String,
}

/// What was taken back.
#[derive(Serialize, ToSchema)]
pub(super) struct Recalled {
    /// How many messages; absent if it is all that a user said.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// The first 200 of them.
    ids: Vec<String>,
    /// Whether all that was asked for could be looked through.
    whole: bool,
}

/// Take messages back: from every screen and every history
#[utoipa::path(post, path = "/v1/moderation/rooms/{room}/recall", tag = "rooms", params(("room" = String, Path)),
    request_body = Recall, responses((status = 200, body = Recalled), (status = 422, body = Fault)))]
pub(super) async fn recall(
    here: Here,
    Named(room): Named,
    Said(said): Said<Recall>,
) -> Result<Json<Recalled>, Refusal> {
    let room = here.room(&room, Act::Moderate)?;
    let by = here.recalls(reason(&said.reason)?);
    let (what, whole) = here.wanted(room.as_str(), &said).await?;
    if !said.dry_run {
        recall::recall(&here.house.store, room.as_str(), &what, by).await?;
    }
    let (count, ids) = match &what {
        What::Ids(ids) => (Some(ids.len()), ids.iter().take(recall::IDS_MAX).map(ToString::to_string).collect()),
        What::User { .. } => (None, Vec::new()),
    };
    Ok(Json(Recalled { count, ids, whole }))
}

impl Here {
    /// Which messages are meant, and whether all that was asked for was looked through.
    async fn wanted(&self, room: &str, said: &Recall) -> Result<(What, bool), Refusal> {
        let back_ms = |seconds: Option<i64>| match seconds {
            Some(seconds) if (1..=SECONDS_MAX).contains(&seconds) => Ok(seconds * 1_000),
            _ => Err(Refusal::from(Problem::whole("seconds is 1 to 3,600"))),
        };
        match (&*said.ids, &said.user, &*said.entries) {
            (ids, None, []) if !ids.is_empty() => Ok((What::Ids(self.ids(room, ids)?), true)),
            ([], Some(user), []) if said.seconds.is_none() => {
                let user = live::user(user)?;
                let end = self.house.archive.end(room).await?;
                // Before anything was said there is nothing to take back.
                let through = self.house.archive.id(room, end.saturating_sub(1));
                Ok((What::User { user: user.as_str().to_owned(), through }, true))
            }
            ([], Some(user), []) => {
                let user = live::user(user)?;
                let (history, _place) = self.said_of_late(room, back_ms(said.seconds)?).await?;
                Ok((What::Ids(recall::said_by(&history, user.as_str())), history.whole))
            }
            ([], None, entries) if !entries.is_empty() => {
                let trial = Trial::of_entries(entries, ENTRIES_MAX)?;
                let (history, place) = self.said_of_late(room, back_ms(said.seconds)?).await?;
                let whole = history.whole;
                let (found, _) = places::work(place, "the search", move || trial.found_in(&history)).await?;
                Ok((What::Ids(found), whole))
            }
            _ => Err(Problem::whole("say one of ids, user and entries").into()),
        }
    }

    fn ids(&self, room: &str, ids: &[String]) -> Result<Vec<MessageId>, Refusal> {
        if ids.len() > IDS_MAX {
            return Err(Problem::whole(format!("a recall names at most {IDS_MAX} messages")).into());
        }
        let river = self.house.archive.river();
        let named = ids.iter().zip(1..).map(|(id, place)| {
            river.message(room, id).map_err(|why| Refusal::from(Problem::at(place, format!("ids: {why}"))))
        });
        named.collect()
    }
}
