//! P22: what moderators decide about held messages.

use proto::v1::{Decision, Fate, Item, Kind, Post, Sanction, item};

use super::*;

const HELD: &str = "1-3-999";

fn decision(approved: bool, reason: &str) -> Decision {
    Decision {
        held_id: HELD.into(),
        approved,
        at: 77,
        user: Some(v1::User { id: "ann".into(), name: "Ann".into(), ..Default::default() }),
        client_id: "c-1".into(),
        say: Some(Say { text: "blorp".into(), color: Some(1), ..Default::default() }),
        reason: reason.into(),
        edited: false,
    }
}

fn decides(decision: Decision) -> v1::Input {
    brought(Role::Service, Body::Decision(decision))
}

fn told_to(item: &Item) -> (&str, &v1::Told) {
    let Some(item::Body::Told(told)) = &item.body else { panic!("{item:?}") };
    (&item.to_user, told)
}

#[test]
fn p22_an_approval_is_shown_under_the_held_id_whatever_it_says() {
    let mut world = World::new(Limits::default());
    for edited in [false, true] {
        let held_id = format!("1-3-{}", u8::from(edited));
        let judgement = world.hear(5, decides(Decision { held_id: held_id.clone(), edited, ..decision(true, "") }));
        assert_eq!((judgement.word, judgement.state.as_ref()), (Word::Approved, None));
        let output = judgement.output.unwrap();
        let [shown, told] = &output.items[..] else { panic!("{output:?}") };
        let expected = v1::Message {
            id: held_id.clone(),
            at: 77,
            user: decision(true, "").user,
            text: "blorp".into(),
            kind: Kind::Chat as i32,
            color: Some(1),
            edited,
            ..Default::default()
        };
        assert_eq!((shown.fate(), shown.to_user.as_str()), (Fate::Lossy, ""));
        assert_eq!(shown.body, Some(item::Body::Message(expected)));
        let (to, told) = told_to(told);
        assert_eq!(
            (to, told.client_id.as_str(), told.id.as_str(), told.verdict()),
            ("ann", "c-1", &*held_id, Word::Approved)
        );
        let record = judgement.verdict.unwrap();
        assert_eq!((record.word(), record.of.as_str()), (Word::Approved, &*held_id));
        assert_eq!(record.id, format!("1-3-{}", world.offset - 1), "a record of its own beside the held one's");
    }
}

#[test]
fn p22_the_first_decision_stands() {
    for (first, then) in [(true, false), (false, true), (true, true)] {
        let mut world = World::new(Limits::default());
        let word = if first { "approved 1-3-999" } else { "rejected rejected 1-3-999" };
        assert_eq!(world.told(0, decides(decision(first, ""))), word);
        // Whoever decides, and in whatever words.
        let other = v1::Input { client_id: "another".into(), ..decides(decision(then, "timeout")) };
        assert_eq!(world.told(59_999, v1::Input { user: None, ..other }), "repeated 1-3-0");
    }
}

#[test]
fn p22_a_rejection_is_told_to_its_author() {
    for (reason, code) in [("", "rejected"), ("rude", "rejected"), ("timeout", "timeout")] {
        let mut world = World::new(Limits::default());
        let judgement = world.hear(0, decides(decision(false, reason)));
        let output = judgement.output.unwrap();
        let [item] = &output.items[..] else { panic!("{output:?}") };
        let (to, told) = told_to(item);
        assert_eq!((to, told.verdict(), told.code.as_str(), told.id.as_str()), ("ann", Word::Rejected, code, HELD));
        assert_eq!(judgement.verdict.unwrap().code, code);
    }
}

#[test]
fn p22_an_approval_skips_words_and_rate_but_no_mute() {
    let mut world =
        World::new(Limits { rate_per_s: 1, burst: 1, duplicate_ms: 10_000, similar_ms: 0, budget_per_s: 0 });
    assert_eq!(world.says(0, "ann", "one"), "passed");
    assert_eq!(world.told(0, decides(decision(true, ""))), "approved 1-3-999");
    let mute = Sanction { subject: "user/ann".into(), until: START_MS + 9, sequence: 1, ..Default::default() };
    world.hear(1, brought(Role::Moderator, Body::Sanction(mute)));
    let again = Decision { held_id: "1-3-998".into(), ..decision(true, "") };
    let judgement = world.hear(2, decides(again.clone()));
    assert_eq!(told(&judgement), "muted muted 1-3-998 until 9");
    assert_eq!(told_to(&judgement.output.unwrap().items[0]).0, "ann");
    // A rejection is told whether he may speak or not.
    assert_eq!(
        world.told(3, decides(Decision { held_id: "1-3-997".into(), ..decision(false, "") })),
        "rejected rejected 1-3-997"
    );
}

#[test]
fn p22_an_approval_does_not_speak_for_a_muted_device() {
    let mut world = World::new(Limits::default());
    let mute = Sanction { subject: "device/d7".into(), sequence: 1, ..Default::default() };
    world.hear(0, brought(Role::Moderator, Body::Sanction(mute)));
    let from = |device: &str, held_id: &str| v1::Input {
        device: device.into(),
        ..decides(Decision { held_id: held_id.into(), ..decision(true, "") })
    };
    assert_eq!(world.told(1, from("d7", "1-3-998")), "muted muted 1-3-998");
    assert_eq!(world.told(1, from("d8", "1-3-997")), "approved 1-3-997");
}

#[test]
fn p22_a_decision_that_came_to_nothing_may_be_made_again() {
    let mut world = World::new(Limits::default());
    let book = book();
    world.judge.learn_superseded(&mut Desk::default(), &book, &heard_at(0, 0, decides(decision(true, ""))));
    world.offset = 1;
    assert_eq!(world.told(1, decides(decision(true, ""))), "approved 1-3-999");
    // One that stands is remembered.
    let mut world = World::new(Limits::default());
    world.judge.learn(&mut Desk::default(), &book, &heard_at(0, 0, decides(decision(true, ""))));
    world.offset = 1;
    assert_eq!(world.told(1, decides(decision(true, ""))), "repeated 1-3-0");
}

#[test]
fn only_those_who_run_the_room_decide() {
    let mut world = World::new(Limits::default());
    let by_a_viewer = v1::Input { role: Role::Sender as i32, ..decides(decision(true, "")) };
    assert_eq!(world.told(0, by_a_viewer), "blocked forbidden role 1-3-999");
    assert_eq!(world.told(0, decides(decision(true, ""))), "approved 1-3-999");
}

#[test]
fn a_gift_is_a_message_of_its_own() {
    let mut world = World::new(Limits::default());
    let gift = Post { kind: Kind::Gift as i32, data: "{}".into(), ..Default::default() };
    let gift = v1::Input { client_id: "same".into(), ..brought(Role::Service, Body::Post(gift)) };
    assert_eq!(world.told(0, gift.clone()), "passed");
    assert_eq!(world.told(0, v1::Input { client_id: "same".into(), ..input(&said(0, "mod", "text")) }), "passed");
    assert_eq!(world.told(0, gift), "repeated 1-3-0");
}
