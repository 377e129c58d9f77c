//! The same user saying the same again in one room, seen on the normalized text.
//!
//! Only what was let through counts, so who repeats himself every nine seconds is heard every other time and not silenced
//! for good. Texts in between do not help: each is remembered for itself.

use ahash::RandomState;

use crate::{heard::Heard, recent::Recent};

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

    /// How long to wait, in milliseconds, if the user of `heard` said `text` a moment ago; it is remembered otherwise.
    pub(crate) fn check(&mut self, keys: &RandomState, heard: &Heard, text: &str, now_ms: i64) -> Option<u32> {
        if self.window_ms == 0 {
            return None;
        }
        let input = heard.input();
        let key = keys.hash_one((&input.room, input.user_id(), text));
        if let Some(found) = self.said.get(key, now_ms) {
            return Some(u32::try_from(found.remaining_ms).unwrap_or(self.window_ms));
        }
        self.said.put(key, (), now_ms);
        None
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.said.forgotten()
    }
}
