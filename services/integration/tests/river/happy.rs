//! The trunk: 10,000 messages said in 50 rooms reach every viewer of the room, once, in Kafka's order.
//!
//! Each room's senders wait for its viewers to keep up (20 messages at most between them), so the machine's speed decides how
//! long the test takes and never what it proves: nobody is slow, so nobody may miss anything.

use std::collections::BTreeSet;

use integration::{Sender, Viewer, ledger};
use proto::MessageId;
use tokio::task::JoinSet;

use crate::{LATER, SOON, world};

const ROOMS: usize = 50;
const USERS: usize = 100; // A user says two things in a row, which the judge's burst of three allows.
const AHEAD: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_messages_reach_every_viewer_once_in_order() {
    let world = world("happy").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));

    let mut rooms = JoinSet::new();
    for number in 0..ROOMS {
        let room = format!("房间 {number}");
        let senders = (0..USERS).map(|user| world.sender(&ingest, &format!("u{number}-{user}"))).collect();
        let mut viewers = Vec::new();
        for fanout in [&one, &one, &two] {
            viewers.push(world.viewer(fanout, &room).await);
        }
        rooms.spawn(talk(room, senders, viewers));
    }
    let accepted: Vec<MessageId> = rooms.join_all().await.into_iter().flatten().collect();

    let ids: BTreeSet<_> = accepted.iter().copied().collect();
    assert_eq!((accepted.len(), ids.len()), (ROOMS * USERS * 2, ROOMS * USERS * 2), "every id is its own");
    let careful = world.careful().await;
    assert_eq!(careful.answers.keys().copied().collect::<BTreeSet<_>>(), ids, "output is what was accepted");
    assert_eq!((careful.stale, careful.repeats), (0, 0), "nobody wrote twice");
    assert_eq!(world.verdicts().await.len(), 0, "nothing but passes");
    assert_eq!(ingest.metrics().await.sum("danmaku_ingest_accepted_total"), accepted.len() as f64);
}

/// Says everything in one room, and checks what its viewers heard. Returns the ids.
async fn talk(room: String, senders: Vec<Sender>, viewers: Vec<Viewer>) -> Vec<MessageId> {
    let mut ids = Vec::new();
    for sender in &senders {
        for word in ["one", "two"] {
            ids.push(sender.say(&room, word).await.accepted());
            let due = ids.len().saturating_sub(AHEAD);
            for viewer in &viewers {
                viewer.until("a viewer keeps up", LATER, |seen| seen.messages.len() >= due).await;
            }
        }
    }
    for (number, viewer) in viewers.iter().enumerate() {
        viewer.until("the last message", SOON, |seen| seen.messages.len() >= ids.len()).await;
        let seen = viewer.seen();
        ledger::check_once_in_order(&format!("viewer {number} of {room}"), &seen.all);
        assert_eq!(seen.ids(), ids, "viewer {number} of {room}");
        assert_eq!((seen.gaps.len(), seen.replayed.len()), (0, 0), "viewer {number} of {room}");
    }
    ids
}
