//! What viewers do not get: how it is counted, and when they are closed instead.

use super::*;

#[tokio::test]
async fn chat_dropped_in_a_full_inbox_is_a_gap_of_its_room() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    for burst in 0..40 {
        let first = 10 + burst * 1_000;
        let records = (first..first + 1_000).map(|offset| {
            let room = if offset % 10 == 0 { "a" } else { "elsewhere" };
            rig.record(offset, room, Fate::Lossy)
        });
        let records = records.collect();
        rig.hear(records, first + 1_000);
    }
    let (dropped, reason, _) = client.gap(&mut rig).await;
    assert_eq!(reason, GapReason::Node);
    let mut shown = 0;
    while shown + dropped.unwrap() < 4_000 {
        rig.pass(Duration::from_millis(60));
        shown += client.texts(&mut rig).await.len() as u32;
    }
    assert_eq!(shown + dropped.unwrap(), 4_000);
}

#[tokio::test]
async fn a_full_inbox_without_chat_closes_the_rooms_viewers() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    let mut other = rig.enter("b", Since::Now).await;
    client.hello(&mut rig).await;
    other.hello(&mut rig).await;
    for burst in 0..40 {
        let first = 10 + burst * 1_000;
        let records = (first..first + 1_000).map(|offset| rig.record(offset, "a", Fate::Lossless)).collect();
        rig.hear(records, first + 1_000);
    }
    loop {
        match client.next(&mut rig).await {
            Ok(_) => {}
            Err(code) => break assert_eq!(code, 4003),
        }
    }
    assert!(!other.has_bytes().await);
}

#[tokio::test]
async fn after_a_stall_viewers_get_now() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    (10..15).for_each(|offset| rig.say(offset));
    // The records were read, but the shard had no turn for so long.
    rig.pass(Duration::from_millis(3_001));
    rig.say(15);
    assert_eq!(client.gap(&mut rig).await, (Some(5), GapReason::Stale, at(15)));
    assert_eq!(client.texts(&mut rig).await, ["15"]);
}

#[tokio::test]
async fn a_partition_that_goes_on_elsewhere_is_a_gap_nobody_can_number() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    rig.inbox.tell(Event::Restarted(at(2)));
    let old = rig.record(2, "a", Fate::Lossy);
    rig.hear(vec![old], 3);
    rig.turn();
    assert!(!client.has_bytes().await, "what is read before it has caught up is history");
    rig.inbox.tell(Event::CaughtUp(PARTITION));
    assert_eq!(client.gap(&mut rig).await, (None, GapReason::Node, at(3)));
    rig.pass(Duration::from_millis(100));
    rig.say(3);
    assert_eq!(client.texts(&mut rig).await, ["3"]);
}
