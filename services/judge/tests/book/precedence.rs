//! Goal: an allow phrase frees what it may free and nothing else. Method: all combinations, and random lists.

use judge::{Book, rules::Action};
use proptest::prelude::*;
use proto::{
    RoomId,
    v1::{Entry, EntryKind},
};

use crate::{publisher::entry, reader::ruling};

/// From the strongest to the weakest: of the room, mandatory, an allow phrase.
const RANKS: [(bool, bool, bool); 6] = [
    (true, true, false),
    (false, true, false),
    (true, false, true),
    (true, false, false),
    (false, false, true),
    (false, false, false),
];

fn of_rank(rank: usize, text: &str) -> Entry {
    let (_, mandatory, allow) = RANKS[rank];
    let kind = if allow { EntryKind::Allow } else { EntryKind::Word };
    Entry { mandatory, kind: kind as i32, ..entry(&format!("e{rank}"), text) }
}

/// A book with these entries, each with its rank.
fn book(entries: &[(usize, Entry)]) -> Book {
    let of = |of_room: bool| {
        let here = entries.iter().filter(|(rank, _)| RANKS[*rank].0 == of_room);
        here.map(|(_, entry)| entry.clone()).collect::<Vec<_>>()
    };
    let room = RoomId::new("demo").unwrap();
    Book::of_entries(1, of(false), None).unwrap().with_room(room, of(true), None).unwrap()
}

#[test]
fn p09_the_strongest_decides_in_all_combinations() {
    for present in 0u32..1 << RANKS.len() {
        let ranks: Vec<usize> = (0..RANKS.len()).filter(|rank| present & 1 << rank != 0).collect();
        let entries: Vec<(usize, Entry)> = ranks.iter().map(|&rank| (rank, of_rank(rank, "blorp"))).collect();
        let ruling = ruling(&book(&entries), "demo", "blorp");
        let expected = match ranks.first() {
            Some(&rank) if !RANKS[rank].2 => Some(format!("e{rank}")),
            _ => None,
        };
        assert_eq!(ruling.action, if expected.is_some() { Action::Block } else { Action::Pass }, "{ranks:?}");
        assert_eq!(ruling.rule, expected.unwrap_or_default(), "{ranks:?}");
        // What is freed is not told of either.
        let standing = |rank: &usize| !RANKS[*rank].2 && !ranks.iter().any(|other| RANKS[*other].2 && other < rank);
        let expected: Vec<String> = ranks.iter().filter(|rank| standing(rank)).map(|rank| format!("e{rank}")).collect();
        assert_eq!(ruling.hits.iter().map(|hit| hit.entry.clone()).collect::<Vec<_>>(), expected, "{ranks:?}");
    }
}

#[test]
fn another_rooms_lists_are_not_asked() {
    let book = book(&[(2, of_rank(2, "blorp")), (3, of_rank(3, "fnord")), (5, of_rank(5, "blorp"))]);
    assert_eq!(ruling(&book, "demo", "blorp").action, Action::Pass);
    assert_eq!(ruling(&book, "other", "blorp").action, Action::Block);
    assert_eq!(ruling(&book, "other", "fnord").action, Action::Pass);
}

#[test]
fn an_allow_phrase_frees_only_what_lies_within_it() {
    for (word, allow, text, freed) in [
        ("词语", "坏词语", "坏词语", true),
        ("词语", "坏词语", "词语坏", false),
        ("坏词语", "词语", "坏词语", false),
        ("坏词", "词语", "坏词语", false),
        // Two phrases that touch are not one.
        ("词语", "坏词", "坏词语", false),
    ] {
        let book = book(&[(4, of_rank(4, allow)), (5, of_rank(5, word))]);
        let freed = if freed { Action::Pass } else { Action::Block };
        assert_eq!(ruling(&book, "demo", text).action, freed, "{word} within {allow} in {text}");
    }
}

fn lists() -> impl Strategy<Value = Vec<(usize, String)>> {
    prop::collection::vec((0..RANKS.len(), "[坏词语]{1,4}"), 1..8)
}

fn hits(lists: &[(usize, String)], text: &str) -> Vec<(String, u32, u32)> {
    let one =
        |(at, (rank, text)): (usize, &(usize, String))| (*rank, Entry { id: format!("e{at}"), ..of_rank(*rank, text) });
    let entries: Vec<(usize, Entry)> = lists.iter().enumerate().map(one).collect();
    let hits = ruling(&book(&entries), "demo", text).hits;
    let mut hits: Vec<_> = hits.into_iter().map(|hit| (hit.entry, hit.start, hit.end)).collect();
    hits.sort();
    hits
}

proptest! {
    /// An allow phrase more never adds a hit, and a word more never takes one away.
    #[test]
    fn p08_allow_phrases_only_free_and_words_only_hit(lists in lists(), more in (0..RANKS.len(), "[坏词语]{1,4}"), text in "[坏词语]{0,5}") {
        let mut longer = lists.clone();
        longer.push(more.clone());
        let (before, after) = (hits(&lists, &text), hits(&longer, &text));
        // A record names 16 hits at most; what lies beyond cannot be compared.
        prop_assume!(before.len() < 16 && after.len() < 16);
        if RANKS[more.0].2 {
            prop_assert!(after.iter().all(|hit| before.contains(hit)), "{:?} after {:?}", after, before);
        } else {
            prop_assert!(before.iter().all(|hit| after.contains(hit)), "{:?} after {:?}", after, before);
        }
    }

    /// What an allow phrase frees lies wholly within it.
    #[test]
    fn p08_what_is_freed_lies_within_a_phrase(lists in lists(), text in "[坏词语]{0,5}") {
        let words: Vec<(usize, String)> = lists.iter().filter(|(rank, _)| !RANKS[*rank].2).cloned().collect();
        // A letter held down is the same letter, in a phrase as in a word.
        let collapsed = |text: &str| {
            let mut chars: Vec<char> = text.chars().collect();
            chars.dedup();
            chars.into_iter().collect::<String>()
        };
        let holds = |phrase: &str, word: &str| collapsed(phrase).contains(&collapsed(word));
        let freed = |word: &str| lists.iter().any(|(rank, phrase)| RANKS[*rank].2 && holds(phrase, word));
        for (rank, word) in &words {
            let alone = [(*rank, word.clone())];
            let found = hits(&alone, &text).len();
            let with: Vec<(usize, String)> =
                alone.iter().cloned().chain(lists.iter().filter(|(rank, _)| RANKS[*rank].2).cloned()).collect();
            let left = hits(&with, &text).len();
            prop_assume!(found < 16);
            prop_assert!(left <= found);
            prop_assert!(left == found || freed(word), "{} was freed by none that holds it", word);
        }
    }
}
