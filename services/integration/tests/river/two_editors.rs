//! Two moderators edit at once: who has not seen the newest version is told of it and changes nothing; who says nothing of
//! versions is never refused, and nobody's edit is lost.

use std::collections::BTreeSet;

use chassis::tokens::Role;
use hyper::Method;
use integration::moderator::{in_force, number};
use proto::v1::Word;
use serde_json::json;

use crate::{SOON, by_the_book, together};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_editors() {
    let world = by_the_book("two_editors").await;
    let desk = world.moderation(&[]).await;
    let (ann, bob) = (world.moderator(&desk, "ann", &[Role::Admin]), world.moderator(&desk, "bob", &[Role::Admin]));
    let seen = ann.list("house", "enforce").await;
    let path = "lists/house/entries";
    let edit =
        |word: &str| json!({ "add": [{ "text": word, "action": "block" }], "base_version": seen, "reason": word });

    let (one, two) = (edit("blorp"), edit("gruntle"));
    let (one, two) = tokio::join!(ann.ask(Method::POST, path, Some(&one)), bob.ask(Method::POST, path, Some(&two)));
    let (won, lost) = if one.0 == 200 { (one, two) } else { (two, one) };
    assert_eq!((won.0, lost.0, &lost.1["code"]), (200, 409, &json!("stale_version")));
    assert_eq!(lost.1["newest"], won.1["version"], "who was faster, with his number and reason");
    let words: Vec<_> =
        ann.get(path).await["entries"].as_array().unwrap().iter().map(|entry| entry["text"].clone()).collect();
    assert_eq!(words, [won.1["version"]["reason"].clone()], "nothing of the other's");

    // He looks, and edits again.
    let base = number(&won.1["version"]);
    let again = json!({ "add": [{ "text": lost_word(&won.1), "action": "block" }], "base_version": base });
    bob.post(path, &again).await;

    // Many at once who say nothing of versions: each has a version of his own, and all words are there.
    let edits = (0..20).map(|turn| {
        let editor = if turn % 2 == 0 { ann.clone() } else { bob.clone() };
        async move { editor.block("house", &format!("xyzzy{turn}")).await }
    });
    let numbers: BTreeSet<u64> = together(4, edits.collect::<Vec<_>>()).await.into_iter().collect();
    assert_eq!(numbers.len(), 20);
    assert_eq!(ann.get(path).await["total"], 22);

    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    in_force(&[&filter], numbers.into_iter().max().unwrap()).await;
    let mut ids = BTreeSet::new();
    for word in ["blorp", "gruntle", "xyzzy0", "xyzzy19"] {
        ids.insert(world.sender(&ingest, word).say("room", word).await.accepted());
    }
    assert!(world.came_to(&ids, SOON).await.into_values().all(|word| word == Word::Blocked));
}

/// The word of who was not first.
fn lost_word(won: &serde_json::Value) -> &'static str {
    if won["version"]["reason"] == "blorp" { "gruntle" } else { "blorp" }
}
