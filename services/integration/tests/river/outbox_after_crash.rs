//! Kafka is away and the moderators' service dies: what it had said yes to before is not lost. Edits are in force and a mute acts
//! once both are back, each once.

use chassis::tokens::Role;
use integration::{kafka::Plan, moderator::in_force};
use proto::v1::Word;
use serde_json::json;

use crate::{LATER, world_alone};

const ROOM: &str = "crash";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outbox_after_crash() {
    let mut world = world_alone("outbox_after_crash", Plan::default()).await;
    world.by_the_book = true;
    let (direct, linked) = (world.brokers.clone(), world.kafka.linked());
    world.brokers = linked;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let before = ann.block("house", "blorp").await;
    world.brokers = direct;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    in_force(&[&filter], before).await;

    // Only the moderators' service is cut off; everybody else speaks on.
    world.kafka.link(1).cut();
    let last = ann.block("house", "gruntle").await;
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    mo.post(&format!("rooms/{ROOM}/mutes"), &json!({ "subject": "user/eve", "permanent": true })).await;
    assert_eq!(ann.get("versions").await["published"], before, "it says what is not published yet");
    let say = async |user: &str, text: &str| {
        let id = world.sender(&ingest, user).say(ROOM, text).await.accepted();
        world.came_to(&[id].into(), LATER).await[&id]
    };
    assert_eq!((say("a", "gruntle").await, say("eve", "hello").await), (Word::Passed, Word::Passed));
    assert_eq!(say("b", "blorp").await, Word::Blocked, "the last good book holds meanwhile");
    desk.kill();

    world.kafka.link(1).restore();
    let desk = world.moderation(&[]).await;
    in_force(&[&filter], last).await;
    assert_eq!(say("c", "gruntle").await, Word::Blocked);
    world.until_sanctioned(1, LATER).await;
    assert_eq!(say("eve", "hello?").await, Word::Muted);
    assert_eq!(world.sanctions().await.len(), 1, "one mute is one record");
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    assert_eq!(ann.get("audit/verify").await["whole"], true);
}
