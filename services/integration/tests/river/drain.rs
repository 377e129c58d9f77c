//! A rolling restart: everybody is sent to the other node at an even pace, is served until then, and misses nothing.

use std::{collections::BTreeSet, time::Duration};

use integration::{Crowd, Fleet, Node, World};
use proto::MessageId;
use tokio::{
    sync::oneshot::{self, error::TryRecvError},
    task::JoinHandle,
    time::Instant,
};

use crate::{LATER, SOON, world};

const VIEWERS: usize = 2_000;
const DRAIN: Duration = Duration::from_secs(15);
const FLAGS: [&str; 2] = ["--drain", "15s"];

/// Viewers that are late by more than this say nothing about the hall's pace: 0.1 s of 67 a second are 10 % of a bucket.
const LATE_MAX: Duration = Duration::from_millis(100);
const WOKEN_EVERY: Duration = Duration::from_millis(10);

/// Stops `node` while `other` takes over.
async fn leave(world: &World, fleet: &Fleet, node: Node, other: &Node) {
    let (address, began, log) = (node.address(), Instant::now(), world.folder().join(format!("{}.log", node.name)));
    let leaving = fleet.on(address);
    fleet.direct_to(&[other.address()]);
    let (lateness, stop) = watch_own_clock();
    assert!(node.stop().await.success(), "it leaves in peace");
    fleet.until_all("everybody is with the other node", LATER, |log| log.on == Some(other.address())).await;
    drop(stop);
    let late = lateness.await.expect("it only sleeps");
    let seconds = fleet.attempts_by_second(began);
    let even = leaving as f64 / DRAIN.as_secs_f64();
    eprintln!("{leaving} left, {even:.0} a second would be even, these came: {seconds:?}");
    assert_eq!(seconds.iter().sum::<usize>(), leaving, "each came once");
    if late > LATE_MAX {
        // What came in one second may have been sent in another.
        eprintln!("the pace is not judged: this machine kept the viewers themselves from their turn for {late:?}");
        return;
    }
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("drained") && !log.contains("deadline passed"), "and in time");
    assert!(seconds.iter().all(|&count| count as f64 <= 1.3 * even), "{seconds:?} are above 1.3 × {even}");
}

/// How much later than it asked for this process was woken at worst, until the sender is dropped.
fn watch_own_clock() -> (JoinHandle<Duration>, oneshot::Sender<()>) {
    let (stop, mut stopped) = oneshot::channel();
    let watching = tokio::spawn(async move {
        let mut late = Duration::ZERO;
        while stopped.try_recv() == Err(TryRecvError::Empty) {
            let due = Instant::now() + WOKEN_EVERY;
            tokio::time::sleep_until(due).await;
            late = late.max(due.elapsed());
        }
        late
    });
    (watching, stop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_nothing_and_comes_back_evenly() {
    let world = world("drain").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&FLAGS), world.fanout(&FLAGS));
    let rooms: Vec<_> = (0..4).map(|number| format!("drain-{number}")).collect();
    let fleet = Fleet::start(VIEWERS, &rooms, &[one.address(), two.address()]);
    fleet.until_all("everybody is in", LATER, |log| log.on.is_some()).await;
    assert_eq!((fleet.on(one.address()), fleet.on(two.address())), (VIEWERS / 2, VIEWERS / 2));
    let tables = rooms.iter().map(|room| world.table(&ingest, room, 10)).collect();
    let crowd = Crowd::start(tables, Duration::from_millis(500));
    crowd.until_more(8, SOON).await;

    leave(&world, &fleet, one, &two).await;
    let one = world.fanout(&FLAGS).await;
    leave(&world, &fleet, two, &one).await;
    crowd.until_more(8, SOON).await;
    let said = crowd.stop().await;

    assert!(said.refused.is_empty(), "{:?}", said.refused);
    fleet.until_all("all that was said", LATER, |log| log.ids.len() >= said.accepted[&log.room].len()).await;
    fleet.each(|number, log| {
        let who = format!("viewer {number}");
        assert_eq!((log.gaps, log.not_recovered, &log.failures), (0, 0, &Vec::new()), "{who}");
        assert!(log.closes.iter().all(|code| *code == 1012), "{who}: {:?}", log.closes);
        assert!(log.ids.windows(2).all(|pair| pair[0] < pair[1]), "{who}: once, and in order");
        assert_eq!(log.ids.iter().copied().collect::<BTreeSet<MessageId>>(), said.accepted[&log.room], "{who}");
    });
}
