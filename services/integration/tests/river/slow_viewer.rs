//! A viewer who does not read: others are unharmed, what he misses is counted exactly, and the hall's memory stays flat.

use std::collections::BTreeSet;

use integration::{ledger, viewer::Ticket};
use tokio::task::JoinSet;

use crate::{LATER, SOON, world};

const ROOM: &str = "slow";
const USERS: usize = 1_000;

/// 100 characters of three bytes: 3,000 messages are 1.3 MB, far above what his socket (about 50 KiB) and the room's ring
/// (256 KiB) hold together.
const LONG: &str = "弹";

/// One ring, the sockets' buffers and the allocator's own play: 3,000 messages kept for one viewer in several copies, or a queue
/// for each of many, would be more.
const MEMORY_KIB_MAX: u64 = 24 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_viewer_hurts_nobody_and_is_told_what_he_missed() {
    let world = world("slow_viewer").await;
    // He shall not be closed for being blocked before the test lets him read on.
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--blocked-max", "10m"]));
    let ticket = Ticket { room: ROOM.into(), receive_buffer: Some(4096), ..Ticket::default() };
    let slow = world.viewer_with(&fanout, &ticket).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(world.viewer(&fanout, ROOM).await);
    }
    slow.stop_reading();
    let memory = fanout.memory_kib();

    let mut said = Vec::new();
    for turn in 0..3 {
        let mut saying = JoinSet::new();
        for user in 0..USERS {
            let sender = world.sender(&ingest, &format!("u{user}"));
            let text = format!("{turn} {}", LONG.repeat(90));
            saying.spawn(async move { sender.say(ROOM, &text).await.accepted() });
            if saying.len() == 20 {
                said.extend(saying.join_next().await.map(|id| id.expect("said")));
            }
            // The others keep up: nobody but him may miss anything.
            let due = said.len().saturating_sub(100);
            for other in &others {
                other.until("another viewer keeps up", LATER, |seen| seen.messages.len() >= due).await;
            }
        }
        said.extend(saying.join_all().await);
    }
    let ids: BTreeSet<_> = said.into_iter().collect();
    for other in &others {
        other.until("all of it", SOON, |seen| seen.messages.len() >= ids.len()).await;
        assert_eq!(other.seen().ids(), ids.iter().copied().collect::<Vec<_>>());
        assert_eq!(other.seen().gaps.len(), 0, "another viewer has no gap");
    }
    let grown = fanout.memory_kib().saturating_sub(memory);
    assert!(grown < MEMORY_KIB_MAX, "the hall grew by {grown} KiB");

    slow.read_on();
    slow.until("his books balance", LATER, |seen| ledger::is_balanced(seen, &ids)).await;
    let seen = slow.seen();
    ledger::check_viewer("the slow viewer", &seen, &ids);
    assert!(seen.dropped() > 0, "he missed something");
    assert_eq!(seen.closed, None);

    let now = world.sender(&ingest, "late").say(ROOM, "now").await.accepted();
    slow.until("he is live again", SOON, |seen| seen.ids().last() == Some(&now)).await;
}
