//! The end of a shard: everybody is told, and who does not go is not waited for.

use super::*;
use crate::inbox::Leaving;

#[tokio::test]
async fn who_does_not_hang_up_or_takes_nothing_is_let_go_in_the_end() {
    let mut rig = Rig::open().await;
    let mut silent = rig.enter("a", Since::Now).await;
    silent.hello(&mut rig).await;
    let _blocked = rig.stream(Access::Granted(None));
    for burst in 0..10 {
        let records = (burst * 100..burst * 100 + 100).map(|offset| rig.record(10 + offset, "a", Fate::Lossless));
        let records = records.collect();
        rig.hear(records, burst * 100 + 110);
        rig.pass(Duration::from_millis(60));
        while rig.turn() {}
    }
    assert!(rig.shard.seats.iter().any(|(_, seat)| seat.viewer.blocked_since().is_some()));
    let (length, patience) = (Duration::from_secs(4), Duration::from_secs(1));
    let start = rig.moment.now;
    rig.inbox.tell(Event::Leave(Leaving { start, length, patience }));
    for _ in 0..9 {
        rig.turn();
        rig.pass(Duration::from_millis(500));
    }
    while !matches!(silent.next(&mut rig).await, Err(1012)) {}
    assert_eq!(rig.shard.rooms[rig.shard.by_name["a"]].seats, 2, "both were told, and have a second to go");
    assert_eq!(rig.shard.drain.as_ref().map(Drain::wakes_at), Some(start + length + patience));
    rig.pass(Duration::from_millis(500));
    rig.turn();
    assert!(rig.shard.seats.is_empty());
}
