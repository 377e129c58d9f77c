//! A partition that stands still for a hall while its high watermark moves: the watchdog rebuilds the reading.
//!
//! The hall's place is taken from under it: it is stopped, the records it would read next are deleted, and it goes on.

use integration::{admin::delete_records, ledger};
use proto::Topic;

use crate::{LATER, SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reading_that_stands_still_is_rebuilt() {
    let world = world("watchdog").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let mut fanout = world.fanout(&[]).await;
    let (room, other) = (world.room_in(3, "lost"), world.room_in(4, "other"));
    let (viewer, neighbor) = (world.viewer(&fanout, &room).await, world.viewer(&fanout, &other).await);
    let first = world.sender(&ingest, "a").say(&room, "first").await.accepted();
    viewer.until("the first", SOON, |seen| seen.ids() == [first]).await;

    fanout.pause();
    let mut gone = std::collections::BTreeSet::new();
    for user in 0..20 {
        gone.insert(world.sender(&ingest, &format!("g{user}")).say(&room, "deleted").await.accepted());
    }
    world.until_judged(&gone, SOON).await;
    delete_records(&world, Topic::Output, 3).await.unwrap();
    fanout.go_on();

    // Somebody speaks until the hall has noticed.
    let mut turn = 0;
    let heard = integration::until("somebody is heard again", LATER, async || {
        turn += 1;
        let id = world.sender(&ingest, &format!("b{turn}")).say(&room, &format!("now {turn}")).await.id();
        id.filter(|_| viewer.seen().messages.iter().any(|heard| heard.text.starts_with("now")))
    });
    let last = heard.await;
    viewer.until("the last", SOON, |seen| seen.ids().last() == Some(&last)).await;
    let seen = viewer.seen();
    ledger::check_once_in_order("the viewer", &seen.all);
    let missed = gone.iter().any(|id| !seen.ids().contains(id));
    assert!(!missed || !seen.gaps.is_empty(), "never a silent hole: {:?}", seen.gaps);
    assert_eq!((neighbor.seen().closed, neighbor.seen().gaps.len()), (None, 0), "the other room is unharmed");
}
