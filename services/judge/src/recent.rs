//! What is remembered for a window of judge time, and no longer. Keys are keyed hashes, so an entry is small whatever it is of.
//!
//! Two texts or users of one 64-bit hash would be taken for one: with 131,072 entries a new message meets such a stranger once
//! in 2^64 / 2^17 = 10^14 messages.

use std::collections::{HashMap, VecDeque};

use ahash::RandomState;

/// What one memory of one partition holds at most: 2,000 messages a second for the longest window of 60 s, and some.
/// An entry takes 32 B of a half full table and 16 B in line, 11 MB at most, so a partition's five memories of that size stay
/// below 55 MB. When full, the oldest entry is forgotten: a limit then forgives early, and it is counted; nobody is refused for
/// what others say.
pub(crate) const ENTRIES_MAX: usize = 131_072;

/// Values by key, each for `window_ms` after it was put.
pub(crate) struct Recent<V> {
    window_ms: i64,
    entries_max: usize,
    entries: HashMap<u64, Entry<V>, RandomState>,
    /// When what was put, oldest first; judge time does not run backwards. A key put again stands here twice.
    order: VecDeque<(i64, u64)>,
    forgotten: u64,
}

struct Entry<V> {
    at_ms: i64,
    value: V,
}

/// A value that is still remembered, and for how much longer.
pub(crate) struct Found<'a, V> {
    pub(crate) value: &'a V,
    pub(crate) remaining_ms: i64,
}

impl<V> Recent<V> {
    pub(crate) fn new(window_ms: i64) -> Self {
        Self::of_at_most(ENTRIES_MAX, window_ms)
    }

    /// One whose values are larger, or fewer.
    pub(crate) fn of_at_most(entries_max: usize, window_ms: i64) -> Self {
        Self { window_ms, entries_max, entries: HashMap::default(), order: VecDeque::new(), forgotten: 0 }
    }

    /// What was put under `key` less than the window ago.
    pub(crate) fn get(&mut self, key: u64, now_ms: i64) -> Option<Found<'_, V>> {
        self.sweep(now_ms);
        let window_ms = self.window_ms;
        self.entries
            .get(&key)
            .map(|entry| Found { value: &entry.value, remaining_ms: entry.at_ms + window_ms - now_ms })
    }

    /// Puts `value` under `key`, in place of what stood there.
    pub(crate) fn put(&mut self, key: u64, value: V, now_ms: i64) {
        self.sweep(now_ms);
        if self.order.len() >= self.entries_max {
            self.forgotten += u64::from(self.drop_oldest());
        }
        self.entries.insert(key, Entry { at_ms: now_ms, value });
        self.order.push_back((now_ms, key));
    }

    /// Puts under `key` what stood there, or `new`, as `change` leaves it.
    pub(crate) fn change(&mut self, key: u64, new: V, now_ms: i64, change: impl FnOnce(&mut V)) {
        self.sweep(now_ms);
        let entry = self.entries.entry(key).or_insert(Entry { at_ms: now_ms, value: new });
        entry.at_ms = now_ms;
        change(&mut entry.value);
        self.order.push_back((now_ms, key));
        // Only now, as the oldest may be the one that lives on.
        if self.order.len() > self.entries_max {
            self.forgotten += u64::from(self.drop_oldest());
        }
    }

    /// How many entries were forgotten within their window.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    fn sweep(&mut self, now_ms: i64) {
        while self.order.front().is_some_and(|&(at_ms, _)| at_ms + self.window_ms <= now_ms) {
            self.drop_oldest();
        }
    }

    /// Drops the oldest in line; whether an entry went with it: one that was put again lives on from then.
    fn drop_oldest(&mut self) -> bool {
        let Some((at_ms, key)) = self.order.pop_front() else { return false };
        let current = self.entries.get(&key).is_some_and(|entry| entry.at_ms == at_ms);
        if current {
            self.entries.remove(&key);
        }
        current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(recent: &mut Recent<u8>, key: u64, now_ms: i64) -> Option<(u8, i64)> {
        recent.get(key, now_ms).map(|found| (*found.value, found.remaining_ms))
    }

    #[test]
    fn remembered_for_the_window_and_no_longer() {
        let mut recent = Recent::new(100);
        recent.put(1, b'a', 0);
        recent.put(2, b'b', 50);
        assert_eq!(value(&mut recent, 1, 99), Some((b'a', 1)));
        assert_eq!(value(&mut recent, 1, 100), None);
        assert_eq!(value(&mut recent, 2, 100), Some((b'b', 50)));
        assert_eq!(value(&mut recent, 2, 150), None);
        assert!(recent.entries.is_empty() && recent.order.is_empty());
    }

    #[test]
    fn what_is_put_again_lives_on_from_then() {
        let mut recent = Recent::new(100);
        recent.put(1, b'a', 0);
        recent.put(1, b'b', 60);
        assert_eq!(value(&mut recent, 1, 120), Some((b'b', 40)));
        assert_eq!(recent.order.len(), 1);
        assert_eq!(value(&mut recent, 1, 160), None);
    }

    #[test]
    fn what_is_changed_lives_on_from_then_and_begins_anew_once_it_is_forgotten() {
        let mut recent = Recent::new(100);
        for (now_ms, expected) in [(0, 1), (60, 2), (159, 3), (260, 1)] {
            recent.change(7, 0, now_ms, |count| *count += 1);
            assert_eq!(value(&mut recent, 7, now_ms), Some((expected, 100)), "at {now_ms}");
        }
        assert_eq!((recent.entries.len(), recent.order.len()), (1, 1));
    }

    #[test]
    fn full_it_forgets_the_oldest_and_counts_it() {
        let mut recent = Recent::new(1_000);
        for key in 0..ENTRIES_MAX as u64 + 2 {
            recent.put(key, b'x', 0);
        }
        assert_eq!((recent.entries.len(), recent.order.len()), (ENTRIES_MAX, ENTRIES_MAX));
        assert_eq!((value(&mut recent, 1, 0), value(&mut recent, 2, 0)), (None, Some((b'x', 1_000))));
        assert_eq!(recent.forgotten(), 2);
    }
}
