//! Somebody who was muted or banned by his device too comes back under a new name: it is still he. Others are not concerned, and
//! lifting it lifts all of it.

use chassis::tokens::Role;
use integration::{Answer, Viewer, moderator::in_force, until, viewer::Ticket};
use proto::v1::Word;
use serde_json::json;

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "device";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_name_same_device() {
    let world = by_the_book("new_name_same_device").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.block("house", "quomble").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let say = async |user: &str, device: &str| {
        let id = world.sender_on(&ingest, user, device).say(ROOM, &format!("{user} on {device}")).await.accepted();
        world.came_to(&[id].into(), LATER).await[&id]
    };
    assert_eq!(say("eve", "phone-1").await, Word::Passed);

    let mutes = format!("rooms/{ROOM}/mutes");
    let done = ann.post(&mutes, &json!({ "subject": "user/eve", "permanent": true, "also": ["device"] })).await;
    let subjects: Vec<_> = done["sanctions"].as_array().unwrap().iter().map(|one| one["subject"].clone()).collect();
    assert_eq!(subjects, ["user/eve", "device/phone-1"]);
    world.until_sanctioned(2, SOON).await;
    assert_eq!(say("eve", "phone-9").await, Word::Muted);
    assert_eq!(say("not-eve", "phone-1").await, Word::Muted, "a new name is not a new person");
    assert_eq!(say("bob", "phone-2").await, Word::Passed);

    // Also for a judge who has just started.
    filter.kill();
    let _filter = world.filter(&[]).await;
    assert_eq!((say("nor-she", "phone-1").await, say("cid", "phone-3").await), (Word::Muted, Word::Passed));

    ann.delete(&format!("{mutes}?subject=user%2Feve")).await;
    world.until_sanctioned(4, SOON).await;
    assert_eq!((say("eve", "phone-9").await, say("again-not-eve", "phone-1").await), (Word::Passed, Word::Passed));

    // A ban keeps the device out of every room: the one on which he was heard last.
    say("eve", "phone-1").await;
    let watch = |user: &str, device: &str| Ticket {
        room: ROOM.into(),
        token: Some(world.token_on(user, device, &[Role::Viewer])),
        ..Ticket::default()
    };
    let here = world.viewer_with(&fanout, &watch("whoever", "phone-1")).await;
    ann.post("bans", &json!({ "subject": "user/eve", "permanent": true, "also": ["device"], "room": ROOM })).await;
    here.until("the close", SOON, |seen| seen.closed == Some(4503)).await;
    let again = Viewer::connect(fanout.address(), &watch("another", "phone-1")).await.unwrap();
    again.until("the close", SOON, |seen| seen.closed == Some(4503)).await;
    until("the door says no", SOON, async || {
        let answer = world.sender_on(&ingest, "a-third", "phone-1").say("elsewhere", "hello").await;
        matches!(answer, Answer::Refused { status: 403, .. }).then_some(())
    })
    .await;
    world.sender_on(&ingest, "bob", "phone-2").say("elsewhere", "hello").await.accepted();
}
