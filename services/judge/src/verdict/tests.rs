//! Which records each verdict comes to, as the contract's table has it.

use proto::v1::{self, Fate, Item, Kind, Mode, Role, Word, input::Body, item, state};

use super::*;

fn heard(user: &str, role: Role, body: Option<Body>) -> Heard {
    let input = v1::Input {
        generation: 2,
        room: "demo".into(),
        user: (!user.is_empty()).then(|| v1::User { id: user.into(), name: user.into(), ..Default::default() }),
        role: role as i32,
        accepted_ms: 77,
        client_id: "c1".into(),
        body,
        ..Default::default()
    };
    Heard::new(MessageId { generation: 2, partition: 1, offset: 40 }, 99, input).unwrap()
}

fn say() -> Heard {
    let say = v1::Say { text: "Hi".into(), color: Some(0xff_8800), position: 1, size: 2 };
    heard("ann", Role::Sender, Some(Body::Say(say)))
}

fn only(items: &[Item]) -> &Item {
    assert_eq!(items.len(), 1, "{items:?}");
    &items[0]
}

#[test]
fn what_passed_is_shown_and_nothing_else() {
    let Judgement { word, output, verdict, state } = Judgement::new(say(), Verdict::Passed, 9);
    let output = output.unwrap();
    assert_eq!((word, verdict, state), (Word::Passed, None, None));
    assert_eq!((output.generation, output.src, output.room.as_str()), (2, Some(40), "demo"));
    assert_eq!((output.verdict(), output.rules_version, output.owner), (Word::Passed, 9, None));
    let item = only(&output.items);
    assert_eq!((item.fate(), item.to_user.as_str()), (Fate::Lossy, ""));
    let expected = v1::Message {
        id: "2-1-40".into(),
        at: 77,
        user: Some(v1::User { id: "ann".into(), name: "ann".into(), ..Default::default() }),
        text: "Hi".into(),
        color: Some(0xff_8800),
        position: 1,
        size: 2,
        ..Default::default()
    };
    assert_eq!(item.body, Some(item::Body::Message(expected)));
}

#[test]
fn what_is_not_shown_is_told_to_its_sender_and_recorded() {
    let of = MessageId { generation: 2, partition: 1, offset: 8 };
    for (verdict, word, code, rule, told_of, retry) in [
        (Verdict::Blocked(Rule::Word { line: 12 }), Word::Blocked, "words", "word:12", "", 0),
        (Verdict::Blocked(Rule::Role), Word::Blocked, "forbidden", "role", "", 0),
        (Verdict::Limited { by: LimitedBy::Rate, retry_after_ms: 500 }, Word::Limited, "rate", "", "", 500),
        (Verdict::Limited { by: LimitedBy::Duplicate, retry_after_ms: 7 }, Word::Limited, "duplicate", "", "", 7),
        (Verdict::Repeated { of }, Word::Repeated, "", "", "2-1-8", 0),
    ] {
        let judgement = Judgement::new(say(), verdict, 9);
        let output = judgement.output.unwrap();
        assert_eq!((output.verdict(), output.code.as_str(), output.rule.as_str()), (word, code, rule));
        let item = only(&output.items);
        assert_eq!((item.fate(), item.to_user.as_str()), (Fate::Lossless, "ann"));
        let told = Told {
            client_id: "c1".into(),
            id: "2-1-40".into(),
            verdict: word as i32,
            code: code.into(),
            of: told_of.into(),
            until: 0,
            retry_after_ms: retry,
        };
        assert_eq!(item.body, Some(item::Body::Told(told)));

        let record = judgement.verdict.unwrap();
        assert_eq!((record.id.as_str(), record.word(), record.rules_version), ("2-1-40", word, 9));
        assert_eq!((record.code.as_str(), record.rule.as_str(), record.of.as_str()), (code, rule, told_of));
        assert_eq!(record.input.as_ref(), Some(say().input()));

        // F7: from the output and the input together the same record is made again.
        let again = Judgement::again(say(), Stood::of_output(&output));
        assert_eq!((again.word, again.output, again.verdict), (word, None, Some(record)));
    }
}

#[test]
fn nobody_to_tell_is_no_output() {
    let gift = heard("", Role::Service, Some(Body::Post(v1::Post::default())));
    let of = MessageId { generation: 2, partition: 1, offset: 8 };
    let judgement = Judgement::new(gift, Verdict::Repeated { of }, 1);
    assert_eq!(judgement.output, None);
    assert!(judgement.verdict.is_some());
}

