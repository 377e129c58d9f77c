//! Going back to an earlier version: its words act again, those added since do not, and what has ended meanwhile stays ended.
//! Who did it, and why, stands in the log.

use chassis::tokens::Role;
use integration::{
    moderator::{in_force, number},
    until,
};
use proto::v1::Word;
use serde_json::json;

use crate::{SOON, by_the_book, now_ms};

const ROOM: &str = "rollback";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rollback() {
    let world = by_the_book("rollback").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    ann.add("house", json!({ "text": "fleeting", "action": "block", "expires_ms": now_ms() + 5_000 })).await;
    let old = ann.block("house", "blorp").await;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    in_force(&[&filter], old).await;
    let say = async |user: &str, text: &str| {
        let id = world.sender(&ingest, user).say(ROOM, text).await.accepted();
        world.came_to(&[id].into(), SOON).await[&id]
    };

    ann.remove("house", "blorp").await;
    in_force(&[&filter], ann.block("house", "gruntle").await).await;
    assert_eq!((say("a", "blorp").await, say("b", "gruntle").await), (Word::Passed, Word::Blocked));
    let mut turn = 0;
    until("the entry has ended", SOON, async || {
        turn += 1;
        (say(&format!("e{turn}"), "fleeting").await == Word::Passed).then_some(())
    })
    .await;

    let back = ann.post("rollback", &json!({ "to": old, "reason": "too hasty" })).await;
    assert!(number(&back) > old + 2, "it is a version of its own: {back}");
    in_force(&[&filter], number(&back)).await;
    assert_eq!((say("c", "blorp").await, say("d", "gruntle").await), (Word::Blocked, Word::Passed));
    assert_eq!(say("f", "fleeting").await, Word::Passed, "what has ended stays ended");

    let diff = ann.get(&format!("diff?from={old}")).await;
    assert_eq!(diff["tally"], json!({ "added": 0, "removed": 0, "changed": 0 }), "it is as it was");
    let log = ann.get("audit").await;
    let last = log["rows"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["act"], &last["actor"], &last["reason"]),
        (&json!("rollback"), &json!("ann"), &json!("too hasty"))
    );
    assert_eq!(ann.get("audit/verify").await["whole"], true);
    assert_eq!(ann.tries("rollback", &json!({ "to": 4_711 })).await, (404, "not_found".to_owned()));
}
