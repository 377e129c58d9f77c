//! The same user saying the same again in one room, seen on the folded text: what cannot be seen makes no text another one.
//!
//! Only what was let through counts, so who repeats himself every nine seconds is heard every other time and not silenced
//! for good. Texts in between do not help: each is remembered for itself.

use crate::recent::Recent;

/// Who said what within the window.
pub(crate) struct Duplicates {
    window_ms: u32,
    said: Recent<()>,
}

impl Duplicates {
    /// Refuses the same text for `window_ms`; 0 = never.
    pub(crate) fn new(window_ms: u32) -> Self {
        Self { window_ms, said: Recent::new(i64::from(window_ms)) }
    }

    /// How long to wait, in milliseconds, if the same was said a moment ago; `key` is of the user, the room and the text.
    pub(crate) fn check(&mut self, key: u64, now_ms: i64) -> Option<u32> {
        if self.window_ms == 0 {
            return None;
        }
        let found = self.said.get(key, now_ms)?;
        Some(u32::try_from(found.remaining_ms).unwrap_or(self.window_ms))
    }

    /// Remembers what was let through.
    pub(crate) fn remember(&mut self, key: u64, now_ms: i64) {
        if self.window_ms > 0 {
            self.said.put(key, (), now_ms);
        }
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.said.forgotten()
    }
}
