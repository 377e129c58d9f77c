//! The river with its rule book on PostgreSQL: two moderators' services share it, either may die, and so may the database.

use chassis::tokens::Role;
use hyper::Method;
use integration::{
    Postgres,
    moderator::{in_force, number},
    until,
};
use proto::v1::Word;
use serde_json::json;

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "postgres";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    let Some(mut database) = Postgres::start().await else { return };
    let mut world = by_the_book("postgres").await;
    world.database = database.url();
    let (one, two) = (world.moderation(&[]).await, world.moderation(&[]).await);
    let (ann, bob) = (world.moderator(&one, "ann", &[Role::Admin]), world.moderator(&two, "bob", &[Role::Admin]));
    ann.list("house", "enforce").await;
    // Longer than a slow machine takes to look.
    ann.put(&format!("rooms/{ROOM}/holding"), &json!({ "hold_ms": 600_000 })).await;
    let first = bob.block("house", "blorp").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], first).await;
    let say = async |user: &str, text: &str| {
        let id = world.sender(&ingest, user).say(ROOM, text).await.accepted();
        world.came_to(&[id].into(), LATER).await[&id]
    };
    assert_eq!(say("a", "blorp").await, Word::Blocked);

    // What is held is seen at both desks, and decided once.
    in_force(&[&filter], ann.add("house", json!({ "text": "gruntle", "action": "hold" })).await).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let held = world.sender(&ingest, "eve").say(ROOM, "gruntle").await.accepted();
    for desk in [&ann, &bob] {
        until("it is in the queue", SOON, async || {
            let queue = desk.get(&format!("holds?room={ROOM}")).await;
            (queue["holds"][0]["id"] == held.to_string()).then_some(())
        })
        .await;
    }
    ann.post(&format!("holds/{held}/approve"), &json!({})).await;
    assert_eq!(bob.tries(&format!("holds/{held}/reject"), &json!({})).await, (409, "conflict".to_owned()));
    viewer.until("the held message", SOON, |seen| seen.ids() == [held]).await;

    // One dies: the other publishes.
    one.kill();
    in_force(&[&filter], bob.block("house", "fnord").await).await;

    // The database dies: that is told, the last good book holds, and nothing is half done.
    database.kill();
    let (status, said) = bob.ask(Method::POST, "lists/house/entries", Some(&json!({ "add": ["xyzzy"] }))).await;
    assert_eq!((status, &said["code"]), (503, &json!("unavailable")), "{said}");
    assert_eq!(say("b", "fnord").await, Word::Blocked);
    database.restart().await;
    let edit = json!({ "add": [{ "text": "xyzzy", "action": "block" }] });
    let made = until("the desk works again", LATER, async || {
        let (status, said) = bob.ask(Method::POST, "lists/house/entries", Some(&edit)).await;
        (status == 200).then_some(said)
    })
    .await;
    in_force(&[&filter], number(&made["version"])).await;
    assert_eq!(say("c", "xyzzy").await, Word::Blocked);
    assert_eq!(bob.get("audit/verify").await["whole"], true);
}
