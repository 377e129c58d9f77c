//! A filter killed in the middle of its work, twenty times: every accepted message is in output or in verdicts, and no viewer
//! hears one twice or out of order.
//!
//! In most rounds the filter's link turns deaf first, so that outputs are written and it never learns; its own metric says that
//! such outputs exist before it is killed.

use std::time::Duration;

use integration::{Crowd, Node, World, kafka::Plan, until};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::{LATER, rebalance, world_alone};

const SEEDS: u64 = 20;
const ROOMS: usize = 8;

/// The first deaths are of a filter whose name stays, which the group takes back at once; after the others it waits a session
/// of 6 s, as it does for filters without a name.
const NAMED: u64 = 14;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_filter_loses_nothing_and_repeats_nothing() {
    let mut world = world_alone("filter_killed", Plan::default()).await;
    let (ingest, fanout) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
    world.brokers = world.kafka.linked();
    let mut filter = world.filter(flags(0)).await;
    let rooms: Vec<_> = (0..ROOMS).map(|number| world.room_in(number as i32, &format!("r{number}"))).collect();
    let mut viewers = Vec::new();
    for room in &rooms {
        viewers.push((room.clone(), world.viewer(&fanout, room).await));
    }
    let tables = rooms.iter().map(|room| world.table(&ingest, room, 100)).collect();
    let crowd = Crowd::start(tables, Duration::from_millis(20));

    let mut unacknowledged = 0;
    for seed in 0..SEEDS {
        let mut random = StdRng::seed_from_u64(seed);
        crowd.until_more(random.random_range(1..200), LATER).await;
        if seed % 5 != 4 {
            deafen(&world, &filter).await;
            unacknowledged += 1;
        }
        filter.kill();
        world.kafka.link(1).restore();
        filter = world.filter(flags(seed + 1)).await;
    }
    crowd.until_more(100, LATER).await;
    let said = crowd.stop().await;
    assert!(unacknowledged >= 15, "only {unacknowledged} of {SEEDS} deaths with unacknowledged outputs");
    world.until_judged(&said.ids(), LATER).await;
    rebalance::check(&world, &viewers, &said).await;
}

fn flags(seed: u64) -> &'static [&'static str] {
    if seed < NAMED { &["--instance-id", "mortal"] } else { &[] }
}

/// Makes the filter's link deaf while it has outputs on the way, and so will never learn what became of them.
async fn deafen(world: &World, filter: &Node) {
    until("unacknowledged outputs", LATER, async || {
        // A moment with nothing on the way passes: input does not arrive on a deaf link either, so it is tried anew.
        world.kafka.link(1).deafen();
        for _ in 0..10 {
            if filter.metrics().await.sum("danmaku_filter_in_flight_inputs") > 0.0 {
                return Some(());
            }
        }
        world.kafka.link(1).restore();
        None
    })
    .await;
}
