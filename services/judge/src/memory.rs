//! What is known about one partition: who spoke when, and what; who may not, and how its rooms may be spoken in. It is rebuilt from
//! the log (F8), and from what the log no longer holds but its makers kept. The order in which it is asked is kept out.

use ahash::RandomState;
use proto::{
    Source,
    v1::{MuteRule, State, input::Body, state::Value},
};

use crate::{
    book::Book, budget::Budget, clock::Clock, crowd::Crowds, desk::Desk, duplicate::Duplicates, heard::Heard,
    mode::Modes, mute::Mutes, pressure::Pressure, rate::Rates, repeat::Repeats, similar::Similars, verdict::MUTE_KEY,
    verdict::Stood, who::Who,
};

/// How much one user may say in one room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Messages a second; 0 = no limit.
    pub rate_per_s: u32,
    /// Messages at once after a pause.
    pub burst: u32,
    /// How long the same text is refused, in milliseconds; 0 = never.
    pub duplicate_ms: u32,
    /// How long a third text that is nearly the same is refused, in milliseconds; 0 = never.
    pub similar_ms: u32,
    /// Plain chat of one room that is shown in a second, where its policy says nothing else; 0 = all of it.
    pub budget_per_s: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rate_per_s: 1, burst: 3, duplicate_ms: 10_000, similar_ms: 60_000, budget_per_s: 200 }
    }
}

/// How a judge comes to a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coming {
    /// The first record that he hears.
    pub first: Source,
    /// The first record that is not finished.
    pub start: Source,
    /// When the first one was appended at the earliest, in Unix milliseconds; 0 if that is not known.
    pub since_ms: i64,
}

/// The judge of one partition, who is what he remembers.
pub struct Judge {
    pub(crate) clock: Clock,
    pub(crate) keys: RandomState,
    pub(crate) repeats: Repeats,
    pub(crate) mutes: Mutes,
    pub(crate) modes: Modes,
    pub(crate) rates: Rates,
    pub(crate) pressure: Pressure,
    pub(crate) crowds: Crowds,
    pub(crate) duplicates: Duplicates,
    pub(crate) similars: Similars,
    pub(crate) budget: Budget,
    /// Of a room whose policy names none.
    pub(crate) budget_per_s: u32,
}

impl Judge {
    /// A judge who has heard nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            clock: Clock::default(),
            keys: RandomState::new(),
            repeats: Repeats::new(),
            mutes: Mutes::new(),
            modes: Modes::new(),
            rates: Rates::new(limits.rate_per_s, limits.burst),
            pressure: Pressure::new(),
            crowds: Crowds::new(),
            duplicates: Duplicates::new(limits.duplicate_ms),
            similars: Similars::new(limits.similar_ms),
            budget: Budget::new(),
            budget_per_s: limits.budget_per_s,
        }
    }

    /// Tells him of a mute that a moderator decided on before he came. One that he will hear of at its own offset acts there, and
    /// not earlier.
    pub fn tell_mute(&mut self, rule: &MuteRule, coming: Coming) {
        if (Source { generation: rule.generation, offset: rule.src }) < coming.first {
            self.mutes.remember(&self.keys, rule, coming.since_ms);
        }
    }

    /// Tells him what `danmaku-state` holds of a room. A mode is like a mute. One that a rule brought about he does not hear of
    /// again, because what he only learns he asks no rules about; from `start` on it is judged, or stands, and is told there.
    pub fn tell_state(&mut self, state: &State, coming: Coming) {
        let source = Source { generation: state.generation, offset: state.src };
        match (&state.value, state.key.strip_prefix(MUTE_KEY)) {
            (Some(Value::Mode(mode)), None) if state.key == "mode" && source < coming.first => {
                self.modes.set(self.keys.hash_one(&*state.room), *mode);
            }
            (Some(Value::Muted(muted)), Some(user)) if source < coming.start => {
                self.mutes.mute(Who::named(&self.keys, &state.room, user), muted.until, coming.since_ms);
            }
            // Sticky events are for who joins.
            _ => {}
        }
    }

    /// Remembers one record as judging it would, without an answer (F8). What is remembered does not depend on the rules of
    /// the day, so a replay under a newer book limits the same messages. Of the book only bans, the list of emotes and the
    /// room's budget are asked; and nobody knows any more how late it was read.
    pub fn learn(&mut self, desk: &mut Desk, book: &Book, heard: &Heard) {
        let _ = self.before_the_rules(desk, book, heard, 0);
    }

    /// Remembers one record that stands answered (F7): what a rule did to its author goes on.
    pub fn learn_stood(&mut self, desk: &mut Desk, book: &Book, heard: &Heard, stood: &Stood) {
        self.learn(desk, book, heard);
        if let Some(until_ms) = stood.muted_by_rule() {
            self.mutes.mute(Who::brings(&self.keys, heard), until_ms, heard.append_ms());
        }
    }

    /// Remembers one record that came to nothing (F7). A decision may be made once more.
    pub fn learn_superseded(&mut self, desk: &mut Desk, book: &Book, heard: &Heard) {
        if !matches!(heard.input().body, Some(Body::Decision(_))) {
            self.learn(desk, book, heard);
        }
    }

    /// How often something was forgotten before its window had passed, because a memory was full.
    pub fn forgotten(&self) -> u64 {
        let of_users = self.rates.forgotten() + self.pressure.forgotten();
        let of_texts = self.duplicates.forgotten() + self.similars.forgotten();
        of_users + of_texts + self.repeats.forgotten() + self.mutes.forgotten() + self.modes.forgotten()
    }
}
