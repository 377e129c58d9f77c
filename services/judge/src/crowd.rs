//! The coarse cap: while a partition lags, a room that says far more than anybody can read is not looked at whole, so that one
//! room's celebration does not darken the rooms that share its partition. Who is shed is drawn by user, and anew each 10 s.
//!
//! Lag is a matter of the day, which no replay knows; so what is shed is learned as if it had been heard.

use std::collections::HashMap;

use ahash::RandomState;

use crate::{
    lot::{Lot, name},
    who::Who,
};

/// A partition that is so late is a late one.
pub(crate) const LAG_MS: u32 = 1_000;

/// How many budgets a late room may fill. The budget then thins what is left, by 8 to 1.
const BUDGETS: u64 = 8;

/// How long the same users are heard. Shorter and a user's sentences would lose their ends.
const DRAW_MS: i64 = 10_000;

/// Rooms that are counted: 24 B each, in a table that may be half empty, 3 MB. At that number all are counted anew.
const ROOMS_MAX: usize = 65_536;

/// How much each room says.
pub(crate) struct Crowds {
    second: i64,
    said: HashMap<u64, Said, RandomState>,
}

/// What was said in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Said {
    /// In the second before.
    before: u32,
    /// In this second, up to now.
    now: u32,
    /// And of that, what was looked at.
    heard: u32,
}

/// One message, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) who: Who,
    pub(crate) user: &'a str,
    pub(crate) now_ms: i64,
    pub(crate) lag_ms: u32,
}

impl Crowds {
    pub(crate) fn new() -> Self {
        Self { second: 0, said: HashMap::default() }
    }

    /// Counts a message of a room with a budget of `per_s`, and says whether it is shed. A room without one is looked at whole.
    pub(crate) fn sheds(&mut self, line: Line<'_>, per_s: u32) -> bool {
        self.turn_to(line.now_ms.div_euclid(1_000));
        if self.said.len() >= ROOMS_MAX {
            self.said.clear();
        }
        let said = self.said.entry(line.who.room).or_default();
        said.now = said.now.saturating_add(1);
        let sheds = line.lag_ms > LAG_MS && per_s > 0 && said.is_too_much(line, BUDGETS * u64::from(per_s));
        said.heard = said.heard.saturating_add(u32::from(!sheds));
        sheds
    }

    fn turn_to(&mut self, second: i64) {
        if second == self.second {
            return;
        }
        let follows = second == self.second + 1;
        self.second = second;
        self.said.retain(|_, said| {
            *said = Said { before: if follows { said.now } else { 0 }, ..Said::default() };
            said.before > 0
        });
    }
}

impl Said {
    /// Without a second before to know better, or against a few who say all of it, twice the places are the end.
    fn is_too_much(self, line: Line<'_>, places: u64) -> bool {
        let lot = Lot::of(line.now_ms.div_euclid(DRAW_MS).cast_unsigned(), name(line.user));
        !lot.is_among(places, self.before.into()) || u64::from(self.heard) >= 2 * places
    }
}

#[cfg(test)]
mod tests;
