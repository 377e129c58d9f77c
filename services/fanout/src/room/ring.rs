//! The last frames of a room, numbered. A viewer is a number: the next frame he is to get.
//!
//! Bytes are bounded and entries are too: a lossy frame loses its bytes first and remains as an entry that can still be
//! counted; a lossless one keeps them for 30 s at least, unless 256 KiB of such came since. Each fate has bytes of its own:
//! a hail of gifts takes no chat from those who read.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use proto::{Cursor, v1::Fate};

use super::frame::Frame;

/// Flushes whose lossy frames are kept. At a window of 50 ms this is 3.2 s: what is older would not be live anyway.
const FLUSHES_MAX: u64 = 64;

/// How long those flushes take.
const FLUSHES_LAST: Duration = Duration::from_millis(3_200);

/// Bytes of the frames of one fate: 32 full ones. A thousand rooms on a shard, busy with both, take 512 MB.
const BYTES_MAX: usize = 256 * 1024;

/// Entries, with or without bytes: 50 s of full windows, which no blocked viewer outlives, or 5 s of 100 gifts a second, each
/// between other chat. Each takes 128 B and, while it has bytes, a frame's 320 B: 448 KiB a room, besides the bytes.
const ENTRIES_MAX: usize = 1_024;

/// How long a lossless frame waits for a viewer who is blocked; he is closed after 15 s.
const LOSSLESS_KEPT: Duration = Duration::from_secs(30);

/// The frames of a room.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    entries: VecDeque<Entry>,
    /// The number of the oldest entry.
    first: u64,
    /// Messages that all frames so far account for.
    total: u64,
    lossy_bytes: usize,
    lossless_bytes: usize,
    /// The number of the flush that is on.
    flush: u64,
    /// How much longer frames wait for everybody than for moderators, in lengths of what is kept …
    longer: u32,
    /// … and how much it was at the last two looks: when a delay ends, everybody is shown at once what waited, and reads it at
    /// his own pace.
    lately: [u32; 2],
    /// Below these numbers no frame of that fate has bytes.
    lossy_from: u64,
    lossless_from: u64,
}

#[derive(Debug)]
struct Entry {
    frame: Frame,
    pushed: Instant,
    flush: u64,
    /// As counted among those of its fate.
    bytes: usize,
}

