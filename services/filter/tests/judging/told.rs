//! Goal: a new judge knows what was decided so long ago that no input tells it any more. Method: only what its makers kept is
//! there, from a generation of the input that is gone.

use proto::{
    Topic, partition,
    record::encode,
    v1::{Mode, Muted, State, Word, state::Value},
};

use crate::world::{GENERATION, PARTITIONS, World, config, said};

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
async fn a_mute_by_a_rule_that_only_the_state_remembers_goes_on_or_is_forgotten() {
    let mut world = World::new();
    keep(&world, &state("mute/user/ann", Value::Muted(Muted { until: i64::MAX })));
    keep(&world, &state("mute/user/bob", Value::Muted(Muted { until: 1 })));
    let judge = world.filter(config()).await;
    let [ann, bob] = ["ann", "bob"].map(|user| world.put(&said("demo", user, "", "hello")));
    assert_eq!(world.answer(ann).verdict(), Word::Muted);
    assert_eq!(world.answer(bob).verdict(), Word::Passed);
    judge.leave().await;
}
