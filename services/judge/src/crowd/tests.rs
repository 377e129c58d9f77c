//! How much of a late room is looked at.

use super::*;

fn line(at_ms: i64, user: &str, lag_ms: u32) -> Line<'_> {
    Line { who: Who { room: 1, user: 0 }, user, now_ms: at_ms, lag_ms }
}

/// How many of `count` messages of different users are shed at `at_ms`.
fn shed(crowds: &mut Crowds, at_ms: i64, count: usize, lag_ms: u32, per_s: u32) -> usize {
    (0..count).filter(|user| crowds.sheds(line(at_ms, &format!("user-{user}"), lag_ms), per_s)).count()
}

#[test]
fn only_late_and_only_above_eight_budgets() {
    let mut crowds = Crowds::new();
    for (at_ms, count, lag_ms, least, most) in [
        (0, 4_000, 1_000, 0, 0),
        // Half of 3,200 now; but of the second before it knows 4,000.
        (1_000, 3_200, 1_001, 1_820, 2_020),
        (2_000, 3_200, 1_001, 1_500, 1_700),
        (3_000, 1_600, 1_001, 720, 880),
        (4_000, 1_600, 1_001, 0, 0),
        // After a silence nothing is known, and twice the places are the end.
        (9_000, 4_000, 1_001, 800, 800),
        (10_000, 4_000, 1_000, 0, 0),
    ] {
        let shed = shed(&mut crowds, at_ms, count, lag_ms, 200);
        assert!((least..=most).contains(&shed), "{shed} of {count} at {at_ms}");
    }
    assert_eq!(shed(&mut crowds, 11_000, 4_000, 60_000, 0), 0, "no budget, no cap");
}

#[test]
fn who_is_drawn_stays_drawn_for_a_while() {
    let mut crowds = Crowds::new();
    shed(&mut crowds, 0, 3_200, 0, 200);
    let drawn = |crowds: &mut Crowds, at_ms: i64| -> Vec<usize> {
        (0..3_200).filter(|user| !crowds.sheds(line(at_ms, &format!("user-{user}"), 2_000), 200)).collect()
    };
    let first = drawn(&mut crowds, 1_000);
    assert_eq!(drawn(&mut crowds, 2_000), first);
    for second in 3..10 {
        drawn(&mut crowds, second * 1_000);
    }
    assert_ne!(drawn(&mut crowds, 10_000), first);
}

#[test]
fn one_who_says_everything_meets_the_end() {
    let mut crowds = Crowds::new();
    let shed = (0..10_000).filter(|_| crowds.sheds(line(0, "ann", 2_000), 200)).count();
    assert_eq!(shed, 10_000 - 3_200);
}

#[test]
fn who_is_silent_is_forgotten() {
    let mut crowds = Crowds::new();
    for room in 0..100 {
        crowds.sheds(Line { who: Who { room, user: 0 }, ..line(0, "ann", 0) }, 200);
    }
    crowds.sheds(line(5_000, "ann", 0), 200);
    assert_eq!(crowds.said.len(), 1);
}
