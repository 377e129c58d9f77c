//! Services whose clocks are wrong by an hour, in either direction: chat is as live as with right ones, who joins is shown the
//! last messages, and who comes back misses nothing.

use integration::{Node, Viewer, World, ledger, node::Clock};
use proto::MessageId;

use crate::{LATER, SOON, world};

const ROOM: &str = "clocks";
const HOUR_SECS: i64 = 3_600;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_wrong_by_an_hour_change_nothing() {
    let mut world = world("clocks_wrong").await;
    let library = match Clock::library(world.folder()) {
        Ok(library) => library,
        Err(why) => return println!("skipped: {why}"),
    };
    for (ahead, behind) in [(HOUR_SECS, -HOUR_SECS), (-HOUR_SECS, HOUR_SECS)] {
        world.clock = Clock::Wrong { library: library.clone(), secs: ahead };
        let (ingest, one) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
        world.clock = Clock::Wrong { library: library.clone(), secs: behind };
        let (filter, two) = tokio::join!(world.filter(&[]), world.fanout(&[]));
        check(&world, &ingest, [&one, &two]).await;
        assert!(filter.stop().await.success());
    }
}

async fn check(world: &World, ingest: &Node, nodes: [&Node; 2]) {
    let room = format!("{ROOM}-{}", ingest.name);
    let viewers = [world.viewer(nodes[0], &room).await, world.viewer(nodes[1], &room).await];
    let now = |viewer: &Viewer| viewer.seen().hello.map_or(0, |hello| hello.now);
    let apart = (now(&viewers[0]) - now(&viewers[1])).abs() / 1_000;
    assert!(apart > HOUR_SECS, "their clocks are two hours apart, not {apart} s");
    let start = viewers[0].seen().cursor;

    let mut all: Vec<MessageId> = Vec::new();
    for number in 0..30 {
        let sender = world.sender(ingest, &format!("u{number}"));
        all.push(sender.say(&room, &format!("word {number}")).await.accepted());
        for viewer in &viewers {
            viewer.until("it is heard", SOON, |seen| seen.all.len() == all.len()).await;
        }
    }
    for (number, viewer) in viewers.iter().enumerate() {
        let seen = viewer.seen();
        assert_eq!((seen.ids(), seen.gaps.len()), (all.clone(), 0), "viewer {number}: live, and nothing stale");
        ledger::check_once_in_order("a viewer", &seen.all);
    }
    for node in nodes {
        let joined = world.viewer(node, &room).await;
        joined.until("the last messages", SOON, |seen| seen.replayed.len() == all.len()).await;
        let back = world.viewer_since(node, &room, &start).await;
        back.until("all of it", LATER, |seen| seen.all.len() == all.len()).await;
        assert_eq!(back.seen().hello.and_then(|hello| hello.recovered), Some(true), "{}", node.name);
        ledger::check_exact("who came back", &back.seen().frames, &all);
    }
}
