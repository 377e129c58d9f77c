//! What each action of the rules comes to in the pipeline: the verdict's word, what is shown, and who is told.

use proto::v1::{Decision, Entry, Fate, item};

use super::*;

/// One entry for each action, all but the last for a word of its own.
fn ruled() -> Book {
    use v1::Action::{Block, Flag, Hold, Limit, Mask, Mute, Shadow};
    let entry = |(id, text, action): (&str, &str, v1::Action)| Entry {
        id: id.into(),
        text: text.into(),
        action: action as i32,
        severity: 1,
        ..Entry::default()
    };
    let entries = [
        ("e1", "flagged", Flag),
        ("e2", "masked", Mask),
        ("e3", "held", Hold),
        ("e4", "limited", Limit),
        ("e5", "shadowed", Shadow),
        ("e6", "blocked", Block),
        ("e7", "muted", Mute),
    ];
    Book::of_entries(5, entries.map(entry).into(), None).unwrap()
}

fn world() -> World {
    World {
        book: ruled(),
        ..World::new(Limits { rate_per_s: 0, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 })
    }
}

#[test]
fn each_action_has_its_verdict() {
    for (text, expected) in [
        ("hello", "passed"),
        ("so flagged", "flagged words e1"),
        ("so masked", "masked words e2"),
        ("so held", "held held e3"),
        ("so limited", "limited rate e4 10000"),
        ("so shadowed", "shadowed words e5"),
        ("so blocked", "blocked words e6"),
        ("so muted", "muted muted e7 until 60000"),
        ("masked and held and flagged", "held held e3"),
    ] {
        assert_eq!(world().says(0, "ann", text), expected, "{text}");
    }
}

#[test]
fn an_approval_lets_the_text_through_and_masks_the_name_as_ever() {
    let approves = |name: &str, role| {
        let user = Some(v1::User { id: "ann".into(), name: name.into(), ..Default::default() });
        let say = Some(Say { text: "so held and masked".into(), ..Default::default() });
        let decision = Decision { held_id: "1-3-999".into(), approved: true, user, say, ..Default::default() };
        brought(role, Body::Decision(decision))
    };
    for (name, shown) in [
        ("Ann", "Ann"),
        ("Ann the masked", "Ann the ******"),
        ("blocked", "*******"),
        ("held", "****"),
        ("flagged", "flagged"),
        ("", ""),
    ] {
        let judgement = world().hear(0, approves(name, Role::Moderator));
        assert_eq!((judgement.word, told(&judgement)), (Word::Approved, "approved 1-3-999".to_owned()), "{name}");
        let items = judgement.output.unwrap().items;
        let Some(item::Body::Message(message)) = &items[0].body else { panic!("{items:?}") };
        let author = message.user.as_ref().unwrap();
        assert_eq!((&*author.name, &*author.id, &*message.text), (shown, "ann", "so held and masked"));
    }
}

#[test]
fn who_is_muted_by_a_rule_is_silent_for_its_time() {
    let mut world = world();
    assert_eq!(world.says(0, "ann", "muted"), "muted muted e7 until 60000");
    assert_eq!(world.says(59_999, "ann", "hello"), "muted muted until 60000");
    assert_eq!(world.says(60_000, "ann", "hello"), "passed");
}

#[test]
fn a_masked_message_is_shown_with_its_masks_and_with_a_masked_name() {
    let named = |name: &str, text: &str| {
        let mut input = input(&said(0, "ann", text));
        input.user.as_mut().unwrap().name = name.to_owned();
        world().hear(0, input)
    };
    for (name, text, shown_name, shown_text) in [
        ("Ann", "so Ｍ.asked, 坏🙂", "Ann", "so *******, 坏🙂"),
        ("a masked one", "hello", "a ****** one", "hello"),
        // A name is no reason to refuse what is said under it.
        ("a blocked one", "hello", "a ******* one", "hello"),
        ("a masked one", "masked", "a ****** one", "******"),
    ] {
        let judgement = named(name, text);
        let output = judgement.output.unwrap();
        let shown = output.items.iter().find(|item| item.to_user.is_empty()).unwrap();
        let Some(item::Body::Message(message)) = &shown.body else { panic!("{shown:?}") };
        assert_eq!((&*message.user.as_ref().unwrap().name, &*message.text), (shown_name, shown_text));
        assert_eq!((judgement.word, shown.fate()), (Word::Masked, Fate::Lossy));
        // Moderators read what was said.
        let input = judgement.verdict.unwrap().input.unwrap();
        assert_eq!(input.body, Some(Body::Say(v1::Say { text: text.into(), ..Default::default() })));
    }
}

#[test]
fn a_record_names_what_was_found_and_where() {
    let judgement = world().hear(0, input(&said(0, "ann", "坏 masked flagged")));
    let hits = judgement.verdict.unwrap().hits;
    let named: Vec<_> = hits.iter().map(|hit| (&*hit.entry, hit.start, hit.end)).collect();
    assert_eq!(named, [("e2", 2, 8), ("e1", 9, 16)]);
}

#[test]
fn nobody_mutes_those_who_run_the_room() {
    let moderator = |text: &str| input(&Said { role: Role::Moderator, ..said(0, "mod", text) });
    assert_eq!(world().told(0, moderator("muted")), "passed", "they are exempt");
    let entry = Entry {
        id: "e1".into(),
        text: "muted".into(),
        action: v1::Action::Mute as i32,
        mandatory: true,
        ..Entry::default()
    };
    let mut world = World { book: Book::of_entries(5, vec![entry], None).unwrap(), ..world() };
    assert_eq!(world.told(0, moderator("muted")), "blocked words e1", "what is mandatory holds for them too");
    assert_eq!(world.told(1, moderator("hello")), "passed");
}

#[test]
fn what_is_over_the_budget_is_thinned_unless_a_rule_refuses_it() {
    let limits = Limits { rate_per_s: 0, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 10 };
    let mut world = World { book: ruled(), ..World::new(limits) };
    assert_eq!(world.says(0, "ann", "hello"), "passed");
    assert_eq!(world.says(0, "ann", "hello"), "thinned");
    for (text, expected) in [
        ("flagged", "thinned"),
        ("masked", "thinned"),
        ("held", "held held e3"),
        ("shadowed", "shadowed words e5"),
        ("blocked", "blocked words e6"),
    ] {
        assert_eq!(world.says(0, "ann", text), expected);
    }
}
