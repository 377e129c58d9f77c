//! Goal: what is thinned is named by records before anything is committed past it (F5), each message once. Method: a crowd says
//! more than its room may show, through two filters one after the other.

use std::collections::{BTreeMap, BTreeSet};

use proto::{MessageId, v1::Word};

use crate::world::{World, config};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_thinned_is_named_once_and_committed() {
    let mut world = World::new();
    let tight = || filter::Config { room_budget: 20, ..config() };
    let mut said = BTreeSet::new();
    let mut crowd = |world: &World, from: usize| {
        for n in from..from + 150 {
            said.insert(world.say(["demo", "lobby"][n % 2], &format!("user-{n}"), &format!("text {n}")));
        }
    };
    let judge = world.filter(tight()).await;
    crowd(&world, 0);
    judge.leave().await;
    let judge = world.filter(tight()).await;
    crowd(&world, 150);
    let ends: BTreeMap<_, _> = said.iter().map(|id| (id.partition, id.offset + 1)).collect();
    world.until_committed(&ends);
    judge.leave().await;

    // All is committed, so all is named: by an answer, a record of its own, or a range.
    world.until("every message", |heard| {
        let answered = heard.answers().into_keys();
        let recorded = heard.verdicts.iter().map(|verdict| verdict.id.parse().unwrap());
        let named: Vec<MessageId> = heard
            .tallies
            .iter()
            .flat_map(|(partition, room, verdict)| {
                assert_eq!((verdict.word(), verdict.input.as_ref()), (Word::Thinned, None));
                assert!(
                    ["demo", "lobby"].contains(&room.as_str()) && verdict.owner.is_some() && verdict.rules_version > 0
                );
                let offsets = verdict.ranges.iter().flat_map(|range| range.first..=range.last);
                offsets.map(|offset| MessageId { generation: 1, partition: *partition, offset }).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(named.len(), named.iter().collect::<BTreeSet<_>>().len(), "named twice");
        let known: BTreeSet<MessageId> = answered.chain(recorded).chain(named).collect();
        (known == said).then_some(())
    });
    assert!(!world.heard.tallies.is_empty(), "nothing was thinned");
    world.heard.check_order();
}
