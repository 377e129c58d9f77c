//! What was shown is taken back through the moderators' service: a message by its id, what a user said, what a word would have
//! stopped. It leaves the screens, and whoever comes afterwards never sees it.

use chassis::tokens::Role;
use integration::moderator::in_force;
use proto::MessageId;
use serde_json::json;

use crate::{SOON, by_the_book};

const ROOM: &str = "recalls";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recall_shown() {
    let world = by_the_book("recall_shown").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.block("house", "quomble").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();
    let [one, kept] = [say("ann", "one").await, say("bob", "kept").await];
    let [hers, too] = [say("eve", "two").await, say("eve", "three").await];
    let [word, gaps] = [say("cid", "a blorp").await, say("dan", "b.l.o.r.p").await];
    viewer.until("all six", SOON, |seen| seen.all.len() == 6).await;

    let path = format!("rooms/{ROOM}/recall");
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    let texts = |ids: &[MessageId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    let recall = async |said: serde_json::Value| mo.post(&path, &said).await;
    recall(json!({ "ids": [one.to_string()], "reason": "by mistake" })).await;
    let of_user = recall(json!({ "user": "eve", "seconds": 600 })).await;
    assert_eq!(
        (&of_user["count"], &of_user["ids"], &of_user["whole"]),
        (&json!(2), &json!(texts(&[hers, too])), &json!(true))
    );
    let tried = recall(json!({ "entries": [{ "text": "blorp" }], "seconds": 600, "dry_run": true })).await;
    assert_eq!(tried["ids"], json!(texts(&[word, gaps])));
    viewer
        .until("three messages are taken back", SOON, |seen| {
            seen.recalls.iter().map(|recall| recall.ids.len()).sum::<usize>() == 3
        })
        .await;
    recall(json!({ "entries": [{ "text": "blorp" }], "seconds": 600 })).await;
    viewer
        .until("all of it", SOON, |seen| {
            let mut ids: Vec<_> = seen.recalls.iter().flat_map(|recall| recall.ids.clone()).collect();
            ids.sort();
            let mut all = texts(&[one, hers, too, word, gaps]);
            all.sort();
            ids == all
        })
        .await;

    let joined = world.viewer(&fanout, ROOM).await;
    let last = say("fin", "last").await;
    joined.until("the last", SOON, |seen| seen.all.last().is_some_and(|heard| heard.id == last)).await;
    let shown: Vec<_> = joined.seen().all.iter().map(|heard| heard.id).collect();
    assert_eq!(shown, [kept, last]);
    assert_eq!(mo.tries(&path, &json!({ "ids": ["nonsense"] })).await.0, 422);
    let viewer_only = world.moderator(&desk, "fin", &[Role::Viewer, Role::Sender]);
    assert_eq!(viewer_only.tries(&path, &json!({ "ids": [kept.to_string()] })).await, (403, "forbidden".to_owned()));
}
