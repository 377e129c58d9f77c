//! Who was away finds his notices in order, twenty at a time, and only what he has is taken from his mailbox.

use integration::{Redis, Viewer};

use crate::{SOON, world};

fn ids(viewer: &Viewer) -> Vec<String> {
    viewer.seen().notices.into_iter().map(|notice| notice.id).collect()
}

fn named(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| format!("n{number:03}")).collect()
}

/// Whatever was on its way to him before this is here now.
async fn settle(viewer: &Viewer) {
    let pongs = viewer.seen().pongs.len();
    viewer.ping(1).await.expect("he is connected");
    viewer.until("a pong", SOON, |seen| seen.pongs.len() > pongs).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waited_is_handed_over_in_batches_after_their_acks() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("mailbox").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    for id in named(0..45) {
        let body = format!(r#"{{"id":"{id}","text":"while you were away"}}"#);
        assert_eq!(world.notify(&one, "ann", &body).await.0, 202);
    }
    let ann = world.viewer_named(&two, "a", "ann").await;
    ann.until("a first batch", SOON, |seen| seen.notices.len() >= 20).await;
    settle(&ann).await;
    assert_eq!(ids(&ann), named(0..20), "and not one more before an ack");
    for id in named(0..20) {
        ann.ack(&id).await.unwrap();
    }
    ann.until("a second batch", SOON, |seen| seen.notices.len() >= 40).await;
    assert_eq!(ids(&ann), named(0..40));
    drop(ann);

    // He acknowledged none of the second batch: it waits on whatever node he comes back to.
    let back = world.viewer_named(&one, "a", "ann").await;
    back.until("the second batch again", SOON, |seen| seen.notices.len() >= 20).await;
    assert_eq!(ids(&back), named(20..40));
    for id in named(20..40) {
        back.ack(&id).await.unwrap();
    }
    back.until("the rest", SOON, |seen| seen.notices.len() >= 25).await;
    assert_eq!(ids(&back), named(20..45));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_keeps_the_newest_two_hundred_for_a_week() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("mailbox_full").await;
    let hall = world.fanout(&["--redis", &redis.url()]).await;
    for id in named(0..205) {
        assert_eq!(world.notify(&hall, "ann", &format!(r#"{{"id":"{id}","text":"news"}}"#)).await.0, 202);
    }
    let mailbox = format!("{}danmaku:mailbox:ann", world.prefix);
    assert_eq!(redis.ask::<u64>(&["XLEN", &mailbox]).await, 200);
    let life = redis.ask::<u64>(&["TTL", &mailbox]).await;
    assert!((604_000..=604_800).contains(&life), "{life} s are a week");
    let ann = world.viewer_named(&hall, "a", "ann").await;
    ann.until("the oldest that is left", SOON, |seen| !seen.notices.is_empty()).await;
    assert_eq!(ids(&ann)[0], "n005");
}
