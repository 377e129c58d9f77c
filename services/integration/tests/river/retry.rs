//! A retry with the same `client_id`, through another door: accepted both times, shown once, and the sender is told.

use integration::ledger;
use proto::v1;

use crate::{SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_through_another_door_is_shown_once() {
    let world = world("retry").await;
    let (one, two) = tokio::join!(world.ingest(&[]), world.ingest(&[]));
    let (_filter, fanout) = tokio::join!(world.filter(&[]), world.fanout(&[]));
    let room = "retry";
    let viewer = world.viewer(&fanout, room).await;

    let sender = world.sender(&one, "careful");
    let first = sender.say_as(room, "only once", "try-1").await.accepted();
    let again = sender.through(two.address()).say_as(room, "only once", "try-1").await.accepted();
    let other = world.sender(&two, "other").say_as(room, "another's", "try-1").await.accepted();
    assert!(first < again && again < other);

    viewer.until("both", SOON, |seen| seen.ids().last() == Some(&other)).await;
    assert_eq!(viewer.seen().ids(), [first, other], "a client_id is its user's own");
    let words = ledger::verdict_words(&world.verdicts_when(1, SOON).await);
    assert_eq!(words.into_iter().collect::<Vec<_>>(), [(again, v1::Word::Repeated)]);
    let output = &world.careful().await.answers[&again];
    let Some(v1::item::Body::Told(told)) = &output.items[0].body else { panic!("told: {output:?}") };
    assert_eq!((told.of.as_str(), told.client_id.as_str()), (&*first.to_string(), "try-1"));
}
