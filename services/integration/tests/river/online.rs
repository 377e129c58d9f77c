//! How many watch a room is counted over all nodes; a node that is gone is not counted for long.

use integration::{Redis, Viewer, until};

use crate::{LATER, SOON, world};

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_node_said_goes_with_its_viewers_and_with_it() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("online_gone").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let pattern = format!("{}danmaku:online:*", world.prefix);
    let until_said = |count: u64| {
        let (redis, pattern) = (&redis, &pattern);
        until("counts in redis", SOON, async move || {
            let mut said = 0;
            for key in redis.ask::<Vec<String>>(&["KEYS", pattern]).await {
                said += redis.ask::<u64>(&["HLEN", &key]).await;
            }
            (said == count).then_some(())
        })
    };
    let _stays = world.viewer(&two, ROOM).await;
    let leaves = world.viewer(&one, ROOM).await;
    until_said(2).await;
    drop(leaves);
    until_said(1).await;
    let _told = world.viewer(&one, ROOM).await;
    until_said(2).await;
    assert!(one.stop().await.success(), "it leaves in peace");
    until_said(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_that_cannot_be_told_keep_no_route_from_its_renewal() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("online_broken").await;
    let hall = world.fanout(&["--redis", &redis.url()]).await;
    let ann = world.viewer_named(&hall, ROOM, "ann").await;
    until_online(&ann, 1).await;
    let pattern = format!("{}danmaku:online:*", world.prefix);
    let counts =
        until("counts in redis", SOON, async || redis.ask::<Vec<String>>(&["KEYS", &pattern]).await.pop()).await;
    let _: String = redis.ask(&["SET", &counts, "no hash"]).await;
    let places = format!("{}danmaku:user:ann", world.prefix);
    let _: u64 = redis.ask(&["PEXPIRE", &places, "60000"]).await;
    until("it counts alone, and says so", SOON, async || {
        ann.ping(1).await.ok()?;
        ann.seen().pongs.last().filter(|pong| pong.online == 1 && pong.approximate).map(drop)
    })
    .await;
    until("his place is renewed", LATER, async || (redis.ask::<i64>(&["PTTL", &places]).await > 60_000).then_some(()))
        .await;
}
