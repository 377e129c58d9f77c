//! Joins, resumes and cursors: when they are answered, and from where.

use super::*;
use crate::lookup::Question;

/// Somebody in room `a` who has just read 10: what comes next waits for the end of the window.
async fn who_has_read_ten() -> (Rig, Client) {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Now).await;
    client.hello(&mut rig).await;
    rig.say(10);
    assert_eq!(client.texts(&mut rig).await, ["10"]);
    (rig, client)
}

#[tokio::test]
async fn a_join_is_answered_once_the_partition_has_caught_up() {
    let mut rig = Rig::new().await;
    let mut client = rig.enter("a", Since::Now).await;
    rig.turn();
    let wish = rig.house.wants.get(0, PARTITION as usize);
    rig.inbox.tell(Event::Opened(Opened { wish, at: at(2), is_caught_up: false }));
    let records = (2..5).map(|offset| rig.record(offset, "a", Fate::Lossy)).collect();
    rig.hear(records, 5);
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.inbox.tell(Event::CaughtUp(PARTITION));
    assert_eq!(client.hello(&mut rig).await.cursor, at(5).to_string());
    assert_eq!(client.texts(&mut rig).await, ["2", "3", "4"]);
}

#[tokio::test]
async fn a_join_that_cannot_be_answered_is_sent_elsewhere() {
    let mut rig = Rig::new().await;
    let mut client = rig.enter("a", Since::Now).await;
    rig.turn();
    rig.pass(join::JOIN_WAIT + Duration::from_secs(1));
    assert!(matches!(client.next(&mut rig).await, Ok(FromServer::Reconnect(advice)) if advice.reason == "try later"));
    assert_eq!(client.next(&mut rig).await, Err(1013));
}

#[tokio::test]
async fn a_cursor_ahead_waits_until_the_node_is_there() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Cursor(at(12))).await;
    rig.turn();
    assert_eq!(rig.house.lookups.take_questions(), [Question::High { partition: PARTITION, shard: 0 }]);
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    rig.say(10);
    rig.turn();
    assert!(!client.has_bytes().await, "at 11 it is still behind");
    rig.say(11);
    rig.say(12);
    let hello = client.hello(&mut rig).await;
    assert_eq!((hello.recovered, hello.cursor), (Some(true), at(12).to_string()));
    assert_eq!(client.texts(&mut rig).await, ["12"], "what it had seen elsewhere is not shown again");
}

#[tokio::test]
async fn a_cursor_inside_what_waits_for_its_window_waits_too() {
    let (mut rig, mut stays) = who_has_read_ten().await;
    // The next two wait for the end of the window; the cursor lies between them.
    rig.say(11);
    rig.say(12);
    rig.turn();
    let mut client = rig.enter("a", Since::Cursor(at(12))).await;
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.pass(Duration::from_millis(100));
    assert_eq!(stays.texts(&mut rig).await, ["11", "12"]);
    let hello = client.hello(&mut rig).await;
    assert_eq!(hello.recovered, Some(true));
    assert_eq!(client.texts(&mut rig).await, ["12"]);
    rig.say(13);
    rig.pass(Duration::from_millis(100));
    assert_eq!(client.texts(&mut rig).await, ["13"]);
}

#[tokio::test]
async fn a_room_that_somebody_waiting_keeps_hears_on() {
    let (mut rig, _stays) = who_has_read_ten().await;
    // The next waits for the end of its window when all are gone but one whose join is not answered.
    rig.say(11);
    rig.turn();
    let _waits = rig.enter("a", Since::Cursor(at(16))).await;
    rig.turn();
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    rig.turn();
    let key = rig.shard.rooms[rig.shard.by_name["a"]].turns.members()[0];
    rig.shard.remove(key);
    (12..15).for_each(|offset| rig.say(offset));
    rig.turn();
    let mut new = rig.enter("a", Since::Now).await;
    new.hello(&mut rig).await;
    rig.say(15);
    rig.pass(Duration::from_millis(300));
    let mut seen = Vec::new();
    while seen.last() != Some(&"15".to_owned()) {
        seen.extend(new.texts(&mut rig).await);
    }
    assert_eq!(seen, ["10", "11", "12", "13", "14", "15"]);
}

#[tokio::test]
async fn a_cursor_beyond_the_partition_is_told_so() {
    let mut rig = Rig::open().await;
    let mut client = rig.enter("a", Since::Cursor(at(500))).await;
    rig.turn();
    rig.inbox.tell(Event::High { partition: PARTITION, offset: 20 });
    assert_eq!(client.hello(&mut rig).await.recovered, Some(false));
    assert_eq!(client.gap(&mut rig).await, (None, GapReason::Node, Cursor { src_next: 0, ..at(10) }));
}

#[tokio::test]
async fn a_source_that_never_comes_is_given_up() {
    let mut rig = Rig::open().await;
    let ahead = Cursor { src_next: 999, ..at(10) };
    let mut client = rig.enter("a", Since::Cursor(ahead)).await;
    rig.turn();
    assert!(!client.has_bytes().await);
    rig.pass(join::JOIN_WAIT + Duration::from_secs(1));
    assert_eq!(client.hello(&mut rig).await.recovered, Some(false));
}

#[tokio::test]
async fn the_end_of_an_old_stream_is_not_the_beginning_of_a_new_one() {
    let mut rig = Rig::new().await;
    let first = rig.enter("a", Since::Now).await;
    rig.turn();
    let old_wish = rig.house.wants.get(0, PARTITION as usize);
    rig.opened(10);
    drop(first);
    while rig.house.wants.get(0, PARTITION as usize) != 0 {
        rig.turn();
        tokio::task::yield_now().await;
    }
    let mut second = rig.enter("a", Since::Now).await;
    rig.turn();
    // The Kafka thread has not noticed yet, and answers the old wish once more.
    rig.say(10);
    rig.inbox.tell(Event::Opened(Opened { wish: old_wish, at: at(11), is_caught_up: true }));
    rig.turn();
    assert!(!second.has_bytes().await);
    rig.opened(40);
    assert_eq!(second.hello(&mut rig).await.cursor, at(40).to_string());
}
