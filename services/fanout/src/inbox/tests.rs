//! What the inbox drops when it is full, what it never drops, and who may come in.

use std::time::Instant;

use super::*;
use crate::raw::tests::{message, record, with_items};

fn heard(records: Vec<Arc<Record>>) -> Event {
    let to = records.last().map(|record| record.after()).unwrap();
    Event::Heard(Heard { records: records.into(), to })
}

fn records(waiting: &Waiting) -> usize {
    let count = |event: &Event| if let Event::Heard(heard) = event { heard.records.len() } else { 0 };
    waiting.events.iter().map(count).sum()
}

#[test]
fn the_oldest_chat_becomes_a_number_and_gifts_stay() {
    let now = Instant::now();
    let inbox = Inbox::new(Bell::default());
    for batch in 0..600u64 {
        let chat = |index: u64| record(batch * 100 + index, if index.is_multiple_of(4) { "b" } else { "a" }, "x", now);
        let mut records: Vec<_> = (0..99).map(chat).collect();
        records.push(with_items(batch * 100 + 99, "a", now, vec![message(Fate::Lossless, "gift")]));
        inbox.tell(heard(records));
    }
    let mut taken = Waiting::default();
    inbox.take(&mut taken);
    assert!(records(&taken) <= RECORDS_MAX && taken.fell.is_empty());
    let missed: u32 = taken.missed.values().map(|missed| missed.count).sum();
    assert_eq!(missed as usize + records(&taken), 60_000, "each is here or counted");
    let b = &taken.missed[&(3, RoomId::new("b").ok())];
    assert_eq!((b.from.next, b.last % 100), (0, 96), "from the first to the last of the room");
    let gifts = taken.events.iter().filter_map(|event| match event {
        Event::Heard(heard) => Some(heard.records.iter().filter(|record| record.is_lossless()).count()),
        _ => None,
    });
    assert_eq!(gifts.sum::<usize>(), 600);
    assert_eq!(taken.events.len(), 600, "also the places of what was dropped are told");
}

#[test]
fn places_do_not_pile_up_while_a_shard_stands_still() {
    let inbox = Inbox::new(Bell::default());
    let place = |partition, next| Cursor { generation: 1, partition, src_next: next, next };
    let moved = |partition, next| Event::Heard(Heard { records: Arc::new([]), to: place(partition, next) });
    inbox.tell(moved(0, 1));
    inbox.tell(Event::CaughtUp(0));
    for next in 2..100_000 {
        (0..3).for_each(|partition| inbox.tell(moved(partition, next)));
    }
    let mut taken = Waiting::default();
    inbox.take(&mut taken);
    assert!(taken.events.len() <= EVENTS_CROWDED, "{} words wait", taken.events.len());
    // What came before a partition had caught up still does, and each partition's last place is told last.
    let [Event::Heard(first), Event::CaughtUp(0), ..] = taken.events.make_contiguous() else { panic!("{taken:?}") };
    assert_eq!(first.to, place(0, 1));
    for partition in 0..3 {
        let last = taken.events.iter().rev().find_map(|event| match event {
            Event::Heard(heard) if heard.to.partition == partition => Some(heard.to),
            _ => None,
        });
        assert_eq!(last, Some(place(partition, 99_999)));
    }
}

#[test]
fn a_room_that_loses_a_gift_is_named() {
    let now = Instant::now();
    let inbox = Inbox::new(Bell::default());
    for offset in 0..RECORDS_MAX as u64 + 1 {
        let name = if offset == 0 { "first" } else { "a" };
        inbox.tell(heard(vec![with_items(offset, name, now, vec![message(Fate::Lossless, "gift")])]));
    }
    let mut taken = Waiting::default();
    inbox.take(&mut taken);
    assert_eq!(records(&taken), RECORDS_MAX / 2);
    assert!(taken.missed.is_empty());
    assert!(taken.fell.contains(&Fell { partition: 3, room: RoomId::new("first").ok(), user: None }));
    taken.clear();
    assert_eq!((records(&taken), taken.fell.len()), (0, 0));
}

#[test]
fn so_many_may_arrive_at_once() {
    let inbox = Inbox::new(Bell::default());
    let permits: Vec<_> = std::iter::from_fn(|| inbox.permit()).collect();
    assert_eq!(permits.len(), ARRIVALS_MAX);
    drop(permits);
    assert!(inbox.permit().is_some());
    inbox.close();
    assert!(inbox.permit().is_none() && inbox.load() == usize::MAX);
}

#[test]
fn a_shard_that_has_failed_is_told_nothing() {
    let inbox = Inbox::new(Bell::default());
    inbox.tell(Event::CaughtUp(3));
    inbox.close();
    inbox.tell(Event::Leave(Leaving { start: Instant::now(), length: Duration::ZERO, patience: Duration::ZERO }));
    let mut taken = Waiting::default();
    inbox.take(&mut taken);
    assert!(taken.events.is_empty());
}
