//! Which records each verdict comes to, as the contract's table has it.

use proto::v1::{self, Fate, Item, Kind, Mode, Reading, Role, Told, Word, input::Body, item, state};

use super::*;
use crate::heard::Heard;

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
    let Judgement { word, output, verdict, state, counted_in } = new(say(), Verdict::Passed);
    let output = output.unwrap();
    assert_eq!((word, verdict, state, counted_in), (Word::Passed, None, None, None));
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

fn new(heard: Heard, verdict: Verdict) -> Judgement {
    Judgement::new(heard, verdict, Finding::default(), 9)
}

fn found() -> Finding {
    let hit = Hit { entry: "e1".into(), list: "l1".into(), start: 0, end: 2, ..Default::default() };
    Finding { code: "words".into(), rule: "e1".into(), hits: vec![hit] }
}

/// One line of the contract's table: a verdict, and what it comes to for a message that a rule found something in.
struct Line {
    verdict: Verdict,
    word: Word,
    code: &'static str,
    /// What the room sees, and what its author alone.
    shown: &'static [(&'static str, &'static str)],
    /// `until`, `retry_after_ms` and `of`, if the author is told.
    told: Option<(i64, u32, &'static str)>,
}

fn table() -> Vec<Line> {
    let of = MessageId { generation: 2, partition: 1, offset: 8 };
    let limited = |by| Verdict::Limited { by, retry_after_ms: 500 };
    let muted = |by, until| Verdict::Muted { by, until };
    let masked = |text: Option<&str>, name: Option<&str>| Verdict::Masked {
        text: text.map(Into::into),
        name: name.map(Into::into),
    };
    let quiet: &[(&str, &str)] = &[];
    let line = |verdict, word, code, shown, told| Line { verdict, word, code, shown, told };
    vec![
        line(Verdict::Flagged, Word::Flagged, "words", &[("", "ann: Hi")], None),
        line(masked(Some("**"), None), Word::Masked, "words", &[("", "ann: **")], Some((0, 0, ""))),
        line(masked(None, Some("***")), Word::Masked, "words", &[("", "***: Hi")], Some((0, 0, ""))),
        line(Verdict::Blocked, Word::Blocked, "words", quiet, Some((0, 0, ""))),
        line(Verdict::Held, Word::Held, "held", quiet, Some((0, 0, ""))),
        line(Verdict::Shadowed, Word::Shadowed, "words", &[("ann", "ann: Hi")], None),
        line(muted(MutedBy::Mute, Until::Time(77)), Word::Muted, "muted", quiet, Some((77, 0, ""))),
        line(muted(MutedBy::Mute, Until::Ever), Word::Muted, "muted", quiet, Some((0, 0, ""))),
        line(muted(MutedBy::Ban, Until::Ever), Word::Muted, "banned", quiet, Some((0, 0, ""))),
        line(limited(LimitedBy::Rate), Word::Limited, "rate", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Duplicate), Word::Limited, "duplicate", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Slow), Word::Limited, "mode_slow", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Level), Word::Limited, "mode_level", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Followers), Word::Limited, "mode_followers", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Emote), Word::Limited, "mode_emote", quiet, Some((0, 500, ""))),
        line(limited(LimitedBy::Emergency), Word::Limited, "mode_emergency", quiet, Some((0, 500, ""))),
        line(Verdict::Repeated { of }, Word::Repeated, "words", quiet, Some((0, 0, "2-1-8"))),
    ]
}

fn shown_to(item: &Item) -> Option<(String, String)> {
    let Some(item::Body::Message(message)) = &item.body else { return None };
    assert_eq!(item.fate(), Fate::Lossy);
    Some((item.to_user.clone(), format!("{}: {}", message.user.as_ref().unwrap().name, message.text)))
}

