//! A rule book at work: what a whole judgement costs by it, what an edit and a rebuild take, and how long a swap is.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use judge::{
    Book, Desk, Heard, Judge, Limits,
    book::{Edition, Lists, Press, chunks::pack},
    fold::{Folded, fold},
    rules::{self, Said, Scratch},
};
use proto::{
    MessageId,
    rules::Scope,
    v1::{self, Entry, Role, input::Body},
};

use crate::{
    measure::{each_ns, figure, note, peak_mib, resident_mib, time},
    world::World,
};

/// Measures with `entries` in force in all rooms; a judgement may take `most_ns`.
pub(crate) fn run(world: &World, name: &str, entries: &Arc<[Entry]>, most_ns: f64) {
    println!("\na rule book of {name}");
    let mut entries: BTreeMap<String, Entry> =
        entries.iter().enumerate().map(|(at, entry)| (at.to_string(), with_id(entry, at))).collect();
    let mut press = Press::default();
    let first = edition(1, &entries);
    let ((), took) =
        time(|| press.take(first).unwrap_or_else(|why| unreachable!("the world's entries are good: {why}")));
    figure("the first version", took.as_secs_f64() * 1e3, "ms", 3_000.0);
    let Some(book) = press.book() else { unreachable!("a version is in force") };
    ruling(world, &book);
    judgement(world, &book, most_ns);
    edits(&mut press, &mut entries);
    rebuild(&mut press, &entries);
}

fn with_id(entry: &Entry, at: usize) -> Entry {
    Entry { id: at.to_string(), ..entry.clone() }
}

fn edition(number: u64, entries: &BTreeMap<String, Entry>) -> Edition {
    let chunks = pack(entries.values()).unwrap_or_default();
    let chunks = chunks.into_iter().map(|chunk| (chunk.hash, chunk.packed)).collect();
    Edition { scope: Scope::Global, number, policy: None, chunks }
}

/// The rules alone, on folded texts.
fn ruling(world: &World, book: &Book) {
    let folded = |text: &String| {
        let mut folded = Folded::default();
        fold(text, &mut folded);
        folded
    };
    let all: Vec<Folded> = world.texts.iter().map(folded).collect();
    let mut scratch = Scratch::default();
    let ns = each_ns(&all, |folded| {
        let said = Said { room: "demo", role: Role::Sender, folded, name: "somebody", at_ms: 1 };
        rules::judge(book, said, &mut scratch)
    });
    note("the ruling", ns);
}

/// From a decoded record to the records that are written, limits and memories included.
fn judgement(world: &World, book: &Book, most_ns: f64) {
    let heard = |(at, text): (usize, &String)| {
        let name = format!("user {}", at % 5_000);
        let user = Some(v1::User { id: name.clone(), name, ..v1::User::default() });
        let say = Body::Say(v1::Say { text: text.clone(), ..v1::Say::default() });
        let input = v1::Input { room: "demo".into(), user, role: 1, body: Some(say), ..v1::Input::default() };
        let id = MessageId { generation: 1, partition: 0, offset: at as u64 };
        Heard::new(id, 1_700_000_000_000 + at as i64, input).ok()
    };
    let limits = Limits { budget_per_s: 0, ..Limits::default() };
    let round = || {
        let all: Vec<Heard> = world.texts.iter().enumerate().filter_map(heard).collect();
        let (mut judge, mut desk, count) = (Judge::new(limits), Desk::default(), all.len());
        let judge_all = || all.into_iter().for_each(|heard| drop(judge.judge(&mut desk, book, heard, 0)));
        time(judge_all).1.as_secs_f64() * 1e9 / count as f64
    };
    let best = (0..7).map(|_| round()).fold(f64::MAX, f64::min);
    figure("the whole judgement", best, "ns", most_ns);
}

/// Single edits, each put in force with a swap.
fn edits(press: &mut Press, entries: &mut BTreeMap<String, Entry>) {
    let shelf = ArcSwapOption::<Book>::empty();
    let (mut slowest_edit, mut slowest_swap, mut retired) = (Duration::ZERO, Duration::ZERO, Vec::new());
    for number in 2..102 {
        let id = format!("new {number}");
        entries.insert(id.clone(), Entry { id, text: format!("blorp{number}"), severity: 2, ..Entry::default() });
        let next = edition(number, entries);
        let (book, took) = time(|| press.take(next).ok().and_then(|()| press.book()).map(Arc::new));
        slowest_edit = slowest_edit.max(took);
        // What a judging thread sees of it.
        let (old, took) = time(|| (shelf.swap(book), shelf.load_full()).0);
        slowest_swap = slowest_swap.max(took);
        retired.extend(old);
    }
    figure("an edit, the slowest of 100", slowest_edit.as_secs_f64() * 1e3, "ms", 50.0);
    figure("a swap, the slowest of 100", slowest_swap.as_secs_f64() * 1e3, "ms", 1.0);
}

/// The large automaton anew, while the old one is in force.
fn rebuild(press: &mut Press, entries: &BTreeMap<String, Entry>) {
    let next = edition(1_000, entries);
    let before = resident_mib();
    let (lists, took) = time(|| Lists::new(next));
    figure("a rebuild in the background", took.as_secs_f64() * 1e3, "ms", 2_000.0);
    println!("    {:.0} MiB before it, the most at any time {:.0} MiB", before, peak_mib());
    if let Ok(lists) = lists {
        let (_, took) = time(|| press.rebase(lists));
        figure("standing the edits on it", took.as_secs_f64() * 1e3, "ms", 500.0);
    }
}
