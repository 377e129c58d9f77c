//! Assignments as tables: what stood in the output and what was committed, and what follows from it.

use proptest::prelude::*;
use proto::v1::{Output, Word};

use super::*;

const GENERATION: u32 = 3;

fn number(bump: u64, group_generation: i32, rewinds: u64) -> OwnerNumber {
    OwnerNumber { bump, group_generation, rewinds }
}

/// An owner record.
fn claim(owner: OwnerNumber) -> Output {
    Output::claim(GENERATION, owner)
}

/// A record that answers input `src`.
fn answer(owner: OwnerNumber, src: u64, word: Word) -> Output {
    Output {
        generation: GENERATION,
        src: Some(src),
        owner: Some(owner.into()),
        verdict: word as i32,
        rules_version: src,
        ..Default::default()
    }
}

/// Reads a whole tail that begins at offset `low`; tells also how many records it read.
fn read(stored: Option<u64>, low: u64, log: &[Output]) -> (Tail, u64) {
    let claim = low + log.len() as u64;
    let mut reading = TailReading::new(GENERATION, stored, low, claim);
    let mut read = 0;
    while let Some(block) = reading.next_block() {
        let range = (block.start - low) as usize..(block.end - low) as usize;
        read += range.len() as u64;
        let records = log[range].iter().map(TailRecord::of).collect();
        reading.take(block, records);
    }
    (reading.finish(), read)
}

fn tail(stored: Option<u64>, log: &[Output]) -> Tail {
    read(stored, 1_000, log).0
}

fn stood(word: Word) -> Stood {
    Stood::of_output(&Output { verdict: word as i32, ..Default::default() })
}

#[test]
fn the_tail_is_read_backwards_in_doubling_blocks() {
    let owner = number(0, 5, 0);
    let log: Vec<_> = (0..10_000).map(|src| answer(owner, src, Word::Passed)).collect();
    for (stored, expected) in [
        (None, 256),
        (Some(10_000), 256),
        (Some(9_745), 256),
        // The record below the stored one is the 257th from the end.
        (Some(9_744), 256 + 512),
        (Some(9_000), 256 + 512 + 1_024),
        // No record is below: all is read.
        (Some(0), 10_000),
    ] {
        let (tail, read) = read(stored, 70, &log);
        assert_eq!((read, tail.highest, tail.owner), (expected, Some(9_999), Some(owner)), "{stored:?}");
    }
    assert_eq!(read(Some(5), 70, &[]).1, 0);
}

#[test]
fn claims_alone_say_who_but_not_how_far() {
    let tail = tail(Some(4), &[claim(number(0, 1, 0)), claim(number(0, 2, 0))]);
    assert_eq!((tail.owner, tail.highest), (Some(number(0, 2, 0)), None));
}

#[test]
fn what_readers_pass_over_is_not_in_the_tail() {
    let (old, new) = (number(0, 5, 0), number(0, 6, 0));
    let log = [
        answer(old, 10, Word::Passed),
        claim(new),
        answer(new, 11, Word::Blocked),
        // The old one woke up.
        answer(old, 12, Word::Passed),
        answer(old, 13, Word::Passed),
    ];
    let tail = tail(Some(11), &log);
    assert_eq!((tail.owner, tail.highest, tail.rules_version), (Some(new), Some(11), 11), "judged last by rules 11");
    let mut left = Inheritance::new(11, tail);
    assert_eq!(left.treatment(11), Treatment::Stood(Stood::of_output(&log[2])));
    assert_eq!(left.treatment(12), Treatment::Judge);
}

#[test]
fn a_late_writer_does_not_end_the_reading() {
    let (old, new) = (number(0, 5, 0), number(0, 6, 0));
    let mut log = vec![claim(new)];
    log.extend((100..300).map(|src| answer(new, src, Word::Passed)));
    log.extend((90..120).map(|src| answer(old, src, Word::Passed)));
    log.push(answer(new, 300, Word::Passed));
    log.extend((120..200).map(|src| answer(old, src, Word::Passed)));
    let tail = tail(Some(290), &log);
    assert_eq!((tail.owner, tail.highest), (Some(new), Some(300)));
}

#[test]
fn a_takeover_without_traffic_reads_no_further() {
    let mut log: Vec<_> = (0..1_000).map(|src| answer(number(0, 5, 0), src, Word::Passed)).collect();
    log.extend([claim(number(0, 6, 0)), claim(number(0, 7, 0))]);
    let (tail, read) = read(Some(1_000), 70, &log);
    assert_eq!((read, tail.highest, tail.owner), (256, Some(999), Some(number(0, 7, 0))));
}

#[test]
fn another_generations_answers_do_not_count_but_its_owners_do() {
    let mut log = vec![answer(number(0, 90, 0), 5_000, Word::Passed)];
    log[0].generation = GENERATION - 1;
    let tail = tail(None, &log);
    assert_eq!((tail.owner, tail.highest), (Some(number(0, 90, 0)), None));
}

