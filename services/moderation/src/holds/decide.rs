//! Deciding on what is held: once, by whoever comes first. The outcome, the record that goes to the river, and who it was
//! are one commit.

use proto::{
    text,
    v1::{self, input::Body},
};
use serde::Serialize;

use super::{
    NOBODY,
    queue::{Held, Outcome, find},
};
use crate::{
    audit::Note,
    control::{Controls, decision},
    events::{About, Kind},
    outbox::Parcel,
    refusal::{Problem, Refusal},
    store::{Change, Error, Store},
};

/// As the door's: a danmaku of more characters is not read.
const CLUSTERS_MAX: usize = 100;

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It is shown, with another text if one is given.
    Approve(Option<String>),
    /// It is not shown.
    Reject,
}

/// Who decides, and why, when.
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
pub(super) struct Decided<'a> {
    pub(super) id: &'a str,
    pub(super) outcome: &'a str,
    pub(super) by: &'a str,
    pub(super) reason: &'a str,
    pub(super) edited: bool,
}

/// Decides on a message that waits in `room`. It acts once the outbox has written it.
///
/// # Errors
/// [`Refusal::Conflict`] with who decided when, if somebody did before.
pub(crate) async fn decide(store: &Store, room: &str, id: &str, answer: Answer, by: By<'_>) -> Result<Held, Refusal> {
    let answer = checked(answer)?;
    let mut change = store.change().await?;
    let held = find(change.connection(), id).await?.filter(|held| held.room == room);
    let held = held.ok_or_else(|| Refusal::NotFound(format!("no message {id} is or was held in this room")))?;
    if !held.outcome.is_empty() {
        let Held { outcome, decided_by, decided_ms, .. } = &held;
        return Err(Refusal::Conflict(format!("it was {outcome} by {decided_by} at {decided_ms}")));
    }
    let input = held.verdict().input.unwrap_or_default();
    let (outcome, text) = match &answer {
        Answer::Approve(text) => (Outcome::Approved, text.as_deref()),
        Answer::Reject => (Outcome::Rejected, None),
    };
    let decision = decision(id, &input, outcome == Outcome::Approved, text, by.reason);
    let decided = Held {
        outcome: outcome.name().to_owned(),
        decided_by: by.actor.to_owned(),
        decided_ms: by.now_ms,
        reason: by.reason.to_owned(),
        said: if decision.edited { text.unwrap_or_default().to_owned() } else { String::new() },
        ..held
    };
    write(&mut change, &decided).await?;
    // By device and address, too, the judge can know whether its author was muted meanwhile.
    let record = Controls::of(&change, by.generation, by.now_ms).record(room, Body::Decision(decision));
    let record = v1::Input { device: input.device, address: input.address, ..record };
    change.put(&Parcel { controls: vec![record], ..Parcel::default() }).await?;
    tell(&mut change, &decided, by).await?;
    change.commit().await?;
    Ok(decided)
}

/// Another text goes on record as the door's would: who may let a message through may not turn the line around it.
fn checked(answer: Answer) -> Result<Answer, Refusal> {
    let Answer::Approve(Some(text)) = answer else { return Ok(answer) };
    let text = text::danmaku(&text, CLUSTERS_MAX).map_err(|why| Refusal::from(Problem::whole(why.to_string())))?;
    Ok(Answer::Approve(Some(text)))
}

async fn write(change: &mut Change, held: &Held) -> Result<(), Error> {
    sqlx::query(
        "UPDATE holds SET outcome = $1, decided_by = $2, decided_ms = $3, reason = $4, said = $5 WHERE id = $6",
    )
    .bind(held.outcome.clone())
    .bind(held.decided_by.clone())
    .bind(held.decided_ms)
    .bind(held.reason.clone())
    .bind(held.said.clone())
    .bind(held.id.clone())
    .execute(change.connection())
    .await?;
    // What nobody decided on says nothing about the entry.
    let sql = match held.outcome == Outcome::Approved.name() {
        _ if held.decided_by == NOBODY => return Ok(()),
        true => "UPDATE entry_hits SET approved = approved + 1 WHERE entry = $1",
        false => "UPDATE entry_hits SET rejected = rejected + 1 WHERE entry = $1",
    };
    sqlx::query(sql).bind(held.rule.clone()).execute(change.connection()).await.map(drop)
}

async fn tell(change: &mut Change, held: &Held, by: By<'_>) -> Result<(), Error> {
    let decided = Decided {
        id: &held.id,
        outcome: &held.outcome,
        by: by.actor,
        reason: by.reason,
        edited: !held.said.is_empty(),
    };
    let note = Note {
        actor: by.actor,
        act: if held.outcome == Outcome::Approved.name() { "approve" } else { "reject" },
        scope: &format!("room/{}", held.room),
        subject: &format!("user/{}", held.user_id),
        reason: by.reason,
        before: "",
        after: &serde_json::to_string(&decided).map_err(|error| Error::Encode(error.into()))?,
    };
    change.note(note, by.now_ms).await?;
    let about = About { room: &held.room, user: &held.user_id, at_ms: by.now_ms };
    change.tell(Kind::Decided, about, &decided).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_is_cleaned_and_measured_as_the_doors() {
        let text = |text: &str| checked(Answer::Approve(Some(text.to_owned())));
        for (said, shown) in [("  ok ", "ok"), ("a\nb\u{0}", "ab"), ("\u{202e}ab\u{2066}c", "abc"), ("o\tk", "o k")] {
            assert_eq!(text(said).unwrap(), Answer::Approve(Some(shown.to_owned())), "{said:?}");
        }
        assert!(text(&"词".repeat(100)).is_ok());
        let chain = format!("a{}", "\u{200d}".repeat(1000));
        for bad in ["", "  ", "\u{202e}\u{200b}", "\u{3164}", &chain, &"词".repeat(101)] {
            assert!(matches!(text(bad), Err(Refusal::Invalid(_))), "{bad:?}");
        }
        let marks = format!("e{}", "\u{301}".repeat(1_000));
        let Ok(Answer::Approve(Some(shown))) = text(&marks) else { panic!("refused") };
        assert_eq!(shown.chars().count(), 9, "eight marks stay");
        assert_eq!(checked(Answer::Approve(None)).unwrap(), Answer::Approve(None));
        assert_eq!(checked(Answer::Reject).unwrap(), Answer::Reject);
    }
}
