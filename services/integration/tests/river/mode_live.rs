//! A moderator changes how a room may be spoken in: viewers are told, the judge keeps to it from that place on, also one that
//! has just started, and what ends by itself ends.

use chassis::tokens::Role;
use integration::{Viewer, moderator::in_force};
use proto::v1::Word;
use serde_json::json;

use crate::{LATER, SOON, by_the_book};

const ROOM: &str = "modes";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mode_live() {
    let world = by_the_book("mode_live").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.block("house", "quomble").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let eve = world.viewer_named(&fanout, ROOM, "eve").await;
    let say = async |text: &str| {
        let id = world.sender(&ingest, "eve").say(ROOM, text).await.accepted();
        world.came_to(&[id].into(), LATER).await[&id]
    };
    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    let path = format!("rooms/{ROOM}/mode");

    mo.put(&path, &json!({ "mode": { "slow_ms": 600_000 } })).await;
    until_mode(&eve, |mode| mode.slow_ms == 600_000).await;
    assert_eq!(say("first").await, Word::Passed);
    assert_eq!(say("second").await, Word::Limited);
    eve.until("why", SOON, |seen| seen.told.last().is_some_and(|told| told.code == "mode_slow")).await;
    let told = eve.seen().told.pop().unwrap();
    assert!(told.retry_after_ms > 0, "and how long to wait: {told:?}");

    // Who takes over knows the mode, and who spoke.
    filter.kill();
    let _filter = world.filter(&[]).await;
    assert_eq!(say("third").await, Word::Limited);

    mo.put(&path, &json!({ "mode": { "emote_only": true } })).await;
    until_mode(&eve, |mode| mode.emote_only && mode.slow_ms == 0).await;
    assert_eq!((say("fourth").await, say("🎉").await), (Word::Limited, Word::Passed));
    let seen = mo.get(&path).await;
    assert_eq!((&seen["mode"]["emote_only"], &seen["by"]), (&json!(true), &json!("mo")));

    // For a second; then it is as it was before.
    mo.put(&path, &json!({ "mode": { "emergency": true }, "lasts_s": 1 })).await;
    until_mode(&eve, |mode| mode.emergency).await;
    until_mode(&eve, |mode| mode.emote_only && !mode.emergency).await;
    mo.put(&path, &json!({ "mode": {} })).await;
    until_mode(&eve, |mode| *mode == proto::v1::Mode::default()).await;
}

async fn until_mode(viewer: &Viewer, is_it: impl Fn(&proto::v1::Mode) -> bool) {
    viewer.until("the mode", SOON, |seen| seen.modes.last().is_some_and(&is_it)).await;
}
