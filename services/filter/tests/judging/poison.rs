//! Goal: a record that cannot be judged costs nobody else anything. Method: noise between messages of one room.

use std::collections::BTreeMap;

use proto::{
    Topic, partition,
    record::encode,
    v1::{Input, Word},
};

use crate::world::{PARTITIONS, World, config, said};

#[tokio::test(flavor = "multi_thread")]
async fn a_poisoned_record_is_set_apart_and_the_partition_goes_on() {
    let mut world = World::new();
    let judge = world.filter(config()).await;
    let partition = partition::of(b"demo", PARTITIONS);
    let before = world.say("demo", "ann", "before");
    let noise = world.write(Topic::Input, partition, "demo", &[0xff; 9]);
    let nowhere = world.write(Topic::Input, partition, "demo", &encode(&said("a/b", "ann", "", "hi")));
    let nobody =
        world.write(Topic::Input, partition, "demo", &encode(&Input { user: None, ..said("demo", "", "", "x") }));
    let empty = world.write(Topic::Input, partition, "demo", b"");
    let after = world.say("demo", "ann", "after");

    assert_eq!(world.answer(after).verdict(), Word::Passed);
    assert_eq!(world.answer(before).verdict(), Word::Passed);
    world.until("four dead letters", |heard| (heard.letters.len() == 4).then_some(()));
    let letters = &world.heard.letters;
    let offsets: Vec<u64> = letters.iter().map(|letter| letter.offset).collect();
    assert_eq!(offsets, [noise, nowhere, nobody, empty]);
    assert!(letters[0].reason.starts_with("undecodable: "), "{}", letters[0].reason);
    assert_eq!(letters[1].reason, "unjudgeable: its room is no room: it holds a slash or a control character");
    assert_eq!(letters[2].reason, "unjudgeable: its speaker is no user: it is empty");
    assert_eq!(letters[0].value[..], [0xff; 9]);
    assert_eq!((letters[0].topic.as_str(), letters[0].partition), ("danmaku-input", partition));
    assert_eq!(letters[0].key[..], b"demo"[..]);
    assert!(letters[0].append_ms > 0);
    assert!(world.heard.verdicts.is_empty());
    // F5: dead letters are acknowledged before their offsets are finished.
    world.until_committed(&BTreeMap::from([(partition, after.offset + 1)]));
    judge.leave().await;
}
