//! Who sits where on this shard: a user's seats, found by his id without looking at anybody else's.
//!
//! Anonymous viewers stand in no list. What is said to a user, and how many places he may have, is decided elsewhere;
//! this is where a connection takes its user's place and gives it up.

use std::sync::Arc;

use ahash::HashMap;
use chassis::tokens::Claims;
use proto::{UserId, close::Close};

use super::{Shard, say::audience};
use crate::{house::Moment, wire::Wire};

/// The seats of each user.
#[derive(Debug, Default)]
pub(super) struct Users {
    by_user: HashMap<Box<str>, Vec<usize>>,
}

impl Users {
    /// A user's seats, in no order.
    pub(super) fn seats(&self, user: &str) -> &[usize] {
        self.by_user.get(user).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, user: &str, seat: usize) {
        match self.by_user.get_mut(user) {
            Some(seats) => seats.push(seat),
            None => drop(self.by_user.insert(user.into(), vec![seat])),
        }
    }

    fn remove(&mut self, user: &str, seat: usize) {
        let Some(seats) = self.by_user.get_mut(user) else { return };
        seats.retain(|&other| other != seat);
        if seats.is_empty() {
            self.by_user.remove(user);
        }
    }
}

impl Shard {
    /// A token has said who this viewer is; one before may have said that he is somebody else.
    pub(super) fn known(&mut self, key: usize, claims: Arc<Claims>) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        seat.viewer.set_audience(audience(Some(&claims)));
        if seat.who.claims.as_ref().is_some_and(|old| old.sub == claims.sub) {
            seat.who.claims = Some(claims);
            return;
        }
        self.unknown_from_now(key);
        self.users.add(&claims.sub, key);
        self.seats[key].who.claims = Some(claims);
        self.take_place(key);
    }

    /// A connection takes a place of its user once it is let into its room, so that an older one is not ended for one that
    /// shows nothing yet. Who cannot answer, as an event stream, takes none.
    pub(super) fn take_place(&mut self, key: usize) {
        let index = self.index;
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.who.place.is_some() || seat.viewer.is_waiting() || seat.viewer.wire() == Wire::Sse {
            return;
        }
        seat.who.place = seat.who.claims.as_ref().and_then(|claims| UserId::new(&claims.sub).ok());
        if let Some(user) = &seat.who.place {
            self.house.places.enter(user, seat.who.connection, index);
        }
    }

    /// Whoever he was, he is nobody in particular now.
    pub(super) fn unknown_from_now(&mut self, key: usize) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if let Some(user) = seat.who.place.take() {
            self.house.places.leave(&user, seat.who.connection);
        }
        if let Some(claims) = seat.who.claims.take() {
            self.users.remove(&claims.sub, key);
        }
    }

    /// A newer connection takes the place of this one.
    pub(super) fn replaced(&mut self, user: &UserId, connection: u64, moment: Moment) {
        if let Some(key) = self.seat_of(user, connection) {
            self.close(key, Close::Replaced, moment);
        }
    }

    /// A user's seat with this connection, if it is still his.
    pub(super) fn seat_of(&self, user: &UserId, connection: u64) -> Option<usize> {
        let is_it = |&key: &usize| self.seats.get(key).is_some_and(|seat| seat.who.connection == connection);
        self.users.seats(user.as_str()).iter().copied().find(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_with_all_his_seats_and_forgotten_with_the_last() {
        let mut users = Users::default();
        for (user, seat) in [("a", 1), ("b", 2), ("a", 3)] {
            users.add(user, seat);
        }
        assert_eq!((users.seats("a"), users.seats("b"), users.seats("c")), (&[1, 3][..], &[2][..], &[][..]));
        users.remove("a", 1);
        users.remove("a", 2);
        users.remove("c", 1);
        assert_eq!(users.seats("a"), [3]);
        users.remove("a", 3);
        assert_eq!(users.by_user.len(), 1);
    }
}
