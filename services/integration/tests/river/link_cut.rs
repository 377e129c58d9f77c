//! The link between the filter and Kafka is dead for 75 s, longer than every time-out of a Kafka client, and comes back: nothing
//! is lost, nothing is out of order. Meanwhile the door closes, as nobody judges.

use std::time::Duration;

use integration::{Crowd, kafka::Plan, until};

use crate::{LATER, rebalance, world_alone};

const ROOMS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_cut_off_for_75_seconds_loses_nothing() {
    let mut world = world_alone("link_cut", Plan::default()).await;
    let (ingest, fanout) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
    world.brokers = world.kafka.linked();
    let filter = world.filter(&[]).await;
    let rooms: Vec<_> = (0..ROOMS).map(|number| world.room_in(number as i32, &format!("r{number}"))).collect();
    let mut viewers = Vec::new();
    for room in &rooms {
        viewers.push((room.clone(), world.viewer(&fanout, room).await));
    }
    let tables = rooms.iter().map(|room| world.table(&ingest, room, 100)).collect();
    let crowd = Crowd::start(tables, Duration::from_millis(25));
    crowd.until_more(200, LATER).await;

    world.kafka.link(1).stall();
    // The length of the fault itself.
    tokio::time::sleep(Duration::from_secs(75)).await;
    let closed = ingest.metrics().await.sum_where("danmaku_ingest_refused_total", &[("code", "judge_behind")]);
    assert!(closed > 0.0, "the door does not stay open to a hall that nobody sees");
    world.kafka.link(1).restore();

    crowd.until_more(200, LATER).await;
    until("it judges again", LATER, async || {
        let metrics = filter.metrics().await;
        (metrics.sum("danmaku_filter_judged_total") >= crowd.accepted() as f64 * 0.9).then_some(())
    })
    .await;
    let said = crowd.stop().await;
    world.until_judged(&said.ids(), LATER).await;
    rebalance::check(&world, &viewers, &said).await;
}
