//! What holds for every text and list, numbered as the properties of a filter are: P1 to P8 and P10 to P14. P9, P15 and those
//! behind need a rule book, and stand with it. `make props` runs them; a failure prints the seed it is found again with.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod oracle;
mod texts;

use std::collections::BTreeSet;

use common::{allow, find, word};
use judge::{
    fold::{Folded, fold},
    mask::mask,
    matcher::Found,
};
use proptest::prelude::*;
use proto::v1::{Boundary, Entry, Reading};

fn folded(text: &str) -> Folded {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    folded
}

fn symbols(text: &str) -> Vec<char> {
    folded(text).symbols().iter().map(|symbol| symbol.char).collect()
}

/// Hits in a form that does not depend on the order of the list.
fn named<'a>(entries: &'a [Entry], found: &[Found]) -> BTreeSet<(&'a str, u32, u32, Reading)> {
    found.iter().map(|hit| (entries[hit.entry as usize].id.as_str(), hit.start, hit.end, hit.reading)).collect()
}

fn words(texts: &[String]) -> Vec<Entry> {
    texts.iter().map(|text| word(text)).collect()
}

fn spans(found: &[Found]) -> Vec<std::ops::Range<u32>> {
    found.iter().map(|hit| hit.start..hit.end).collect()
}

/// Folding what is folded changes nothing. Symbols are kept apart, because some that stand side by side would be one character.
fn assert_folds_to_itself(text: &str) {
    let once = symbols(text);
    let apart: String = once.iter().flat_map(|&symbol| [symbol, '\u{200b}']).collect();
    assert_eq!(symbols(&apart), once, "{text:?}");
}

#[test]
fn p01_folding_twice_is_folding_once_for_every_character() {
    (0..=0x10_ffff).filter_map(char::from_u32).for_each(|char| assert_folds_to_itself(char.encode_utf8(&mut [0; 4])));
}

#[test]
fn p02_no_character_and_no_pair_of_nasty_ones_stops_it() {
    let entries = texts::everything_on();
    let matcher = judge::matcher::Matcher::new(entries.into()).unwrap();
    let (mut folded, mut scratch, mut found) = (Folded::default(), judge::matcher::Scratch::default(), Vec::new());
    let mut judge = |text: &str| {
        fold(text, &mut folded);
        assert_eq!(folded.bytes(0, folded.clusters()), 0..text.len());
        found.clear();
        matcher.find(&folded, &mut scratch, &mut found);
        judge::contact::find(&folded, &[], &mut found);
        assert!(found.iter().all(|hit| hit.start < hit.end && hit.end <= folded.clusters()), "{text:?}");
        mask(text, &folded, &spans(&found));
    };
    for char in (0..=0x10_ffff).filter_map(char::from_u32) {
        judge(char.encode_utf8(&mut [0; 4]));
    }
    let nasty = texts::nasty();
    assert!(nasty.len() >= 300, "{}", nasty.len());
    for one in &nasty {
        for two in &nasty {
            judge(&format!("坏{one}{two}a"));
        }
    }
    for part in nasty.iter().take(texts::HAND_PICKED) {
        judge(&part.repeat((64 << 10) / part.len()));
    }
}

