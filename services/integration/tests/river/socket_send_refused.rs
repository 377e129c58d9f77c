//! Who goes on sending what the door refuses is hung up on with 4506; the viewer beside him notices nothing.

use crate::{SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_twenty_refused_sends_close_4506() {
    let world = world("socket_send_refused").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let fanout = world.fanout_to(&[&ingest]).await;
    let room = "refused";
    let (stubborn, neighbor) = tokio::join!(world.speaker(&fanout, room, "ann"), world.speaker(&fanout, room, "bob"));
    for number in 0..21 {
        let ack = stubborn.sent(&format!("c{number}"), " \u{200b} ", SOON).await;
        assert_eq!((ack.ok, &*ack.code), (false, "empty"), "number {number}");
    }
    stubborn.until("the end", SOON, |seen| seen.closed.is_some()).await;
    assert_eq!(stubborn.seen().closed, Some(4506));

    let ack = neighbor.sent("d1", "still here", SOON).await;
    assert!(ack.ok, "{ack:?}");
    neighbor.until("his own", SOON, |seen| seen.messages.len() == 1).await;
    assert_eq!(neighbor.seen().texts, ["still here"]);
}
