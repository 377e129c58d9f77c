//! One user, one place: a newer connection replaces the oldest on whatever node it is, and its late end harms nobody.

use chassis::tokens::Role;
use integration::{
    Redis, Viewer,
    viewer::{Ticket, Wire},
};

use crate::{SOON, world};

const REPLACED: u16 = 4502;

async fn until_replaced(viewer: &Viewer) {
    viewer.until("he is replaced", SOON, |seen| seen.closed == Some(REPLACED)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_connection_stays_whatever_node_it_is_on() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("replaced").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--places", "1"];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let anonymous = world.viewer(&one, "a").await;
    let token = Some(world.token("ann", &[Role::Viewer]));
    let overlay = Ticket { room: "a".into(), token, wire: Wire::Events, ..Ticket::default() };
    let overlay = world.viewer_with(&one, &overlay).await;
    let first = world.viewer_named(&one, "a", "ann").await;
    let bob = world.viewer_named(&one, "a", "bob").await;
    let second = world.viewer_named(&two, "b", "ann").await;
    until_replaced(&first).await;
    let third = world.viewer_named(&one, "c", "ann").await;
    until_replaced(&second).await;

    // The ends of the two are told by now or later: the third's place is its own, so a notice finds him.
    drop((first, second));
    let (status, _) = world.notify(&two, "ann", r#"{"id":"n1","text":"there you are"}"#).await;
    assert_eq!(status, 202);
    third.until("a notice", SOON, |seen| seen.notices.iter().any(|notice| notice.id == "n1")).await;
    let others = [("anonymous", &anonymous), ("her overlay", &overlay), ("bob", &bob), ("the third", &third)];
    for (who, viewer) in others {
        assert_eq!(viewer.seen().closed, None, "{who} stays");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_many_places_as_the_setting_says() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("places").await;
    let url = redis.url();
    let flags = ["--redis", &url, "--places", "2"];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let first = world.viewer_named(&one, "a", "ann").await;
    let second = world.viewer_named(&two, "a", "ann").await;
    let third = world.viewer_named(&two, "a", "ann").await;
    until_replaced(&first).await;
    assert_eq!((second.seen().closed, third.seen().closed), (None, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_redis_the_same_holds_within_a_node() {
    let world = world("places_alone").await;
    let (one, two) = tokio::join!(world.fanout(&["--shards", "2", "--places", "1"]), world.fanout(&["--places", "0"]));
    let mut last = world.viewer_named(&one, "a", "ann").await;
    // Shards are taken in turn, so the places are on both.
    for _ in 0..4 {
        let next = world.viewer_named(&one, "a", "ann").await;
        until_replaced(&last).await;
        last = next;
    }
    let (one, other) = (world.viewer_named(&two, "a", "ann").await, world.viewer_named(&two, "a", "ann").await);
    for viewer in [&last, &one, &other] {
        viewer.ping(7).await.unwrap();
        viewer.until("a pong", SOON, |seen| !seen.pongs.is_empty()).await;
    }
}
