//! Filters that come and go under load: nothing is lost, nothing judged twice, and no viewer hears a repeat.

use std::time::Duration;

use integration::{Crowd, Viewer, World, ledger};

use crate::{LATER, world};

const ROOMS: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_move_between_filters_without_loss_or_repeat() {
    let world = world("rebalance").await;
    let (ingest, fanout) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
    let first = world.filter(&[]).await;
    let rooms: Vec<_> = (0..ROOMS).map(|number| world.room_in(number as i32 % 8, &format!("r{number}"))).collect();
    let mut viewers = Vec::new();
    for room in &rooms {
        viewers.push((room.clone(), world.viewer(&fanout, room).await));
    }
    let tables = rooms.iter().map(|room| world.table(&ingest, room, 60)).collect();
    let crowd = Crowd::start(tables, Duration::from_millis(50));

    crowd.until_more(300, LATER).await;
    let second = world.filter(&[]).await;
    crowd.until_more(300, LATER).await;
    assert!(first.stop().await.success(), "it leaves in peace");
    crowd.until_more(300, LATER).await;
    let third = world.filter(&[]).await;
    crowd.until_more(300, LATER).await;
    assert!(second.stop().await.success(), "it leaves in peace");
    crowd.until_more(300, LATER).await;
    let said = crowd.stop().await;

    assert!(said.refused.is_empty(), "a handover is too short for the door to close: {:?}", said.refused);
    world.until_judged(&said.ids(), LATER).await;
    let careful = world.careful().await;
    // Polite revocation: who leaves finishes and commits, so his heir begins where he ended.
    assert_eq!((careful.stale, careful.repeats), (0, 0), "nobody wrote what another had written");
    let words = ledger::verdict_words(&world.verdicts().await);
    assert!(words.values().all(|word| *word != proto::v1::Word::Superseded), "{words:?}");
    check(&world, &viewers, &said).await;
    drop(third);
}

/// Every viewer's books balance.
pub(crate) async fn check(world: &World, viewers: &[(String, Viewer)], said: &integration::Said) {
    let careful = world.careful().await;
    for (room, viewer) in viewers {
        let shown = ledger::shown(&said.accepted[room], &careful);
        viewer.until("the books balance", LATER, |seen| ledger::is_balanced(seen, &shown)).await;
        ledger::check_viewer(room, &viewer.seen(), &shown);
    }
}
