//! In which order sends go out: one at a time for each connection, in its own order, and connections in turn.
//!
//! Pure. What a send is, and what becomes of it, is kept out.

use std::collections::VecDeque;

use ahash::HashMap;

/// Under way at a time, each on an HTTP connection of its own. A door answers in about 5 ms, so this is 12,800 sends a
/// second; 10,000 viewers who each say something every 5 s make 2,000.
const OUT_MAX: usize = 64;

/// Waiting for their turn, all together: 80 ms of the above. A send takes 4 KiB at most, so 4 MiB.
const WAITING_MAX: usize = 1_024;

/// Waiting behind one of the same connection: with the one under way nearly the door's own burst of ten.
const BEHIND_MAX: usize = 8;

/// Connections that have something under way or waiting.
#[derive(Debug)]
pub(super) struct Lanes<J> {
    /// What waits behind the one that is under way or whose turn it is soon.
    behind: HashMap<u64, VecDeque<J>>,
    ready: VecDeque<J>,
    waiting: usize,
    out: usize,
}

/// Why one has to be turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Too many wait behind one of this connection.
    Behind,
    /// Too many wait.
    Full,
}

impl<J> Default for Lanes<J> {
    fn default() -> Self {
        Self { behind: HashMap::default(), ready: VecDeque::new(), waiting: 0, out: 0 }
    }
}

impl<J> Lanes<J> {
    /// Puts one behind those of its connection.
    pub(super) fn put(&mut self, connection: u64, job: J) -> Result<(), (J, NoPlace)> {
        if self.waiting >= WAITING_MAX {
            return Err((job, NoPlace::Full));
        }
        match self.behind.get_mut(&connection) {
            Some(lane) if lane.len() >= BEHIND_MAX => return Err((job, NoPlace::Behind)),
            Some(lane) => lane.push_back(job),
            None => {
                self.behind.insert(connection, VecDeque::new());
                self.ready.push_back(job);
            }
        }
        self.waiting += 1;
        Ok(())
    }

    /// The next to go out, if one may.
    pub(super) fn next(&mut self) -> Option<J> {
        if self.out >= OUT_MAX {
            return None;
        }
        let job = self.ready.pop_front()?;
        self.waiting -= 1;
        self.out += 1;
        Some(job)
    }

    /// What was out for this connection is back, and its next one gets in line.
    pub(super) fn back(&mut self, connection: u64) {
        self.out -= 1;
        let Some(lane) = self.behind.get_mut(&connection) else { return };
        match lane.pop_front() {
            Some(job) => self.ready.push_back(job),
            None => drop(self.behind.remove(&connection)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bounds_and_what_is_beyond_them() {
        let mut lanes = Lanes::default();
        for number in 0..=BEHIND_MAX {
            assert_eq!(lanes.put(1, number), Ok(()));
        }
        assert_eq!(lanes.put(1, 99), Err((99, NoPlace::Behind)));
        for connection in 2..1_000_000 {
            if let Err(refused) = lanes.put(connection, 0) {
                assert_eq!((refused, lanes.waiting), ((0, NoPlace::Full), WAITING_MAX));
                break;
            }
        }
        assert_eq!(std::iter::from_fn(|| lanes.next()).count(), OUT_MAX);
        assert_eq!(lanes.put(1_000_000, 0), Ok(()), "what is under way waits no more");
        assert_eq!(lanes.next(), None);
        lanes.back(1);
        assert!(lanes.next().is_some());
    }

    proptest! {
        #[test]
        fn one_at_a_time_in_order_and_nobody_is_forgotten(steps in prop::collection::vec((0..4u64, any::<bool>()), 0..300)) {
            let mut lanes = Lanes::default();
            // Of each connection: how many were put, and how many went out; and those that are out.
            let (mut put, mut went): (BTreeMap<u64, u32>, BTreeMap<u64, u32>) = Default::default();
            let mut out: VecDeque<u64> = VecDeque::new();
            for (connection, is_put) in steps {
                if is_put {
                    let number = put.entry(connection).or_default();
                    if lanes.put(connection, (connection, *number)).is_ok() {
                        *number += 1;
                    }
                } else if let Some(back) = out.pop_front() {
                    lanes.back(back);
                }
                while let Some((from, number)) = lanes.next() {
                    prop_assert!(!out.contains(&from), "two of one connection");
                    prop_assert_eq!(number, *went.entry(from).or_default());
                    *went.entry(from).or_default() += 1;
                    out.push_back(from);
                }
            }
            while let Some(back) = out.pop_front() {
                lanes.back(back);
                while let Some((from, _)) = lanes.next() {
                    *went.entry(from).or_default() += 1;
                    out.push_back(from);
                }
            }
            put.retain(|_, count| *count > 0);
            prop_assert_eq!(put, went);
            prop_assert!(lanes.behind.is_empty() && lanes.ready.is_empty() && (lanes.waiting, lanes.out) == (0, 0));
        }
    }
}
