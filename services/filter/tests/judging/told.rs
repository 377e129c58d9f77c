//! Goal: a new judge knows what was decided so long ago that no input tells it any more. Method: only what its makers kept is
//! there, from a generation of the input that is gone.

use proto::{
    RoomId, Topic, partition,
    record::encode,
    rules::Key,
    v1::{
        Action, Entry, Mode, MuteRule, Muted, Role, Sanction, SanctionKind, State, Word, input::Body, rules::Record,
        state::Value,
    },
};

use crate::world::{GENERATION, PARTITIONS, World, brought, config, said};

fn state(key: &str, value: Value) -> State {
    State { room: "demo".into(), key: key.into(), src: 900, generation: GENERATION - 1, value: Some(value) }
}

fn keep(world: &World, state: &State) {
    let partition = partition::of(b"demo", PARTITIONS);
    world.write(Topic::State, partition, &state.record_key(), &encode(state));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_that_only_the_state_remembers_is_known() {
    let mut world = World::new();
    keep(&world, &state("mode", Value::Mode(Mode { slow_ms: 1, ..Default::default() })));
    keep(&world, &state("mode", Value::Mode(Mode { emergency: true, ..Default::default() })));
    let judge = world.filter(config()).await;
    let id = world.put(&said("demo", "ann", "", "hello"));
    let output = world.answer(id);
    assert_eq!((output.verdict(), output.code.as_str()), (Word::Limited, "mode_emergency"));
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_that_only_the_rule_book_remembers_goes_on_until_a_later_decision() {
    let mut world = World::new();
    let key = Key::Mute(RoomId::new("demo").unwrap(), "user/ann".parse().unwrap());
    let mute = |generation: u32, src: u64| {
        Record::Mute(MuteRule {
            room: "demo".into(),
            subject: "user/ann".into(),
            sequence: 5,
            generation,
            src,
            ..Default::default()
        })
    };
    world.write_rule(&key, mute(GENERATION - 1, 900));
    let judge = world.filter(config()).await;
    let [ann, bob] = ["ann", "bob"].map(|user| world.put(&said("demo", user, "", "hello")));
    let output = world.answer(ann);
    assert_eq!((output.verdict(), output.code.as_str()), (Word::Muted, "muted"));
    assert_eq!(world.answer(bob).verdict(), Word::Passed);
    let lift = |sequence| {
        let kind = SanctionKind::Unmute as i32;
        let sanction = Sanction { kind, subject: "user/ann".into(), sequence, ..Default::default() };
        brought("demo", "mod", Role::Moderator, Body::Sanction(sanction))
    };
    world.put(&lift(4));
    let still = world.put(&said("demo", "ann", "", "still"));
    assert_eq!(world.answer(still).verdict(), Word::Muted);
    world.put(&lift(6));
    let free = world.put(&said("demo", "ann", "", "free"));
    assert_eq!(world.answer(free).verdict(), Word::Passed);
    judge.leave().await;

    // The next one is told of the mute and hears of its end; and of one whose control record is still to come he is not told.
    world.write_rule(&key, mute(GENERATION, u64::MAX));
    let judge = world.filter(config()).await;
    let freed = world.put(&said("demo", "ann", "", "and still free"));
    assert_eq!(world.answer(freed).verdict(), Word::Passed);
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_by_a_rule_goes_on_for_the_next_judge() {
    let mut world = World::new();
    let entry = |action: Action| Entry {
        id: "e1".into(),
        text: "blorp".into(),
        severity: 4,
        action: action as i32,
        ..Entry::default()
    };
    world.publish_entries(1, "global", &[entry(Action::Mute)]);
    let judge = world.filter(filter::Config::default()).await;
    let id = world.put(&said("demo", "ann", "", "such a blorp"));
    let output = world.answer(id);
    assert_eq!((output.verdict(), output.code.as_str(), output.rule.as_str()), (Word::Muted, "muted", "e1"));
    judge.leave().await;
    // Its rules would not mute any more, and what is replayed asks none.
    world.publish_entries(2, "global", &[entry(Action::Flag)]);
    let judge = world.filter(filter::Config::default()).await;
    let later = world.put(&said("demo", "ann", "", "hello"));
    assert_eq!(world.answer(later).verdict(), Word::Muted);
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_by_a_rule_that_only_the_state_remembers_goes_on_to_its_end() {
    let mut world = World::new();
    keep(&world, &state("mute/user/ann", Value::Muted(Muted { until: i64::MAX })));
    keep(&world, &state("mute/user/bob", Value::Muted(Muted { until: 1 })));
    let judge = world.filter(config()).await;
    let [ann, bob] = ["ann", "bob"].map(|user| world.put(&said("demo", user, "", "hello")));
    assert_eq!(world.answer(ann).verdict(), Word::Muted);
    assert_eq!(world.answer(bob).verdict(), Word::Passed);
    judge.leave().await;
}
