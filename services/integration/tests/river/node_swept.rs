//! A node dies without a word: the others remove its places, though the user's other place keeps the list alive.

use integration::{Redis, until};

use crate::{LATER, SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_places_of_a_dead_node_are_removed_by_the_others() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("node_swept").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--places", "0"];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let stays = world.viewer_named(&one, "a", "ann").await;
    let _gone = world.viewer_named(&two, "a", "ann").await;
    let key = format!("{}danmaku:user:ann", world.prefix);
    let until_places = |count: u64, within| {
        let (redis, key) = (&redis, &key);
        until("places in redis", within, async move || (redis.ask::<u64>(&["ZCARD", key]).await == count).then_some(()))
    };
    until_places(2, SOON).await;
    two.kill();
    until_places(1, LATER).await;
    assert_eq!(one.metrics().await.sum("danmaku_fanout_swept_total"), 1.0);
    let nodes = format!("{}danmaku:nodes", world.prefix);
    assert_eq!(redis.ask::<u64>(&["ZCARD", &nodes]).await, 1, "the dead node is forgotten");
    assert_eq!(world.notify(&one, "ann", r#"{"id":"n1","text":"hi"}"#).await.0, 202);
    stays.until("a notice", SOON, |seen| !seen.notices.is_empty()).await;
}
