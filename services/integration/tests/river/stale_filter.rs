//! A filter that slept past its session and wakes: what it still writes is passed over, and nobody sees it.
//!
//! Its link turns mute first, so that outputs of its old life are on the way; then it is stopped, the words change, another takes
//! over, and the old one wakes and its outputs arrive behind the new owner's.

use std::time::Duration;

use integration::{Crowd, kafka::Plan, until};

use crate::{LATER, SOON, rebalance, world_alone};

const ROOMS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_sleeper_writes_is_passed_over() {
    let mut world = world_alone("stale_filter", Plan::default()).await;
    let (ingest, fanout) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
    let direct = world.brokers.clone();
    world.brokers = world.kafka.linked();
    let mut sleeper = world.filter(&[]).await;
    world.brokers = direct;
    let rooms: Vec<_> = (0..ROOMS).map(|number| world.room_in(number as i32, &format!("r{number}"))).collect();
    let mut viewers = Vec::new();
    for room in &rooms {
        viewers.push((room.clone(), world.viewer(&fanout, room).await));
    }
    let tables = rooms.iter().map(|room| world.table(&ingest, room, 100)).collect();
    let crowd = Crowd::start(tables, Duration::from_millis(20));
    crowd.until_more(200, LATER).await;

    world.kafka.link(1).mute();
    until("outputs on the way", SOON, async || {
        (sleeper.metrics().await.sum("danmaku_filter_in_flight_inputs") > 0.0).then_some(())
    })
    .await;
    sleeper.pause();
    world.set_words(&["word"]); // The crowd says nothing else: from now on all of it is blocked.
    let heir = world.filter(&[]).await;
    crowd.until_more(200, LATER).await;
    until("the heir judges", LATER, async || {
        (heir.metrics().await.sum("danmaku_filter_judged_total") > 100.0).then_some(())
    })
    .await;

    world.kafka.link(1).restore();
    sleeper.go_on();
    until("somebody looked away", LATER, async || {
        (fanout.metrics().await.sum("danmaku_fanout_passed_over_total") > 0.0).then_some(())
    })
    .await;
    crowd.until_more(100, LATER).await;
    let said = crowd.stop().await;
    world.until_judged(&said.ids(), LATER).await;
    assert!(world.careful().await.stale > 0, "the sleeper wrote");
    rebalance::check(&world, &viewers, &said).await;
}
