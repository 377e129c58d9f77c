//! One room's places, tick by tick. What that comes to for a whole crowd is tested with the pipeline.

use super::*;

fn who(user: u64) -> Who {
    Who { room: 1, user }
}

/// How many of `users`, each saying `times`, are kept in the tick at `at_ms`.
fn kept(budget: &mut Budget, at_ms: i64, users: u64, times: u64, per_s: u32) -> usize {
    let all = (0..times).flat_map(|time| (0..users).map(move |user| (time, user)));
    let keeps = |(time, user): &(u64, u64)| {
        budget.keeps("demo", who(*user), at_ms as u64 * 1_000 + time * users + user, at_ms, per_s)
    };
    all.filter(keeps).count()
}

#[test]
fn a_tick_has_its_places_and_twice_as_many_for_who_comes_unforeseen() {
    let mut budget = Budget::new();
    for (at_ms, users, times, least, most) in [
        (0, 10, 2, 20, 20),
        // More than a tenth of 200, at once: twice the places are the end.
        (100, 100, 1, 40, 40),
        // Now it is known that a hundred speak; a fifth of them is kept, more or less.
        (200, 100, 1, 8, 34),
        // Second messages are not, in a crowded tick.
        (300, 5, 20, 0, 5),
        // Few users, all of whom have a place.
        (400, 5, 20, 5, 5),
        // After a silence nothing is known.
        (2_000, 10, 2, 20, 20),
    ] {
        let kept = kept(&mut budget, at_ms, users, times, 200);
        assert!((least..=most).contains(&kept), "{kept} at {at_ms}");
    }
}

#[test]
fn a_budget_of_less_than_one_a_tick_is_kept_too() {
    let mut budget = Budget::new();
    let kept: usize = (0..600).map(|tick| kept(&mut budget, tick * 100, 20, 1, 5)).sum();
    // A minute at 5 a second.
    assert!((240..=360).contains(&kept), "{kept}");
}

#[test]
fn rooms_are_bounded() {
    let mut budget = Budget::new();
    for room in 0..=ROOMS_MAX as u64 {
        budget.keeps("demo", Who { room, user: 0 }, room, room as i64 / 100, 200);
    }
    assert!(budget.rooms.len() <= ROOMS_MAX);
}
