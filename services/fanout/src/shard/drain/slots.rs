//! When each viewer of a leaving shard goes: one after the other, evenly over the time there is.
//!
//! Pure. The other nodes see a steady trickle of handshakes; a shard that was kept from its turns makes up for it slowly.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::inbox::Leaving;

/// How a late shard makes up: with this much of the time between two. Slots fill nine tenths of the drain, so even then the pace
/// is 1 / 0.9 / 0.95 = 1.17 times what would be even over the whole of it. What cannot be made up takes of the last tenth.
const CATCH_UP: f64 = 0.95;

/// Within this much nobody counts: clocks tick in milliseconds, and a turn takes some.
const GRACE: Duration = Duration::from_millis(20);

/// Who is told to come back waits at most so long; nobody should watch a frozen screen because a node has few viewers.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// The slots of one shard's viewers.
#[derive(Debug, Clone, Copy)]
struct Slots {
    /// When the node began to leave, and how long it takes.
    start: Instant,
    length: Duration,
    /// Which shard of how many this is.
    shard: usize,
    shards: usize,
    /// How many viewers it has.
    viewers: usize,
}

impl Slots {
    /// When the viewer of this number goes. The shards take turns, so that the node is as even as each of them.
    fn at(&self, number: usize) -> Instant {
        let phase = (self.shard as f64 + 0.5) / self.shards as f64;
        self.start + self.length.mul_f64((number as f64 + phase) / self.viewers as f64)
    }

    /// Between two viewers of the shard.
    fn width(&self) -> Duration {
        self.length.checked_div(u32::try_from(self.viewers).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}

/// A shard on its way out.
#[derive(Debug)]
pub(crate) struct Drain {
    slots: Slots,
    /// Who is still to go, each with the number of his connection: seats are used again.
    waiting: VecDeque<(usize, u64)>,
    next: usize,
    /// When the next may go at the fastest.
    paced: Instant,
    /// When nobody may be here any more.
    over: Instant,
}

impl Drain {
    /// Sends these away in order, from shard `shard` of so many.
    pub(crate) fn new(leaving: Leaving, shard: usize, shards: usize, waiting: VecDeque<(usize, u64)>) -> Self {
        let Leaving { start, length, patience } = leaving;
        let slots = Slots { start, length, shard, shards, viewers: waiting.len() };
        Self { slots, waiting, next: 0, paced: start, over: start + length + patience }
    }

    /// When there is something to do at the latest.
    pub(crate) fn wakes_at(&self) -> Instant {
        self.next_at().map_or(self.over, |at| at.min(self.over))
    }

    /// Whether nobody may be here any more.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        now >= self.over
    }

    /// When the next one goes.
    fn next_at(&self) -> Option<Instant> {
        (!self.waiting.is_empty()).then(|| self.slots.at(self.next).max(self.paced))
    }

    /// Whose slot it is.
    pub(crate) fn due(&mut self, now: Instant) -> Option<(usize, u64)> {
        self.next_at().filter(|at| *at <= now)?;
        let earliest = now.checked_sub(GRACE).map_or(self.paced, |grace| grace.max(self.paced));
        self.paced = earliest + self.slots.width().mul_f64(CATCH_UP);
        self.next += 1;
        self.waiting.pop_front()
    }

    /// How long one who goes now may be told to wait: within his slot, so that the pace stays what it is.
    pub(crate) fn wait_max(&self) -> Duration {
        self.slots.width().min(WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DRAIN: Duration = Duration::from_secs(30);
    const LENGTH: Duration = Duration::from_secs(27);

    fn drains(start: Instant, viewers: &[usize]) -> Vec<Drain> {
        let of = |(shard, &count): (usize, &usize)| {
            let leaving = Leaving { start, length: LENGTH, patience: DRAIN - LENGTH };
            Drain::new(leaving, shard, viewers.len(), (0..count).map(|key| (key, key as u64)).collect())
        };
        viewers.iter().enumerate().map(of).collect()
    }

    /// When each viewer of the node went, in milliseconds, if its shards had a turn at these times.
    fn run(viewers: &[usize], turns: impl Iterator<Item = u64>) -> Vec<u64> {
        let start = Instant::now();
        let (mut drains, mut went) = (drains(start, viewers), Vec::new());
        for ms in turns {
            for drain in &mut drains {
                while drain.due(start + Duration::from_millis(ms)).is_some() {
                    went.push(ms);
                }
            }
        }
        went
    }

    /// The most that went within any second.
    fn most(went: &[u64]) -> usize {
        let until = |from: u64| went.partition_point(|at| *at < from + 1_000);
        went.iter().enumerate().map(|(before, from)| until(*from) - before).max().unwrap_or(0)
    }

    #[test]
    fn shards_take_turns_and_the_last_goes_before_the_end() {
        let start = Instant::now();
        let slots = |shard, viewers| Slots { start, length: Duration::from_secs(12), shard, shards: 2, viewers };
        let secs = |slots: Slots| (0..slots.viewers).map(|k| (slots.at(k) - start).as_secs()).collect::<Vec<_>>();
        assert_eq!(secs(slots(0, 3)), [1, 5, 9]);
        assert_eq!(secs(slots(1, 3)), [3, 7, 11]);
        assert_eq!(secs(slots(0, 0)), [0; 0]);
    }

    #[test]
    fn without_time_everybody_goes_at_once() {
        let now = Instant::now();
        let leaving = Leaving { start: now, length: Duration::ZERO, patience: Duration::ZERO };
        let mut drain = Drain::new(leaving, 0, 1, (0..1_000).map(|key| (key, 0)).collect());
        let went = std::iter::from_fn(|| drain.due(now)).count();
        assert_eq!((went, drain.wait_max()), (1_000, Duration::ZERO));
    }

    #[test]
    fn a_steady_node_is_even_in_every_second() {
        let went = run(&[1_000, 1_000], 0..28_000);
        assert_eq!(went.len(), 2_000);
        assert!(most(&went) <= 76, "{} in a second, 74 is even", most(&went));
    }

    proptest! {
        #[test]
        fn a_stall_is_made_up_for_without_a_rush(
            viewers in prop::collection::vec(200_usize..1_500, 1..4),
            stall in 0_u64..22_000,
            length in 0_u64..2_000,
        ) {
            let went = run(&viewers, (0..40_000).filter(|ms| !(stall..stall + length).contains(ms)));
            let all: usize = viewers.iter().sum();
            prop_assert_eq!(went.len(), all);
            let even = all as f64 / DRAIN.as_secs_f64();
            // One of each shard may stand on either edge of the second.
            let most_allowed = 1.3 * even + viewers.len() as f64;
            prop_assert!(most(&went) as f64 <= most_allowed, "{} in a second, {even} is even", most(&went));
            prop_assert!(went.last().is_some_and(|last| *last <= DRAIN.as_millis() as u64), "{:?}", went.last());
        }
    }
}
