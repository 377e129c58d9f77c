//! What a verdict record teaches the database.

use proptest::prelude::*;
use proto::v1::{Decision, Input, Owner, Say, Verdict};

use super::*;

fn owner(bump: u64) -> Owner {
    Owner { bump, ..Owner::default() }
}

fn verdict(generation: u32, src: u64, bump: u64, word: Word) -> Verdict {
    let input = Input {
        room: "demo".to_owned(),
        user: Some(v1::User { id: "ann".to_owned(), ..v1::User::default() }),
        body: Some(Body::Say(Say { text: "blorp".to_owned(), ..Say::default() })),
        ..Input::default()
    };
    Verdict {
        id: format!("{generation}-0-{src}"),
        owner: Some(owner(bump)),
        word: word as i32,
        input: Some(input),
        ..Verdict::default()
    }
}

/// The sources that counted, of verdicts in the order of their records.
fn counted(verdicts: &[Verdict]) -> Vec<u64> {
    let mut place = Place::default();
    let heard = verdicts.iter().zip(0..).filter_map(|(verdict, offset)| place.hear(offset, verdict.clone()));
    let sources = heard.map(|lesson| lesson.id.offset).collect();
    assert_eq!(place.next, verdicts.len() as u64);
    sources
}

#[test]
fn what_is_written_again_counts_once() {
    use Word::{Blocked, Held, Superseded};
    let table: [(&[Verdict], &[u64]); 6] = [
        (&[verdict(1, 3, 1, Held), verdict(1, 5, 1, Blocked)], &[3, 5]),
        // The next owner begins at the offset that was stored.
        (
            &[verdict(1, 3, 1, Held), verdict(1, 5, 1, Blocked), verdict(1, 3, 2, Held), verdict(1, 6, 2, Held)],
            &[3, 5, 6],
        ),
        // One that woke up late.
        (&[verdict(1, 3, 2, Held), verdict(1, 4, 1, Held), verdict(1, 5, 2, Held)], &[3, 5]),
        // A real one beats `superseded`.
        (&[verdict(1, 3, 1, Superseded), verdict(1, 3, 2, Held)], &[3]),
        (&[verdict(1, 3, 1, Held), verdict(1, 3, 2, Superseded)], &[3]),
        // The topics were made anew.
        (&[verdict(1, 9, 1, Held), verdict(2, 0, 1, Held), verdict(1, 10, 1, Held)], &[9, 0]),
    ];
    for (verdicts, expected) in table {
        assert_eq!(counted(verdicts), expected, "{verdicts:?}");
    }
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let unnamed = Verdict { id: "nothing".to_owned(), ..verdict(1, 0, 1, Word::Held) };
    let thinned = Verdict { input: None, ..verdict(1, 4, 1, Word::Thinned) };
    assert_eq!(counted(&[unnamed, thinned, verdict(1, 2, 1, Word::Held)]), [2]);
}

proptest! {
    /// However often owners begin again, each source counts once and in order.
    #[test]
    fn each_source_counts_once(starts in prop::collection::vec(0_u64..20, 1..5), len in 1_u64..20) {
        let mut verdicts = Vec::new();
        for (bump, start) in starts.iter().enumerate() {
            verdicts.extend((*start..start + len).map(|src| verdict(1, src, bump as u64, Word::Blocked)));
        }
        let counted = counted(&verdicts);
        prop_assert!(counted.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn a_decision_names_what_was_held_unless_it_is_a_repeat() {
    let of = |word| {
        let decision = Decision { held_id: "1-0-2".to_owned(), ..Decision::default() };
        let mut verdict = verdict(1, 9, 1, word);
        verdict.input.as_mut().unwrap().body = Some(Body::Decision(decision));
        Lesson { id: "1-0-9".parse().unwrap(), verdict }
    };
    for word in [Word::Approved, Word::Rejected, Word::Muted] {
        assert_eq!(of(word).decided(), Some("1-0-2"), "{word:?}");
        assert!(!of(word).is_refusal() && !of(word).is_held());
    }
    assert_eq!(of(Word::Repeated).decided(), None);
}

#[test]
fn a_word_of_a_later_release_counts_and_makes_nothing_of_what_was_said() {
    let later = Verdict { word: 99, ..verdict(1, 3, 1, Word::Passed) };
    assert_eq!(counted(std::slice::from_ref(&later)), [3]);
    let lesson = Lesson { id: "1-0-3".parse().unwrap(), verdict: later };
    assert!(!lesson.is_held() && !lesson.is_refusal());
}

#[test]
fn an_entry_counts_once_a_message() {
    let hit = |entry: &str, observe| Hit { entry: entry.to_owned(), list: "l".to_owned(), observe, ..Hit::default() };
    let lesson = |src, hits| {
        let verdict = Verdict { hits, ..verdict(1, src, 1, Word::Flagged) };
        Lesson { id: MessageId { generation: 1, partition: 0, offset: src }, verdict }
    };
    let counts = count(&vec![
        lesson(1, vec![hit("a", false), hit("a", false), hit("b", true)]),
        lesson(2, vec![hit("a", false)]),
    ]);
    let told: Vec<_> = counts.iter().map(|((_, entry), count)| (entry.as_str(), count.hits, count.observed)).collect();
    assert_eq!(told, [("a", 2, 0), ("b", 1, 1)]);
    assert_eq!(counts[&("demo".to_owned(), "a".to_owned())].last_id, "1-0-2");
}
