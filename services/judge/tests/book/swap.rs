//! Goal: every message is judged by one version whole, and the same version says the same everywhere. Method: eight threads
//! read while two books that disagree on every message are swapped; and books that came to be in different ways.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use arc_swap::ArcSwap;
use judge::{
    Book,
    fold::{Folded, fold},
    rules::{self, Action, Said, Scratch},
};
use proto::{RoomId, rules::Scope, v1::Entry};

use crate::{
    publisher::{Publisher, compacted, entry, room},
    reader::{Reader, ruling, said},
};

/// A book of which every part says its own version: the text, the room's list and the name.
fn book(version: u64) -> Book {
    let of = |id: String, text: &str| Entry { severity: 2, ..entry(&id, text) };
    let entries = vec![of(format!("{version}:text"), "blorp"), of(format!("{version}:name"), "fnord")];
    let in_room = vec![of(format!("{version}:room"), "grunk")];
    Book::of_entries(version, entries, None).unwrap().with_room(RoomId::new("demo").unwrap(), in_room, None).unwrap()
}

#[test]
fn p17_no_message_is_judged_by_a_mix() {
    let shelf = Arc::new(ArcSwap::from_pointee(book(1)));
    let (is_over, seen) = (Arc::new(AtomicBool::new(false)), Arc::new([const { AtomicUsize::new(0) }; 2]));
    let readers: Vec<_> = (0..8)
        .map(|_| {
            let (shelf, is_over, seen) = (Arc::clone(&shelf), Arc::clone(&is_over), Arc::clone(&seen));
            thread::spawn(move || read(&shelf, &is_over, &seen))
        })
        .collect();
    // Swapped until each version has judged a good many messages.
    let enough = || seen.iter().all(|count| count.load(Ordering::Relaxed) >= 1_000);
    for version in (1..=2u64).cycle() {
        shelf.store(Arc::new(book(version)));
        thread::yield_now();
        if enough() {
            break;
        }
    }
    is_over.store(true, Ordering::Relaxed);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}

fn read(shelf: &ArcSwap<Book>, is_over: &AtomicBool, seen: &[AtomicUsize; 2]) {
    let (mut folded, mut scratch) = (Folded::default(), Scratch::default());
    fold("blorp grunk", &mut folded);
    while !is_over.load(Ordering::Relaxed) {
        let book = shelf.load_full();
        let ruling = rules::judge(&book, Said { folded: &folded, name: "fnord", ..said() }, &mut scratch);
        let versions: Vec<&str> = ruling.hits.iter().filter_map(|hit| Some(hit.entry.split_once(':')?.0)).collect();
        assert_eq!(versions, [&*book.version.to_string(); 3], "{:?}", ruling.hits);
        seen[book.version as usize - 1].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn p16_the_same_version_says_the_same_however_it_came_to_be() {
    let mut publisher = Publisher::default();
    let texts = ["blorp", "坏词语", "词语", "grunk", "blorpgrunk"];
    for step in 0..40u32 {
        let chosen = texts.iter().enumerate().filter(|(at, _)| (step + 1) >> at & 1 == 1 || *at == 0);
        let severity = |at: usize| 1 + (at as u32 + step) % 4;
        let entries: Vec<Entry> =
            chosen.map(|(at, text)| Entry { severity: severity(at), ..entry(&format!("e{at}"), text) }).collect();
        publisher.publish(&Scope::Global, &entries, None);
        if step % 5 == 0 {
            publisher.publish(&room("demo"), &entries[..1], None);
        }
    }
    let mut live = Reader::default();
    live.assembly.caught_up();
    publisher.log.iter().for_each(|written| live.follow(written));
    let late = Reader::of(&compacted(&publisher.log, publisher.log.len(), false));
    let (live, late) = (live.book(), late.book());
    assert_eq!(live.version, late.version);
    for text in ["blorp", "坏词语 blorp", "blorpgrunk", "词语词语", "grunk 坏词语 grunk", "nothing"] {
        for room in ["demo", "other"] {
            let (one, other) = (ruling(&live, room, text), ruling(&late, room, text));
            assert_eq!(one, other, "{text} in {room}");
        }
    }
    assert_ne!(ruling(&live, "demo", "blorp").action, Action::Pass);
}

#[test]
fn what_is_known_of_a_name_does_not_outlive_its_book() {
    let clean = Book::of_entries(1, vec![entry("e", "grunk")], None).unwrap();
    let strict = Book::of_entries(1, vec![entry("e", "fnord")], None).unwrap();
    let (folded, mut scratch) = (Folded::default(), Scratch::default());
    let mut name =
        |book: &Book| rules::judge(book, Said { folded: &folded, name: "fnord", ..said() }, &mut scratch).name;
    assert_eq!(name(&clean), None);
    assert_eq!(name(&clean), None);
    // Of the same number, but not the same.
    assert_eq!(name(&strict).as_deref(), Some("*****"));
    assert_eq!(name(&clean), None);
}