#[test]
fn each_word_is_shown_told_and_recorded_as_the_contract_has_it() {
    for Line { verdict, word, code, shown, told } in table() {
        assert!(CODES.contains(&code), "{code}");
        let judgement = Judgement::new(say(), verdict, found(), 9);
        let output = judgement.output.unwrap();
        assert_eq!(
            (judgement.word, output.verdict(), output.code.as_str(), output.rule.as_str()),
            (word, word, code, "e1")
        );
        let seen: Vec<_> = output.items.iter().filter_map(shown_to).collect();
        let expected: Vec<_> = shown.iter().map(|(to, text)| ((*to).to_owned(), (*text).to_owned())).collect();
        assert_eq!(seen, expected, "{word:?}");
        let tells: Vec<_> = output.items.iter().filter(|item| matches!(item.body, Some(item::Body::Told(_)))).collect();
        let expected = told.map(|(until, retry_after_ms, of)| Item {
            fate: Fate::Lossless as i32,
            to_user: "ann".into(),
            body: Some(item::Body::Told(Told {
                client_id: "c1".into(),
                id: "2-1-40".into(),
                verdict: word as i32,
                code: code.into(),
                of: of.into(),
                until,
                retry_after_ms,
            })),
        });
        assert_eq!(tells, expected.iter().collect::<Vec<_>>(), "{word:?}");

        let record = judgement.verdict.unwrap();
        assert_eq!((record.id.as_str(), record.word(), record.rules_version), ("2-1-40", word, 9));
        assert_eq!((record.code.as_str(), record.rule.as_str(), &record.hits), (code, "e1", &found().hits));
        assert_eq!(record.of, told.map_or("", |(_, _, of)| of));
        assert_eq!(record.input.as_ref(), Some(say().input()));
        let by_rule = word == Word::Muted;
        assert_eq!(judgement.state.is_some(), by_rule, "who judges next must know what a rule did");

        // F7: from the output and the input together the same records are made again.
        let again = Judgement::again(say(), Stood::of_output(&output));
        assert_eq!((again.word, again.output, again.verdict), (word, None, Some(record)));
        assert_eq!(again.state, judgement.state);
    }
}

#[test]
fn a_mute_by_a_rule_is_kept_for_who_judges_next() {
    let until = Until::Time(77);
    let judgement = Judgement::new(say(), Verdict::Muted { by: MutedBy::Mute, until }, found(), 9);
    let state = judgement.state.unwrap();
    assert_eq!(
        (state.room.as_str(), state.key.as_str(), state.src, state.generation),
        ("demo", "mute/user/ann", 40, 2)
    );
    assert_eq!(state.value, Some(state::Value::Muted(v1::Muted { until: 77 })));
    // One by a limit is learned from the log, and one by a moderator from the rule book.
    assert_eq!(new(say(), Verdict::Muted { by: MutedBy::Mute, until }).state, None);
}

#[test]
fn what_a_watching_list_found_is_recorded_and_nothing_else_changes() {
    let mut found = Finding { code: "".into(), rule: String::new(), ..found() };
    found.hits[0].observe = true;
    found.hits[0].reading = Reading::Gaps as i32;
    let judgement = Judgement::new(say(), Verdict::Passed, found.clone(), 9);
    let record = judgement.verdict.unwrap();
    assert_eq!((judgement.word, record.word(), &record.hits), (Word::Passed, Word::Passed, &found.hits));
    let output = judgement.output.unwrap();
    assert_eq!(shown_to(only(&output.items)), Some((String::new(), "ann: Hi".into())));
    assert_eq!(Judgement::again(say(), Stood::of_output(&output)).verdict, Some(record));
}

#[test]
fn what_is_only_counted_names_its_room() {
    for (verdict, word) in [(Verdict::Thinned, Word::Thinned), (Verdict::Shed, Word::Shed)] {
        let judgement = new(say(), verdict);
        assert_eq!((judgement.word, judgement.counted_in.as_deref()), (word, Some("demo")));
        assert_eq!((judgement.output, judgement.verdict, judgement.state), (None, None, None));
    }
}

#[test]
fn what_a_role_may_not_bring_is_blocked() {
    let mode = heard("ann", Role::Sender, Some(Body::Mode(Mode::default())));
    let judgement = new(mode, Verdict::Forbidden);
    let record = judgement.verdict.unwrap();
    assert_eq!((record.word(), record.code.as_str(), record.rule.as_str()), (Word::Blocked, "forbidden", "role"));
    assert!(matches!(only(&judgement.output.unwrap().items).body, Some(item::Body::Told(_))));
    assert_eq!(judgement.state, None);
}

