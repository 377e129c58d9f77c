//! Joins and resumes as tables. Records stand at offset n with the source n + 1,000.

use std::time::{Duration, Instant};

use proto::{
    frame::{FromServer, server_from_json},
    v1::{self, GapReason},
};

use super::*;
use crate::{
    raw::{
        Body,
        tests::{message, message_of, private, recall, record, with_items},
    },
    room::frame,
    wire::{Shared, Wire},
};

fn at(next: u64) -> Cursor {
    Cursor { generation: 1, partition: 3, src_next: next + 1_000, next }
}

fn recipient(wire: Wire) -> Recipient<'static> {
    Recipient { wire, user: Some("me") }
}

fn room() -> RoomId {
    RoomId::new("a").unwrap()
}

/// Offsets 100 to 299; every other record is room `a`'s.
fn raw(bytes: usize) -> Raw {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    raw.restart(100);
    for offset in 100..300 {
        let name = if offset % 2 == 0 { "a" } else { "b" };
        let item = message(Fate::Lossy, &format!("{offset}{}", "x".repeat(bytes)));
        raw.push(with_items(offset, name, now, vec![item]));
    }
    raw
}

fn ask(raw: &Raw, since: Since, high: Option<u64>) -> Answer {
    answer(raw, &room(), since, at(300), high, Instant::now())
}

/// All frames of a replay: their cursor, and the offsets in them or the number dropped.
fn read(raw: &Raw, replay: Option<Replay>) -> Vec<(String, Vec<u64>, Option<u32>)> {
    let Some(mut replay) = replay else { return Vec::new() };
    let mut frames = Vec::new();
    loop {
        let chunk = chunk(raw, &room(), &replay, recipient(Wire::Sse));
        let text = String::from_utf8(chunk.bytes.to_vec()).unwrap();
        for event in text.split_terminator("\n\n") {
            let data = event.split_once("data: ").unwrap().1;
            let value: serde_json::Value = serde_json::from_str(data).unwrap();
            let offset =
                |message: &serde_json::Value| message["text"].as_str().unwrap().trim_end_matches('x').parse().unwrap();
            let messages = value["messages"].as_array().map(|all| all.iter().map(offset).collect()).unwrap_or_default();
            let dropped = value["dropped"].as_u64().map(|count| count as u32);
            assert!(value["type"] != "batch" || value["replay"] == true);
            frames.push((value["cursor"].as_str().unwrap_or_default().to_owned(), messages, dropped));
        }
        if chunk.is_last {
            return frames;
        }
        replay.next = chunk.next;
        replay.after_hole = false;
    }
}

fn entered(answer: Answer) -> Entry {
    match answer {
        Answer::Enter(entry) => entry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_join_sees_the_last_fifty_marked_as_replay() {
    let raw = raw(0);
    let entry = entered(ask(&raw, Since::Now, None));
    assert_eq!((entry.recovered, entry.cursor), (None, at(300)));
    let frames = read(&raw, entry.replay);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].0, at(300).to_string());
    assert_eq!(frames[0].1, (200..300).step_by(2).collect::<Vec<u64>>());
}

#[test]
fn a_join_sees_nothing_that_is_too_old() {
    let raw = raw(0);
    let entry = entered(answer(&raw, &room(), Since::Now, at(300), None, Instant::now() + Duration::from_secs(31)));
    assert_eq!(entry.replay, None);
}

#[test]
fn a_join_stops_at_the_rooms_last_frame() {
    let raw = raw(0);
    let entry = entered(answer(&raw, &room(), Since::Now, at(280), None, Instant::now()));
    assert_eq!(read(&raw, entry.replay)[0].1.last(), Some(&278));
}