#[test]
fn a_superseded_input_is_only_recorded() {
    let judgement = Judgement::superseded(say());
    assert_eq!((judgement.word, judgement.output, judgement.state), (Word::Superseded, None, None));
    let record = judgement.verdict.unwrap();
    assert_eq!((record.word(), record.id.as_str()), (Word::Superseded, "2-1-40"));
}

#[test]
fn what_services_bring_is_lossless() {
    let post = v1::Post { kind: Kind::Gift as i32, data: "{}".into(), ..Default::default() };
    let mode = Mode { slow_ms: 5_000, ..Default::default() };
    let recall = v1::Recall { ids: vec!["2-1-7".into()], ..Default::default() };
    let notice = v1::Notice { id: "n".into(), ..Default::default() };
    let told = v1::PrivateNotice { to_user: "bob".into(), notice: Some(notice.clone()) };
    for (body, to_user, expected) in [
        (Body::Mode(mode), "", item::Body::Mode(mode)),
        (Body::Recall(recall.clone()), "", item::Body::Recall(recall)),
        (Body::Notice(told), "bob", item::Body::Notice(notice)),
    ] {
        let output = Judgement::new(heard("", Role::Service, Some(body)), Verdict::Passed, 1).output.unwrap();
        let item = only(&output.items);
        assert_eq!((item.fate(), item.to_user.as_str(), &item.body), (Fate::Lossless, to_user, &Some(expected)));
    }
    let output =
        Judgement::new(heard("ann", Role::Service, Some(Body::Post(post))), Verdict::Passed, 1).output.unwrap();
    let Some(item::Body::Message(message)) = &only(&output.items).body else { panic!("{output:?}") };
    assert_eq!((message.kind(), message.data.as_str(), message.id.as_str()), (Kind::Gift, "{}", "2-1-40"));
}

#[test]
fn an_announcement_is_for_every_room_under_one_id() {
    let word = v1::Announcement { id: "a-1".into(), text: "soon".into(), ..Default::default() };
    let input = v1::Input { role: Role::Service as i32, body: Some(Body::Announcement(word)), ..Default::default() };
    let heard = Heard::new(MessageId { generation: 2, partition: 1, offset: 40 }, 0, input).unwrap();
    let output = Judgement::new(heard, Verdict::Passed, 1).output.unwrap();
    assert_eq!(output.room, "");
    let Some(item::Body::Message(message)) = &only(&output.items).body else { panic!("{output:?}") };
    assert_eq!((message.id.as_str(), message.kind()), ("a-1", Kind::System));
}

#[test]
fn modes_and_sticky_events_are_told_to_late_joiners() {
    let mode = Mode { emergency: true, ..Default::default() };
    let sticky =
        v1::Post { kind: Kind::Event as i32, sticky: "score".into(), data: "[1]".into(), ..Default::default() };
    let state = Judgement::new(heard("", Role::Moderator, Some(Body::Mode(mode))), Verdict::Passed, 1).state.unwrap();
    assert_eq!((state.room.as_str(), state.key.as_str(), state.src, state.generation), ("demo", "mode", 40, 2));
    assert_eq!(state.value, Some(state::Value::Mode(mode)));

    let score = heard("", Role::Service, Some(Body::Post(sticky)));
    let first = Judgement::new(score.clone(), Verdict::Passed, 1);
    let state = first.state.clone().unwrap();
    assert_eq!(state.key, "sticky/score");
    assert!(matches!(&state.value, Some(state::Value::Message(message)) if message.data == "[1]"));
    // F7: written again with the verdict, and not if it was refused.
    let stood = Stood::of_output(&first.output.unwrap());
    assert_eq!(Judgement::again(score.clone(), stood).state, Some(state));
    let refused = Judgement::new(score.clone(), Verdict::Blocked(Rule::Role), 1);
    assert_eq!(refused.state, None);
}

#[test]
fn a_kind_of_a_later_release_passes_unseen() {
    let judgement = Judgement::new(heard("ann", Role::Service, None), Verdict::Passed, 1);
    assert_eq!((judgement.word, judgement.verdict, judgement.state), (Word::Passed, None, None));
    assert!(judgement.output.unwrap().items.is_empty());
}
