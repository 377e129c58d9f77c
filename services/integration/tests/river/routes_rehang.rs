//! Redis forgets everything, by a restart or a fail-over: nodes hang up their routes again, and nobody has to come back.

use integration::{Node, Redis, Viewer, World, proxy::Proxy, until};

use crate::{LATER, SOON, world};

/// Whether a notice from one node reaches a viewer on another.
async fn until_reached(world: &World, from: &Node, user: &str, viewer: &Viewer, id: &str) {
    let body = format!(r#"{{"id":"{id}","text":"hi"}}"#);
    let posted = until("a mailbox", SOON, async || (world.notify(from, user, &body).await.0 == 202).then_some(()));
    posted.await;
    viewer.until(id, LATER, |seen| seen.notices.iter().any(|notice| notice.id == id)).await;
    viewer.ack(id).await.expect("he is connected");
}

async fn until_rehung(node: &Node, times: f64) {
    until("routes are taken anew", LATER, async || {
        (node.metrics().await.sum("danmaku_fanout_rehangs_total") >= times).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_routes_and_their_order_are_back() {
    let Some(mut redis) = Redis::start().await else { return };
    let world = world("routes_rehang").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--places", "2"];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let older = world.viewer_named(&one, "a", "ann").await;
    let newer = world.viewer_named(&two, "a", "ann").await;
    until_reached(&world, &two, "ann", &older, "n1").await;
    until_reached(&world, &one, "ann", &newer, "n2").await;

    redis.restart().await;
    until_rehung(&one, 1.0).await;
    until_rehung(&two, 1.0).await;
    until_reached(&world, &two, "ann", &older, "n3").await;
    until_reached(&world, &one, "ann", &newer, "n4").await;
    // Whichever node was the first to hang them up again: the older connection is still the older.
    let newest = world.viewer_named(&two, "a", "ann").await;
    older.until("the oldest is replaced", SOON, |seen| seen.closed == Some(4502)).await;
    assert_eq!((newer.seen().closed, newest.seen().closed), (None, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_fail_over_routes_hang_on_the_new_server() {
    let (Some(old), Some(new)) = (Redis::start().await, Redis::start().await) else { return };
    let link = Proxy::listen().unwrap();
    link.lead_to(old.address());
    let world = world("fail_over").await;
    let url = format!("redis://{}/0", link.address());
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let ann = world.viewer_named(&one, "a", "ann").await;
    until_reached(&world, &two, "ann", &ann, "n1").await;

    // The old one lives on as a replica of the new: its connections stay open, and it takes no writes.
    let (host, port) = (new.address().ip().to_string(), new.address().port().to_string());
    let _: String = old.ask(&["REPLICAOF", &host, &port]).await;
    link.lead_to(new.address());
    until_rehung(&one, 1.0).await;
    until_reached(&world, &two, "ann", &ann, "n2").await;
    assert_eq!(ann.seen().closed, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_gone_without_a_word_is_found_by_the_comparison() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("routes_compared").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let ann = world.viewer_named(&one, "a", "ann").await;
    until_reached(&world, &two, "ann", &ann, "n1").await;
    let connects = one.metrics().await.sum("danmaku_redis_connects_total");
    let _: String = redis.ask(&["FLUSHALL"]).await;
    until_rehung(&one, 1.0).await;
    until_reached(&world, &two, "ann", &ann, "n2").await;
    assert_eq!(
        one.metrics().await.sum("danmaku_redis_connects_total"),
        connects,
        "the connection was good all the time"
    );
}
