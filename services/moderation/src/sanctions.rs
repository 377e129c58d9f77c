//! Mutes and bans: who may not speak in a room, or anywhere. Each is a control record, which acts at its offset, and a record
//! of the rule book, which restores it after a restart; both are in one commit with the row that moderators see.
//! What they cost somebody is kept out (the judge, the door, the hall).

mod publish;
pub(crate) mod row;

use proto::{ban::Subject, rules::Key, v1::SanctionKind};

pub(crate) use row::{Row, list};

use crate::{
    refusal::Refusal,
    store::{Change, Store},
};
use publish::{Publish, publish, tell};

/// Which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Not in this room.
    Mute,
    /// Nowhere.
    Ban,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mute => "mute",
            Self::Ban => "ban",
        }
    }

    fn sanction(self, is_lifted: bool) -> SanctionKind {
        match (self, is_lifted) {
            (Self::Mute, false) => SanctionKind::Mute,
            (Self::Mute, true) => SanctionKind::Unmute,
            (Self::Ban, false) => SanctionKind::Ban,
            (Self::Ban, true) => SanctionKind::Unban,
        }
    }
}

/// A sanction to be imposed.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) kind: Kind,
    /// A mute's room; a ban's where it acts at its offset, empty for none.
    pub(crate) room: String,
    /// On whom, and by what else he is known.
    pub(crate) subjects: Vec<Subject>,
    /// Unix milliseconds; 0 is for good.
    pub(crate) until_ms: i64,
    /// It ends with the room's broadcast.
    pub(crate) broadcast: bool,
}

/// Who does it, and why, when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct By<'a> {
    pub(crate) actor: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) now_ms: i64,
    /// Of the records that are written now.
    pub(crate) generation: u32,
}

/// Imposes it on all its subjects; the first is the one it is about, and lifting it from him lifts all.
///
/// # Errors
/// When the database does not answer; nothing was changed then.
pub(crate) async fn impose(store: &Store, wish: &Wish, by: By<'_>) -> Result<Vec<Row>, Refusal> {
    let mut change = store.change().await?;
    let of = wish.subjects.first().map(ToString::to_string).unwrap_or_default();
    let mut rows = Vec::with_capacity(wish.subjects.len());
    for subject in &wish.subjects {
        let row = Row {
            record_key: key(wish.kind, &wish.room, subject)?.to_string(),
            kind: wish.kind.name().to_owned(),
            room: wish.room.clone(),
            subject: subject.to_string(),
            of_subject: of.clone(),
            until_ms: wish.until_ms,
            broadcast: i64::from(wish.broadcast),
            sequence: change.sequence(),
            author: by.actor.to_owned(),
            at_ms: by.now_ms,
            reason: by.reason.to_owned(),
        };
        row::put(&mut change, &row).await?;
        rows.push(row);
    }
    publish(&mut change, wish.kind, &rows, Publish::Impose, by).await?;
    tell(&mut change, wish.kind, &rows, wish.until_ms, by, wish.kind.name()).await?;
    change.commit().await?;
    Ok(rows)
}

/// Lifts a sanction from a subject, and from what else was sanctioned with him. One that is not known here is lifted all the
/// same: the rule book may know it.
///
/// # Errors
/// When the database does not answer; nothing was changed then.
pub(crate) async fn lift(
    store: &Store,
    kind: Kind,
    room: &str,
    subject: &Subject,
    by: By<'_>,
) -> Result<Vec<Row>, Refusal> {
    let mut change = store.change().await?;
    let rows = lift_in(&mut change, kind, room, subject, by).await?;
    change.commit().await?;
    Ok(rows)
}

async fn lift_in(
    change: &mut Change,
    kind: Kind,
    room: &str,
    subject: &Subject,
    by: By<'_>,
) -> Result<Vec<Row>, Refusal> {
    let key = key(kind, room, subject)?.to_string();
    let mut rows = row::with(change.connection(), kind, room, &key, &subject.to_string()).await?;
    if !rows.iter().any(|row| row.record_key == key) {
        rows.push(Row::unknown(key, kind, room, subject));
    }
    end(change, kind, rows, by).await
}

/// Ends what lasts as long as the room's broadcast.
pub(crate) async fn end_broadcast(change: &mut Change, room: &str, by: By<'_>) -> Result<usize, Refusal> {
    let rows = row::of_broadcast(change.connection(), room, by.now_ms).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    Ok(end(change, Kind::Mute, rows, by).await?.len())
}

/// Lifts all that a user is under, in every room; for one who is erased.
pub(crate) async fn lift_all(change: &mut Change, user: &str, by: By<'_>) -> Result<usize, Refusal> {
    let rows = row::of_user(change.connection(), &format!("user/{user}")).await?;
    let mut count = 0;
    for kind in [Kind::Mute, Kind::Ban] {
        let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind.name()).collect();
        count += of_kind.iter().filter(|row| row.is_on(by.now_ms)).count();
        // Those that ended already go too: their records still name him.
        let ended: Vec<Row> = of_kind.into_iter().map(|row| row.clone().lifted(change.sequence(), by)).collect();
        publish(change, kind, &ended, Publish::Forget, by).await?;
    }
    Ok(count)
}

/// The rows, which end now.
async fn end(change: &mut Change, kind: Kind, rows: Vec<Row>, by: By<'_>) -> Result<Vec<Row>, Refusal> {
    let sequence = change.sequence();
    let rows: Vec<Row> = rows.into_iter().map(|row| row.lifted(sequence, by)).collect();
    for row in &rows {
        row::put(change, row).await?;
    }
    publish(change, kind, &rows, Publish::Lift, by).await?;
    let act = match kind {
        Kind::Mute => "unmute",
        Kind::Ban => "unban",
    };
    tell(change, kind, &rows, by.now_ms, by, act).await?;
    Ok(rows)
}

fn key(kind: Kind, room: &str, subject: &Subject) -> Result<Key, Refusal> {
    match kind {
        Kind::Ban => Ok(Key::Ban(subject.clone())),
        Kind::Mute => {
            let room = proto::RoomId::new(room).map_err(|why| Refusal::BadRoom(why.to_string()))?;
            Ok(Key::Mute(room, subject.clone()))
        }
    }
}
