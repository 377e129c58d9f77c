//! The order of judgement for one danmaku. Pure: no clock, no Kafka, no Redis; the caller brings them.

use std::ops::ControlFlow;

use ahash::RandomState;

use crate::{
    book::Book,
    clock::Clock,
    duplicate::Duplicates,
    heard::Heard,
    normalize::normalize,
    rate::Rates,
    repeat::Repeats,
    verdict::{Judgement, LimitedBy, Rule, Verdict},
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { rate_per_s: 1, burst: 3, duplicate_ms: 10_000 }
    }
}

/// What is known about one partition: who spoke when, and what. It is rebuilt from the log, never stored.
pub struct Judge {
    clock: Clock,
    // Users choose rooms, ids and texts, so what they choose is hashed under a key that they cannot know.
    keys: RandomState,
    repeats: Repeats,
    rates: Rates,
    duplicates: Duplicates,
}

impl Judge {
    /// A judge who has heard nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            clock: Clock::default(),
            keys: RandomState::new(),
            repeats: Repeats::new(),
            rates: Rates::new(limits.rate_per_s, limits.burst),
            duplicates: Duplicates::new(limits.duplicate_ms),
        }
    }

    /// Judges one record. One version of the book judges one message whole.
    pub fn judge(&mut self, book: &Book, heard: Heard) -> Judgement {
        let verdict = match self.before_the_rules(&heard) {
            ControlFlow::Break(verdict) => verdict,
            ControlFlow::Continue(None) => Verdict::Passed,
            ControlFlow::Continue(Some(text)) => by_the_rules(book, &text),
        };
        Judgement::new(heard, verdict, book.version)
    }

    /// Remembers one record as judging it would, without an answer (F8). No rule is asked, so what is remembered does not
    /// depend on the rules of the day: a replay under a newer book limits the same messages.
    pub fn learn(&mut self, heard: &Heard) {
        let _ = self.before_the_rules(heard);
    }

    /// How often something was forgotten before its window had passed, because a memory was full.
    pub fn forgotten(&self) -> u64 {
        self.repeats.forgotten() + self.rates.forgotten() + self.duplicates.forgotten()
    }

    /// Everything that remembers: a verdict, or the normalized text for the rules, or nothing for them to look at.
    fn before_the_rules(&mut self, heard: &Heard) -> ControlFlow<Verdict, Option<String>> {
        let now = self.clock.advance(heard.append_ms());
        if !heard.is_allowed() {
            return ControlFlow::Break(Verdict::Blocked(Rule::Role));
        }
        // First of all, so that a retry costs its sender nothing.
        if let Some(of) = self.repeats.check(&self.keys, heard, now) {
            return ControlFlow::Break(Verdict::Repeated { of });
        }
        // Mute and ban stand here, before everything that costs; then the room's mode.
        let Some(say) = heard.say() else {
            // What services and moderators bring is neither limited nor matched.
            return ControlFlow::Continue(None);
        };
        let limited = !heard.is_priority();
        if limited && let Some(retry_after_ms) = self.rates.check(&self.keys, heard, now) {
            return ControlFlow::Break(Verdict::Limited { by: LimitedBy::Rate, retry_after_ms });
        }
        let text = normalize(&say.text);
        if limited && let Some(retry_after_ms) = self.duplicates.check(&self.keys, heard, &text, now) {
            return ControlFlow::Break(Verdict::Limited { by: LimitedBy::Duplicate, retry_after_ms });
        }
        ControlFlow::Continue(Some(text))
    }
}

/// What the rule book says about a normalized text. The room's budget follows here, for what passed.
fn by_the_rules(book: &Book, text: &str) -> Verdict {
    match book.words.hit(text) {
        Some(line) => Verdict::Blocked(Rule::Word { line }),
        None => Verdict::Passed,
    }
}

#[cfg(test)]
mod tests;