proptest! {
    #[test]
    fn p01_folding_is_total_and_idempotent(bytes in prop::collection::vec(any::<u8>(), 0..200), text in texts::wild()) {
        assert_folds_to_itself(&String::from_utf8_lossy(&bytes));
        assert_folds_to_itself(&text);
    }

    #[test]
    fn p03_a_hit_lies_on_clusters_and_holds_its_entry(entries in texts::lists(), text in texts::small()) {
        let entries = words(&entries);
        let (folded, found) = find(&entries, &text);
        let borders: Vec<usize> = (0..=folded.clusters()).map(|at| folded.bytes(at, at).start).collect();
        for hit in found {
            let bytes = folded.bytes(hit.start, hit.end);
            prop_assert!(borders.contains(&bytes.start) && borders.contains(&bytes.end));
            if !matches!(hit.reading, Reading::Leet) {
                let entry = &entries[hit.entry as usize].text;
                let slice = &text[bytes];
                let (inner, outer) = (self::folded(entry).key().into_owned(), self::folded(slice).key().into_owned());
                prop_assert!(outer.contains(&inner), "{slice:?} of {entry:?}");
            }
        }
    }

    #[test]
    fn p04_p05_a_mask_covers_clusters_and_nothing_else(
        text in texts::wild(),
        spans in prop::collection::vec((0_u32..30, 0_u32..6), 0..5),
    ) {
        let folded = folded(&text);
        let spans: Vec<_> = spans.into_iter().map(|(start, length)| start..start + length).collect();
        let masked = mask(&text, &folded, &spans);
        let mut expected = String::new();
        for cluster in 0..folded.clusters() {
            match spans.iter().any(|span| span.contains(&cluster)) {
                true => expected.push('*'),
                false => expected.push_str(&text[folded.bytes(cluster, cluster + 1)]),
            }
        }
        prop_assert_eq!(&masked, &expected);
        prop_assert_eq!(mask(&text, &folded, &[]), text);
    }

    #[test]
    fn p04_masking_twice_is_masking_once(entries in texts::lists(), text in texts::small()) {
        let (before, found) = find(&words(&entries), &text);
        let once = mask(&text, &before, &spans(&found));
        let after = self::folded(&once);
        // The stars are clusters of their own, so all places are where they were.
        prop_assert_eq!(before.clusters(), after.clusters());
        prop_assert_eq!(mask(&once, &after, &spans(&found)), once);
    }

    #[test]
    fn p06_the_order_of_a_list_changes_nothing(
        (entries, shuffled) in texts::lists().prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
        text in texts::small(),
    ) {
        let (one, two) = (words(&entries), words(&shuffled));
        let (folded, found) = find(&one, &text);
        let (_, other) = find(&two, &text);
        prop_assert_eq!(named(&one, &found), named(&two, &other));
        let mut backwards = spans(&other);
        backwards.reverse();
        prop_assert_eq!(mask(&text, &folded, &spans(&found)), mask(&text, &folded, &backwards));
    }

    #[test]
    fn p07_it_finds_what_a_naive_scan_finds(entries in texts::entries(), text in texts::small()) {
        let (folded, found) = find(&entries, &text);
        let found: BTreeSet<_> =
            found.iter().filter(|hit| hit.reading != Reading::Leet).map(|hit| (hit.entry, hit.start, hit.end, hit.reading)).collect();
        let expected: BTreeSet<_> = (0..).zip(&entries).flat_map(|(at, entry)| oracle::find(at, entry, folded.symbols())).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn p08_one_entry_more_changes_no_other_hit(entries in texts::entries(), more in texts::entry(), text in texts::small(), phrase: bool) {
        let (_, before) = find(&entries, &text);
        let mut entries = entries;
        entries.push(if phrase { allow(&more.text) } else { more });
        let (_, mut after) = find(&entries, &text);
        after.retain(|hit| (hit.entry as usize) + 1 < entries.len());
        prop_assert_eq!(before, after);
    }

    #[test]
    fn p11_ways_to_write_the_same_change_nothing(
        entries in texts::lists(), text in texts::small(), one in texts::transform(), two in texts::transform(),
    ) {
        let entries = words(&entries);
        // The stars of a text hide letters only of whole words, and a way to write them is a sign as well: leet is left out.
        let found = |text: &str| -> BTreeSet<(u32, Reading)> {
            let (_, found) = find(&entries, text);
            found.iter().filter(|hit| hit.reading != Reading::Leet).map(|hit| (hit.entry, hit.reading)).collect()
        };
        let expected = found(&text);
        let (first, both) = (one.apply(&text), two.apply(&one.apply(&text)));
        prop_assert_eq!(&found(&first), &expected, "{:?} of {:?}", one, first);
        prop_assert_eq!(&found(&both), &expected, "{:?} of {:?} of {:?}", two, one, both);
    }

    #[test]
    fn p13_a_run_is_at_least_as_long(runs in prop::collection::vec((1_usize..4, 1_usize..4), 1..5), han: bool) {
        let alphabet = if han { ['坏', '词', '语', '啊'] } else { ['a', 'b', 'c', 'd'] };
        let spell = |which: fn(&(usize, usize)) -> usize| -> String {
            runs.iter().zip(alphabet.iter().cycle()).flat_map(|(run, &char)| vec![char; which(run)]).collect()
        };
        let (entry, text) = (spell(|run| run.0), spell(|run| run.1));
        let (_, found) = find(&[word(&entry)], &text);
        let (first, last) = (runs[0], runs[runs.len() - 1]);
        let all = runs.iter().all(|run| run.1 >= run.0);
        prop_assert_eq!(!found.is_empty(), all, "{} in {}", entry, text);
        if all {
            // The whole of the runs at the ends belongs to it.
            prop_assert_eq!((found[0].start, found[0].end as usize), (0, text.chars().count()), "{:?} {:?}", first, last);
        }
    }

    #[test]
    fn p14_behind_a_hard_stop_begins_another_text(entries in texts::entries(), one in texts::small(), two in texts::small()) {
        // More signs than any entry allows.
        let stop = ".".repeat(judge::entry::GAPS_MAX as usize + 1);
        let (folded, alone) = find(&entries, &one);
        let end = folded.clusters();
        let (_, mut both) = find(&entries, &format!("{one}{stop}{two}"));
        both.retain(|hit| hit.end <= end);
        prop_assert_eq!(alone, both);
    }
}

#[test]
fn p10_borders_of_words() {
    for (beside, letter, digit, han) in [
        ("", true, true, true),
        ("x", false, true, true),
        ("é", false, true, true),
        ("ж", false, true, true),
        ("7", true, false, true),
        ("７", true, false, true),
        ("他", true, true, true),
        ("🙂", true, true, true),
        ("_", true, true, true),
        (" ", true, true, true),
        ("!", true, true, true),
        ("\u{200b}", true, true, true),
        ("x\u{200b}", false, true, true),
        ("x ", true, true, true),
        ("7.", true, false, true),
        ("7..", true, true, true),
    ] {
        let mirrored: String = beside.chars().rev().collect();
        for (text, expected) in [("word", letter), ("42", digit), ("坏词", han)] {
            for written in [format!("{beside}{text}"), format!("{text}{mirrored}"), format!("{beside}{text}{mirrored}")]
            {
                assert_eq!(!find(&[word(text)], &written).1.is_empty(), expected, "{written:?}");
            }
        }
    }
    // A mark belongs to its letter.
    assert_eq!(find(&[word("word")], "word\u{301}").1.len(), 1);
    let with = |boundary: Boundary, text: &str| Entry { boundary: boundary.into(), ..word(text) };
    for (boundary, text, written, expected) in [
        (Boundary::Anywhere, "word", "xwordx", true),
        (Boundary::Anywhere, "42", "1423", true),
        (Boundary::Whole, "坏词", "坏词语", false),
        (Boundary::Whole, "坏词", "x坏词", false),
        (Boundary::Whole, "坏词", "(坏词)", true),
        (Boundary::Whole, "word", "word他", false),
    ] {
        assert_eq!(!find(&[with(boundary, text)], written).1.is_empty(), expected, "{written:?}");
    }
}

#[test]
fn p12_gaps_up_to_the_limit() {
    for max in 0..=judge::entry::GAPS_MAX {
        for signs in 0..=20 {
            for (sign, text) in
                [(".", "坏词"), (" ", "坏词"), ("🙂", "坏词"), ("👍🏽", "ab"), ("-", "ab"), ("。", "a坏"), ("'", "12")]
            {
                let entry = Entry { gaps: Some(max), ..word(text) };
                let (one, two) = text.split_at(text.chars().next().unwrap().len_utf8());
                let written = format!("{one}{}{two}", sign.repeat(signs as usize));
                let (_, found) = find(&[entry], &written);
                assert_eq!(!found.is_empty(), signs <= max, "{written:?} with {max}");
            }
        }
    }
}
