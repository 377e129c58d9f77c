//! Who goes on hammering although he is refused: 30 refusals in 60 s mute him for 30 s. Refusals cost nothing else.
//!
//! Only refusals of limits count, and not those of rules: a replay knows no rules, and must come to the same.

use crate::{recent::Recent, who::Who};

const WINDOW_MS: i64 = 60_000;

const REFUSALS: u32 = 30;

/// How long the mute is. Window and mute together are the furthest that a limit looks back.
const MUTE_MS: i64 = 30_000;

/// The longest that a limit looks back, apart from a room's slow mode: a replay of so much brings the same memories.
pub const MEMORY_MS: i64 = WINDOW_MS + MUTE_MS;

/// Who was refused of late.
pub(crate) struct Pressure {
    refused: Recent<Refused>,
}

#[derive(Debug, Clone, Copy)]
struct Refused {
    since_ms: i64,
    count: u32,
}

impl Pressure {
    pub(crate) fn new() -> Self {
        Self { refused: Recent::new(WINDOW_MS) }
    }

    /// Counts a refusal; for how long it mutes, in milliseconds, if it is one too many.
    pub(crate) fn refused(&mut self, who: Who, now_ms: i64) -> Option<i64> {
        let known = self.refused.get(who.user, now_ms).map(|found| *found.value);
        let known = known.filter(|known| now_ms - known.since_ms < WINDOW_MS);
        let Refused { since_ms, count } = known.unwrap_or(Refused { since_ms: now_ms, count: 0 });
        let is_too_many = count + 1 >= REFUSALS;
        // It begins anew, so that who goes on is muted again after as many more.
        let count = if is_too_many { 0 } else { count + 1 };
        let since_ms = if is_too_many { now_ms } else { since_ms };
        self.refused.put(who.user, Refused { since_ms, count }, now_ms);
        is_too_many.then_some(MUTE_MS)
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.refused.forgotten()
    }
}
