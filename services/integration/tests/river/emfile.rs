//! A node that has no descriptors left: it tells the next so instead of spinning, and goes on serving those it has.

use std::time::{Duration, Instant};

use integration::{Viewer, until, viewer::Ticket};

use crate::{LATER, SOON, world};

const ROOM: &str = "emfile";

/// So many more than the node needs for itself and one viewer.
const SPARE: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_descriptors_a_node_says_so_and_does_not_spin() {
    let world = world("emfile").await;
    let (ingest, _filter, idle) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let only = world.viewer(&idle, ROOM).await;
    let needed = idle.open_files();
    drop(only);
    idle.kill();

    // Its caps would allow more than it has descriptors for.
    let node = world.fanout_with_files(needed + SPARE, &["--viewers-max", "1000"]).await;
    let first = world.viewer(&node, ROOM).await;
    let ticket = Ticket { room: ROOM.into(), ..Ticket::default() };
    let mut inside = Vec::new();
    let refusal = loop {
        match Viewer::connect(node.address(), &ticket).await {
            Ok(viewer) => inside.push(viewer),
            Err(error) => break error,
        }
        assert!(inside.len() <= needed + SPARE, "there are not so many descriptors");
    };
    assert!(format!("{refusal:#}").contains("503"), "{refusal:#}");
    assert!(!inside.is_empty());

    // A crowd comes again and again for a while.
    let (began, cpu) = (Instant::now(), node.cpu_time());
    let mut refused = 0;
    while refused < 40 {
        refused += usize::from(Viewer::connect(node.address(), &ticket).await.is_err());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (took, cpu) = (began.elapsed(), node.cpu_time() - cpu);
    eprintln!("{} viewers inside; {refused} refusals in {took:?} took {cpu:?} of a processor", inside.len());
    assert!(cpu < took / 2, "it spins: {cpu:?} of {took:?}");
    let id = world.sender(&ingest, "a").say(ROOM, "still here").await.accepted();
    first.until("what is said", SOON, |seen| seen.ids() == [id]).await;

    inside.clear();
    let back = until("room for one more", LATER, async || Viewer::connect(node.address(), &ticket).await.ok()).await;
    back.until("a hello", SOON, |seen| seen.hello.is_some()).await;
    let metrics = node.metrics().await;
    assert!(metrics.sum("danmaku_http_starved_accepts_total") >= f64::from(refused as u32));
    assert!(metrics.sum("danmaku_http_turned_away_total") >= f64::from(refused as u32));
}
