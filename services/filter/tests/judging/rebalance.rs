//! Goal: partitions change hands under load without a repeat or a loss (F6, F11). Method: a second filter comes, the first
//! leaves, and somebody talks all the while.

use std::collections::BTreeSet;

use filter::Judge;
use proto::v1::Word;

use crate::world::{World, config};

/// Talks until `done`, and returns what was said.
fn talk_until(world: &mut World, from: usize, mut done: impl FnMut(&mut World) -> bool) -> Vec<proto::MessageId> {
    let mut said = Vec::new();
    for n in from.. {
        let room = format!("room-{}", n % 16);
        said.push(world.say(&room, &format!("user-{n}"), &format!("text {n}")));
        if n % 16 == 0 && done(world) {
            break;
        }
    }
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_change_hands_without_a_repeat_or_a_loss() {
    let mut world = World::new();
    let first = world.filter(config()).await;
    let beside = world.beside();
    let mut said = talk_until(&mut world, 0, |world| {
        world.until("answers", |_| Some(()));
        world.heard.outputs.len() == 4
    });
    let second = Judge::start(&beside, config()).unwrap();
    let more = talk_until(&mut world, said.len(), |_| beside.readiness.is_ready());
    said.extend(more);
    first.leave().await;
    // The second one is left with everything.
    let last: Vec<_> = (0..16).map(|n| world.say(&format!("room-{n}"), "last", "the last word")).collect();
    said.extend(&last);
    world.until("all answers", |heard| {
        let answers = heard.answers();
        said.iter().all(|id| answers.contains_key(id)).then_some(())
    });
    world.heard.check_order();
    assert!(world.heard.answers().values().all(|outputs| outputs.len() == 1 && outputs[0].verdict() == Word::Passed));
    let owners: BTreeSet<_> = world.heard.outputs.values().flatten().map(|(output, _)| output.owner_number()).collect();
    assert!(owners.len() > 1, "nothing changed hands: {owners:?}");
    second.leave().await;
}
