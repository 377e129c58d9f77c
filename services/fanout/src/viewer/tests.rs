//! Viewers against a model of a client: whatever blocks, overflows, breaks off or moves to another node, what a viewer
//! received and what gaps counted is everything shown after his join, in order, nothing twice.

mod falling;
mod model;

use std::time::Duration;

use proptest::prelude::*;
use proto::v1::Fate;

use super::*;
use crate::raw::tests::{message, private};
use falling::Falling;
use model::{Step, World};

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (0u8..6, 0usize..600).prop_map(|(kind, len)| Step::Say { kind, len }),
        8 => Just(Step::Flush),
        10 => (0usize..20_000).prop_map(Step::Read),
        2 => (1u64..4_000).prop_map(Step::Pass),
        2 => Just(Step::Break),
        2 => (0usize..2).prop_map(Step::Connect),
        1 => Just(Step::Ping),
        1 => (0u32..4).prop_map(|seconds| Step::Delay(seconds * 1_500)),
        1 => Just(Step::Sweep),
        1 => (1usize..80).prop_map(Step::Burst),
        1 => (1usize..12).prop_map(Step::Lose),
    ];
    prop::collection::vec(step, 1..160)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn received_and_counted_is_everything_in_order(steps in steps()) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
        }
        world.finish();
    }
}

#[test]
fn one_who_reads_gets_everything_without_a_gap() {
    let mut world = World::new();
    for _ in 0..500 {
        world.take(&Step::Say { kind: 0, len: 50 });
        world.take(&Step::Flush);
        world.take(&Step::Read(usize::MAX));
    }
    world.finish();
    assert_eq!((world.client.received, world.client.dropped), (500, 0));
}

#[test]
fn one_who_does_not_read_gets_one_gap_and_the_newest() {
    let mut world = World::new();
    for _ in 0..500 {
        world.take(&Step::Say { kind: 0, len: 50 });
        world.take(&Step::Flush);
    }
    world.finish();
    assert_eq!((world.client.received, world.client.dropped, world.client.gaps), (64, 436, 1));
}

#[test]
fn chat_that_is_not_live_any_more_is_not_written_late() {
    let mut world = World::new();
    for _ in 0..10 {
        world.take(&Step::Say { kind: 0, len: 50 });
        world.take(&Step::Flush);
    }
    world.take(&Step::Pass(3_001));
    world.take(&Step::Say { kind: 0, len: 50 });
    world.take(&Step::Flush);
    world.finish();
    assert_eq!((world.client.received, world.client.dropped), (1, 10));
}

#[test]
fn a_lossless_frame_that_is_gone_ends_the_connection_and_a_resume_reads_it() {
    let mut world = World::new();
    for _ in 0..60 {
        world.take(&Step::Say { kind: 2, len: 8_000 });
        world.take(&Step::Flush);
    }
    world.take(&Step::Read(usize::MAX));
    assert_eq!(world.fell, 1);
    world.finish();
    assert_eq!((world.client.received, world.client.dropped), (60, 0));
}

/// On the goim wire, which has no cursor to come back with, gifts may fall off too.
#[test]
fn what_fell_off_with_its_entries_is_counted_once_around_what_is_for_one_alone() {
    for (wire, other) in [(Wire::Json, Fate::Lossy), (Wire::Goim(Default::default()), Fate::Lossless)] {
        let mut world = Falling::new(wire);
        // Each window a frame of its own.
        for number in 0..2_000 {
            let fate = if number % 2 == 0 { Fate::Lossy } else { other };
            world.window(if number == 5 { private("me", "x") } else { message(fate, "c") });
        }
        let told = world.read();
        assert_eq!((told.shown + told.slow, told.stale, told.node), (1_999, 0, 0), "{wire:?}: {told:?}");
    }
}

#[test]
fn the_private_slot_is_bounded() {
    let mut viewer = Viewer::new(Wire::Json, Audience::Everyone);
    for at in 0..SAID_MAX as i64 {
        assert!(viewer.say(Said::Pong { at }));
    }
    assert!(!viewer.say(Said::Pong { at: 99 }));
}

#[test]
fn progress_starts_the_blocked_time_anew() {
    let mut world = World::new();
    world.take(&Step::Say { kind: 0, len: 500 });
    world.take(&Step::Flush);
    world.take(&Step::Read(10));
    let since = world.viewer().blocked_since().unwrap();
    world.take(&Step::Pass(1_000));
    world.take(&Step::Read(0));
    assert_eq!(world.viewer().blocked_since(), Some(since));
    world.take(&Step::Read(10));
    assert_eq!(world.viewer().blocked_since(), Some(since + Duration::from_secs(1)));
    world.take(&Step::Read(usize::MAX));
    assert_eq!(world.viewer().blocked_since(), None);
}

#[test]
fn a_planned_end_writes_what_is_due_and_the_cursor_before_it() {
    let mut world = World::new();
    for _ in 0..3 {
        world.take(&Step::Say { kind: 0, len: 20_000 });
        world.take(&Step::Flush);
    }
    world.take(&Step::Read(100));
    world.viewer().leave_later(Close::Restarting, 700, "restart");
    world.take(&Step::Read(usize::MAX));
    assert!(world.viewer().has_left());
    assert_eq!((world.client.received, world.client.reconnects, world.client.closed), (3, 1, Some(1012)));
    world.finish();
}

#[test]
fn an_end_for_cause_finishes_the_half_frame_and_nothing_else() {
    let mut world = World::new();
    for _ in 0..3 {
        world.take(&Step::Say { kind: 0, len: 20_000 });
        world.take(&Step::Flush);
    }
    world.take(&Step::Read(100));
    let last = Wire::Json.close(Close::Slow);
    world.viewer().leave(last);
    world.take(&Step::Read(usize::MAX));
    assert!(world.viewer().has_left());
    assert_eq!((world.client.received, world.client.closed), (1, Some(4001)));
}
