//! How each room may be spoken in at present, and who spoke when in those that are slow. Those who run a room are not asked.

use std::collections::HashMap;

use ahash::RandomState;
use proto::v1::{self, Mode};

use crate::{recent::Recent, verdict::LimitedBy, who::Who};

/// Rooms with a mode that one partition remembers. An entry takes 32 B, with the table's free places 64: 4 MB. When full,
/// another room's mode does not act, and it is counted.
const ROOMS_MAX: usize = 65_536;

/// The slowest that a room can be: one message in ten minutes. A larger number in a mode is this.
pub const SLOW_MS_MAX: u32 = 600_000;

/// The modes of a partition's rooms.
pub(crate) struct Modes {
    /// Without those that may be spoken in freely.
    rooms: HashMap<u64, Mode, RandomState>,
    /// Who spoke last when; only in slow rooms.
    spoke: Recent<()>,
    forgotten: u64,
}

/// What a mode says of one message: how long to wait, 0 where waiting does not help.
pub(crate) type Refusal = (LimitedBy, u32);

impl Modes {
    pub(crate) fn new() -> Self {
        Self { rooms: HashMap::default(), spoke: Recent::new(SLOW_MS_MAX.into()), forgotten: 0 }
    }

    /// The mode of `room` from now on.
    pub(crate) fn set(&mut self, room: u64, mode: Mode) {
        if mode == Mode::default() {
            self.rooms.remove(&room);
        } else if self.rooms.len() < ROOMS_MAX || self.rooms.contains_key(&room) {
            self.rooms.insert(room, mode);
        } else {
            self.forgotten += 1;
        }
    }

    /// Why `input` may not be said, if so. It was appended at `at_ms`, which is `now_ms` of judge time. `is_emotes` is asked only in
    /// rooms where it matters.
    pub(crate) fn check(
        &mut self,
        who: Who,
        input: &v1::Input,
        at_ms: i64,
        now_ms: i64,
        is_emotes: impl FnOnce() -> bool,
    ) -> Option<Refusal> {
        let mode = *self.rooms.get(&who.room)?;
        let slow = self.wait_ms(who, mode, now_ms).map(|wait_ms| (LimitedBy::Slow, wait_ms));
        slow.or_else(|| {
            let level = input.user.as_ref().map_or(0, |user| user.level);
            (level < mode.level_min).then_some((LimitedBy::Level, 0))
        })
        .or_else(|| follows_too_short(input, mode, at_ms).map(|wait_ms| (LimitedBy::Followers, wait_ms)))
        .or_else(|| (mode.emote_only && !is_emotes()).then_some((LimitedBy::Emote, 0)))
        .or_else(|| mode.emergency.then_some((LimitedBy::Emergency, 0)))
    }

    fn wait_ms(&mut self, who: Who, mode: Mode, now_ms: i64) -> Option<u32> {
        if mode.slow_ms == 0 {
            return None;
        }
        let remaining_ms = self.spoke.get(who.user, now_ms)?.remaining_ms;
        let elapsed_ms = i64::from(SLOW_MS_MAX) - remaining_ms;
        let wait_ms = i64::from(mode.slow_ms.min(SLOW_MS_MAX)) - elapsed_ms;
        u32::try_from(wait_ms).ok().filter(|wait_ms| *wait_ms > 0)
    }

    /// Counts a message that was let through.
    pub(crate) fn count(&mut self, who: Who, now_ms: i64) {
        if self.rooms.get(&who.room).is_some_and(|mode| mode.slow_ms > 0) {
            self.spoke.put(who.user, (), now_ms);
        }
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten + self.spoke.forgotten()
    }
}

/// How much longer he must follow, in milliseconds; 0 if he does not.
fn follows_too_short(input: &v1::Input, mode: Mode, at_ms: i64) -> Option<u32> {
    if mode.followers_min_s == 0 {
        return None;
    }
    if input.follows_since == 0 {
        return Some(0);
    }
    let enough_ms = input.follows_since.saturating_add(mode.followers_min_s.into()).saturating_mul(1_000);
    (enough_ms > at_ms).then(|| u32::try_from(enough_ms - at_ms).unwrap_or(u32::MAX))
}
