//! What a list that does not act would have done to the last minutes of a room: messages that only it finds, with samples.
//! Nothing happens to anybody, and what was in force is told apart from it.

use chassis::tokens::Role;
use integration::moderator::in_force;
use serde_json::{Value, json};

use crate::{SOON, by_the_book};

const ROOM: &str = "backtest";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backtest() {
    let world = by_the_book("backtest").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.block("house", "blorp").await;
    ann.list("trial", "draft").await;
    ann.block("trial", "gruntle").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();
    let clean = say("ann", "hello").await;
    say("bob", "blorp").await;
    let [one, two] = [say("cid", "a gruntle").await, say("dan", "ｇ.r.u.n.t.l.e").await];
    let elsewhere = world.room_in(world.partition_of(ROOM), "elsewhere");
    world.sender(&ingest, "eve").say(&elsewhere, "gruntle").await.accepted();
    viewer.until("what a draft finds", SOON, |seen| seen.ids() == [clean, one, two]).await;

    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    let path = format!("rooms/{ROOM}/back-test");
    let said = mo.post(&path, &json!({ "minutes": 10, "list": "trial" })).await;
    let numbers = ["looked_at", "found_before", "found_after"].map(|name| said[name].as_u64().unwrap());
    assert_eq!(numbers, [4, 1, 3], "{said}");
    assert_eq!((&said["whole"], &said["new"]["count"], &said["lost"]["count"]), (&json!(true), &json!(2), &json!(0)));
    let samples: Vec<_> =
        said["new"]["samples"].as_array().unwrap().iter().map(|sample| sample["id"].clone()).collect();
    assert_eq!(samples, [json!(one.to_string()), json!(two.to_string())]);
    let hit = &said["new"]["samples"][1]["hits"][0];
    assert_eq!((&hit["list"], &hit["start"], &hit["end"]), (&json!("trial"), &json!(0), &json!(13)));

    // Entries that are on no list yet; a phrase that frees loses a hit.
    let entries = json!([{ "text": "hello", "action": "mask" }, { "text": "blorp", "kind": "allow" }]);
    let said = mo.post(&path, &json!({ "minutes": 10, "entries": entries })).await;
    let of = |what: &str| {
        said[what]["samples"].as_array().unwrap().iter().map(|one| one["text"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!((of("new"), of("lost")), (vec![json!("hello")], vec![json!("blorp")]), "{said}");
    assert_eq!(mo.tries(&path, &json!({ "minutes": 10, "list": "nothing" })).await, (404, "not_found".to_owned()));
    assert_eq!(mo.tries(&path, &json!({ "minutes": 61, "list": "trial" })).await.0, 422);

    let last = say("fin", "gruntle goes on").await;
    viewer.until("nothing acts", SOON, |seen| seen.ids().last() == Some(&last)).await;
}