#[test]
fn nobody_to_tell_is_no_output() {
    let gift = heard("", Role::Service, Some(Body::Post(v1::Post::default())));
    let of = MessageId { generation: 2, partition: 1, offset: 8 };
    let judgement = new(gift, Verdict::Repeated { of });
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
        let output = new(heard("", Role::Service, Some(body)), Verdict::Passed).output.unwrap();
        let item = only(&output.items);
        assert_eq!((item.fate(), item.to_user.as_str(), &item.body), (Fate::Lossless, to_user, &Some(expected)));
    }
    let output = new(heard("ann", Role::Service, Some(Body::Post(post))), Verdict::Passed).output.unwrap();
    let Some(item::Body::Message(message)) = &only(&output.items).body else { panic!("{output:?}") };
    assert_eq!((message.kind(), message.data.as_str(), message.id.as_str()), (Kind::Gift, "{}", "2-1-40"));
}

#[test]
fn an_announcement_is_for_every_room_under_one_id() {
    let word = v1::Announcement { id: "a-1".into(), text: "soon".into(), ..Default::default() };
    let input = v1::Input { role: Role::Service as i32, body: Some(Body::Announcement(word)), ..Default::default() };
    let heard = Heard::new(MessageId { generation: 2, partition: 1, offset: 40 }, 0, input).unwrap();
    let output = new(heard, Verdict::Passed).output.unwrap();
    assert_eq!(output.room, "");
    let Some(item::Body::Message(message)) = &only(&output.items).body else { panic!("{output:?}") };
    assert_eq!((message.id.as_str(), message.kind()), ("a-1", Kind::System));
}

#[test]
fn modes_and_sticky_events_are_told_to_late_joiners() {
    let mode = Mode { emergency: true, ..Default::default() };
    let sticky =
        v1::Post { kind: Kind::Event as i32, sticky: "score".into(), data: "[1]".into(), ..Default::default() };
    let state = new(heard("", Role::Moderator, Some(Body::Mode(mode))), Verdict::Passed).state.unwrap();
    assert_eq!((state.room.as_str(), state.key.as_str(), state.src, state.generation), ("demo", "mode", 40, 2));
    assert_eq!(state.value, Some(state::Value::Mode(mode)));

    let score = heard("", Role::Service, Some(Body::Post(sticky)));
    let first = new(score.clone(), Verdict::Passed);
    let state = first.state.clone().unwrap();
    assert_eq!(state.key, "sticky/score");
    assert!(matches!(&state.value, Some(state::Value::Message(message)) if message.data == "[1]"));
    // F7: written again with the verdict, and not if it was refused.
    let stood = Stood::of_output(&first.output.unwrap());
    assert_eq!(Judgement::again(score.clone(), stood).state, Some(state));
    let refused = new(score.clone(), Verdict::Forbidden);
    assert_eq!(refused.state, None);
}

#[test]
fn a_word_of_a_later_release_is_written_again_as_it_stands_and_shows_nothing() {
    let mode = heard("", Role::Moderator, Some(Body::Mode(Mode { emergency: true, ..Default::default() })));
    for (number, is_recorded, is_shown) in [(Word::Passed as i32, false, true), (99, true, false)] {
        let again = Judgement::again(mode.clone(), Stood::of_output(&Output { verdict: number, ..Output::default() }));
        assert_eq!(again.verdict.map(|verdict| verdict.word), is_recorded.then_some(number));
        assert_eq!(again.state.is_some(), is_shown, "{number}");
    }
}

#[test]
fn a_kind_of_a_later_release_passes_unseen() {
    let judgement = new(heard("ann", Role::Service, None), Verdict::Passed);
    assert_eq!((judgement.word, judgement.verdict, judgement.state), (Word::Passed, None, None));
    assert!(judgement.output.unwrap().items.is_empty());
}