#[test]
fn a_resume_reads_what_is_above_in_offset_and_in_source() {
    let raw = raw(0);
    let entry = entered(ask(&raw, Since::Cursor(at(290)), None));
    assert_eq!((entry.recovered, entry.cursor), (Some(true), at(290)));
    assert_eq!(read(&raw, entry.replay), [(at(300).to_string(), vec![290, 292, 294, 296, 298], None)]);
    // A source it has seen elsewhere at a higher place is not shown again.
    let seen = Cursor { src_next: 1_295, ..at(290) };
    let entry = entered(ask(&raw, Since::Cursor(seen), None));
    assert_eq!(read(&raw, entry.replay)[0].1, [296, 298]);
    let entry = entered(ask(&raw, Since::Cursor(at(300)), None));
    assert_eq!((entry.recovered, entry.replay), (Some(true), None));
}

#[test]
fn a_cursor_ahead_waits_if_the_partition_goes_so_far() {
    let raw = raw(0);
    assert_eq!(ask(&raw, Since::Cursor(at(310)), None), Answer::AskHigh);
    assert_eq!(ask(&raw, Since::Cursor(at(310)), Some(310)), Answer::Wait);
    assert_eq!(entered(ask(&raw, Since::Cursor(at(310)), Some(309))).recovered, Some(false));
    let ahead_in_sources = Cursor { src_next: 1_301, ..at(300) };
    assert_eq!(ask(&raw, Since::Cursor(ahead_in_sources), None), Answer::Wait);
    let unread = Cursor { src_next: 0, ..at(300) };
    let answer = answer(&raw, &room(), Since::Cursor(ahead_in_sources), unread, None, Instant::now());
    assert_eq!(entered(answer).recovered, Some(true), "a node that has read no source is not behind in them");
}

#[test]
fn a_foreign_cursor_is_a_join_that_knows_it_missed_something() {
    let raw = raw(0);
    let other_generation = Since::Cursor(Cursor { generation: 2, ..at(290) });
    let other_partition = Since::Cursor(Cursor { partition: 4, ..at(290) });
    for since in [Since::Unreadable, other_generation, other_partition] {
        let entry = entered(ask(&raw, since, None));
        assert_eq!((entry.recovered, entry.cursor), (Some(false), at(300)));
        let frames = read(&raw, entry.replay);
        assert_eq!((frames[0].1.len(), frames[0].2), (0, None), "a gap nobody can number");
        assert_eq!(frames[1].1.len(), 50);
    }
}

#[test]
fn a_cursor_before_the_history_is_told_so_and_shown_the_newest() {
    let raw = raw(0);
    let entry = entered(ask(&raw, Since::Cursor(at(50)), None));
    assert_eq!((entry.recovered, entry.cursor), (Some(false), at(50)));
    let frames = read(&raw, entry.replay);
    let unknown = Cursor { next: 100, ..at(50) };
    assert_eq!(frames[0], (unknown.to_string(), vec![], None));
    assert_eq!(frames[1], (at(200).to_string(), vec![], Some(50)), "what is left is counted");
    assert_eq!(frames[2].1.len(), 50);
}

#[test]
fn too_much_chat_is_counted_exactly_and_the_newest_shown() {
    let raw = raw(1_500);
    let entry = entered(ask(&raw, Since::Cursor(at(100)), None));
    assert_eq!(entry.recovered, Some(false));
    let frames = read(&raw, entry.replay);
    assert_eq!(frames[0], (at(200).to_string(), vec![], Some(50)));
    let shown: Vec<u64> = frames[1..].iter().flat_map(|frame| frame.1.clone()).collect();
    assert_eq!(shown, (200..300).step_by(2).collect::<Vec<u64>>());
    assert!(frames.len() > 3, "in pieces");
    assert_eq!(frames.last().unwrap().0, at(300).to_string());
}

