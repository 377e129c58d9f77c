//! The door that a node sends to is gone: senders are told to come again, viewers go on watching what others say through
//! another door, and when it is back the retry is shown once.

use integration::{ledger, until};

use crate::{LATER, SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_door_a_node_still_shows_what_others_say() {
    let world = world("ingest_down").await;
    let (door, other_door) = tokio::join!(world.ingest(&[]), world.ingest(&[]));
    let address = door.address().to_string();
    let _filter = world.filter(&[]).await;
    let fanout = world.fanout_to(&[&door]).await;
    let room = "doorless";
    let viewer = world.speaker(&fanout, room, "ann").await;
    assert!(viewer.sent("before", "before", SOON).await.ok);

    door.kill();
    // More than would close him, were they his fault.
    for number in 0..25 {
        let ack = viewer.sent(&format!("dark-{number}"), "into the dark", SOON).await;
        assert_eq!((ack.ok, &*ack.code), (false, "unavailable"));
        assert!(ack.retry_after_ms > 0, "{ack:?}");
    }
    let others = world.sender(&other_door, "bob").say(room, "others' words").await.accepted();
    viewer.until("what others say", SOON, |seen| seen.ids().last() == Some(&others)).await;
    assert_eq!(viewer.seen().closed, None);

    let _back = world.ingest(&["--listen", &address]).await;
    until("the retry is taken", LATER, async || viewer.sent("dark-0", "into the dark", SOON).await.ok.then_some(()))
        .await;
    let last = viewer.sent("after", "after", SOON).await.id.parse().unwrap();
    viewer.until("the last", SOON, |seen| seen.ids().last() == Some(&last)).await;
    let seen = viewer.seen();
    ledger::check_once_in_order("the viewer", &seen.all);
    assert_eq!(seen.texts, ["before", "others' words", "into the dark", "after"]);
}
