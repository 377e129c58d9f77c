//! Said on the socket: the door's answer comes back on it, everybody sees the message, and a retry shows nothing twice.

use integration::ledger;
use proto::v1;

use crate::{SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_sent_on_a_socket_is_answered_there_and_seen_everywhere() {
    let world = world("socket_send").await;
    let (one, two) = tokio::join!(world.ingest(&[]), world.ingest(&[]));
    let _filter = world.filter(&[]).await;
    let (near, far) = (world.fanout_to(&[&one, &two]).await, world.fanout_to(&[&two]).await);
    let room = "said on the socket";
    let (speaker, other) = tokio::join!(world.speaker(&near, room, "ann"), world.viewer(&far, room));
    let can_send = |viewer: &integration::Viewer| viewer.seen().hello.is_some_and(|hello| hello.can_send);
    assert_eq!((can_send(&speaker), can_send(&other)), (true, false));

    let ack = speaker.sent("c1", "弹幕", SOON).await;
    assert_eq!((ack.ok, &*ack.client_id, &*ack.code), (true, "c1", ""));
    let first = ack.id.parse().unwrap();
    // He did not hear the answer, and says it again.
    let again = speaker.sent("c1", "弹幕", SOON).await;
    assert!(again.ok && again.id.parse::<proto::MessageId>().unwrap() > first);
    // Without waiting for an answer: the door hears them in his order, or the last would stand first.
    for number in 0..2 {
        speaker.send(&format!("d{number}"), &format!("word {number}")).await.unwrap();
    }
    for viewer in [&speaker, &other] {
        viewer.until("all of it", SOON, |seen| seen.messages.len() == 3).await;
        let seen = viewer.seen();
        ledger::check_once_in_order("a viewer", &seen.all);
        assert_eq!(seen.texts, ["弹幕", "word 0", "word 1"]);
        assert!(seen.ids()[0] == first && seen.all.iter().all(|heard| heard.user == "ann"), "{seen:?}");
    }
    let words = ledger::verdict_words(&world.verdicts_when(1, SOON).await);
    assert_eq!(words.into_values().collect::<Vec<_>>(), [v1::Word::Repeated]);
    assert_eq!(other.sent("x", "who am I", SOON).await.code, "unauthorized");
    let sent = near.metrics().await.sum_where("danmaku_fanout_sends_total", &[("outcome", "accepted")]);
    let accepted = one.metrics().await.sum("danmaku_ingest_accepted_total")
        + two.metrics().await.sum("danmaku_ingest_accepted_total");
    assert_eq!((sent, accepted), (4.0, 4.0));
}
