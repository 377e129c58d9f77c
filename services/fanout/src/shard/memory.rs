//! What a shard's viewers and rooms take of the node's memory, and who is sent away when all of it is used up.

use std::time::Instant;

use proto::close::Close;

use super::Shard;
use crate::house::Moment;

/// A viewer who reads: his seat, his waker, his registration, and the allocator's part of each; measured 1,000 B, promised 3 KB.
const VIEWER_BYTES: u64 = 3 * 1024;

/// What one who does not read holds besides: 32 KiB in the kernel's send buffer (twice `SEND_BUFFER_BYTES`), a half-written
/// frame of 8 KiB, and 16 private frames of some 500 B; what waits in the river for him is the raw records' own.
const BLOCKED_BYTES: u64 = 48 * 1024;

/// A part of a shard's viewers that goes in one second. Estimates are wrong at times, and those who go ask for room elsewhere.
const PART: usize = 16;

/// Somebody who might go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    key: usize,
    arrived: Instant,
    blocked_since: Option<Instant>,
}

impl Shard {
    /// Reports what the shard takes, and gives back its part of what is too much.
    pub(super) fn keep_budget(&mut self, ring_bytes: usize, moment: Moment) {
        // Who has been sent away is as good as gone.
        let staying = self.seats.iter().filter(|(_, seat)| !seat.viewer.is_leaving());
        let candidates: Vec<_> = staying
            .map(|(key, seat)| Candidate { key, arrived: seat.who.arrived, blocked_since: seat.viewer.blocked_since() })
            .collect();
        let own = candidates.iter().map(Candidate::takes).sum::<u64>() + ring_bytes as u64;
        self.house.caps.shard_takes(self.index, own);
        for key in to_go(candidates, self.house.caps.excess(own)) {
            self.send_away(key, Close::Full, "full", moment);
        }
    }
}

impl Candidate {
    fn takes(&self) -> u64 {
        VIEWER_BYTES + if self.blocked_since.is_some() { BLOCKED_BYTES } else { 0 }
    }
}

/// Those whose going gives back `excess`, or the part that may go at once: who has been blocked longest first, then who came
/// last. He has missed least.
fn to_go(mut candidates: Vec<Candidate>, excess: u64) -> Vec<usize> {
    if excess == 0 {
        return Vec::new();
    }
    let part = candidates.len().div_ceil(PART);
    candidates.sort_by_key(|one| (one.blocked_since.is_none(), one.blocked_since, std::cmp::Reverse(one.arrived)));
    let mut freed = 0;
    let enough = |one: &Candidate| {
        let goes = freed < excess;
        freed += one.takes();
        goes
    };
    candidates.into_iter().take(part).take_while(enough).map(|one| one.key).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_longest_blocked_go_first_then_the_newest() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let candidates: Vec<_> = (0..64)
            .map(|key| Candidate {
                key,
                arrived: at(key as u64),
                blocked_since: [(5, 20), (9, 10)].iter().find(|(one, _)| *one == key).map(|(_, since)| at(*since)),
            })
            .collect();
        let one = VIEWER_BYTES + BLOCKED_BYTES;
        let table = [
            (0, &[][..]),
            (1, &[9]),
            (one, &[9]),
            (one + 1, &[9, 5]),
            (2 * one + 1, &[9, 5, 63]),
            (u64::MAX, &[9, 5, 63, 62]),
        ];
        for (excess, expected) in table {
            assert_eq!(to_go(candidates.clone(), excess), expected, "{excess}");
        }
    }
}
