//! Which users have places on this node, over all its shards, and what becomes of the oldest when there are too many.
//!
//! The truth about this node; `nodes` tells the others of it. Anonymous viewers and event streams take no place. Sockets
//! are the shards'.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::HashMap;
use proto::{UserId, v1::Notice};
use tokio::sync::mpsc;

use crate::inbox::{Event, Inbox};

/// What the other nodes are to hear of waits here while Redis is asked. 16,384 is a whole node's viewers coming back in two
/// seconds, 64 B each. What does not fit is let go, and made good by the next comparison of all places with the routes.
const CHANGES_MAX: usize = 16_384;

/// The users of this node.
#[derive(Debug)]
pub(crate) struct Places {
    by_user: Mutex<HashMap<UserId, Vec<Place>>>,
    /// So many a user; 0 is any number.
    per_user: usize,
    inboxes: Vec<Arc<Inbox>>,
    changes: Option<mpsc::Sender<Change>>,
}

/// One connection of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Unique on this node.
    pub(crate) connection: u64,
    shard: usize,
    /// When it was taken, by Redis' clock in microseconds; 0 until Redis has heard of it.
    pub(crate) since_us: u64,
}

/// What the other nodes are to hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A place was taken.
    Came(UserId, u64),
    /// It was given up.
    Left(UserId, u64),
    /// A viewer has a notice.
    Acked {
        /// Who.
        user: UserId,
        /// On which connection.
        connection: u64,
        /// Its id.
        notice: String,
    },
}

impl Places {
    /// No places yet; with the other end of what other nodes are to hear of, if there may be any.
    pub(crate) fn new(
        per_user: usize,
        inboxes: Vec<Arc<Inbox>>,
        has_others: bool,
    ) -> (Self, Option<mpsc::Receiver<Change>>) {
        let (sender, receiver) = mpsc::channel(CHANGES_MAX);
        let changes = has_others.then_some(sender);
        let heard = has_others.then_some(receiver);
        (Self { by_user: Mutex::default(), per_user, inboxes, changes }, heard)
    }

    /// A connection takes a place; the user's oldest ones beyond what is allowed are replaced.
    pub(crate) fn enter(&self, user: &UserId, connection: u64, shard: usize) {
        let mut by_user = self.lock();
        let places = by_user.entry(user.clone()).or_default();
        places.push(Place { connection, shard, since_us: 0 });
        let too_many = if self.per_user == 0 { 0 } else { places.len().saturating_sub(self.per_user) };
        let replaced: Vec<_> = places.drain(..too_many).collect();
        drop(by_user);
        replaced.iter().for_each(|place| self.tell_replaced(user, *place));
        self.change(Change::Came(user.clone(), connection));
    }

    /// A connection gives its place up; of one that was replaced before there is none.
    pub(crate) fn leave(&self, user: &UserId, connection: u64) {
        self.take_away(user, connection);
        self.change(Change::Left(user.clone(), connection));
    }

    /// A viewer says that he has a notice.
    pub(crate) fn acked(&self, user: &UserId, connection: u64, notice: String) {
        self.change(Change::Acked { user: user.clone(), connection, notice });
    }

    /// Another node says that this place is taken by a newer connection there.
    pub(crate) fn replaced(&self, user: &UserId, connection: u64) {
        if let Some(place) = self.take_away(user, connection) {
            self.tell_replaced(user, place);
        }
    }

    /// Notices for one connection, if it is still there.
    pub(crate) fn notify(&self, user: &UserId, connection: u64, notices: Vec<Notice>) {
        let place = self.lock().get(user).and_then(|places| found(places, connection).map(|at| places[at]));
        if let Some(place) = place {
            let event = Event::Notices { user: user.clone(), connection, notices };
            self.inboxes[place.shard].tell(event);
        }
    }

