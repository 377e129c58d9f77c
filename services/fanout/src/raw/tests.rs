//! The raw records as a table of what is kept and given; the makers of records are shared by the other pure tests.

use super::*;

/// A record of one message: `text` is its body, the source is the offset + 1,000.
pub(crate) fn record(offset: u64, room: &str, text: &str, now: Instant) -> Arc<Record> {
    with_items(offset, room, now, vec![message(Fate::Lossy, text)])
}

/// A record for everybody when `room` is empty.
pub(crate) fn with_items(offset: u64, room: &str, now: Instant, items: Vec<Item>) -> Arc<Record> {
    Arc::new(Record {
        at: Cursor { generation: 1, partition: 3, src_next: offset + 1_000, next: offset },
        append_ms: 1_000_000,
        heard: now,
        said: now,
        fresh_until: now + Duration::from_secs(3),
        trace: None,
        room: RoomId::new(room).ok(),
        items: items.into(),
    })
}

/// A message of that text.
pub(crate) fn message(fate: Fate, text: &str) -> Item {
    let message = v1::Message { text: text.into(), ..v1::Message::default() };
    Item { fate, to_user: None, body: Body::Message(Arc::new(Message::new(&message))) }
}

/// A user's chat.
pub(crate) fn message_of(user: &str, id: &str, text: &str) -> Item {
    let user = v1::User { id: user.into(), ..v1::User::default() };
    let message = v1::Message { id: id.into(), user: Some(user), text: text.into(), ..v1::Message::default() };
    Item { fate: Fate::Lossy, to_user: None, body: Body::Message(Arc::new(Message::new(&message))) }
}

/// A verdict for one user; its id is `text`.
pub(crate) fn private(user: &str, text: &str) -> Item {
    let told = v1::Told { id: text.into(), verdict: v1::Word::Blocked as i32, ..v1::Told::default() };
    let body = Body::Said(Box::new(Shared::say(FromServer::Verdict(told))));
    Item { fate: Fate::Lossless, to_user: Some(user.into()), body }
}

/// A recall of one message.
pub(crate) fn recall(id: &str) -> Item {
    let recall = v1::Recall { ids: vec![id.into()], ..v1::Recall::default() };
    Item { fate: Fate::Lossless, to_user: None, body: Body::Said(Box::new(Shared::say(FromServer::Recall(recall)))) }
}

fn offsets<'a>(records: impl Iterator<Item = &'a Arc<Record>>) -> Vec<u64> {
    records.map(|record| record.offset()).collect()
}

fn room(name: &str) -> RoomId {
    RoomId::new(name).unwrap()
}

fn filled(now: Instant) -> Raw {
    let mut raw = Raw::new(Duration::from_secs(75));
    raw.restart(10);
    for (offset, name) in [(10, "a"), (11, "b"), (13, ""), (14, "a"), (15, ""), (17, "a")] {
        raw.push(record(offset, name, "x", now));
    }
    raw
}

#[test]
fn a_room_sees_its_own_and_everybodys_in_order() {
    let raw = filled(Instant::now());
    assert_eq!(offsets(raw.since(&room("a"), 0)), [10, 13, 14, 15, 17]);
    assert_eq!(offsets(raw.since(&room("a"), 14)), [14, 15, 17]);
    assert_eq!(offsets(raw.since(&room("b"), 12)), [13, 15]);
    assert_eq!(offsets(raw.since(&room("nobody"), 14)), [15]);
    assert_eq!(offsets(raw.before(&room("a"), 17)), [15, 14, 13, 10]);
    assert_eq!(offsets(raw.before(&room("b"), 99)), [15, 13, 11]);
}

#[test]
fn what_is_trimmed_moves_the_start() {
    let now = Instant::now();
    let mut raw = filled(now);
    raw.trim(now + Duration::from_secs(75));
    assert_eq!(raw.from(), 10);
    raw.push(record(20, "b", "y", now + Duration::from_secs(70)));
    raw.trim(now + Duration::from_secs(76));
    assert_eq!(raw.from(), 18, "offsets between are nobody's, but only records move the start");
    assert_eq!(offsets(raw.since(&room("b"), 0)), [20]);
    assert_eq!(raw.rooms.len(), 1, "a room without records takes no memory");
    raw.trim(now + Duration::from_secs(200));
    assert_eq!((raw.bytes(), raw.from()), (0, 21));
}

#[test]
fn what_was_old_when_it_was_read_goes_by_the_brokers_times() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    for (offset, append_ms) in [(1, 0), (2, 20_000), (3, 80_000)] {
        let old = Arc::into_inner(record(offset, "a", "x", now)).unwrap();
        raw.push(Arc::new(Record { append_ms, ..old }));
    }
    raw.trim(now);
    assert_eq!(offsets(raw.since(&room("a"), 0)), [2, 3]);
}

#[test]
fn memory_is_bounded() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    let text = "x".repeat(1_000_000);
    for offset in 0..50 {
        raw.push(record(offset, "a", &text, now));
    }
    assert!(raw.bytes() <= BYTES_MAX && raw.bytes() > BYTES_MAX / 2, "{}", raw.bytes());
    assert_eq!(raw.from(), offsets(raw.since(&room("a"), 0))[0]);
}

#[test]
fn an_age_needs_one_clock_at_a_time() {
    // The broker's clock is an hour behind ours, and the newest record was read half a second after it was appended.
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    let newest = Arc::into_inner(record(1, "a", "x", now)).unwrap();
    let said = now.checked_sub(Duration::from_millis(500)).unwrap();
    raw.push(Arc::new(Record { append_ms: 5_000_000, said, ..newest }));
    assert_eq!(raw.appended_before(now, Duration::from_secs(30)), 5_000_000 + 500 - 30_000);
    assert_eq!(
        raw.appended_before(now + Duration::from_secs(10), Duration::from_secs(30)),
        5_000_000 + 10_500 - 30_000
    );
}
