//! What a shard says to one viewer: `hello`, errors, and goodbyes.

use std::time::Duration;

use chassis::tokens::{Claims, Role};
use proto::{
    Cursor,
    close::Close,
    frame::FromServer,
    v1::{Error, Hello, Mode, User},
};

use super::{Shard, drain::Drain};
use crate::{house::Moment, room::Audience, viewer::Said};

/// How long who is sent away while the node stays waits at most: a moment of his own, and not long for one who has nowhere
/// else to go.
const AFTER_MAX: Duration = Duration::from_secs(3);

/// At most so many badges are told; the record's own bound.
const BADGES_MAX: usize = 8;

impl Shard {
    /// Says `hello`.
    pub(super) fn greet(&mut self, key: usize, cursor: Option<Cursor>, recovered: Option<bool>, moment: Moment) {
        let seat = &self.seats[key];
        let local = &self.rooms[seat.room];
        let cursor = cursor.or_else(|| {
            let partition = self.partitions[local.partition as usize].at;
            seat.viewer.cursor(&local.room, partition)
        });
        let claims = seat.who.claims.as_deref();
        let config = &self.house.config;
        let millis = |duration: Duration| u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
        let room = local.room.id.as_str();
        let state = self.house.standing(local.partition as usize).sticky(&local.room.id);
        let hello = Hello {
            version: chassis::release::VERSION.to_owned(),
            connection: format!("{}-{}", self.house.node, seat.who.connection),
            node: self.house.node.clone(),
            room: room.to_owned(),
            user: claims.map(user),
            now: moment.unix_ms,
            ping_ms: millis(config.ping),
            idle_ms: millis(config.idle),
            expires: claims.map_or(0, |claims| i64::try_from(claims.exp).unwrap_or(i64::MAX).saturating_mul(1000)),
            cursor: cursor.map(|cursor| cursor.to_string()).unwrap_or_default(),
            recovered,
            online: local.online.get(),
            mode: Some(local.room.mode()).filter(|mode| *mode != Mode::default()),
            state,
            can_send: self.can_send(seat.who.claims.as_ref(), room, moment),
        };
        self.say(key, &FromServer::Hello(hello), moment);
    }

    /// Says something to one viewer, at once if his socket takes it. Who asks on without reading is closed.
    pub(super) fn say(&mut self, key: usize, said: &FromServer, moment: Moment) {
        let Some(seat) = self.seats.get(key) else { return };
        let bytes = seat.viewer.wire().say(said);
        self.tell(key, Said::Bytes(bytes), moment);
    }

    pub(super) fn tell(&mut self, key: usize, said: Said, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.viewer.say(said) { self.pump_and_see(key, moment) } else { self.close(key, Close::Behind, moment) }
    }

    /// Says why not, and closes.
    pub(super) fn refuse(&mut self, key: usize, close: Close, message: &str, moment: Moment) {
        let is_forbidden = matches!(close, Close::NotAllowed | Close::Removed);
        let code = if is_forbidden { "forbidden" } else { "unauthorized" };
        let error = Error { code: code.to_owned(), message: message.to_owned() };
        self.say(key, &FromServer::Error(error), moment);
        self.close(key, close, moment);
    }

    /// Gives a viewer all that is due, advises him to come back after a while, and closes.
    pub(super) fn send_away(&mut self, key: usize, close: Close, reason: &'static str, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.viewer.is_leaving() {
            return;
        }
        // A moment of his own for each, so that they do not all come at once.
        let wait_max = self.drain.as_ref().map_or(AFTER_MAX, Drain::wait_max);
        let after_ms = rand::random_range(0..=wait_max.as_millis() as u32);
        seat.viewer.leave_later(close, after_ms, reason);
        seat.who.leaves(close, moment);
        self.pump_and_see(key, moment);
    }
}

/// Who moderates sees the room first, where it has a delay.
pub(super) fn audience(claims: Option<&Claims>) -> Audience {
    let moderates = claims.is_some_and(|claims| claims.has(Role::Moderator));
    if moderates { Audience::Moderators } else { Audience::Everyone }
}

fn user(claims: &Claims) -> User {
    User {
        id: claims.sub.clone(),
        name: claims.name.clone(),
        level: claims.level,
        badges: claims.badges.iter().take(BADGES_MAX).cloned().collect(),
    }
}
