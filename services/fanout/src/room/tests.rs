//! A room's frames and their books, as tables.

use std::time::Duration;

use proto::v1::Fate;

use super::*;
use crate::raw::{
    Raw,
    tests::{message, message_of, private, recall, record, with_items},
};
use crate::wire::Wire;

const MS: Duration = Duration::from_millis(1);

fn room(now: Instant) -> Room {
    Room::new(RoomId::new("a").unwrap(), Window::new(now, 0))
}

fn take(room: &mut Room, record: &Arc<Record>) {
    room.take(record, |user| user == "here");
}

fn at(next: u64) -> Cursor {
    Cursor { generation: 1, partition: 3, src_next: next + 1_000, next }
}

/// The payloads on the ring from `first` on.
fn said(room: &Room, first: u64) -> Vec<String> {
    let payload = |number| {
        let frame = room.ring.get(number)?;
        let bytes = frame.shared()?.on(Wire::Sse).to_vec();
        let text = String::from_utf8(bytes).unwrap();
        let json = text.split_once("data: ").map_or("nothing", |(_, json)| json.trim_end());
        let is_batch = json.contains(r#""messages""#);
        Some(if is_batch { json.replace(r#"{"text":"#, "").replace(r#""}"#, r#"""#) } else { json.to_owned() })
    };
    (first..room.ring.next()).map(|number| payload(number).unwrap_or_else(|| "-".to_owned())).collect()
}

#[test]
fn what_waits_becomes_one_frame_that_ends_where_the_partition_is() {
    let now = Instant::now();
    let mut room = room(now);
    take(&mut room, &record(5, "a", "x", now));
    take(&mut room, &record(9, "a", "y", now));
    assert_eq!(room.cursor(at(12)), at(5), "the place before the first that waits");
    room.flush(at(12), now);
    assert_eq!(said(&room, 0), [r#"{"type":"batch","cursor":"1-3-1012-12","messages":["x","y"]}"#]);
    assert_eq!(room.cursor(at(12)), at(12));
    let frame = room.ring.get(0).unwrap();
    assert_eq!((frame.from, frame.shown, frame.counted, frame.before), (at(5), 2, 2, 0));
}

#[test]
fn frames_do_not_mix_fates_and_keep_the_order() {
    let now = Instant::now();
    let mut room = room(now);
    take(&mut room, &record(5, "a", "x", now));
    take(&mut room, &with_items(6, "a", now, vec![message(Fate::Lossless, "gift")]));
    take(&mut room, &with_items(7, "a", now, vec![recall("1-3-1")]));
    take(&mut room, &record(8, "a", "y", now));
    room.flush(at(9), now);
    let expected = [
        r#"{"type":"batch","cursor":"1-3-1006-6","messages":["x"]}"#,
        r#"{"type":"batch","cursor":"1-3-1007-7","messages":["gift"]}"#,
        r#"{"type":"recall","ids":["1-3-1"]}"#,
        r#"{"type":"batch","cursor":"1-3-1009-9","messages":["y"]}"#,
    ];
    assert_eq!(said(&room, 0), expected);
    assert_eq!(room.ring.total(), 3, "a control frame is no message");
}

#[test]
fn chat_that_came_too_late_is_counted_and_gifts_are_shown() {
    let now = Instant::now();
    let mut room = room(now);
    for offset in 5..8 {
        take(&mut room, &record(offset, "a", "x", now));
    }
    take(&mut room, &with_items(8, "a", now, vec![message(Fate::Lossless, "gift")]));
    take(&mut room, &record(9, "a", "now", now + 3001 * MS));
    room.flush(at(10), now + 3001 * MS);
    let told: Vec<_> = (0..3).map(|number| room.ring.get(number).unwrap().told()).collect();
    assert_eq!((told[0].stale, told[1].shown, told[2].shown), (3, 1, 1));
    let gap = r#"{"type":"gap","cursor":"1-3-1008-8","dropped":3,"reason":"stale","from":"1-3-1005","to":"1-3-1007"}"#;
    assert_eq!(said(&room, 0)[0], gap);
    assert_eq!(room.ring.total(), 5);
}

#[test]
fn what_the_node_lost_is_counted_before_what_follows() {
    let now = Instant::now();
    let mut room = room(now);
    room.take_missed(Missed { from: at(3), count: 40, last: 1_060 });
    take(&mut room, &record(70, "a", "x", now));
    assert_eq!(room.cursor(at(71)), at(3));
    room.flush(at(71), now);
    assert_eq!(room.ring.get(0).unwrap().told().node, 40);
    let gap = r#"{"type":"gap","cursor":"1-3-1070-70","dropped":40,"reason":"node","from":"1-3-1003","to":"1-3-1060"}"#;
    assert_eq!(said(&room, 0)[0], gap);
}

#[test]
fn an_unknown_gap_has_no_number() {
    let now = Instant::now();
    let mut room = room(now);
    take(&mut room, &record(5, "a", "x", now));
    room.flush_unknown(at(50), now);
    assert_eq!(said(&room, 1), [r#"{"type":"gap","cursor":"1-3-1050-50","reason":"node"}"#]);
    assert_eq!(room.ring.total(), 1);
}

#[test]
fn a_burst_is_cut_into_frames_of_8_kib() {
    let now = Instant::now();
    let mut room = room(now);
    let text = "x".repeat(998);
    for offset in 0..30 {
        take(&mut room, &record(offset, "a", &text, now));
        assert_eq!(room.is_full(), offset >= 8, "{offset}");
    }
    room.flush_all(at(30), now);
    assert_eq!(room.ring.next(), 4);
    let shown: Vec<u32> = (0..4).map(|number| room.ring.get(number).unwrap().shown).collect();
    assert_eq!(shown, [9, 9, 9, 3]);
    assert_eq!(room.ring.get(1).unwrap().from, at(9));
}

#[test]
fn what_no_send_buffer_takes_waits_for_the_next_flush_until_it_is_too_much() {
    let now = Instant::now();
    let mut room = room(now);
    let text = "x".repeat(998);
    for offset in 0..40 {
        take(&mut room, &record(offset, "a", &text, now));
    }
    room.flush(at(40), now);
    assert_eq!((room.ring.total(), room.cursor(at(40))), (18, at(18)), "two frames of nine");
    room.flush(at(40), now);
    room.flush(at(40), now);
    assert_eq!((room.ring.total(), room.cursor(at(40)), room.is_waiting()), (40, at(40), false));
    for offset in 40..5_040 {
        take(&mut room, &record(offset, "a", &text, now));
    }
    assert!(room.is_overfull());
    room.flush(at(5_040), now);
    assert_eq!((room.ring.total(), room.is_waiting(), room.is_full()), (5_040, false, false));
}

#[test]
fn the_ring_lets_go_of_chat_first_and_still_counts_it() {
    let now = Instant::now();
    let mut room = room(now);
    take(&mut room, &with_items(0, "a", now, vec![message(Fate::Lossless, "gift")]));
    for offset in 1..100 {
        take(&mut room, &record(offset, "a", "x", now));
        room.flush(at(offset + 1), now);
    }
    let ring = &room.ring;
    assert!(ring.get(0).unwrap().shared().is_some(), "the gift stays");
    assert!(!ring.has_lost_lossless(0));
    let with_bytes = (1..ring.next()).filter(|&number| ring.get(number).unwrap().shared().is_some()).count();
    assert_eq!(with_bytes, 64);
    assert_eq!((ring.total(), ring.get(50).unwrap().before), (100, 50));
}

#[test]
fn bytes_are_bounded_and_a_lossless_frame_that_must_go_is_remembered_as_lost() {
    let now = Instant::now();
    let mut room = room(now);
    let text = "x".repeat(8_000);
    for offset in 0..60 {
        let fate = if offset % 2 == 0 { Fate::Lossless } else { Fate::Lossy };
        take(&mut room, &with_items(offset, "a", now, vec![message(fate, &text)]));
        room.flush(at(offset + 1), now);
        assert!(room.ring.bytes() <= 2 * 256 * 1024);
    }
    assert!(!room.ring.has_lost_lossless(0), "thirty lossless frames of 8 kB fit");
    for offset in 60..80 {
        take(&mut room, &with_items(offset, "a", now, vec![message(Fate::Lossless, &text)]));
        room.flush(at(offset + 1), now);
    }
    assert!(room.ring.bytes() <= 2 * 256 * 1024);
    assert!(room.ring.has_lost_lossless(0) && !room.ring.has_lost_lossless(60));
}

#[test]
fn a_hail_of_gifts_takes_no_chat_from_who_reads() {
    let now = Instant::now();
    let mut room = room(now);
    let text = "x".repeat(8_000);
    for offset in (0..120).step_by(3) {
        let before = room.ring.next();
        take(&mut room, &record(offset, "a", "chat", now));
        take(&mut room, &with_items(offset + 1, "a", now, vec![message(Fate::Lossless, &text)]));
        room.flush(at(offset + 2), now);
        let is_there = |number| room.ring.get(number).is_some_and(|frame| frame.shared().is_some());
        assert!((before..room.ring.next()).all(is_there), "what this flush brought, at {offset}");
    }
    assert!(room.ring.has_lost_lossless(0), "there were more gifts than are kept");
}

#[test]
fn a_delay_forgets_nothing_that_everybody_is_still_to_see() {
    let (now, mut offset) = (Instant::now(), 0);
    let mut room = room(now);
    room.set_mode(v1::Mode { delay_ms: 6_000, ..v1::Mode::default() });
    // 200 chat and 200 gifts a second in turns, in windows of 50 ms: a frame each.
    for flush in 0..120 {
        let now = now + flush * 50 * MS;
        for _ in 0..10 {
            take(&mut room, &record(offset, "a", "chat", now));
            take(&mut room, &with_items(offset + 1, "a", now, vec![message(Fate::Lossless, "gift")]));
            offset += 2;
        }
        room.flush(at(offset), now);
    }
    assert_eq!(room.head(Audience::Everyone, now + 5_990 * MS), 0, "nobody but the moderators has seen any of it");
    assert!(!room.ring.has_lost_lossless(0));
    assert!((0..room.ring.next()).all(|number| room.ring.get(number).is_some_and(|frame| frame.shared().is_some())));
}

#[test]
fn a_delay_that_ends_takes_no_gift_from_who_had_still_to_see_it() {
    let start = Instant::now();
    let mut room = room(start);
    room.set_mode(v1::Mode { delay_ms: 6_000, ..v1::Mode::default() });
    let text = "x".repeat(6_000);
    for offset in 0..100 {
        let now = start + offset as u32 * 50 * MS;
        take(&mut room, &with_items(offset, "a", now, vec![message(Fate::Lossless, &text)]));
        room.flush(at(offset + 1), now);
    }
    assert!(room.ring.bytes() > 512 * 1024, "more than is kept without a delay");
    room.ring.age(start + 5_000 * MS);
    room.set_mode(v1::Mode::default());
    for (offset, second) in (100..).zip(5..9) {
        let now = start + second * 1_000 * MS;
        take(&mut room, &record(offset, "a", "x", now));
        room.flush(at(offset + 1), now);
        room.ring.age(now);
        let is_kept = !room.ring.has_lost_lossless(0);
        assert_eq!(is_kept, second < 7, "at {second} s: everybody has two looks, a second apart, to read it");
    }
    assert!(room.ring.bytes() <= 256 * 1024 + 8 * 1024, "and then no more is kept than elsewhere");
}

#[test]
fn a_quiet_room_forgets() {
    let now = Instant::now();
    let mut room = room(now);
    for offset in 0..10 {
        take(&mut room, &record(offset, "a", "x", now));
        room.flush(at(offset + 1), now);
    }
    room.ring.age(now + 3001 * MS);
    assert_eq!(said(&room, 0).iter().filter(|payload| *payload == "-").count(), 9, "all but the newest");
    assert_eq!(room.ring.first(), 0);
    room.ring.age(now + 31_000 * MS);
    assert_eq!((room.ring.first(), room.ring.next(), room.ring.total()), (9, 10, 10));
}

#[test]
fn entries_are_bounded() {
    let now = Instant::now();
    let mut room = room(now);
    for offset in 0..3_000 {
        take(&mut room, &record(offset, "a", "x", now));
        room.flush(at(offset + 1), now);
    }
    assert_eq!((room.ring.next() - room.ring.first(), room.ring.total()), (1_024, 3_000));
}

/// Everything that was said in the room reaches the raw records first, as on a node.
fn say(room: &mut Room, raw: &mut Raw, record: &Arc<Record>) {
    raw.push(record.clone());
    take(room, record);
}

#[test]
fn what_is_recalled_leaves_the_ring_and_what_waits() {
    let now = Instant::now();
    let (mut room, mut raw) = (room(now), Raw::new(Duration::from_secs(75)));
    for offset in 0..4 {
        let item = message_of("u", &format!("1-3-{offset}"), &offset.to_string());
        say(&mut room, &mut raw, &with_items(offset, "a", now, vec![item]));
        if offset == 1 {
            room.flush(at(2), now);
        }
    }
    let before = said(&room, 0);
    assert!(before[0].contains("1-3-0"), "{before:?}");
    say(&mut room, &mut raw, &with_items(4, "a", now, vec![recall("1-3-0")]));
    say(&mut room, &mut raw, &with_items(5, "a", now, vec![recall("1-3-2")]));
    room.flush(at(6), now);
    let after = said(&room, 0).concat();
    assert!(!after.contains(r#""id":"1-3-0""#) && !after.contains(r#""id":"1-3-2""#), "{after}");
    assert!(after.contains(r#""id":"1-3-1""#) && after.contains(r#""id":"1-3-3""#), "{after}");
    let told: Vec<_> = (0..2).map(|number| room.ring.get(number).unwrap().told()).collect();
    assert_eq!((told[0].shown, told[0].node, told[1].shown, room.ring.total()), (1, 0, 1, 4));
}

#[test]
fn a_frame_of_which_everything_was_recalled_says_nothing() {
    let now = Instant::now();
    let (mut room, mut raw) = (room(now), Raw::new(Duration::from_secs(75)));
    say(&mut room, &mut raw, &with_items(0, "a", now, vec![message_of("u", "1-3-0", "x")]));
    room.flush(at(1), now);
    say(&mut room, &mut raw, &with_items(1, "a", now, vec![recall("1-3-0")]));
    assert!(room.ring.get(0).unwrap().shared().unwrap().on(Wire::Json).is_empty());
    assert_eq!(said(&room, 0), ["nothing"]);
}

#[test]
fn what_is_for_one_viewer_leaves_after_the_frames_before_it() {
    let now = Instant::now();
    let mut room = room(now);
    take(&mut room, &record(5, "a", "x", now));
    take(&mut room, &with_items(6, "a", now, vec![private("here", "v"), private("elsewhere", "w")]));
    take(&mut room, &record(7, "a", "y", now));
    room.flush(at(8), now);
    let private = room.take_private();
    assert_eq!((private.len(), private[0].before, private[0].record.at), (1, 1, at(6)));
    assert_eq!((room.ring.get(0).unwrap().from, room.ring.get(1).unwrap().from, room.ring.next()), (at(5), at(7), 2));
    assert!(room.take_private().is_empty());
}

#[test]
fn moderators_see_a_room_with_a_delay_first() {
    let now = Instant::now();
    let mut room = room(now);
    room.set_mode(v1::Mode { delay_ms: 4_000, ..v1::Mode::default() });
    for second in 0..10 {
        take(&mut room, &record(second, "a", "x", now + second as u32 * 1_000 * MS));
        room.flush(at(second + 1), now + second as u32 * 1_000 * MS);
    }
    let heads = |ms: u32| {
        let at = now + ms * MS;
        (room.head(Audience::Moderators, at), room.head(Audience::Everyone, at))
    };
    assert_eq!([heads(9_000), heads(9_999), heads(10_000)], [(10, 6), (10, 6), (10, 7)]);
    assert_eq!(room.place_of(6, at(10)), at(6), "cursors stop at one's head");
    assert_eq!(room.place_of(10, at(10)), at(10));
    let clock = room.clock(Audience::Everyone, now + 9_500 * MS);
    assert!(!room.ring.get(6).unwrap().is_skipped(clock), "the delay is not age");
}

#[test]
fn a_flush_tells_once_of_each_record_in_it_that_is_traced() {
    let now = Instant::now();
    let mut room = room(now);
    let traced = |record: Arc<Record>| {
        let mut record = Arc::into_inner(record).unwrap();
        record.trace = Some(Box::new(chassis::trace::Context::root()));
        Arc::new(record)
    };
    let long = "x".repeat(FLUSH_BYTES);
    let two = traced(with_items(6, "a", now, vec![message(Fate::Lossy, "masked"), private("here", "masked")]));
    let later = traced(record(8, "a", "later", now));
    for record in [&record(5, "a", "x", now), &two, &record(7, "a", &long, now), &later] {
        take(&mut room, record);
    }
    let told = |room: &mut Room| room.take_traced().iter().map(|record| record.offset()).collect::<Vec<_>>();
    room.flush(at(9), now);
    assert_eq!(told(&mut room), [6], "the rest waits");
    room.flush(at(9), now);
    assert_eq!(told(&mut room), [8]);
    room.flush(at(9), now);
    assert!(told(&mut room).is_empty());
}
