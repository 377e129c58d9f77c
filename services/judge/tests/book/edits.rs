//! Goal: lists that were edited step by step say what lists say that are built at once. Method: a script of random edits, with
//! the large automaton built anew in the background now and then.

use std::collections::BTreeMap;

use judge::{
    Book,
    book::{Edition, Lists, Press, chunks::pack},
};
use proto::{rules::Scope, v1::Entry};

use crate::{
    publisher::entry,
    reader::{ruling, ruling_of, said},
};
use judge::rules::Said;

/// A source of numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

const SYLLABLES: [&str; 6] = ["bl", "orp", "坏", "词", "gru", "nk"];

fn text(dice: &mut Dice, most: usize) -> String {
    (0..=dice.roll(most)).map(|_| SYLLABLES[dice.roll(SYLLABLES.len())]).collect()
}

fn edition(number: u64, entries: &BTreeMap<String, Entry>) -> Edition {
    let chunks = pack(entries.values()).unwrap();
    let chunks = chunks.into_iter().map(|chunk| (chunk.hash, chunk.packed)).collect();
    Edition { scope: Scope::Global, number, policy: None, chunks }
}

/// Adds, removes or changes an entry.
fn edit(dice: &mut Dice, entries: &mut BTreeMap<String, Entry>) {
    let id = format!("e{}", dice.roll(60));
    match (dice.roll(3), entries.contains_key(&id)) {
        (0, true) if entries.len() > 1 => drop(entries.remove(&id)),
        (1, true) => entries.get_mut(&id).unwrap().severity = 1 + dice.roll(4) as u32,
        _ => {
            let text = text(dice, 3);
            entries.insert(id.clone(), entry(&id, &text));
        }
    }
}

#[test]
fn p18_ten_thousand_edits_are_as_built_at_once() {
    let (mut dice, mut press, mut entries) = (Dice(7), Press::default(), BTreeMap::new());
    entries.insert("e0".to_owned(), entry("e0", "blorp"));
    let mut building: Option<Edition> = None;
    let mut edits = 0;
    for number in 1.. {
        for _ in 0..=dice.roll(9) {
            edit(&mut dice, &mut entries);
            edits += 1;
        }
        let edition = edition(number, &entries);
        press.take(edition.clone()).unwrap();
        match dice.roll(40) {
            0 => building = Some(edition.clone()),
            1 if let Some(begun) = building.take() => press.rebase(Lists::new(begun).unwrap()).unwrap(),
            _ => {}
        }
        if number % 20 == 0 {
            let (edited, built) = (press.book().unwrap(), built(edition));
            for _ in 0..20 {
                let text = text(&mut dice, 8);
                assert_eq!(ruling(&edited, "demo", &text), ruling(&built, "demo", &text), "{text} at version {number}");
            }
            assert_eq!(edited.entries(), built.entries());
        }
        if edits >= 10_000 {
            return;
        }
    }
}

fn built(edition: Edition) -> Book {
    let mut press = Press::default();
    press.take(edition).unwrap();
    press.book().unwrap()
}

#[test]
fn p18_added_then_removed_is_as_before() {
    let entries: BTreeMap<String, Entry> =
        (0..500).map(|n| (format!("e{n}"), entry(&format!("e{n}"), &format!("blorp{n}")))).collect();
    let before = Lists::new(edition(1, &entries)).unwrap();
    let mut more = entries.clone();
    more.insert("new".into(), entry("new", "fnord"));
    more.remove("e7");
    more.get_mut("e8").unwrap().severity = 1;
    let edited = before.next(edition(2, &more)).unwrap();
    // One new, one gone, and one that is both.
    assert_eq!((edited.len(), edited.changes()), (500, 4));
    let after = edited.next(edition(3, &entries)).unwrap();
    assert_eq!((after.len(), after.changes()), (500, 0));
}

#[test]
fn an_import_is_built_at_once_and_small_edits_are_not() {
    let many = |count: usize| -> BTreeMap<String, Entry> {
        (0..count).map(|n| (format!("e{n}"), entry(&format!("e{n}"), &format!("blorp{n}")))).collect()
    };
    let mut press = Press::default();
    press.take(edition(1, &many(10))).unwrap();
    press.take(edition(2, &many(2_000))).unwrap();
    assert!(press.overdue().is_none());
    press.take(edition(3, &many(2_100))).unwrap();
    let begun = press.overdue().expect("too many changes").clone();
    press.take(edition(4, &many(2_101))).unwrap();
    press.rebase(Lists::new(begun).unwrap()).unwrap();
    assert!(press.overdue().is_none());
    assert_eq!((press.in_force(&Scope::Global), press.book().unwrap().entries()), (4, 2_101));
    // More than may lie in the small automaton.
    press.take(edition(5, &many(13_000))).unwrap();
    assert!(press.overdue().is_none());
    assert_eq!(press.book().unwrap().entries(), 13_000);
}

#[test]
fn entries_begin_and_end_by_the_time_of_the_record() {
    let timed = Entry { starts_ms: 1_000, expires_ms: 2_000, ..entry("e1", "blorp") };
    let book = Book::of_entries(1, vec![timed], None).unwrap();
    for (at_ms, hits) in [(999, 0), (1_000, 1), (1_999, 1), (2_000, 0)] {
        assert_eq!(ruling_of(&book, "blorp", Said { at_ms, ..said() }).hits.len(), hits, "{at_ms}");
    }
}
