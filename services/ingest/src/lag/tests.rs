//! A judge that is behind closes its own partitions, and opens them when it has caught up.

use super::*;

struct Watch {
    lag: Lag,
    start: Instant,
}

impl Watch {
    fn new() -> Self {
        Self { lag: Lag::new(3, Duration::from_secs(10)), start: Instant::now() }
    }

    fn at(&self, seconds: f64) -> Instant {
        self.start + Duration::from_secs_f64(seconds)
    }

    fn acknowledged(&self, partition: i32, offset: u64, seconds: f64) {
        self.lag.acknowledged(partition, offset, self.at(seconds));
    }

    fn heard(&self, committed: &[(i32, u64)], seconds: f64) {
        let asked = self.lag.in_question();
        self.lag.heard(&asked, &committed.iter().copied().collect(), self.at(seconds));
    }

    fn closed(&self) -> Vec<i32> {
        (0..3).filter(|&partition| self.lag.is_closed(partition)).collect()
    }
}

#[test]
fn only_the_partition_that_waits_too_long_is_closed() {
    let watch = Watch::new();
    watch.acknowledged(0, 100, 0.0);
    watch.acknowledged(1, 200, 0.0);
    watch.heard(&[(0, 100), (1, 200)], 10.0);
    assert_eq!(watch.closed(), [] as [i32; 0], "not over ten seconds yet");
    watch.heard(&[(0, 100), (1, 201)], 10.1);
    assert_eq!(watch.closed(), [0]);
    watch.heard(&[(0, 101)], 11.0);
    assert_eq!(watch.closed(), [] as [i32; 0]);
    assert!(watch.lag.in_question().is_empty());
}

#[test]
fn a_partition_opens_when_what_is_left_is_young() {
    let watch = Watch::new();
    watch.acknowledged(2, 7, 0.0);
    watch.acknowledged(2, 8, 6.0);
    watch.heard(&[(2, 7)], 11.0);
    assert_eq!(watch.closed(), [2]);
    watch.heard(&[(2, 8)], 12.0);
    assert_eq!(watch.closed(), [] as [i32; 0]);
}

#[test]
fn the_oldest_of_all_partitions_is_told() {
    let watch = Watch::new();
    let oldest = |seconds| watch.lag.oldest_unjudged(watch.at(seconds)).as_secs_f64();
    assert_eq!(oldest(5.0), 0.0);
    watch.acknowledged(0, 100, 0.0);
    watch.acknowledged(1, 200, 4.0);
    assert_eq!(oldest(6.0), 6.0);
    watch.heard(&[(0, 101), (1, 200)], 6.0);
    assert_eq!(oldest(7.0), 3.0);
    watch.heard(&[(1, 201)], 7.0);
    assert_eq!(oldest(8.0), 0.0);
}

#[test]
fn a_group_that_never_committed_has_judged_nothing() {
    let watch = Watch::new();
    watch.acknowledged(0, 0, 0.0);
    watch.heard(&[], 9.0);
    assert_eq!(watch.closed(), [] as [i32; 0]);
    watch.heard(&[], 11.0);
    assert_eq!(watch.closed(), [0]);
}

#[test]
fn not_being_able_to_ask_changes_nothing() {
    let watch = Watch::new();
    watch.acknowledged(0, 5, 0.0);
    watch.acknowledged(1, 5, 0.0);
    watch.heard(&[(0, 5), (1, 6)], 20.0);
    assert_eq!(watch.closed(), [0]);
    for second in 20..40 {
        watch.acknowledged(1, 6 + second, second as f64);
    }
    assert_eq!(watch.closed(), [0], "no answer came, and the open one stays open");
}

#[test]
fn memory_is_bounded_and_the_answer_is_the_same() {
    let watch = Watch::new();
    for offset in 0..10_000u64 {
        watch.acknowledged(0, offset, offset as f64 * 0.01);
    }
    assert!(lock(&watch.lag.partitions[0].samples).0.len() <= SAMPLES_MAX);
    watch.heard(&[(0, 0)], 100.0);
    assert_eq!(watch.closed(), [0], "all is unjudged");
    watch.heard(&[(0, 9_100)], 100.0);
    assert_eq!(watch.closed(), [] as [i32; 0], "the oldest unjudged is nine seconds old");
    watch.heard(&[(0, 10_000)], 100.0);
    assert!(watch.lag.in_question().is_empty());
}

#[test]
fn zero_never_closes() {
    let lag = Lag::new(1, Duration::ZERO);
    lag.acknowledged(0, 1, Instant::now());
    assert!(lag.in_question().is_empty() && !lag.is_closed(0));
}

#[test]
fn a_partition_that_does_not_exist_is_open() {
    let watch = Watch::new();
    for partition in [-1, 3] {
        watch.acknowledged(partition, 1, 0.0);
        assert!(!watch.lag.is_closed(partition));
    }
}
