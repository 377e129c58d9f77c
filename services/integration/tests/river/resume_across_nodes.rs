//! Coming back elsewhere: between two nodes in full flow, with all that may be said; and with cursors that mean nothing.

use std::time::Duration;

use integration::{Crowd, ledger};
use proto::{Cursor, MessageId, v1, v1::input::Body};

use crate::{LATER, SOON, world};

const ROOM: &str = "across";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resume_across_nodes_in_full_flow_misses_and_repeats_nothing() {
    const HOPS: usize = 12;
    let world = world("across").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));
    let (witness, platform) = (world.viewer(&one, ROOM).await, world.service(&ingest));

    let mut cursor = witness.seen().cursor;
    let crowd = Crowd::start(vec![world.table(&ingest, ROOM, 200)], Duration::from_millis(10));
    let (mut frames, mut gifts) = (Vec::new(), Vec::new());
    for hop in 0..HOPS {
        // Twice to each, so that he also comes back to where he was.
        let node = [&one, &one, &two, &two][hop % 4];
        let viewer = world.viewer_since(node, ROOM, &cursor).await;
        gifts.push(platform.gift(ROOM, &format!("g{hop}"), "rose", 1, 1).await.accepted());
        world.moderate(ROOM, Body::Mode(v1::Mode { slow_ms: hop as u32 + 1, ..v1::Mode::default() })).await;
        viewer.until("some more", LATER, |seen| seen.all.len() > 10 + hop).await;
        let seen = viewer.seen();
        assert_eq!(seen.hello.as_ref().and_then(|hello| hello.recovered), Some(true), "hop {hop}");
        assert_eq!((seen.gaps.len(), seen.closed), (0, None), "hop {hop}");
        cursor = seen.cursor;
        frames.extend(seen.frames);
    }
    let mut all: Vec<MessageId> = crowd.stop().await.ids().into_iter().chain(gifts).collect();
    all.sort_unstable();
    let rest = world.viewer_since(&two, ROOM, &cursor).await;
    let last = *all.last().expect("something was said");
    rest.until("the rest", SOON, |seen| seen.modes.len() + modes(&frames) >= HOPS && hears(seen, last)).await;
    witness.until("all of it", SOON, |seen| seen.modes.len() >= HOPS && hears(seen, last)).await;
    frames.extend(rest.seen().frames);

    let witness = witness.seen();
    ledger::check_exact("who stayed", &witness.frames, &all);
    ledger::check_exact("who hopped", &frames, &all);
    // A mode carries no cursor, so who leaves right behind one is told it again.
    let mut hopped = ledger::lossless(&frames);
    hopped.dedup();
    assert_eq!(hopped, ledger::lossless(&witness.frames), "what may not be missed, and its order");
}

fn modes(frames: &[proto::frame::FromServer]) -> usize {
    frames.iter().filter(|frame| matches!(frame, proto::frame::FromServer::Mode(_))).count()
}

/// Whether a message was heard, or stands below the place that was reached.
fn hears(seen: &integration::viewer::Seen, id: MessageId) -> bool {
    seen.all.iter().any(|heard| heard.id == id)
        || seen.cursor.parse::<Cursor>().is_ok_and(|cursor| cursor.src_next > id.offset)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resume_across_nodes_tells_a_cursor_that_means_nothing() {
    let world = world("bad_cursors").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let bystander = world.viewer(&fanout, ROOM).await;
    let mut all = Vec::new();
    for user in ["a", "b", "c"] {
        all.push(world.sender(&ingest, user).say(ROOM, "before").await.accepted());
    }
    bystander.until("three", SOON, |seen| seen.all.len() == 3).await;
    let good: Cursor = bystander.seen().cursor.parse().expect("a cursor of ours");
    let elsewhere = (good.partition + 1) % integration::world::PARTITIONS;
    let table = [
        ("garbage", "../x?&#\u{0}".to_owned()),
        ("half a cursor", "1-2".to_owned()),
        ("a number too large", format!("1-{}-0-99999999999999999999999", good.partition)),
        ("a negative one", format!("1-{}--1-0", good.partition)),
        ("the future", Cursor { next: good.next + 1_000, ..good }.to_string()),
        ("the end of time", Cursor { next: u64::MAX, src_next: u64::MAX, ..good }.to_string()),
        ("a source that never was", Cursor { src_next: good.src_next + 1_000, ..good }.to_string()),
        ("another room's partition", Cursor { partition: elsewhere, ..good }.to_string()),
        ("no partition", Cursor { partition: 7_000, ..good }.to_string()),
        ("another generation", Cursor { generation: 7, ..good }.to_string()),
    ];
    let comes = table.map(|(name, since)| {
        let (world, fanout) = (&world, &fanout);
        async move { (name, world.viewer_since(fanout, ROOM, &since).await) }
    });
    let mut back = Vec::new();
    for come in comes {
        back.push(come.await);
    }
    all.push(world.sender(&ingest, "d").say(ROOM, "after").await.accepted());
    for (name, viewer) in &back {
        viewer.until(name, SOON, |seen| seen.messages.len() == 1).await;
        let seen = viewer.seen();
        assert_eq!(seen.hello.as_ref().and_then(|hello| hello.recovered), Some(false), "{name}");
        assert_eq!(seen.all.iter().map(|heard| heard.id).collect::<Vec<_>>(), all, "{name}: as one who is new");
        assert_eq!(seen.gaps.iter().map(|gap| gap.dropped).collect::<Vec<_>>(), [None], "{name}: told once");
        assert_eq!(seen.closed, None, "{name}");
    }
    bystander.until("what was said after", SOON, |seen| seen.all.len() == all.len()).await;
    ledger::check_exact("the bystander", &bystander.seen().frames, &all);
    assert_eq!((bystander.seen().gaps.len(), bystander.seen().closed), (0, None));
    // And a good one is good beside them.
    let good = world.viewer_since(&fanout, ROOM, &good.to_string()).await;
    good.until("what he missed", SOON, |seen| seen.all.len() == 1).await;
    assert_eq!(good.seen().hello.and_then(|hello| hello.recovered), Some(true));
}
