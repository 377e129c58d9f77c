//! P21: who may not speak, from which record on and up to which millisecond.

use std::{collections::BTreeMap, sync::Arc};

use proto::{
    Source, ban,
    record::encode,
    v1::{BanRule, MuteRule, Muted, Rules, Sanction, SanctionKind, State, rules, state::Value},
};

use super::*;
use crate::{Coming, Stood};

fn free() -> Limits {
    Limits { rate_per_s: 0, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 }
}

fn sanction(kind: SanctionKind, subject: &str, until_ms: i64, sequence: u64) -> v1::Input {
    let until = if until_ms == 0 { 0 } else { START_MS + until_ms };
    let sanction = Sanction { kind: kind as i32, subject: subject.into(), until, sequence, ..Default::default() };
    brought(Role::Moderator, Body::Sanction(sanction))
}

#[test]
fn p21_a_mute_acts_from_its_record_to_its_last_millisecond() {
    let mut world = World::new(free());
    assert_eq!(world.says(0, "ann", "before"), "passed");
    assert_eq!(world.told(0, sanction(SanctionKind::Mute, "user/ann", 5_000, 1)), "passed");
    assert_eq!(world.says(0, "ann", "after"), "muted muted until 5000");
    assert_eq!(world.says(4_999, "ann", "still"), "muted muted until 5000");
    assert_eq!(world.says(4_999, "bob", "another"), "passed");
    assert_eq!(world.told(4_999, v1::Input { room: "other".into(), ..input(&said(0, "ann", "elsewhere")) }), "passed");
    assert_eq!(world.says(5_000, "ann", "over"), "passed");
}

#[test]
fn p21_the_highest_sequence_holds() {
    let mut world = World::new(free());
    for (at_ms, kind, until_ms, sequence, then) in [
        (1, SanctionKind::Mute, 0, 5, "muted muted"),
        (2, SanctionKind::Unmute, 0, 4, "muted muted"),
        (3, SanctionKind::Unmute, 0, 6, "passed"),
        (4, SanctionKind::Mute, 900, 5, "passed"),
        (5, SanctionKind::Mute, 900, 7, "muted muted until 900"),
        // Shorter, and decided later.
        (6, SanctionKind::Mute, 7, 8, "muted muted until 7"),
    ] {
        world.hear(at_ms, sanction(kind, "user/ann", until_ms, sequence));
        assert_eq!(world.says(at_ms, "ann", "text"), then, "at {at_ms}");
    }
}

#[test]
fn p21_a_new_name_is_no_new_person() {
    let address = "0123456789abcdef0123456789abcdef";
    let from = |user: &'static str, device: &str, address: &str| v1::Input {
        device: device.into(),
        address: address.into(),
        ..input(&said(0, user, "text"))
    };
    let mut world = World::new(free());
    world.hear(0, sanction(SanctionKind::Mute, "device/phone", 0, 1));
    world.hear(0, sanction(SanctionKind::Mute, &format!("address/{address}"), 100, 2));
    assert_eq!(world.told(1, from("new", "phone", "")), "muted muted");
    assert_eq!(world.told(1, from("newer", "", address)), "muted muted until 100");
    // The longer of two.
    assert_eq!(world.told(1, from("newest", "phone", address)), "muted muted");
    assert_eq!(world.told(1, from("user/ann", "tablet", "")), "passed");
    assert_eq!(world.told(1, from("phone", "", "")), "passed");
}

#[test]
fn p21_a_ban_holds_for_moderators_and_a_mute_does_not() {
    let as_role = |role: Role| Said { role, ..said(1, "mod", "text") };
    for (kind, of_moderator) in [(SanctionKind::Mute, "passed"), (SanctionKind::Ban, "muted banned")] {
        let mut world = World::new(free());
        world.hear(0, sanction(kind, "user/mod", 0, 1));
        for role in [Role::Moderator, Role::Streamer] {
            assert_eq!(world.told(1, input(&as_role(role))), of_moderator, "{kind:?} {role:?}");
        }
        assert_eq!(world.told(1, input(&as_role(Role::Service))), "passed", "the platform itself is never banned");
        assert_ne!(world.told(1, input(&as_role(Role::Sender))), "passed");
    }
    // One does not lift the other.
    let mut world = World::new(free());
    world.hear(0, sanction(SanctionKind::Ban, "user/ann", 0, 1));
    world.hear(0, sanction(SanctionKind::Unmute, "user/ann", 0, 2));
    assert_eq!(world.says(1, "ann", "text"), "muted banned");
    world.hear(0, sanction(SanctionKind::Unban, "user/ann", 0, 3));
    assert_eq!(world.says(1, "ann", "text"), "passed");
}

