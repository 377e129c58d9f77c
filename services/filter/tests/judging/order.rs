//! Goal: each input is answered once, in its partition's order, and its offset committed. Method: many rooms talk at once.

use std::collections::BTreeMap;

use proto::v1::{Fate, Word, item::Body};

use crate::world::{World, config};

#[tokio::test(flavor = "multi_thread")]
async fn each_input_is_answered_once_in_order() {
    let mut world = World::new();
    let judge = world.filter(config()).await;
    let rooms = ["demo", "房间", "🎉", "lobby", "music", "chess", "a", "b"];
    let mut said = BTreeMap::new();
    for round in 0..25 {
        for room in rooms {
            let text = format!("{room} {round}");
            said.insert(world.say(room, &format!("user-{round}"), &text), (room, text));
        }
    }
    world.until("all answers", |heard| (heard.answers().len() == said.len()).then_some(()));
    world.heard.check_order();
    for (id, outputs) in world.heard.answers() {
        let [output] = outputs[..] else { panic!("{id} was answered {} times", outputs.len()) };
        let (room, text) = &said[&id];
        assert_eq!((output.verdict(), output.room.as_str(), output.generation), (Word::Passed, *room, 1));
        let [item] = &output.items[..] else { panic!("{output:?}") };
        let Some(Body::Message(message)) = &item.body else { panic!("{item:?}") };
        assert_eq!((item.fate(), &message.text, message.id.as_str()), (Fate::Lossy, text, id.to_string().as_str()));
        assert_eq!(message.at, 7);
    }
    for outputs in world.heard.outputs.values() {
        assert!(outputs[0].0.is_claim(), "F6: a partition's first record claims it");
    }
    // The last id of each partition is the one that stays.
    let ends: BTreeMap<_, _> = said.keys().map(|id| (id.partition, id.offset + 1)).collect();
    world.until_committed(&ends);
    assert!(world.heard.verdicts.is_empty() && world.heard.letters.is_empty());
    judge.leave().await;
}
