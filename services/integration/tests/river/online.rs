//! How many watch a room is counted over all nodes; a node that is gone is not counted for long.

use integration::{Redis, Viewer, until};

use crate::{SOON, world};

const ROOM: &str = "counted";

/// Asks until a pong says so many, counted over all nodes.
async fn until_online(viewer: &Viewer, online: u32) {
    until(&format!("{online} online"), SOON, async || {
        viewer.ping(1).await.ok()?;
        let pong = viewer.seen().pongs.last().cloned()?;
        (pong.online == online && !pong.approximate).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewers_of_all_nodes_are_counted_together() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("online").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--shards", "2"];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let (first, second) = (world.viewer(&one, ROOM).await, world.viewer(&one, ROOM).await);
    let other = world.viewer(&two, ROOM).await;
    let elsewhere = world.viewer(&two, "another room").await;
    until_online(&first, 3).await;
    until_online(&other, 3).await;
    until_online(&elsewhere, 1).await;

    let late = world.viewer(&two, ROOM).await;
    assert_eq!(late.seen().hello.map(|hello| hello.online), Some(4), "told at once, others included");
    drop(second);
    until_online(&other, 3).await;
    one.kill();
    until_online(&other, 2).await;
}