#[test]
fn p21_a_ban_of_the_rule_book_is_a_ban_here() {
    let (mut world, mut bans) = (World::new(free()), ban::Book::default());
    for (subject, until) in
        [("user/ann", 0), ("device/phone", START_MS + 10), ("address/0123456789abcdef0123456789abcdef", 0)]
    {
        let rule = BanRule { subject: subject.into(), until, sequence: 1, ..Default::default() };
        let value = encode(&Rules { record: Some(rules::Record::Ban(rule)) });
        bans.hear(format!("ban/{subject}").as_bytes(), &value, START_MS);
    }
    world.book = book().with_people(Arc::default(), Arc::new(bans));
    let device = |at_ms| v1::Input { device: "phone".into(), ..input(&said(at_ms, "bob", "text")) };
    let address = v1::Input { address: "0123456789abcdef0123456789abcdef".into(), ..input(&said(0, "cid", "text")) };
    assert_eq!(world.says(0, "ann", "text"), "muted banned");
    assert_eq!(world.told(9, device(9)), "muted banned until 10");
    assert_eq!(world.told(10, device(10)), "passed");
    assert_eq!(world.told(10, address), "muted banned");
    assert_eq!(world.told(10, input(&Said { role: Role::Moderator, ..said(0, "ann", "text") })), "muted banned");
}

#[test]
fn p21_what_the_rule_book_remembers_acts_only_after_its_control_record() {
    let rule = |src: u64, generation: u32| MuteRule {
        room: "demo".into(),
        subject: "user/ann".into(),
        sequence: 3,
        generation,
        src,
        ..Default::default()
    };
    let first = Source { generation: 2, offset: 100 };
    let coming = Coming { first, start: first, since_ms: START_MS };
    for (rule, verdict) in [
        (rule(99, 2), "muted muted"),
        (rule(5_000, 1), "muted muted"),
        // He will hear of these at their own offsets.
        (rule(100, 2), "passed"),
        (rule(7, 3), "passed"),
    ] {
        let mut world = World::new(free());
        world.judge.tell_mute(&rule, coming);
        assert_eq!(world.says(0, "ann", "text"), verdict, "{rule:?}");
        // What was decided later than what is remembered.
        world.hear(0, sanction(SanctionKind::Unmute, "user/ann", 0, 4));
        assert_eq!(world.says(1, "ann", "text"), "passed");
        // And what was decided earlier changes nothing, although it is heard now.
        world.judge.tell_mute(&MuteRule { src: 1, generation: 1, ..rule.clone() }, coming);
        assert_eq!(world.says(2, "ann", "text"), "passed");
    }
}

#[test]
fn p21_a_mute_by_a_rule_goes_on_for_the_next_judge() {
    let state = |src: u64| State {
        room: "demo".into(),
        key: "mute/user/ann".into(),
        src,
        generation: 1,
        value: Some(Value::Muted(Muted { until: START_MS + 50 })),
    };
    let at = |offset| Source { generation: 1, offset };
    let coming = Coming { first: at(10), start: at(100), since_ms: START_MS };
    // What was replayed asked no rules; what is judged, or stands, tells of itself.
    for (src, verdict) in [(5, "muted muted until 50"), (99, "muted muted until 50"), (100, "passed")] {
        let mut world = World::new(free());
        world.judge.tell_state(&state(src), coming);
        assert_eq!(world.says(49, "ann", "text"), verdict, "{src}");
        assert_eq!(world.says(50, "ann", "text"), "passed");
        assert_eq!(world.says(49, "bob", "text"), "passed");
    }
    let muted = Judgement::new(
        heard_at(0, 0, input(&said(0, "ann", "text"))),
        Verdict::Muted { by: MutedBy::Mute, until: Until::Time(START_MS + 50) },
        Finding { rule: "e1".into(), ..Finding::default() },
        5,
    );
    let stood = Stood::of_output(&muted.output.unwrap());
    let mut world = World::new(free());
    let heard = heard_at(0, 0, input(&said(0, "ann", "text")));
    world.judge.learn_stood(&mut Desk::default(), &world.book, &heard, &stood);
    assert_eq!(world.says(49, "ann", "text"), "muted muted until 50");
}

