//! Each kind of imbalance on books that balance otherwise.

use super::*;

fn by(pairs: &[(&str, u64)]) -> ByLabel {
    pairs.iter().map(|&(word, value)| (word.to_owned(), value)).collect()
}

fn viewer(received: u64, stale: u64) -> Viewer {
    let dropped = if stale > 0 { BTreeMap::from([("stale", stale)]) } else { BTreeMap::new() };
    Viewer { joined: true, received, dropped, ..Viewer::default() }
}

/// 20 sent to two rooms: 3 refused, 17 accepted, of which 2 are not shown; room `a` shows 10, `b` 5.
fn balanced() -> Books {
    let room =
        |name: &str, accepted, seen, viewers| Room { name: name.into(), accepted, seen, viewers, ..Room::default() };
    Books {
        sent: 20,
        accepted: 17,
        refused: by(&[("too_long", 2), ("rate_limited", 1)]),
        door_accepted: Some(17),
        judged: by(&[("passed", 13), ("masked", 1), ("flagged", 1), ("blocked", 1), ("limited", 1)]),
        rooms: vec![
            room("a", 11, 10, vec![viewer(10, 0), viewer(7, 3)]),
            // A gap for everybody: nobody saw the fifth.
            room("b", 6, 4, vec![viewer(4, 1)]),
        ],
        ..Books::default()
    }
}

fn check(change: impl FnOnce(&mut Books), expected: &[&str]) {
    let mut books = balanced();
    change(&mut books);
    let broken: Vec<_> = books.broken().iter().map(ToString::to_string).collect();
    assert_eq!(broken, expected, "{books:?}");
}

#[test]
fn balanced_books_have_no_broken_line() {
    check(|_| {}, &[]);
    check(|books| books.door_accepted = None, &[]);
    let totals = balanced().totals();
    assert_eq!((totals.shown, totals.received, totals.dropped), (15, 21, BTreeMap::from([("stale", 4)])));
}

#[test]
fn the_door() {
    check(|books| books.sent = 21, &["sent 21 ≠ accepted 17 + refused 3 + unknown 0"]);
    check(|books| books.refused = by(&[("empty", 1)]), &["sent 20 ≠ accepted 17 + refused 1 + unknown 0"]);
    check(|books| books.door_accepted = Some(18), &["the door counted 18 accepted, its answers were 17 (unknown 0)"]);
    check(|books| books.rooms[0].accepted_twice = 1, &["a: 1 answers named an id that another had named"]);
}

#[test]
fn the_judge() {
    check(|books| *books.judged.get_mut("blocked").unwrap() = 0, &["accepted 17 ≠ judged 16 (unknown 0)"]);
    check(
        |books| *books.judged.get_mut("passed").unwrap() = 14,
        &["accepted 17 ≠ judged 18 (unknown 0)", "shown in all rooms 15 ≠ judged as shown 16"],
    );
    check(
        |books| {
            books.judged.insert("passed".into(), 12);
            books.judged.insert("blocked".into(), 2);
        },
        &["shown in all rooms 15 ≠ judged as shown 14"],
    );
}

#[test]
fn an_unknown_fate_may_be_accepted_or_not() {
    let unknown = |books: &mut Books| {
        books.sent = 21;
        books.unknown = by(&[("unavailable", 1)]);
    };
    check(unknown, &[]);
    check(
        |books| {
            unknown(books);
            books.door_accepted = Some(18);
            books.judged.insert("blocked".into(), 2);
        },
        &[],
    );
    check(
        |books| {
            unknown(books);
            books.judged.insert("blocked".into(), 3);
        },
        &["accepted 17 ≠ judged 19 (unknown 1)"],
    );
    check(|books| books.rooms[0].unexplained = 1, &["1 messages were seen that the door never accepted (unknown 0)"]);
}

#[test]
fn one_viewer_that_misses_one_message() {
    check(|books| books.rooms[0].viewers[0].received = 9, &["a, viewer 0: shown 10 ≠ received 9 + dropped 0"]);
    check(|books| books.rooms[0].viewers[1].received = 6, &["a, viewer 1: shown 10 ≠ received 6 + dropped 3"]);
}

#[test]
fn all_viewers_of_a_room_that_miss_one_message() {
    check(|books| books.rooms[1].viewers[0].dropped.clear(), &["shown in all rooms 14 ≠ judged as shown 15"]);
    check(
        |books| {
            for viewer in &mut books.rooms[0].viewers {
                viewer.received -= 1;
            }
        },
        &["a, viewer 0: shown 10 ≠ received 9 + dropped 0", "a, viewer 1: shown 10 ≠ received 6 + dropped 3"],
    );
}

#[test]
fn a_gap_that_counts_too_much() {
    check(
        |books| books.rooms[0].viewers[1].dropped = BTreeMap::from([("stale", 3), ("slow", 1)]),
        &["shown in all rooms 16 ≠ judged as shown 15", "a, viewer 0: shown 11 ≠ received 10 + dropped 0"],
    );
}

#[test]
fn faults_of_the_stream() {
    check(|books| books.rooms[0].viewers[0].duplicates = 2, &["2 messages came twice, to 1 viewers"]);
    check(|books| books.rooms[1].viewers[0].inversions = 1, &["1 messages came after a later one, to 1 viewers"]);
    check(
        |books| books.rooms[1].viewers[0].left = Some("closed 4001 slow".into()),
        &["b, viewer 0: left: closed 4001 slow"],
    );
    check(|books| books.rooms[1].viewers[0].gaps_uncounted = 2, &["b, viewer 0: 2 gaps that do not say how many"]);
    check(|books| books.unreadable = 1, &["1 frames could not be read or were errors"]);
}
