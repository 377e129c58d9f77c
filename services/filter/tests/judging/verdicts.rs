//! Goal: what is not shown is told to its sender alone and recorded with its rule. Method: say what must not pass.

use proto::v1::{self, Mode, Output, Role, Told, Word, input, item::Body, state};

use crate::world::{World, brought, config, said};

fn told(output: &Output) -> (&str, &Told) {
    let [item] = &output.items[..] else { panic!("{output:?}") };
    let Some(Body::Told(told)) = &item.body else { panic!("{item:?}") };
    (&item.to_user, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_shown_is_told_and_recorded() {
    let mut world = World::new();
    let judge = world.filter(config()).await;

    let blocked = world.put(&said("demo", "ann", "c-1", "such a BLORP"));
    let output = world.answer(blocked);
    assert_eq!((output.verdict(), output.code.as_str(), output.rule.as_str()), (Word::Blocked, "words", "word:2"));
    let (to, about) = told(&output);
    assert_eq!((to, about.client_id.as_str(), about.id.as_str()), ("ann", "c-1", blocked.to_string().as_str()));

    let repeated = world.put(&said("demo", "ann", "c-1", "such a BLORP"));
    let output = world.answer(repeated);
    assert_eq!((output.verdict(), told(&output).1.of.as_str()), (Word::Repeated, blocked.to_string().as_str()));

    let first = world.say("demo", "bob", "hello");
    assert_eq!(world.answer(first).verdict(), Word::Passed);
    let again = world.say("demo", "bob", "HELLO");
    let output = world.answer(again);
    assert_eq!((output.verdict(), output.code.as_str()), (Word::Limited, "duplicate"));
    assert!((1..=10_000).contains(&told(&output).1.retry_after_ms));

    let recall = input::Body::Recall(v1::Recall { ids: vec![first.to_string()], ..Default::default() });
    let forbidden = world.put(&brought("demo", "bob", Role::Sender, recall));
    assert_eq!(world.answer(forbidden).code, "forbidden");

    let recorded = [blocked, repeated, again, forbidden];
    world.until("four verdicts", |heard| (heard.verdicts.len() == recorded.len()).then_some(()));
    for id in recorded {
        let [record] = world.heard.verdicts_on(id)[..] else { panic!("{id}: {:?}", world.heard.verdicts) };
        let output = world.heard.answer(id).unwrap();
        assert_eq!((record.word(), &record.code, &record.rule), (output.verdict(), &output.code, &output.rule));
        assert_eq!(record.owner, output.owner);
        assert!(record.input.is_some());
    }
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_is_shown_and_kept_for_late_joiners() {
    let mut world = World::new();
    let judge = world.filter(config()).await;
    let mode = Mode { slow_ms: 3_000, ..Default::default() };
    let id = world.put(&brought("demo", "mod", Role::Moderator, input::Body::Mode(mode)));
    assert_eq!(world.answer(id).items[0].body, Some(Body::Mode(mode)));
    let (key, state) = world.until("the state", |heard| heard.states.first().cloned());
    assert_eq!((key.as_str(), state.src, state.value), ("demo/mode", id.offset, Some(state::Value::Mode(mode))));
    judge.leave().await;
}
