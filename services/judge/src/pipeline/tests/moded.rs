//! What a room's mode asks of who speaks in it.

use proto::{
    Source,
    v1::{Mode, State, state::Value},
};

use super::*;
use crate::Coming;

fn free() -> Limits {
    Limits { rate_per_s: 0, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 }
}

fn world(mode: Mode) -> World {
    let mut world = World::new(free());
    assert_eq!(world.told(0, set(mode)), "passed");
    world
}

fn set(mode: Mode) -> v1::Input {
    brought(Role::Moderator, Body::Mode(mode))
}

#[test]
fn a_slow_room_hears_each_of_its_viewers_once_in_a_while() {
    let mut world = world(Mode { slow_ms: 5_000, ..Default::default() });
    for (at_ms, user, verdict) in [
        (0, "ann", "passed"),
        (1, "ann", "limited mode_slow 4999"),
        (1, "bob", "passed"),
        // What was refused does not make it longer.
        (4_999, "ann", "limited mode_slow 1"),
        (5_000, "ann", "passed"),
        (5_000, "bob", "limited mode_slow 1"),
    ] {
        assert_eq!(world.says(at_ms, user, "text"), verdict, "{user} at {at_ms}");
    }
    // Slower, faster, and not at all.
    world.hear(6_000, set(Mode { slow_ms: u32::MAX, ..Default::default() }));
    assert_eq!(world.says(6_000, "ann", "text"), "limited mode_slow 599000");
    world.hear(6_000, set(Mode { slow_ms: 500, ..Default::default() }));
    assert_eq!(world.says(6_000, "ann", "text"), "passed");
    world.hear(6_001, set(Mode::default()));
    assert_eq!(world.says(6_001, "ann", "text"), "passed");
}

#[test]
fn refused_by_another_limit_is_not_said_in_a_slow_room() {
    let mut world =
        World::new(Limits { rate_per_s: 0, burst: 1, duplicate_ms: 10_000, similar_ms: 0, budget_per_s: 0 });
    assert_eq!(world.says(0, "ann", "same"), "passed");
    world.hear(0, set(Mode { slow_ms: 5_000, ..Default::default() }));
    assert_eq!(world.says(1, "ann", "same"), "limited duplicate 9999");
    assert_eq!(world.says(2, "ann", "another"), "passed");
}

#[test]
fn levels_followers_emotes_and_emergencies() {
    let follows = |since_s: i64| v1::Input { follows_since: since_s, ..input(&said(0, "ann", "text")) };
    let level = |level: u32| {
        let user = Some(v1::User { id: "ann".into(), level, ..Default::default() });
        v1::Input { user, ..input(&said(0, "ann", "text")) }
    };
    let start_s = START_MS / 1_000;
    for (mode, input, verdict) in [
        (Mode { level_min: 5, ..Default::default() }, level(4), "limited mode_level"),
        (Mode { level_min: 5, ..Default::default() }, level(5), "passed"),
        (Mode { followers_min_s: 60, ..Default::default() }, follows(0), "limited mode_followers"),
        (Mode { followers_min_s: 60, ..Default::default() }, follows(start_s - 59), "limited mode_followers 1000"),
        (Mode { followers_min_s: 60, ..Default::default() }, follows(start_s - 60), "passed"),
        (Mode { followers_min_s: 60, ..Default::default() }, follows(i64::MAX), "limited mode_followers 4294967295"),
        (Mode { emergency: true, ..Default::default() }, follows(1), "limited mode_emergency"),
        (Mode { emote_only: true, ..Default::default() }, follows(1), "limited mode_emote"),
        (Mode { emote_only: true, ..Default::default() }, input(&said(0, "ann", "🎉 👨‍👩‍👧🎉")), "passed"),
        (Mode { delay_ms: 4_000, ..Default::default() }, follows(1), "passed"),
    ] {
        assert_eq!(world(mode).told(0, input), verdict, "{mode:?}");
    }
}

#[test]
fn those_who_run_a_room_and_other_rooms_are_not_asked() {
    let all = Mode { slow_ms: 9_000, level_min: 9, followers_min_s: 9, emote_only: true, emergency: true, delay_ms: 0 };
    let mut world = world(all);
    for role in [Role::Moderator, Role::Streamer, Role::Service] {
        assert_eq!(world.told(1, input(&Said { role, ..said(1, "mod", "text") })), "passed", "{role:?}");
    }
    let elsewhere = input(&Said { room: "other", ..said(1, "ann", "text") });
    assert_eq!(world.told(1, elsewhere), "passed");
    let by_a_viewer = v1::Input { role: Role::Sender as i32, ..set(Mode::default()) };
    assert_eq!(world.told(1, by_a_viewer), "blocked forbidden role");
    assert_eq!(world.says(1, "ann", "text"), "limited mode_level");
}

#[test]
fn a_mode_that_was_set_before_he_came_is_known_and_one_set_later_is_heard() {
    let mode = Mode { emergency: true, ..Default::default() };
    let state = |src: u64| State {
        room: "demo".into(),
        key: "mode".into(),
        src,
        generation: 1,
        value: Some(Value::Mode(mode)),
    };
    let at = |offset| Source { generation: 1, offset };
    let coming = Coming { first: at(50), start: at(100), since_ms: START_MS };
    for (src, verdict) in [(49, "limited mode_emergency"), (50, "passed")] {
        let mut world = World::new(free());
        world.judge.tell_state(&state(src), coming);
        assert_eq!(world.says(0, "ann", "text"), verdict, "{src}");
        world.hear(1, set(Mode::default()));
        assert_eq!(world.says(1, "ann", "text"), "passed");
    }
}
