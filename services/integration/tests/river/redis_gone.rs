//! Redis is away, at the start, in the middle, or silent: danmaku flow, and what needs it says so.

use std::time::Duration;

use integration::{Node, Redis, Viewer, World, until};

use crate::{SOON, world};

const ROOM: &str = "lonely";

async fn until_up(hall: &Node, is_up: bool) {
    let expected = f64::from(u8::from(is_up));
    until("the state of redis in the metrics", SOON, async || {
        (hall.metrics().await.sum_where("danmaku_dependency_up", &[("dependency", "redis")]) == expected).then_some(())
    })
    .await;
    let (is_ready, text) = hall.readiness().await;
    assert!(is_ready, "ready all the same: {text}");
    assert!(text.contains(if is_up { r#""state":"connected""# } else { r#""state":"away"# }), "{text}");
}

async fn danmaku_flow(world: &World, ingest: &Node, viewer: &Viewer, user: &str) {
    let id = world.sender(ingest, user).say(ROOM, "still here").await.accepted();
    viewer.until("a danmaku", SOON, |seen| seen.ids().last() == Some(&id)).await;
}

async fn until_approximate(viewer: &Viewer, approximate: bool) {
    until("a pong that knows what it counts", SOON, async || {
        viewer.ping(1).await.ok()?;
        viewer.seen().pongs.last().filter(|pong| pong.approximate == approximate && pong.online == 1).map(|_| ())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn danmaku_flow_without_it_at_the_start_in_the_middle_and_after() {
    let Some(mut redis) = Redis::start().await else { return };
    redis.kill();
    let world = world("redis_gone").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (ingest, _filter, hall) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&flags));
    until_up(&hall, false).await;
    let viewer = world.viewer(&hall, ROOM).await;
    danmaku_flow(&world, &ingest, &viewer, "a").await;
    until_approximate(&viewer, true).await;
    let (status, text) = world.notify(&hall, "ann", r#"{"id":"n1","text":"hi"}"#).await;
    assert!(status == 503 && text.contains("unavailable") && text.contains("retry_after_ms"), "{status} {text}");

    redis.restart().await;
    until_up(&hall, true).await;
    until_approximate(&viewer, false).await;
    assert_eq!(world.notify(&hall, "ann", r#"{"id":"n1","text":"hi"}"#).await.0, 202);
    danmaku_flow(&world, &ingest, &viewer, "b").await;

    redis.kill();
    until_up(&hall, false).await;
    danmaku_flow(&world, &ingest, &viewer, "c").await;
    until_approximate(&viewer, true).await;
    assert_eq!(world.notify(&hall, "ann", r#"{"id":"n2","text":"hi"}"#).await.0, 503);
    assert_eq!((viewer.seen().closed, viewer.seen().gaps.len()), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_one_is_as_good_as_away() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("redis_silent").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--places", "1"];
    let (ingest, _filter, hall) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&flags));
    let viewer = world.viewer(&hall, ROOM).await;
    until_up(&hall, true).await;
    redis.hold(true);
    danmaku_flow(&world, &ingest, &viewer, "a").await;
    let asked = world.notify(&hall, "ann", r#"{"text":"hi"}"#);
    let (status, _) = tokio::time::timeout(Duration::from_secs(15), asked).await.expect("an answer in time");
    assert_eq!(status, 503);
    until_up(&hall, false).await;
    // Who comes now is let in at once, and replaces as on a node alone.
    let first = world.viewer_named(&hall, ROOM, "ann").await;
    let _second = world.viewer_named(&hall, ROOM, "ann").await;
    first.until("he is replaced", SOON, |seen| seen.closed == Some(4502)).await;
    redis.hold(false);
    until_up(&hall, true).await;
    danmaku_flow(&world, &ingest, &viewer, "b").await;
}
