//! A hall that stood still shows now, not the backlog: what grew old meanwhile is counted in a gap.

use std::time::Duration;

use integration::{Crowd, ledger};
use proto::v1;

use crate::{LATER, world};

const ROOM: &str = "fresh";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_hall_shows_now_and_counts_the_rest() {
    let world = world("freshness").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let mut fanout = world.fanout(&[]).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let crowd = Crowd::start(vec![world.table(&ingest, ROOM, 100)], Duration::from_millis(20));
    viewer.until("the flow", LATER, |seen| seen.messages.len() >= 50).await;

    fanout.pause();
    // Twice as long as chat stays fresh, by the clock: growing old is what is tested.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let backlog = crowd.accepted();
    fanout.go_on();
    crowd.until_more(100, LATER).await;
    let said = crowd.stop().await;

    let ids = said.ids();
    world.until_judged(&ids, LATER).await;
    let shown = ledger::shown(&ids, &world.careful().await);
    viewer.until("the books balance", LATER, |seen| ledger::is_balanced(seen, &shown)).await;
    let seen = viewer.seen();
    ledger::check_viewer("the viewer", &seen, &shown);
    let stale: u32 =
        seen.gaps.iter().filter(|gap| gap.reason() == v1::GapReason::Stale).filter_map(|gap| gap.dropped).sum();
    // At 50 a second, three of the six seconds were old when the hall went on; some leeway for a slow crowd.
    assert!(stale > 20, "what grew old was not shown as live: {stale} of {backlog}, gaps {:?}", seen.gaps);
    let last = shown.last().expect("something was shown");
    assert_eq!(seen.ids().last(), Some(last), "and what came afterwards was");
}
