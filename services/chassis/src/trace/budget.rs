//! How many late and failing danmaku are told of in a second. Pure. When a broker was away everything is late at once, and
//! the catching up is no time for more work.

use std::sync::atomic::{AtomicU64, Ordering};

/// Ten a second are 36,000 an hour, 50 MB of spans: more than anybody looks at, and a hundredth of a percent of a core.
const A_SECOND_MAX: u64 = 10;

/// The current second in the upper bits, what was spent of it in the lower eight.
#[derive(Debug, Default)]
pub(super) struct Budget(AtomicU64);

impl Budget {
    /// Takes one, if `second` has one left.
    pub(super) fn take(&self, second: u64) -> bool {
        let spend = |packed: u64| match (packed >> 8, packed & 0xff) {
            (at, _) if at != second => Some(second << 8 | 1),
            (_, spent) => (spent < A_SECOND_MAX).then_some(packed + 1),
        };
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_a_second_and_ten_more_in_the_next() {
        let budget = Budget::default();
        let taken = |second| (0..50).filter(|_| budget.take(second)).count();
        assert_eq!([taken(0), taken(0), taken(1), taken(7), taken(7)], [10, 0, 10, 10, 0]);
    }

    #[test]
    fn threads_share_it() {
        let budget = Budget::default();
        let taken = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..1_000).filter(|_| budget.take(3)).count())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        assert_eq!(taken, 10);
    }
}
