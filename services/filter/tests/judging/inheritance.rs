//! Goal: a filter takes over what a crashed one left, and nothing that readers saw is judged again (F6, F7, F10). Method: the
//! crashed one is played by hand: its outputs, its owner number, and how far it had committed.

use proto::{
    MessageId, OwnerNumber, partition,
    v1::{Output, Word},
};

use crate::world::{GENERATION, PARTITIONS, World, config, said};

const ROOM: &str = "demo";

fn place() -> i32 {
    partition::of(ROOM.as_bytes(), PARTITIONS)
}

fn id(offset: u64) -> MessageId {
    MessageId { generation: GENERATION, partition: place(), offset }
}

/// An output as a predecessor wrote it.
fn left(owner: OwnerNumber, src: u64, word: Word, rule: &str) -> Output {
    Output {
        generation: GENERATION,
        src: Some(src),
        owner: Some(owner.into()),
        room: ROOM.to_owned(),
        verdict: word as i32,
        code: if rule.is_empty() { String::new() } else { "words".to_owned() },
        rule: rule.to_owned(),
        rules_version: 1,
        ..Default::default()
    }
}

fn leave_behind(world: &World, output: &Output) {
    world.write_output(place(), output);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_is_kept_and_what_is_missing_is_superseded() {
    let mut world = World::new();
    for n in 0..8 {
        world.say(ROOM, &format!("user-{n}"), &format!("text {n}"));
    }
    let owner = OwnerNumber { bump: 0, group_generation: 0, rewinds: 0 };
    leave_behind(&world, &Output::claim(GENERATION, owner));
    // Inputs 0 and 1 are finished; 2, 3 and 5 are answered but not committed; 4 is not answered; 6 and 7 are new.
    for (src, word, rule) in [
        (0, Word::Passed, ""),
        (1, Word::Passed, ""),
        (2, Word::Passed, ""),
        (3, Word::Blocked, "word:9"),
        (5, Word::Passed, ""),
    ] {
        leave_behind(&world, &left(owner, src, word, rule));
    }
    world.commit(&[(place(), 2)]);

    let judge = world.filter(config()).await;
    world.until("the new ones", |heard| heard.answer(id(6)).and(heard.answer(id(7))).map(drop));
    world.until("two verdicts", |heard| (heard.verdicts.len() >= 2).then_some(()));
    world.heard.check_order();
    let answered: Vec<u64> = world.heard.answers().keys().map(|id| id.offset).collect();
    assert_eq!(answered, [0, 1, 2, 3, 5, 6, 7]);
    assert!(world.heard.answers().values().all(|outputs| outputs.len() == 1));

    // F7: the verdict of what stands is written again as it was, although no rule of today forbids it.
    let [stood] = world.heard.verdicts_on(id(3))[..] else { panic!("{:?}", world.heard.verdicts) };
    assert_eq!((stood.word(), stood.code.as_str(), stood.rule.as_str()), (Word::Blocked, "words", "word:9"));
    let [closed] = world.heard.verdicts_on(id(4))[..] else { panic!("{:?}", world.heard.verdicts) };
    assert_eq!(closed.word(), Word::Superseded);
    assert_eq!(world.heard.verdicts.len(), 2);
    world.until_committed(&[(place(), 8)].into());
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_judging_starts_is_committed_though_nothing_is_judged() {
    let world = World::new();
    world.say(ROOM, "ann", "old");
    let owner = OwnerNumber { bump: 0, group_generation: 0, rewinds: 0 };
    leave_behind(&world, &left(owner, 0, Word::Passed, ""));
    let judge = world.filter(config()).await;
    // A door that counts on the group's offset would stay closed for the one input until somebody gets past it.
    world.until_committed(&[(place(), 1)].into());
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_lost_its_memory_is_outbid() {
    let mut world = World::new();
    world.say(ROOM, "ann", "old");
    let owner = OwnerNumber { bump: 7, group_generation: 500, rewinds: 3 };
    leave_behind(&world, &left(owner, 0, Word::Passed, ""));
    let judge = world.filter(config()).await;
    // F10: nothing is committed, so judging starts after what is answered.
    let new = world.say(ROOM, "ann", "new");
    let output = world.answer(new);
    assert!(output.owner_number() > owner);
    assert_eq!(output.owner_number().bump, 8);
    assert_eq!(world.heard.answers()[&id(0)].len(), 1);
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recreated_input_is_not_judged() {
    let mut world = World::new();
    let owner = OwnerNumber { bump: 0, group_generation: 1, rewinds: 0 };
    leave_behind(&world, &left(owner, 1_000, Word::Passed, ""));
    world.say(ROOM, "ann", "hello");
    let judge = world.filter_unready(config());
    let readiness = world.ground.readiness.clone();
    let reason = world.until("the reason", |_| {
        readiness.not_ready().into_iter().find(|why| why.reason.contains("recreated")).map(|why| why.reason)
    });
    assert!(reason.contains("ends at offset 1, but inputs up to 1001 were judged"), "{reason}");
    assert!(reason.contains("--generation 2"), "{reason}");
    // The other partitions are judged.
    let other = (0..).map(|n| format!("room-{n}")).find(|room| partition::of(room.as_bytes(), PARTITIONS) != place());
    let elsewhere = world.put(&said(&other.unwrap(), "ann", "", "hello"));
    assert_eq!(world.answer(elsewhere).verdict(), Word::Passed);
    assert_eq!(world.heard.answer(id(0)), None);
    judge.leave().await;
}
