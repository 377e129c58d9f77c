//! How far back the judge's memory is rebuilt before a partition is judged (F8). Pure: `survey` asks for times.
//!
//! The replay itself is no stage of its own: inputs before the start are learned by the same turns that judge the others, 256
//! at a time, so polling goes on and other partitions are judged meanwhile.

use chassis::kafka::Watermarks;
use judge::{MEMORY_MS, mode::SLOW_MS_MAX};

/// How far back the replay reaches, in a partition whose slowest room hears a user once in `slowest_ms`: as far as a limit looks
/// back, and a quarter more for leaders whose clocks differ. As a rule that is 112 s, and 12.5 minutes at most.
pub(crate) fn window_ms(slowest_ms: u32) -> i64 {
    MEMORY_MS.max(slowest_ms.min(SLOW_MS_MAX).into()) * 5 / 4
}

/// Where the replay begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// At this offset.
    Offset(u64),
    /// At the first record appended a window before the one at this offset.
    WindowBefore(u64),
}

/// Where the replay for a start at `start` begins. Without `times` (the embedded broker has none) everything that is kept is
/// replayed: 5 MiB at most.
pub(crate) fn from(start: u64, input: Watermarks, times: bool) -> From {
    match start.checked_sub(1) {
        // The record at the start may not be there yet; windows before the one ahead of it reach further back, never less.
        Some(last) if last >= input.low => {
            if times {
                From::WindowBefore(last)
            } else {
                From::Offset(input.low)
            }
        }
        _ => From::Offset(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_rooms_are_remembered_for_longer() {
        for (slowest_ms, window_ms) in [(0, 112_500), (30_000, 112_500), (120_000, 150_000), (u32::MAX, 750_000)] {
            assert_eq!(super::window_ms(slowest_ms), window_ms);
        }
    }

    #[test]
    fn the_replay_begins_a_window_before_the_last_finished_record() {
        let input = Watermarks { low: 100, high: 500 };
        for (start, times, expected) in [
            (300, true, From::WindowBefore(299)),
            (500, true, From::WindowBefore(499)),
            (101, true, From::WindowBefore(100)),
            (100, true, From::Offset(100)),
            (300, false, From::Offset(100)),
            (100, false, From::Offset(100)),
        ] {
            assert_eq!(from(start, input, times), expected, "{start} {times}");
        }
        assert_eq!(from(0, Watermarks { low: 0, high: 0 }, true), From::Offset(0));
    }
}