#[test]
fn p21_a_mute_by_a_rule_that_was_lifted_is_lifted_for_the_next_judge_too() {
    let muted = Judgement::new(
        heard_at(0, 0, input(&said(0, "ann", "text"))),
        Verdict::Muted { by: MutedBy::Mute, until: Until::Time(START_MS + 50) },
        Finding { rule: "e1".into(), ..Finding::default() },
        5,
    );
    let lifted = |subject: &str| World::new(free()).hear(1, sanction(SanctionKind::Unmute, subject, 0, 1)).state;
    let coming = Coming {
        first: Source { generation: 1, offset: 100 },
        start: Source { generation: 1, offset: 100 },
        since_ms: START_MS,
    };
    for (subject, then) in [
        ("user/ann", "passed"),
        ("user/bob", "muted muted until 50"),
        ("device/phone", "muted muted until 50"),
        ("ann", "muted muted until 50"),
    ] {
        // As the topic keeps it: of one key the last one.
        let told = [muted.state.clone(), lifted(subject)].into_iter().flatten();
        let kept: BTreeMap<_, _> = told.map(|state| (state.record_key(), state)).collect();
        let mut world = World::new(free());
        kept.values().for_each(|state| world.judge.tell_state(state, coming));
        assert_eq!(world.says(2, "ann", "text"), then, "{subject}");
    }
    // By one who may not, nothing is.
    let by_a_sender = v1::Input { role: Role::Sender as i32, ..sanction(SanctionKind::Unmute, "user/ann", 0, 1) };
    assert_eq!(World::new(free()).hear(1, by_a_sender).state, None);
}

#[test]
fn thirty_refusals_in_a_minute_mute_for_half_of_one() {
    let mut world = World::new(Limits { rate_per_s: 1, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 });
    assert_eq!(world.says(0, "ann", "one"), "passed");
    for n in 1..30 {
        assert_eq!(world.says(n, "ann", "more"), format!("limited rate {}", 1_000 - n));
    }
    assert_eq!(world.says(30, "ann", "more"), "muted muted until 30030");
    // Refusals while muted do not make it longer, and others go on.
    for n in 0..100 {
        assert_eq!(world.says(1_000 + n, "ann", "more"), "muted muted until 30030");
    }
    assert_eq!(world.says(30_029, "bob", "text"), "passed");
    assert_eq!(world.says(30_030, "ann", "text"), "passed");
    // A moderator lifts it too.
    for n in 0..30 {
        world.says(30_031 + n, "ann", "more");
    }
    assert_eq!(world.says(31_040, "ann", "text"), "muted muted until 60060");
    world.hear(31_041, sanction(SanctionKind::Unmute, "user/ann", 0, 1));
    assert_eq!(world.says(31_042, "ann", "text"), "passed");
}

#[test]
fn refusals_over_more_than_a_minute_mute_nobody() {
    let mut world = World::new(Limits { rate_per_s: 1, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 });
    // 29 in each minute, for five of them.
    let refused = (0..29 * 5).filter(|n| {
        let at_ms = n / 29 * 60_000 + n % 29;
        world.says(at_ms, "ann", "text").starts_with("limited")
    });
    assert_eq!(refused.count(), 28 * 5);
}

#[test]
fn a_subject_that_is_none_changes_nothing() {
    let mut world = World::new(free());
    for subject in ["", "ann", "user/", "address/xyz"] {
        assert_eq!(world.told(0, sanction(SanctionKind::Mute, subject, 0, 1)), "passed");
    }
    assert_eq!(world.says(1, "ann", "text"), "passed");
    let by_a_sender = v1::Input { role: Role::Sender as i32, ..sanction(SanctionKind::Mute, "user/ann", 0, 1) };
    assert_eq!(world.told(1, by_a_sender), "blocked forbidden role");
    assert_eq!(world.says(2, "ann", "text"), "passed");
}
