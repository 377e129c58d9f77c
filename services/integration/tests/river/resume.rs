//! Coming back with a cursor, to the same node or another: everything since, once, in order, and no hole.

use std::{collections::BTreeSet, time::Duration};

use integration::{Crowd, ledger};
use proto::MessageId;

use crate::{LATER, SOON, world};

const ROOM: &str = "resume";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_who_comes_back_has_missed_nothing_on_either_node() {
    let world = world("resume").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));

    let viewer = world.viewer(&one, ROOM).await;
    let mut ids = Vec::new();
    for user in ["a", "b", "c"] {
        ids.push(world.sender(&ingest, user).say(ROOM, "while he watches").await.accepted());
    }
    viewer.until("three", SOON, |seen| seen.messages.len() == 3).await;
    let cursor = viewer.seen().cursor.clone();
    drop(viewer);
    let mut missed = Vec::new();
    for user in ["d", "e"] {
        missed.push(world.sender(&ingest, user).say(ROOM, "while he is away").await.accepted());
    }

    // On the second node nobody has ever watched this partition.
    for (name, node) in [("the same node", &one), ("another node", &two)] {
        let back = world.viewer_since(node, ROOM, &cursor).await;
        back.until("what he missed", SOON, |seen| seen.all.len() >= missed.len()).await;
        let now = world.sender(&ingest, name).say(ROOM, "after he is back").await.accepted();
        back.until("what comes now", SOON, |seen| seen.all.last().is_some_and(|heard| heard.id == now)).await;
        let seen = back.seen();
        missed.push(now);
        assert_eq!(seen.all.iter().map(|heard| heard.id).collect::<Vec<_>>(), missed, "{name}");
        assert_eq!(seen.hello.as_ref().and_then(|hello| hello.recovered), Some(true), "{name}");
        assert_eq!(seen.gaps.len(), 0, "{name}");
    }
    // All that anybody said, in the one order.
    let joined = world.viewer(&two, ROOM).await;
    joined.until("the last fifty", SOON, |seen| seen.replayed.len() >= ids.len() + missed.len()).await;
    ids.extend(missed);
    assert_eq!(joined.seen().replayed.iter().map(|heard| heard.id).collect::<Vec<_>>(), ids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_who_hops_between_nodes_in_full_flow_hears_everything_once() {
    const HOPS: usize = 16;
    let world = world("hops").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));

    let first = world.viewer(&one, ROOM).await;
    let mut cursor = first.seen().cursor.clone();
    drop(first);
    let crowd = Crowd::start(vec![world.table(&ingest, ROOM, 200)], Duration::from_millis(10));
    let mut heard = Vec::new();
    for hop in 0..HOPS {
        let viewer = world.viewer_since([&one, &two][hop % 2], ROOM, &cursor).await;
        viewer.until("some more", LATER, |seen| seen.all.len() > 10 + hop).await;
        let seen = viewer.seen();
        assert_eq!(seen.hello.as_ref().and_then(|hello| hello.recovered), Some(true), "hop {hop}");
        assert_eq!(seen.gaps.len(), 0, "hop {hop}");
        heard.extend(seen.all.iter().cloned());
        cursor = seen.cursor.clone();
    }
    let said = crowd.stop().await.ids();
    let rest = world.viewer_since(&one, ROOM, &cursor).await;
    rest.until("the rest", SOON, |seen| heard.len() + seen.all.len() >= said.len()).await;
    heard.extend(rest.seen().all.iter().cloned());

    ledger::check_once_in_order("the hopping viewer", &heard);
    assert_eq!(heard.iter().map(|heard| heard.id).collect::<BTreeSet<MessageId>>(), said);
}
