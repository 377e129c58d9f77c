//! What a viewer says in his room: handed to the relay if he may say anything, and the answer told to him alone.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::tokens::{Claims, Role};
use proto::{
    close::Close,
    frame::FromServer,
    v1::{Ack, Send},
};

use super::Shard;
use crate::{
    house::Moment,
    relay::{Acked, Job, ReplyTo, refusal},
};

/// Refusals that a viewer may earn in [`REFUSED_WITHIN`]. A client that hears them and goes on is broken or means it.
const REFUSED_MAX: usize = 20;

const REFUSED_WITHIN: Duration = Duration::from_secs(10);

/// When a viewer's latest sends and tokens were refused, at most one more of them than he may earn.
#[derive(Debug, Default)]
pub(super) struct Refusals(VecDeque<Instant>);

impl Refusals {
    /// Notes one; whether it is one too many.
    fn note(&mut self, now: Instant) -> bool {
        self.0.push_back(now);
        while self.0.front().is_some_and(|at| now.saturating_duration_since(*at) > REFUSED_WITHIN) {
            self.0.pop_front();
        }
        self.0.len() > REFUSED_MAX
    }
}

impl Shard {
    pub(super) fn send(&mut self, key: usize, send: Send, moment: Moment) {
        let Some(seat) = self.seats.get(key) else { return };
        let room = &self.rooms[seat.room].room.id;
        let Some(relay) = &self.house.relay else {
            return self.refused(key, &send, "unavailable", moment);
        };
        let claims = match may_send(seat.who.claims.as_ref(), room.as_str(), moment) {
            Ok(claims) => claims.clone(),
            Err(code) => return self.refused(key, &send, code, moment),
        };
        let reply_to = ReplyTo { inbox: self.inbox.clone(), key, connection: seat.who.connection };
        let job = Job { reply_to, room: room.clone(), claims, address: seat.who.address, send, came: moment.now };
        if let Err(job) = relay.offer(job) {
            self.refused(key, &job.send, "unavailable", moment);
        }
    }

    /// The relay's answer, unless who asked has left: his seat may be another's by now.
    pub(super) fn acked(&mut self, acked: Acked, moment: Moment) {
        if self.seats.get(acked.key).is_some_and(|seat| seat.who.connection == acked.connection) {
            self.acknowledge(acked.key, acked.ack, moment);
        }
    }

    /// Whether `hello` says that sending is worth a try.
    pub(super) fn can_send(&self, claims: Option<&Arc<Claims>>, room: &str, moment: Moment) -> bool {
        self.house.relay.is_some() && may_send(claims, room, moment).is_ok()
    }

    fn refused(&mut self, key: usize, send: &Send, code: &str, moment: Moment) {
        let ack = refusal(&send.client_id, code);
        self.metrics.sends.answered(&ack);
        self.acknowledge(key, ack, moment);
    }

    fn acknowledge(&mut self, key: usize, ack: Ack, moment: Moment) {
        // What nobody could take at present is not his fault.
        let is_his_fault = !ack.ok && !matches!(&*ack.code, "unavailable" | "judge_behind");
        self.say(key, &FromServer::Ack(ack), moment);
        if is_his_fault {
            self.was_refused(key, moment);
        }
    }

    /// Counts something of his that was refused, and closes whom that does not stop.
    pub(super) fn was_refused(&mut self, key: usize, moment: Moment) {
        let Some(seat) = self.seats.get_mut(key) else { return };
        if seat.who.refusals.get_or_insert_default().note(moment.now) {
            self.close(key, Close::Refused, moment);
        }
    }
}

/// Who says it, or the code of why he may not. The door asks again; this spares it those that can only be refused.
fn may_send<'a>(claims: Option<&'a Arc<Claims>>, room: &str, moment: Moment) -> Result<&'a Arc<Claims>, &'static str> {
    let claims = claims.ok_or("unauthorized")?;
    claims.check_time(moment.unix_secs()).map_err(|_| "unauthorized")?;
    let speaks = [Role::Sender, Role::Moderator, Role::Service].into_iter().any(|role| claims.has(role));
    if speaks && claims.covers(room) { Ok(claims) } else { Err("forbidden") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_in_any_ten_seconds_are_borne() {
        let start = Instant::now();
        let mut refusals = Refusals::default();
        let mut at = |ms: u64| refusals.note(start + Duration::from_millis(ms));
        assert!((0..20).all(|n| !at(n * 500)));
        assert!(!at(10_001), "the first is older than ten seconds");
        assert!(at(10_400), "21 from 0.5 to 10.4 s");
    }

    #[test]
    fn who_may_send() {
        let moment = Moment::now();
        let claims = |roles: &[Role], left_secs: i64, rooms: Option<&str>| {
            let exp = moment.unix_secs().saturating_add_signed(left_secs);
            let rooms = rooms.map(|room| vec![room.to_owned()]);
            Arc::new(Claims { exp, rooms, ..Claims::new("u1", roles.iter().copied().collect()) })
        };
        for (claims, expected) in [
            (None, Err("unauthorized")),
            (Some(claims(&[Role::Sender], 60, None)), Ok(())),
            (Some(claims(&[Role::Moderator], 60, Some("demo"))), Ok(())),
            (Some(claims(&[Role::Sender], 0, None)), Err("unauthorized")),
            (Some(claims(&[Role::Viewer, Role::Relay], 60, None)), Err("forbidden")),
            (Some(claims(&[Role::Sender], 60, Some("other"))), Err("forbidden")),
        ] {
            assert_eq!(may_send(claims.as_ref(), "demo", moment).map(|_| ()), expected, "{claims:?}");
        }
    }
}
