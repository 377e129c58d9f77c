//! A list that only watches: what it finds is counted and told to moderators, and nothing happens to anybody. Set to enforce,
//! the same entries act.

use chassis::tokens::Role;
use integration::{moderator::in_force, until};
use proto::v1::Word;
use serde_json::json;

use crate::{SOON, by_the_book};

const ROOM: &str = "observe";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn observe() {
    let world = by_the_book("observe").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    ann.list("trial", "observe").await;
    let number = ann.block("trial", "blorp").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let (viewer, eve) = (world.viewer(&fanout, ROOM).await, world.viewer_named(&fanout, ROOM, "eve").await);

    let id = world.sender(&ingest, "eve").say(ROOM, "blorp here").await.accepted();
    viewer.until("what only a watching list finds", SOON, |seen| seen.ids() == [id]).await;
    assert_eq!(viewer.seen().messages[0].text, "blorp here", "and nothing of it is masked");
    let entry = ann.get("lists/trial/entries").await["entries"][0]["id"].clone();
    let numbers = until("the hit is counted", SOON, async || {
        let said = ann.get("statistics?list=trial").await;
        said["entries"].as_array()?.first().cloned()
    })
    .await;
    assert_eq!((&numbers["entry"], &numbers["hits"], &numbers["observed"]), (&entry, &json!(1), &json!(1)));
    assert_eq!(eve.seen().told, [], "its sender is told nothing");

    // The same entries act once the list does.
    in_force(&[&filter], ann.list("trial", "enforce").await).await;
    let second = world.sender(&ingest, "bob").say(ROOM, "blorp again").await.accepted();
    assert_eq!(world.came_to(&[second].into(), SOON).await[&second], Word::Blocked);
    until("both hits are counted", SOON, async || {
        let said = ann.get("statistics?list=trial").await;
        let numbers = said["entries"].as_array()?.first()?;
        (numbers["hits"] == 2 && numbers["observed"] == 1).then_some(())
    })
    .await;
}