#[test]
fn who_is_ours_and_who_is_disputed() {
    let ours = number(1, 7, 2);
    for (theirs, expected) in [
        (None, Standing::Ours),
        (Some(number(0, 99, 99)), Standing::Ours),
        (Some(number(1, 6, 99)), Standing::Ours),
        (Some(number(1, 7, 1)), Standing::Ours),
        // A static member that was killed comes back in the same generation of the group.
        (Some(number(1, 7, 2)), Standing::Disputed { bump: 2 }),
        (Some(number(1, 7, 3)), Standing::Disputed { bump: 2 }),
        // We were away, or the group lost its memory: only the group can tell.
        (Some(number(1, 8, 0)), Standing::Disputed { bump: 2 }),
        (Some(number(4, 1, 0)), Standing::Disputed { bump: 5 }),
    ] {
        let tail = Tail { owner: theirs, ..Tail::default() };
        assert_eq!(standing(ours, &tail), expected, "{theirs:?}");
    }
    // After a dispute that the group settles for us, we are above the tail.
    let tail = Tail { owner: Some(number(4, 57, 3)), ..Tail::default() };
    let Standing::Disputed { bump } = standing(number(0, 1, 0), &tail) else { panic!("not disputed") };
    assert_eq!(standing(number(bump, 1, 0), &tail), Standing::Ours);
}

#[test]
fn where_to_start() {
    let at = |offset| Start::At { offset, deleted: 0 };
    let input = Watermarks { low: 100, high: 200 };
    for (stored, highest, expected) in [
        // The usual case, with and without unfinished answers in the tail.
        (Some(150), Some(149), at(150)),
        (Some(150), Some(170), at(150)),
        (Some(150), None, at(150)),
        (Some(200), Some(199), at(200)),
        // No committed offset: after what was answered, else at the earliest.
        (None, Some(170), at(171)),
        (None, None, at(100)),
        (None, Some(20), Start::At { offset: 100, deleted: 79 }),
        // Kept too short.
        (Some(90), Some(120), Start::At { offset: 100, deleted: 10 }),
        // The input ends at or before what was judged: it is another topic of the same name.
        (Some(150), Some(200), Start::Recreated { end: 200, expected: 201 }),
        (None, Some(5_000), Start::Recreated { end: 200, expected: 5_001 }),
        (Some(201), None, Start::Recreated { end: 200, expected: 201 }),
    ] {
        let tail = Tail { highest, ..Tail::default() };
        assert_eq!(start(stored, input, &tail), expected, "{stored:?} {highest:?}");
    }
    let empty = Watermarks { low: 0, high: 0 };
    assert_eq!(start(None, empty, &Tail::default()), at(0));
    assert_eq!(start(Some(0), empty, &Tail::default()), at(0));
    let answered = Tail { highest: Some(0), ..Tail::default() };
    assert_eq!(start(None, empty, &answered), Start::Recreated { end: 0, expected: 1 });
}

#[test]
fn gaps_in_the_tail_are_superseded() {
    let owner = number(0, 5, 0);
    let log = [
        answer(owner, 9, Word::Passed),
        answer(owner, 10, Word::Passed),
        answer(owner, 12, Word::Limited),
        answer(owner, 15, Word::Passed),
    ];
    let mut left = Inheritance::new(10, tail(Some(10), &log));
    for (offset, expected) in [
        (8, Treatment::Learn),
        (9, Treatment::Learn),
        (10, Treatment::Stood(stood(Word::Passed))),
        (11, Treatment::Superseded),
        (13, Treatment::Superseded),
        (15, Treatment::Stood(stood(Word::Passed))),
        (16, Treatment::Judge),
        (17, Treatment::Judge),
    ] {
        // Words without their rule are enough here; `judge` makes records of the rest.
        let treatment = match left.treatment(offset) {
            Treatment::Stood(_) => Treatment::Stood(stood(Word::Passed)),
            other => other,
        };
        assert_eq!(treatment, expected, "{offset}");
    }
}

proptest! {
    /// Whoever wrote what in which order: every input from the start on is treated once, and judged only if no reader has
    /// seen it or a later one.
    #[test]
    fn nothing_that_readers_saw_is_judged_again(
        writes in prop::collection::vec((0i32..4, 0u64..60), 0..80),
        stored in prop::option::of(0u64..60),
    ) {
        let log: Vec<_> = writes.iter().map(|&(owner, src)| answer(number(0, owner, 0), src, Word::Passed)).collect();
        let mut seen: Option<(OwnerNumber, Option<u64>)> = None;
        for output in &log {
            let owner = output.owner_number();
            if seen.is_none_or(|(highest, _)| owner >= highest) {
                let src = seen.and_then(|(_, src)| src).max(output.src);
                seen = Some((owner, src));
            }
        }
        let (tail, _) = read(stored, 1_000, &log);
        let seen = seen.and_then(|(_, src)| src);
        prop_assert_eq!(tail.highest, seen);
        let start = stored.unwrap_or(0);
        let mut left = Inheritance::new(start, tail);
        for offset in 0..70 {
            let treatment = left.treatment(offset);
            prop_assert_eq!(treatment == Treatment::Learn, offset < start);
            if treatment == Treatment::Judge {
                prop_assert!(seen.is_none_or(|seen| offset > seen));
            }
        }
    }
}
