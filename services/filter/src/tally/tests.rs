//! Which ranges are written when, and what may be committed meanwhile.

use super::*;

/// An answer that has come, or has not.
struct Said(Option<Outcome>);

impl Answer for Said {
    fn outcome(&mut self) -> Option<Outcome> {
        self.0.clone()
    }
}

fn range(first: u64, last: u64) -> OffsetRange {
    OffsetRange { first, last }
}

fn tally_of(all: &[(Word, &str, u64)]) -> Tally<Said> {
    let mut tally = Tally::new();
    all.iter().for_each(|(word, room, offset)| assert_eq!(tally.count(*word, (*room).into(), *offset, 7), []));
    tally
}

#[test]
fn neighbors_are_one_range_and_rooms_and_words_are_apart() {
    let mut tally = tally_of(&[
        (Word::Thinned, "a", 10),
        (Word::Thinned, "a", 11),
        (Word::Thinned, "b", 12),
        (Word::Thinned, "a", 13),
        (Word::Shed, "a", 14),
        (Word::Shed, "a", 15),
    ]);
    assert_eq!(tally.first_unnamed(), Some(10));
    let due = |word, room: &str, ranges: &[OffsetRange]| Due {
        word,
        room: room.into(),
        rules_version: 7,
        ranges: ranges.into(),
    };
    let expected = [
        due(Word::Thinned, "a", &[range(10, 11), range(13, 13)]),
        due(Word::Thinned, "b", &[range(12, 12)]),
        due(Word::Shed, "a", &[range(14, 15)]),
    ];
    assert_eq!(tally.due(), expected);
    assert_eq!(tally.due(), []);
}

#[test]
fn nothing_is_finished_before_a_record_that_names_it_is_acknowledged() {
    let mut tally = tally_of(&[(Word::Thinned, "a", 10), (Word::Thinned, "b", 20)]);
    let due = tally.due();
    assert_eq!(due.iter().map(Due::first).collect::<Vec<_>>(), [10, 20]);
    tally.wait(10, Said(None));
    tally.wait(20, Said(Some(Outcome::Acked(0))));
    assert_eq!(tally.settle(|_| panic!("lost")), Ok(()));
    assert_eq!((tally.first_unnamed(), tally.len()), (Some(10), 2));
    // What came later waits for its own record.
    assert_eq!(tally.count(Word::Thinned, "a".into(), 30, 7), []);
    tally.waiting[0].1 = Said(Some(Outcome::Acked(1)));
    assert_eq!(tally.settle(|_| panic!("lost")), Ok(()));
    assert_eq!((tally.first_unnamed(), tally.len()), (Some(30), 0));
}

#[test]
fn what_could_not_be_written_is_never_finished() {
    let mut tally = tally_of(&[]);
    tally.give_up(7);
    tally.give_up(9);
    assert_eq!(tally.first_unnamed(), Some(7));
    tally.wait(3, Said(Some(Outcome::Failed(Failure::Broken("fenced".into())))));
    assert!(tally.settle(|_| panic!("lost")).unwrap_err().contains("fenced"));
    assert_eq!(tally.first_unnamed(), Some(3));
    // Only what no broker will ever take is let go, and told.
    let mut tally = tally_of(&[]);
    tally.wait(3, Said(Some(Outcome::Failed(Failure::BadRecord("too large".into())))));
    let mut told = Vec::new();
    assert_eq!(tally.settle(|why| told.push(why)), Ok(()));
    assert_eq!((told, tally.first_unnamed()), (vec!["too large".to_owned()], None));
}

#[test]
fn a_record_has_at_most_256_ranges_and_a_tally_at_most_1024_rooms() {
    let mut tally: Tally<Said> = Tally::new();
    let due: Vec<Due> = (0..256).flat_map(|n| tally.count(Word::Thinned, "a".into(), 2 * n, 7)).collect();
    assert_eq!(due.len(), 1);
    assert_eq!(due[0].ranges.len(), 256);
    assert_eq!(tally.first_unnamed(), None, "it is in the hands of who writes it");
    let due: Vec<Due> = (0..1_025).flat_map(|n| tally.count(Word::Thinned, n.to_string(), n, 7)).collect();
    assert_eq!(due.len(), 1_024);
    assert_eq!(tally.first_unnamed(), Some(1_024));
}
