//! What goes out of a sanction: to the river and the rule book, into the log, and to moderators. Whom it is on is kept out.

use proto::v1::{BanRule, MuteRule, input::Body};
use serde::Serialize;

use super::{By, Kind, Row};
use crate::{
    audit::Note,
    control::Controls,
    events::{About, Kind as Event},
    outbox::Parcel,
    store::{Change, Error},
};

/// What moderators hear of it.
#[derive(Serialize)]
struct Told<'a> {
    act: &'a str,
    subjects: &'a [String],
    until_ms: i64,
    by: &'a str,
    reason: &'a str,
}

/// When a sanction ended that was lifted, for whoever reads the rule book: long ago by any clock, while the time at which it was
/// lifted may be still to come by the broker's, or by ours once it was set back.
const LONG_OVER_MS: i64 = 1;

/// What is said of a sanction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Publish {
    Impose,
    Lift,
    /// It is lifted, and its record goes.
    Forget,
}

/// Puts each into the outbox: the control record, and what restores it.
pub(super) async fn publish(
    change: &mut Change,
    kind: Kind,
    rows: &[Row],
    what: Publish,
    by: By<'_>,
) -> Result<(), Error> {
    let is_lifted = what != Publish::Impose;
    let mut controls = Controls::of(change, by.generation, by.now_ms);
    let sequence = change.sequence().cast_unsigned();
    for row in rows {
        // A ban without a room acts by the rule book alone, within a second.
        let control = (!row.room.is_empty()).then(|| {
            let sanction = proto::v1::Sanction {
                kind: kind.sanction(is_lifted).into(),
                subject: row.subject.clone(),
                until: row.until_ms,
                sequence,
                reason: row.reason.clone(),
            };
            controls.record(&row.room, Body::Sanction(sanction))
        });
        let (forget, until) = (what == Publish::Forget, if is_lifted { LONG_OVER_MS } else { row.until_ms });
        let mut parcel = Parcel { controls: control.into_iter().collect(), forget, ..Parcel::default() };
        match kind {
            Kind::Mute => parcel.mute = Some(mute(row, until, sequence)),
            Kind::Ban => parcel.ban = Some(ban(row, until, sequence)),
        }
        change.put(&parcel).await?;
    }
    Ok(())
}

fn mute(row: &Row, until: i64, sequence: u64) -> MuteRule {
    MuteRule {
        room: row.room.clone(),
        subject: row.subject.clone(),
        until,
        sequence,
        reason: row.reason.clone(),
        ..MuteRule::default()
    }
}

fn ban(row: &Row, until: i64, sequence: u64) -> BanRule {
    BanRule { subject: row.subject.clone(), until, sequence, reason: row.reason.clone() }
}

pub(super) async fn tell(
    change: &mut Change,
    kind: Kind,
    rows: &[Row],
    until_ms: i64,
    by: By<'_>,
    act: &'static str,
) -> Result<(), Error> {
    let subjects: Vec<String> = rows.iter().map(|row| row.subject.clone()).collect();
    let (Some(of), room) = (subjects.first(), rows.first().map_or("", |row| &row.room)) else { return Ok(()) };
    let scope = if kind == Kind::Ban { "global".to_owned() } else { format!("room/{room}") };
    let told = Told { act, subjects: &subjects, until_ms, by: by.actor, reason: by.reason };
    let after = serde_json::to_string(&told).map_err(|error| Error::Encode(error.into()))?;
    let note = Note { actor: by.actor, act, scope: &scope, subject: of, reason: by.reason, before: "", after: &after };
    change.note(note, by.now_ms).await?;
    let user = of.strip_prefix("user/").unwrap_or_default();
    let room = if kind == Kind::Ban { "" } else { room };
    change.tell(Event::Sanction, About { room, user, at_ms: by.now_ms }, &told).await
}
