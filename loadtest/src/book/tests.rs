//! Frames in, books out. Times are made, not waited for.

use std::time::Duration;

use proto::frame::{json_batch, to_json};
use proto::v1::{self, GapReason};

use super::*;

struct Scene {
    room: Room,
    delivery: Delivery,
    zero: Instant,
}

fn id(offset: u64) -> MessageId {
    MessageId { generation: 1, partition: 3, offset }
}

fn batch(offsets: &[u64], replay: bool) -> Vec<u8> {
    let message = |&offset: &u64| v1::Message { id: id(offset).to_string(), ..v1::Message::default() };
    let messages: Vec<_> = offsets.iter().map(message).map(|message| proto::frame::json_message(&message)).collect();
    json_batch("1-3-1-1", replay, messages.iter().map(Vec::as_slice))
}

fn gap(dropped: Option<u32>, reason: GapReason) -> Vec<u8> {
    to_json(&FromServer::Gap(v1::Gap { dropped, reason: reason as i32, ..v1::Gap::default() }))
}

impl Scene {
    fn new(viewers: usize) -> Self {
        let mut scene = Self { room: Room::new(viewers), delivery: Delivery::default(), zero: Instant::now() };
        scene.room.measure();
        scene
    }

    fn hear(&mut self, viewer: usize, text: &[u8], at_ms: u64) -> Heard {
        self.room.hear(viewer, text, self.zero + Duration::from_millis(at_ms), &mut self.delivery)
    }

    fn accept(&mut self, offset: u64, at_ms: u64) {
        let written = self.zero + Duration::from_millis(at_ms);
        let sent = Sent { intended: self.zero, written };
        self.room.accept(id(offset), sent, &mut self.delivery);
    }

    fn sight(&self) -> ledger::Room {
        self.room.sight("r")
    }
}

#[test]
fn a_message_takes_the_same_time_whichever_answer_comes_first() {
    let mut scene = Scene::new(2);
    scene.accept(7, 10);
    scene.hear(0, &batch(&[7, 8], false), 40);
    scene.hear(1, &batch(&[7, 8], false), 40);
    scene.accept(8, 20);
    let sight = scene.sight();
    assert_eq!((sight.accepted, sight.seen, sight.unexplained), (2, 2, 0));
    assert_eq!(sight.viewers.iter().map(|viewer| viewer.received).collect::<Vec<_>>(), [2, 2]);
    let (written, intended) = (scene.delivery.from_written.summary(), scene.delivery.from_intended.summary());
    assert_eq!((written.count, intended.count), (4, 4));
    assert!((written.max_ms - 30.0).abs() < 0.1 && (written.p50_ms - 20.0).abs() < 0.1, "{written:?}");
    assert!((intended.p50_ms - 40.0).abs() < 0.1, "{intended:?}");
}

#[test]
fn repeats_and_inversions_are_counted_and_never_hidden() {
    type Frames = &'static [(&'static [u64], bool)];
    let table: [(Frames, u64, u64, u64, u64); 6] = [
        (&[(&[1, 2], false), (&[3], false)], 3, 0, 0, 0),
        (&[(&[1, 2], false), (&[2, 3], false)], 3, 0, 1, 0),
        (&[(&[1, 2], false), (&[1, 2], false)], 2, 0, 2, 0),
        (&[(&[1, 3], false), (&[2], false), (&[4], false)], 4, 0, 0, 1),
        (&[(&[1, 2], true), (&[2, 3], false)], 1, 2, 1, 0),
        (&[(&[5], false), (&[1, 2], false), (&[1], false)], 3, 0, 1, 2),
    ];
    for (frames, received, replay, duplicates, inversions) in table {
        let mut scene = Scene::new(1);
        for (offsets, replayed) in frames {
            assert_eq!(scene.hear(0, &batch(offsets, *replayed), 0), Heard::Noted);
        }
        let sight = &scene.sight().viewers[0];
        let counted = (sight.received, sight.replay, sight.duplicates, sight.inversions);
        assert_eq!(counted, (received, replay, duplicates, inversions), "{frames:?}");
    }
}

#[test]
fn gaps_count_by_their_reason() {
    let mut scene = Scene::new(1);
    for (dropped, reason) in
        [(Some(3), GapReason::Stale), (Some(2), GapReason::Slow), (Some(4), GapReason::Stale), (None, GapReason::Node)]
    {
        scene.hear(0, &gap(dropped, reason), 0);
    }
    let sight = &scene.sight().viewers[0];
    assert_eq!(sight.dropped, Dropped::from([("slow", 2), ("stale", 7)]));
    assert_eq!(sight.gaps_uncounted, 1);
}

#[test]
fn a_rehearsal_counts_no_more_and_is_remembered() {
    let mut scene = Scene::new(2);
    scene.accept(1, 0);
    scene.hear(0, &batch(&[1], true), 0);
    scene.hear(0, &gap(Some(9), GapReason::Stale), 0);
    scene.room.measure();
    scene.hear(0, &batch(&[1, 2], false), 0);
    let sight = scene.sight();
    assert_eq!((sight.accepted, sight.seen, sight.unexplained), (0, 1, 1));
    let viewer = &sight.viewers[0];
    assert_eq!((viewer.received, viewer.replay, viewer.duplicates), (1, 0, 1));
    assert!(viewer.dropped.is_empty());
}

#[test]
fn one_viewer_forgets_one_message_on_purpose() {
    let mut scene = Scene::new(2);
    scene.room.forget_one();
    for viewer in [0, 1] {
        scene.hear(viewer, &batch(&[1, 2], false), 0);
        scene.hear(viewer, &batch(&[3], false), 0);
    }
    let sight = scene.sight();
    assert_eq!(sight.viewers.iter().map(|viewer| viewer.received).collect::<Vec<_>>(), [2, 3]);
    let judged = [("passed".to_owned(), 3)].into();
    let books = ledger::Books { sent: 3, accepted: 3, judged, rooms: vec![sight], ..ledger::Books::default() };
    let broken: Vec<_> = books.broken().iter().map(ToString::to_string).collect();
    assert!(broken.contains(&"r, viewer 0: shown 3 ≠ received 2 + dropped 0".to_owned()), "{broken:?}");
}

#[test]
fn an_id_that_is_given_twice_is_seen() {
    let mut scene = Scene::new(1);
    scene.accept(1, 0);
    scene.accept(1, 1);
    assert_eq!((scene.sight().accepted, scene.sight().accepted_twice), (1, 1));
}

#[test]
fn frames_that_are_no_batch() {
    let mut scene = Scene::new(1);
    let hello = to_json(&FromServer::Hello(v1::Hello { ping_ms: 30_000, ..v1::Hello::default() }));
    assert_eq!(scene.hear(0, &hello, 0), Heard::Hello { ping_ms: 30_000 });
    for noted in [&br#"{"type":"pong","at":1}"#[..], br#"{"type":"of_a_later_release"}"#] {
        assert_eq!(scene.hear(0, noted, 0), Heard::Noted);
    }
    let odd: [&[u8]; 4] = [
        b"{",
        br#"{"type":"error","code":"internal"}"#,
        br#"{"type":"batch","messages":[{"id":"1-2"}]}"#,
        br#"{"type":"batch","messages":7}"#,
    ];
    for odd in odd {
        assert!(matches!(scene.hear(0, odd, 0), Heard::Unreadable(_)), "{}", String::from_utf8_lossy(odd));
    }
    assert!(scene.sight().viewers[0].joined);
}
