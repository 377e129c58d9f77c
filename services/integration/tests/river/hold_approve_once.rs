//! A held message waits, and the first decision is the one that counts: approved, it is shown once, under its id, whatever dies
//! in between; edited, it says so. What nobody decides on is decided by the room's rule. Its sender is told each time.

use chassis::tokens::Role;
use hyper::Method;
use integration::{Moderator, Node, World, moderator::in_force, until};
use proto::{
    MessageId,
    v1::{self, Word},
};
use serde_json::{Value, json};

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "holds";

/// A river with a list that holds a word; its desk, door, filter and hall.
async fn river(name: &str) -> (World, Node, Node, Node, Node) {
    let world = by_the_book(name).await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.add("house", json!({ "text": "blorp", "action": "hold" })).await;
    // Longer than a slow machine takes to decide.
    ann.put(&format!("rooms/{ROOM}/holding"), &json!({ "hold_ms": 600_000 })).await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    (world, desk, ingest, filter, fanout)
}

/// Waits until a message is in the queue.
async fn held(mo: &Moderator, id: MessageId) -> Value {
    until("it is in the queue", SOON, async || {
        let queue = mo.get(&format!("holds?room={ROOM}")).await;
        queue["holds"].as_array()?.iter().find(|hold| hold["id"] == id.to_string()).cloned()
    })
    .await
}

fn words(told: &[v1::Told]) -> Vec<(String, Word)> {
    told.iter().map(|told| (told.id.clone(), told.verdict())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hold_approve_once() {
    let (world, desk, ingest, filter, fanout) = river("hold_approve_once").await;
    let (viewer, eve) = (world.viewer(&fanout, ROOM).await, world.viewer_named(&fanout, ROOM, "eve").await);
    let (mo, bob) =
        (world.moderator(&desk, "mo", &[Role::Moderator]), world.moderator(&desk, "bob", &[Role::Moderator]));
    let id = world.sender(&ingest, "eve").say(ROOM, "blorp?").await.accepted();
    let between = world.sender(&ingest, "cid").say(ROOM, "meanwhile").await.accepted();
    viewer.until("what was said meanwhile", SOON, |seen| seen.ids() == [between]).await;
    let hold = held(&mo, id).await;
    assert_eq!((&hold["user"], &hold["text"]), (&json!("eve"), &json!("blorp?")));
    eve.until("that it is held", SOON, |seen| words(&seen.told) == [(id.to_string(), Word::Held)]).await;

    // Both at once: one is first.
    let path = format!("holds/{id}/approve");
    let said = json!({ "reason": "harmless" });
    let (one, two) = tokio::join!(mo.ask(Method::POST, &path, Some(&said)), bob.ask(Method::POST, &path, Some(&said)));
    let mut answers = [(one, "mo"), (two, "bob")];
    answers.sort_by_key(|((status, _), _)| *status);
    let [((200, _), first), ((409, late), _)] = &answers else { panic!("one is first: {answers:?}") };
    assert_eq!(late["code"], "conflict");
    let message = late["message"].as_str().unwrap();
    assert!(message.contains("approved") && message.contains(first), "who, and how: {message}");
    viewer.until("the held message", SOON, |seen| seen.ids() == [between, id]).await;
    eve.until("that it is approved", SOON, |seen| {
        words(&seen.told) == [(id.to_string(), Word::Held), (id.to_string(), Word::Approved)]
    })
    .await;

    // Whoever begins anew shows nothing again: what a crash wrote twice is dropped by its id.
    desk.kill();
    filter.kill();
    let (desk, _filter) = tokio::join!(world.moderation(&[]), world.filter(&[]));
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    assert_eq!(mo.tries(&format!("holds/{id}/reject"), &json!({})).await, (409, "conflict".to_owned()));
    let last = world.sender(&ingest, "dan").say(ROOM, "last").await.accepted();
    viewer.until("the last", LATER, |seen| seen.ids().contains(&last)).await;
    assert_eq!(viewer.seen().ids(), [between, id, last]);
    let joined = world.viewer(&fanout, ROOM).await;
    joined.until("the room as it was", SOON, |seen| seen.all.len() == 3).await;
    let shown: Vec<_> = joined.seen().all.iter().map(|heard| heard.id).collect();
    assert_eq!(shown, [between, id, last], "and for who comes now");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hold_edited_rejected_and_too_late() {
    let (world, desk, ingest, _filter, fanout) = river("hold_decided").await;
    let (viewer, eve) = (world.viewer(&fanout, ROOM).await, world.viewer_named(&fanout, ROOM, "eve").await);
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    let say = async |text: &str| world.sender(&ingest, "eve").say(ROOM, text).await.accepted();

    let edited = say("blorp one").await;
    held(&mo, edited).await;
    mo.post(&format!("holds/{edited}/approve"), &json!({ "text": "one" })).await;
    viewer.until("the edited message", SOON, |seen| seen.ids() == [edited]).await;
    assert_eq!(viewer.seen().messages[0].text, "one");
    let marked = viewer.seen().position(|frame| match frame {
        proto::frame::FromServer::Batch(batch) => batch.messages.iter().any(|message| message.edited),
        _ => false,
    });
    assert!(marked.is_some(), "that it is not what was said is told");

    let rejected = say("blorp two").await;
    held(&mo, rejected).await;
    mo.post(&format!("holds/{rejected}/reject"), &json!({ "reason": "advertising" })).await;
    eve.until("that it is rejected", SOON, |seen| words(&seen.told).contains(&(rejected.to_string(), Word::Rejected)))
        .await;

    // Nobody looks.
    let admin = world.moderator(&desk, "ann", &[Role::Admin]);
    admin.put(&format!("rooms/{ROOM}/holding"), &json!({ "hold_ms": 1_000 })).await;
    let late = say("blorp three").await;
    eve.until("that it was too late", SOON, |seen| {
        seen.told
            .iter()
            .any(|told| told.id == late.to_string() && told.verdict() == Word::Rejected && told.code == "timeout")
    })
    .await;
    assert_eq!(mo.tries(&format!("holds/{late}/approve"), &json!({})).await, (409, "conflict".to_owned()));
    let last = world.sender(&ingest, "dan").say(ROOM, "last").await.accepted();
    viewer.until("the last", SOON, |seen| seen.ids().contains(&last)).await;
    assert_eq!(viewer.seen().ids(), [edited, last]);
}
