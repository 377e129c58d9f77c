//! A publisher that was paused and replaced wakes up: Kafka lets it write nothing, and what the new one published holds. Both go
//! on serving, and whichever publishes, nothing is lost and no number is given twice.

use chassis::tokens::Role;
use integration::{Postgres, moderator::in_force, until};
use proto::v1::Word;

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "publishers";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_publisher() {
    let Some(database) = Postgres::start().await else { return };
    let mut world = by_the_book("old_publisher").await;
    world.database = database.url();
    let mut old = world.moderation(&[]).await;
    let ann = world.moderator(&old, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let first = ann.block("house", "blorp").await;
    let (ingest, filter, new) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.moderation(&[]));
    in_force(&[&filter], first).await;

    // It stands still, and its database gives its locks away, as after a broken connection.
    old.pause();
    database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
    let bob = world.moderator(&new, "bob", &[Role::Admin]);
    bob.block("house", "gruntle").await;
    let second = bob.remove("house", "blorp").await;
    in_force(&[&filter], second).await;

    old.go_on();
    // It serves again, and what is edited through it is published, by whoever does.
    let third = until("the old one serves again", LATER, async || {
        let body = serde_json::json!({ "add": [{ "text": "fnord", "action": "block" }] });
        let (status, said) = ann.ask(hyper::Method::POST, "lists/house/entries", Some(&body)).await;
        (status == 200).then(|| said["version"]["number"].as_u64().unwrap())
    })
    .await;
    assert!(third > second);
    in_force(&[&filter], third).await;
    let mut came = Vec::new();
    for word in ["blorp", "gruntle", "fnord"] {
        let id = world.sender(&ingest, word).say(ROOM, word).await.accepted();
        came.push(world.came_to(&[id].into(), SOON).await[&id]);
    }
    assert_eq!(came, [Word::Passed, Word::Blocked, Word::Blocked], "the old one brought nothing back");

    // And when the new one dies, the old one takes over.
    new.kill();
    in_force(&[&filter], ann.block("house", "xyzzy").await).await;
}