#[test]
fn lossless_messages_come_all_and_in_order_between_gaps() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    let text = "x".repeat(2_000);
    for offset in 0..200 {
        let fate = if offset == 40 || offset == 41 { Fate::Lossless } else { Fate::Lossy };
        raw.push(with_items(offset, "a", now, vec![message(fate, &format!("{offset}{text}"))]));
    }
    let entry = entered(answer(&raw, &room(), Since::Cursor(at(0)), at(200), None, Instant::now()));
    let frames = read(&raw, entry.replay);
    assert_eq!(frames[0], (at(40).to_string(), vec![], Some(40)));
    assert_eq!(frames[1], (at(42).to_string(), vec![40, 41], None));
    assert_eq!(frames[2], (at(150).to_string(), vec![], Some(108)));
}

#[test]
fn a_resume_is_told_controls_and_a_join_is_not() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    raw.push(record(0, "a", "0", now));
    raw.push(with_items(1, "a", now, vec![recall("1-3-1")]));
    raw.push(record(2, "a", "2", now));
    let told = |since| {
        let entry = entered(answer(&raw, &room(), since, at(3), None, Instant::now()));
        read(&raw, entry.replay).into_iter().map(|frame| frame.1).collect::<Vec<_>>()
    };
    assert_eq!(told(Since::Cursor(at(0))), [vec![0], vec![], vec![2]]);
    assert_eq!(told(Since::Now), [vec![0, 2]]);
}

#[test]
fn both_wires_carry_the_same() {
    let raw = raw(0);
    let replay = entered(ask(&raw, Since::Cursor(at(290)), None)).replay.unwrap();
    let json = chunk(&raw, &room(), &replay, recipient(Wire::Json));
    let sse = chunk(&raw, &room(), &replay, recipient(Wire::Sse));
    let json = String::from_utf8_lossy(&json.bytes[4..]);
    assert!(String::from_utf8_lossy(&sse.bytes).contains(&*json), "{json}");
    let gap = Wire::Json.say(&frame::gap(at(1), at(5), 2, (1_001, 1_004), GapReason::Node));
    assert!(matches!(server_from_json(&gap[2..]), Ok(FromServer::Gap(gap)) if gap.dropped == Some(2)));
}

#[test]
fn what_was_recalled_is_read_by_nobody_who_comes() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    for offset in 0..6 {
        let item = message_of(if offset < 3 { "u" } else { "v" }, &format!("1-3-{offset}"), &offset.to_string());
        raw.push(with_items(offset, "a", now, vec![item]));
    }
    raw.push(with_items(6, "a", now, vec![recall("1-3-4")]));
    let by_user = v1::Recall { user: "u".into(), through: "1-3-1".into(), ..v1::Recall::default() };
    let body = Body::Said(Box::new(Shared::say(FromServer::Recall(by_user))));
    raw.push(with_items(7, "a", now, vec![Item { fate: Fate::Lossless, to_user: None, body }]));
    for (since, recovered) in [(Since::Now, None), (Since::Cursor(at(0)), Some(true))] {
        let entry = entered(answer(&raw, &room(), since, at(8), None, Instant::now()));
        assert_eq!(entry.recovered, recovered);
        let shown: Vec<u64> = read(&raw, entry.replay).into_iter().flat_map(|frame| frame.1).collect();
        assert_eq!(shown, [2, 3, 5]);
    }
}

#[test]
fn a_resume_is_told_what_was_for_him_alone() {
    let now = Instant::now();
    let mut raw = Raw::new(Duration::from_secs(75));
    raw.push(record(0, "a", "0", now));
    raw.push(with_items(1, "a", now, vec![private("me", "mine"), private("other", "not mine")]));
    let told = |since, user| {
        let replay = entered(answer(&raw, &room(), since, at(2), None, Instant::now())).replay.unwrap();
        let chunk = chunk(&raw, &room(), &replay, Recipient { wire: Wire::Sse, user });
        let text = String::from_utf8(chunk.bytes.to_vec()).unwrap();
        (text.contains("not mine"), text.contains("\"mine\""))
    };
    assert_eq!(told(Since::Cursor(at(0)), Some("me")), (false, true));
    assert_eq!(told(Since::Cursor(at(0)), None), (false, false));
    assert_eq!(told(Since::Now, Some("me")), (false, false));
}