    /// Redis has heard of a place, and when it did so first.
    pub(crate) fn heard_of(&self, user: &UserId, connection: u64, since_us: u64) {
        let mut by_user = self.lock();
        let Some(places) = by_user.get_mut(user) else { return };
        if let Some(at) = found(places, connection) {
            places[at].since_us = since_us;
        }
    }

    /// A user's places, the oldest first.
    pub(crate) fn of(&self, user: &UserId) -> Vec<Place> {
        self.lock().get(user).cloned().unwrap_or_default()
    }

    /// How many viewers there are, of every kind.
    pub(crate) fn viewers(&self) -> u64 {
        self.inboxes.iter().map(|inbox| inbox.seats() as u64).sum()
    }

    /// Everybody who has a place.
    pub(crate) fn users(&self) -> Vec<UserId> {
        self.lock().keys().cloned().collect()
    }

    fn take_away(&self, user: &UserId, connection: u64) -> Option<Place> {
        let mut by_user = self.lock();
        let places = by_user.get_mut(user)?;
        let place = found(places, connection).map(|at| places.remove(at));
        if places.is_empty() {
            by_user.remove(user);
        }
        place
    }

    fn tell_replaced(&self, user: &UserId, place: Place) {
        let event = Event::Replaced { user: user.clone(), connection: place.connection };
        self.inboxes[place.shard].tell(event);
    }

    fn change(&self, change: Change) {
        if let Some(changes) = &self.changes {
            // Full, or nobody listens any more: see `CHANGES_MAX`.
            let _ = changes.try_send(change);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, Vec<Place>>> {
        self.by_user.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn found(places: &[Place], connection: u64) -> Option<usize> {
    places.iter().position(|place| place.connection == connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inbox::Waiting, socket::ready::Bell};

    fn user(name: &str) -> UserId {
        UserId::new(name).unwrap()
    }

    fn replaced(inbox: &Inbox) -> Vec<u64> {
        let mut waiting = Waiting::default();
        inbox.take(&mut waiting);
        let connection = |event: &Event| match event {
            Event::Replaced { connection, .. } => *connection,
            other => panic!("{other:?}"),
        };
        waiting.events.iter().map(connection).collect()
    }

    fn places(per_user: usize) -> (Places, Vec<Arc<Inbox>>) {
        let inboxes: Vec<_> = (0..2).map(|_| Arc::new(Inbox::new(Bell::default()))).collect();
        (Places::new(per_user, inboxes.clone(), false).0, inboxes)
    }

    #[test]
    fn the_newest_stay_and_the_oldest_are_told_on_their_own_shards() {
        for (per_user, expected) in [(1, [vec![1], vec![2]]), (2, [vec![1], vec![]]), (0, [vec![], vec![]])] {
            let (places, inboxes) = places(per_user);
            for (connection, shard) in [(1, 0), (2, 1), (3, 0)] {
                places.enter(&user("a"), connection, shard);
            }
            places.enter(&user("b"), 4, 0);
            assert_eq!([replaced(&inboxes[0]), replaced(&inboxes[1])], expected, "{per_user} places");
        }
    }

    #[test]
    fn the_late_end_of_a_replaced_connection_takes_nothing_from_the_new_one() {
        let (places, _inboxes) = places(1);
        places.enter(&user("a"), 1, 0);
        places.enter(&user("a"), 2, 1);
        places.leave(&user("a"), 1);
        assert_eq!(places.of(&user("a")).iter().map(|place| place.connection).collect::<Vec<_>>(), [2]);
        places.leave(&user("a"), 2);
        assert!(places.users().is_empty());
    }

    #[test]
    fn another_nodes_word_reaches_only_a_place_that_is_still_there() {
        let (places, inboxes) = places(1);
        places.enter(&user("a"), 1, 0);
        places.replaced(&user("a"), 7);
        places.replaced(&user("a"), 1);
        places.replaced(&user("a"), 1);
        assert_eq!(replaced(&inboxes[0]), [1]);
    }
}
