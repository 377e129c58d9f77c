//! What an export tells of records, and how much of them: the readings as values, no Kafka and no wire.

use proptest::prelude::*;
use proto::v1::{self, item};

use super::{
    shown::tests::{output, said, stands},
    *,
};

/// Texts of the second reading of these records, by their times, and what the first one found.
fn read(span: Span, is_whole: bool, records: &[(i64, v1::Output)]) -> (Vec<String>, Found) {
    let mut look = Look { is_whole, ..Look::new("demo", 0, span, ROWS_MAX) };
    for (offset, (time_ms, output)) in (0..).zip(records) {
        assert!(stands(Some("demo"), offset, *time_ms, output, |stands| look.hear(stands)));
    }
    let found = look.found(99);
    let mut texts = Vec::new();
    if let Some((from, walk)) = &found.begin {
        let mut walk = walk.clone();
        for (offset, (time_ms, output)) in
            (0..).zip(records).skip(usize::try_from(*from).unwrap()).take(usize::try_from(found.end - from).unwrap())
        {
            stands(Some("demo"), offset, *time_ms, output, |stands| {
                walk.hear(stands, |thing| match thing {
                    Thing::Row(row) if found.has(&row) => texts.push(row.message.text),
                    _ => {}
                });
            });
        }
    }
    (texts, found)
}

fn say(src: u64, text: &str) -> v1::Output {
    output(1, src, vec![said(&format!("3-0-{src}"), "ann", text)])
}

fn take_back(src: u64, ids: &[&str]) -> v1::Output {
    let ids = ids.iter().map(|&id| id.to_owned()).collect();
    output(1, src, vec![item::Body::Recall(v1::Recall { ids, ..v1::Recall::default() })])
}

#[test]
fn what_is_taken_back_later_is_not_told_also_when_that_is_behind_the_end() {
    let records = [
        (10, say(1, "a")),
        (20, say(2, "b")),
        (30, say(3, "c")),
        (40, take_back(4, &["3-0-1", "3-0-3"])),
        (50, say(5, "d")),
    ];
    let (texts, found) = read(Span::default(), true, &records);
    assert_eq!(texts, ["b", "d"]);
    let head = Head { room: "demo".into(), since_ms: 10, start_ms: 10, until_ms: 51, is_cut: false };
    assert_eq!((&found.head, found.end), (&head, 5));
    let (texts, found) = read(Span { from_ms: Some(20), to_ms: Some(31) }, true, &records);
    assert_eq!(texts, ["b"]);
    assert_eq!((found.head.since_ms, found.head.start_ms, found.head.until_ms), (20, 20, 31));
    let (_, found) = read(Span { from_ms: None, to_ms: Some(900) }, true, &records);
    assert_eq!(found.head.until_ms, 51, "it does not go further than was read");
}

#[test]
fn it_says_since_when_nothing_is_missing() {
    let records = [(100, say(5, "a")), (110, say(6, "b"))];
    let since = |from_ms, is_whole| read(Span { from_ms, to_ms: None }, is_whole, &records).1.head.since_ms;
    assert_eq!(since(None, false), 100);
    assert_eq!(since(Some(50), false), 100, "what was before it is gone");
    assert_eq!(since(Some(50), true), 50, "nothing was before it");
    assert_eq!(since(Some(105), false), 105);
}

#[test]
fn an_empty_room_is_an_empty_file() {
    let (texts, found) = read(Span::default(), true, &[]);
    let head = Head { room: "demo".into(), since_ms: 99, start_ms: 99, until_ms: 99, is_cut: false };
    assert_eq!((texts.len(), found.head, found.begin.is_none()), (0, head, true));
}

#[test]
fn more_rows_than_a_file_holds_are_cut_between_two_times() {
    let mut look = Look::new("demo", 0, Span::default(), 4);
    // Three of the same millisecond stand on both sides of the end.
    for (src, time_ms) in (0..).zip([10, 20, 30, 40, 40, 40, 50]) {
        stands(Some("demo"), src, time_ms, &say(src, "x"), |stands| look.hear(stands));
    }
    let found = look.found(0);
    assert_eq!((found.head.until_ms, found.head.is_cut, found.end), (40, true, 4));
    let row = |shown_ms| Row { shown_ms, message: v1::Message::default() };
    assert!(found.has(&row(30)) && !found.has(&row(40)), "the next file begins with all three");
}

proptest! {
    /// Any two files that follow one another hold what one over both holds.
    #[test]
    fn files_that_follow_one_another_miss_and_repeat_nothing(
        times in prop::collection::vec(0i64..100, 0..30),
        gone in prop::collection::vec(0u64..30, 0..5),
        cut in 0i64..100,
    ) {
        let mut records: Vec<_> = (0..).zip(&times).map(|(src, at)| (*at, say(src, &format!("{src}")))).collect();
        let ids: Vec<String> = gone.iter().map(|src| format!("3-0-{src}")).collect();
        records.push((100, take_back(31, &ids.iter().map(String::as_str).collect::<Vec<_>>())));
        let of = |from_ms, to_ms| read(Span { from_ms, to_ms }, true, &records).0;
        let both = [of(None, Some(cut)), of(Some(cut), None)].concat();
        prop_assert_eq!(&both, &of(None, None));
        prop_assert!(both.iter().all(|text| !gone.iter().any(|src| src.to_string() == *text)));
    }
}
