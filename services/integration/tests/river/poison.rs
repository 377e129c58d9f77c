//! A record that nobody can decode: it goes to the dead letters as it was, and its partition goes on.

use proto::Topic;

use crate::{SOON, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poison_record_is_set_aside_and_its_partition_goes_on() {
    let world = world("poison").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let room = "poison";
    let partition = world.partition_of(room);
    let viewer = world.viewer(&fanout, room).await;

    let before = world.sender(&ingest, "a").say(room, "before").await.accepted();
    let poison = [0xff; 9];
    let at = world.write_raw(Topic::Input, partition, room.as_bytes(), &poison).await;
    let empty = world.write_raw(Topic::Input, partition, room.as_bytes(), b"").await;
    let after = world.sender(&ingest, "b").say(room, "after").await.accepted();

    viewer.until("what was said after the poison", SOON, |seen| seen.messages.len() >= 2).await;
    assert_eq!(viewer.seen().ids(), [before, after]);
    let letters = world.dead_letters().await;
    let found: Vec<_> = letters.iter().map(|at| (at.record.partition, at.record.offset)).collect();
    assert_eq!(found, [(partition, at), (partition, empty)]);
    let letter = &letters[0].record;
    assert_eq!((letter.topic.as_str(), &letter.value[..]), (&*Topic::Input.name(&world.prefix), &poison[..]));
    assert_eq!(&letter.key[..], room.as_bytes());
    assert!(!letter.reason.is_empty());
}
