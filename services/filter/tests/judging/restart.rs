//! Goal: a restart shows nothing twice and forgives nobody. Method: the filter leaves and another comes, several times over.

use proto::v1::Word;

use crate::world::{World, config, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_repeats_nothing_and_loses_nothing() {
    let mut world = World::new();
    let mut said = Vec::new();
    for life in 0..3 {
        let judge = world.filter(config()).await;
        for n in 0..40 {
            said.push(world.say(["demo", "lobby", "chess"][n % 3], &format!("user-{n}"), &format!("{life} {n}")));
        }
        // Leaves in the middle of it: what is not finished is the next one's.
        judge.leave().await;
    }
    let judge = world.filter(config()).await;
    world.until("all answers", |heard| (heard.answers().len() == said.len()).then_some(()));
    world.heard.check_order();
    for (id, outputs) in world.heard.answers() {
        assert_eq!((outputs.len(), outputs[0].verdict()), (1, Word::Passed), "{id}");
    }
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_retries_are_remembered_across_a_restart() {
    let mut world = World::new();
    // The group takes seconds to take a member back, so the windows must be longer.
    let patient = || filter::Config { duplicate_window: std::time::Duration::from_secs(60), ..config() };
    let judge = world.filter(patient()).await;
    let first = world.put(&said("demo", "ann", "c-1", "hello"));
    assert_eq!(world.answer(first).verdict(), Word::Passed);
    judge.leave().await;

    let judge = world.filter(patient()).await;
    let retried = world.put(&said("demo", "ann", "c-1", "hello"));
    let same = world.put(&said("demo", "ann", "c-2", "hello"));
    let (retried, same) = (world.answer(retried), world.answer(same));
    assert_eq!(retried.verdict(), Word::Repeated);
    assert_eq!((same.verdict(), same.code.as_str()), (Word::Limited, "duplicate"));
    judge.leave().await;
}
