//! Taking messages back: one, what a user said, what an entry would have stopped. They leave every screen and every history.
//! Kept out: reading what was said (`history`) and finding words in it (`trial`).

use proto::{
    MessageId,
    v1::{self, input::Body},
};
use serde::Serialize;

use crate::{
    audit::Note,
    control::{Controls, recalls},
    events::{About, Kind},
    history::History,
    outbox::Parcel,
    refusal::Refusal,
    store::{Error, Store},
};

/// What is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// These messages.
    Ids(Vec<MessageId>),
    /// All that a user said up to a place; what he says later stays.
    User {
        /// Who.
        user: String,
        /// The last message it can be about.
        through: MessageId,
    },
}

/// Who takes it back, and why, when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct By<'a> {
    pub(crate) actor: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) now_ms: i64,
    /// Of the records that are written now.
    pub(crate) generation: u32,
}

/// What moderators hear of it.
#[derive(Serialize)]
struct Told<'a> {
    ids: Vec<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    user: &'a str,
    count: usize,
    by: &'a str,
    reason: &'a str,
}

/// Ids that an answer names.
pub(crate) const IDS_MAX: usize = 200;

/// Ids that an event names; a recall of more is told by their number.
const IDS_TOLD_MAX: usize = 50;

/// Takes messages of a room back. The rest is in the outbox when this returns.
///
/// # Errors
/// When the database does not answer; nothing was done then.
pub(crate) async fn recall(store: &Store, room: &str, what: &What, by: By<'_>) -> Result<(), Refusal> {
    let records = match what {
        What::Ids(ids) => recalls(ids, by.reason),
        What::User { user, through } => vec![v1::Recall {
            user: user.clone(),
            through: through.to_string(),
            reason: by.reason.to_owned(),
            ..v1::Recall::default()
        }],
    };
    if records.is_empty() {
        return Ok(());
    }
    let mut change = store.change().await?;
    let mut controls = Controls::of(&change, by.generation, by.now_ms);
    let controls = records.into_iter().map(|recall| controls.record(room, Body::Recall(recall))).collect();
    change.put(&Parcel { controls, ..Parcel::default() }).await?;
    let (ids, user): (&[MessageId], &str) = match what {
        What::Ids(ids) => (ids, ""),
        What::User { user, .. } => (&[], user),
    };
    let told = Told {
        ids: ids.iter().take(IDS_TOLD_MAX).map(ToString::to_string).collect(),
        user,
        count: ids.len(),
        by: by.actor,
        reason: by.reason,
    };
    let note = Note {
        actor: by.actor,
        act: "recall",
        scope: &format!("room/{room}"),
        subject: &subject(what),
        reason: by.reason,
        before: "",
        after: &serde_json::to_string(&told).map_err(|error| Error::Encode(error.into()))?,
    };
    change.note(note, by.now_ms).await?;
    change.tell(Kind::Recall, About { room, user, at_ms: by.now_ms }, &told).await?;
    Ok(change.commit().await?)
}

fn subject(what: &What) -> String {
    match what {
        What::Ids(ids) if ids.len() == 1 => ids.iter().map(ToString::to_string).collect(),
        What::Ids(ids) => format!("{} messages", ids.len()),
        What::User { user, .. } => format!("user/{user}"),
    }
}

/// What a user said, of a history: danmaku alone, for what services posted in his name is theirs.
pub(crate) fn said_by(history: &History, user: &str) -> Vec<MessageId> {
    let said = history.past.iter().filter(|past| past.input.user_id() == user);
    said.filter(|past| matches!(past.input.body, Some(Body::Say(_)))).map(|past| past.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Past;

    #[test]
    fn what_a_user_said_is_what_he_said_himself() {
        let past = |offset, user: &str, body| Past {
            id: MessageId { generation: 1, partition: 0, offset },
            at_ms: 0,
            input: v1::Input {
                user: Some(v1::User { id: user.to_owned(), ..v1::User::default() }),
                body: Some(body),
                ..v1::Input::default()
            },
        };
        let (say, post) = (|| Body::Say(v1::Say::default()), || Body::Post(v1::Post::default()));
        let past = vec![past(1, "ann", say()), past(2, "bob", say()), past(3, "ann", post()), past(4, "ann", say())];
        let history = History { past, end: 5, whole: true };
        let offsets: Vec<_> = said_by(&history, "ann").iter().map(|id| id.offset).collect();
        assert_eq!(offsets, [1, 4]);
        assert!(said_by(&history, "nobody").is_empty());
    }
}