impl Ring {
    /// The number the next frame will get.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Messages that all frames so far account for.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of the frames kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lossy_bytes + self.lossless_bytes
    }

    /// Frame `number`; `None` when it is not written yet or is forgotten.
    pub(crate) fn get(&self, number: u64) -> Option<&Frame> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.entries.get(index).map(|entry| &entry.frame)
    }

    /// When frame `number` was put here; for one that is forgotten, when the oldest that is not was.
    pub(crate) fn pushed(&self, number: u64) -> Option<Instant> {
        let index = usize::try_from(number.saturating_sub(self.first)).ok()?;
        self.entries.get(index).map(|entry| entry.pushed)
    }

    /// The number of the oldest frame that is remembered.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Whether a lossless frame at or above `number` has lost its bytes: who is to get that one cannot be served from here.
    pub(crate) fn has_lost_lossless(&self, number: u64) -> bool {
        number < self.lossless_from
    }

    /// The number of the first frame that was pushed after `instant`.
    pub(crate) fn first_after(&self, instant: Instant) -> u64 {
        self.first + self.entries.partition_point(|entry| entry.pushed <= instant) as u64
    }

    /// The number of the first frame that stands behind the record at this place.
    pub(crate) fn first_behind(&self, at: Cursor) -> u64 {
        self.first + self.entries.partition_point(|entry| entry.frame.from.next <= at.next) as u64
    }

    /// Everybody sees the room so much later than its moderators: frames are kept so much longer, 3 times as many at 6 s.
    pub(crate) fn keep_longer(&mut self, delay: Duration) {
        self.longer = delay.as_millis().div_ceil(FLUSHES_LAST.as_millis()) as u32;
    }

    /// How many times as much is kept as in a room without a delay.
    fn times(&self) -> u32 {
        1 + self.lately.into_iter().fold(self.longer, u32::max)
    }

    /// The frames that are pushed from now on leave together.
    pub(crate) fn begin_flush(&mut self) {
        self.flush += 1;
    }

    /// Leaves out of all frames what was recalled since they were made.
    pub(crate) fn forget_recalled(&mut self) {
        self.entries.iter_mut().for_each(|entry| entry.frame.forget_recalled());
    }

    /// Adds a frame and lets go of what exceeds the bounds.
    pub(crate) fn push(&mut self, mut frame: Frame, now: Instant) {
        frame.before = self.total;
        self.total += u64::from(frame.counted);
        let bytes = frame.shared().map_or(0, |shared| shared.len());
        *self.bytes_of(frame.fate) += bytes;
        self.entries.push_back(Entry { frame, pushed: now, flush: self.flush, bytes });
        self.keep_bounds();
    }

    /// Lets go of what nobody will be shown any more; called now and then, so that a quiet room holds little.
    pub(crate) fn age(&mut self, now: Instant) {
        self.lately = [self.longer, self.lately[0]];
        let is_old = |entry: &Entry| now.saturating_duration_since(entry.pushed) > LOSSLESS_KEPT;
        let everybodys = now.checked_sub(FLUSHES_LAST * self.longer).unwrap_or(now);
        while self.oldest(Fate::Lossy).is_some_and(|entry| entry.frame.is_stale(everybodys)) && self.strip(Fate::Lossy)
        {
        }
        while self.oldest(Fate::Lossless).is_some_and(is_old) && self.strip(Fate::Lossless) {}
        while self.entries.front().is_some_and(|entry| entry.frame.shared.is_none() && is_old(entry)) {
            self.forget_oldest();
        }
    }

    fn keep_bounds(&mut self) {
        let times = self.times() as usize;
        let (flushes_max, bytes_max, entries_max) =
            (FLUSHES_MAX * times as u64, BYTES_MAX * times, ENTRIES_MAX * times);
        let newest = self.flush;
        let is_old = |ring: &Self| ring.oldest(Fate::Lossy).is_some_and(|entry| newest - entry.flush >= flushes_max);
        while (self.lossy_bytes > bytes_max || is_old(self)) && self.strip(Fate::Lossy) {}
        while self.lossless_bytes > bytes_max && self.strip(Fate::Lossless) {}
        while self.entries.len() > entries_max {
            let oldest = &self.entries[0].frame;
            if oldest.shared.is_some() {
                self.strip(oldest.fate);
            }
            self.forget_oldest();
        }
    }

    fn bytes_of(&mut self, fate: Fate) -> &mut usize {
        match fate {
            Fate::Lossy => &mut self.lossy_bytes,
            Fate::Lossless => &mut self.lossless_bytes,
        }
    }

    fn forget_oldest(&mut self) {
        self.entries.pop_front();
        self.first += 1;
    }

    fn oldest(&self, fate: Fate) -> Option<&Entry> {
        self.oldest_with_bytes(fate).map(|index| &self.entries[index])
    }

    /// The oldest entry of that fate that has bytes.
    fn oldest_with_bytes(&self, fate: Fate) -> Option<usize> {
        let from = if fate == Fate::Lossy { self.lossy_from } else { self.lossless_from };
        let start = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.entries.len());
        let has_bytes = |entry: &Entry| entry.frame.fate == fate && entry.frame.shared.is_some();
        self.entries.range(start..).position(has_bytes).map(|offset| start + offset)
    }

    /// Takes the bytes of the oldest frame of that fate, except the newest frame's; tells whether there was one.
    fn strip(&mut self, fate: Fate) -> bool {
        let Some(index) = self.oldest_with_bytes(fate).filter(|&index| index + 1 < self.entries.len()) else {
            return false;
        };
        let entry = &mut self.entries[index];
        entry.frame.shared = None;
        let bytes = entry.bytes;
        *self.bytes_of(fate) -= bytes;
        let behind = self.first + index as u64 + 1;
        match fate {
            Fate::Lossy => self.lossy_from = behind,
            Fate::Lossless => self.lossless_from = behind,
        }
        true
    }
}
