//! Who may not speak in a room: what moderators decided, each acting at its offset, and what the judge decided himself.
//! Bans are everywhere and stand in the rule book; they are looked up here too.
//!
//! A ban holds for everybody but the platform's own services, a moderator too; a mute does not hold for those who run the room.

use std::collections::HashMap;

use ahash::RandomState;
use proto::{
    ban::{self, Person, Subject, Until},
    v1::{self, MuteRule, Role, Sanction, SanctionKind},
};

use crate::{heard::is_privileged, who::Who};

/// Mutes that one partition remembers, of either kind. An entry takes 48 B, with the table's free places 96: 6 MB of each.
/// When full, those that ended go; without any the new one is not kept, and it is counted.
const MUTES_MAX: usize = 65_536;

/// Why somebody may not speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MutedBy {
    /// A mute in this room.
    Mute,
    /// A ban.
    Ban,
}

/// Everybody who may not speak.
pub(crate) struct Mutes {
    decided: HashMap<u64, Decided, RandomState>,
    /// The judge's own, by user, with their ends in Unix milliseconds.
    own: HashMap<u64, i64, RandomState>,
    forgotten: u64,
}

#[derive(Debug, Clone, Copy)]
struct Decided {
    until: Until,
    sequence: u64,
}

impl Mutes {
    pub(crate) fn new() -> Self {
        Self { decided: HashMap::default(), own: HashMap::default(), forgotten: 0 }
    }

    /// Takes a moderator's decision. Of two about one subject the one with the higher sequence holds; one that is lifted is
    /// remembered too, so that an older decision which comes late does not revive it.
    pub(crate) fn act(&mut self, keys: &RandomState, room: &str, sanction: &Sanction, now_ms: i64) {
        let Ok(subject) = sanction.subject.parse::<Subject>() else { return };
        let (by, lifted) = match sanction.kind() {
            SanctionKind::Mute => (MutedBy::Mute, false),
            SanctionKind::Unmute => (MutedBy::Mute, true),
            SanctionKind::Ban => (MutedBy::Ban, false),
            SanctionKind::Unban => (MutedBy::Ban, true),
        };
        let until = match sanction.until {
            _ if lifted => Until::Time(0),
            0 => Until::Ever,
            until => Until::Time(until),
        };
        if let (MutedBy::Mute, true, Subject::User(user)) = (by, lifted, &subject) {
            self.own.remove(&Who::named(keys, room, user).user);
        }
        self.decide(
            key(keys, keys.hash_one(room), by, &subject),
            Decided { until, sequence: sanction.sequence },
            now_ms,
        );
    }

    /// Takes what the rule book remembers of a decision that was made before anything was heard here.
    pub(crate) fn remember(&mut self, keys: &RandomState, rule: &MuteRule, now_ms: i64) {
        let Ok(subject) = rule.subject.parse::<Subject>() else { return };
        let until = if rule.until == 0 { Until::Ever } else { Until::Time(rule.until) };
        let key = key(keys, keys.hash_one(&*rule.room), MutedBy::Mute, &subject);
        self.decide(key, Decided { until, sequence: rule.sequence }, now_ms);
    }

    fn decide(&mut self, key: u64, decided: Decided, now_ms: i64) {
        if self.decided.get(&key).is_some_and(|known| known.sequence > decided.sequence) {
            return;
        }
        if self.decided.len() >= MUTES_MAX && !self.decided.contains_key(&key) {
            self.decided.retain(|_, decided| decided.until > Until::Time(now_ms));
        }
        if self.decided.len() < MUTES_MAX || self.decided.contains_key(&key) {
            self.decided.insert(key, decided);
        } else {
            self.forgotten += 1;
        }
    }

    /// The judge mutes a user himself; an earlier end is no end.
    pub(crate) fn mute(&mut self, who: Who, until_ms: i64, now_ms: i64) {
        if self.own.len() >= MUTES_MAX && !self.own.contains_key(&who.user) {
            self.own.retain(|_, until_ms| *until_ms > now_ms);
        }
        if self.own.len() < MUTES_MAX || self.own.contains_key(&who.user) {
            let until = self.own.entry(who.user).or_insert(until_ms);
            *until = until_ms.max(*until);
        } else {
            self.forgotten += 1;
        }
    }

    /// Whether who brings `input` may not speak at `now_ms`, and up to when.
    pub(crate) fn check(
        &self,
        keys: &RandomState,
        bans: &ban::Book,
        input: &v1::Input,
        who: Who,
        now_ms: i64,
    ) -> Option<(MutedBy, Until)> {
        let goes_on = |until: &Until| *until > Until::Time(now_ms);
        if input.role() == Role::Service {
            return None;
        }
        let banned = self.longest(keys, who.room, MutedBy::Ban, input).max(banned(bans, input, now_ms));
        if let Some(until) = banned.filter(goes_on) {
            return Some((MutedBy::Ban, until));
        }
        if is_privileged(input.role()) {
            return None;
        }
        let own = self.own.get(&who.user).map(|until_ms| Until::Time(*until_ms));
        let muted = self.longest(keys, who.room, MutedBy::Mute, input).max(own);
        muted.filter(goes_on).map(|until| (MutedBy::Mute, until))
    }

    fn longest(&self, keys: &RandomState, room: u64, by: MutedBy, input: &v1::Input) -> Option<Until> {
        if self.decided.is_empty() {
            return None;
        }
        let person = [(0u8, input.user_id()), (1, &input.device), (2, &input.address)];
        let known = person.into_iter().filter(|(_, value)| !value.is_empty());
        let found = known.filter_map(|(kind, value)| self.decided.get(&keys.hash_one((room, by, kind, value))));
        found.map(|decided| decided.until).max()
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

fn key(keys: &RandomState, room: u64, by: MutedBy, subject: &Subject) -> u64 {
    match subject {
        Subject::User(user) => keys.hash_one((room, by, 0u8, &**user)),
        Subject::Device(device) => keys.hash_one((room, by, 1u8, &**device)),
        Subject::Address(hash) => keys.hash_one((room, by, 2u8, &*hash.to_string())),
    }
}

/// Up to when who brings `input` is banned everywhere.
fn banned(bans: &ban::Book, input: &v1::Input, now_ms: i64) -> Option<Until> {
    if bans.is_empty() {
        return None;
    }
    let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let address = given(&*input.address).filter(|_| bans.has_addresses()).and_then(|text| text.parse().ok());
    bans.until(Person { user: given(input.user_id()), device: given(&*input.device), address }, now_ms)
}
