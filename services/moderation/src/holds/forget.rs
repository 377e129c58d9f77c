//! Deciding on what waits of a person who is erased: nobody can any more once its rows are gone, so it is rejected with them.
//! What else is forgotten of him is kept out (`erase`).

use proto::v1::{self, input::Body};

use super::{
    decide::{By, Decided},
    queue::{Held, Outcome, waiting_of},
};
use crate::{
    control::{Controls, decision},
    events::{About, Kind},
    outbox::Parcel,
    store::{Change, Error},
};

/// Rejects all that waits of a user. What is written of it names him by his id alone, so that he can be told, and he hears no reason
/// but this one. How many it were.
pub(crate) async fn reject_all(change: &mut Change, user: &str, by: By<'_>) -> Result<u64, Error> {
    let waiting = waiting_of(change.connection(), user).await?;
    let mut controls = Controls::of(change, by.generation, by.now_ms);
    for held in &waiting {
        let decision = decision(&held.id, &without_traits(held), false, None, by.reason);
        let record = controls.record(&held.room, Body::Decision(decision));
        change.put(&Parcel { controls: vec![record], ..Parcel::default() }).await?;
        let (outcome, reason) = (Outcome::Rejected.name(), by.reason);
        let decided = Decided { id: &held.id, outcome, by: by.actor, reason, edited: false };
        change.tell(Kind::Decided, About { room: &held.room, user: "", at_ms: by.now_ms }, &decided).await?;
    }
    Ok(waiting.len() as u64)
}

/// The record of what was held, with no more of its author than his id.
fn without_traits(held: &Held) -> v1::Input {
    let input = held.verdict().input.unwrap_or_default();
    let user = input.user.map(|user| v1::User { id: user.id, ..v1::User::default() });
    v1::Input { user, ..input }
}
