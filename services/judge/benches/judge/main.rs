//! What the judgement of one text costs, stage by stage, on the shape of a live room.
//!
//! `make bench-filter` runs it. Real texts and lists are read from the folder that `DANMAKU_SHARED` names, `../shared` beside
//! this repository unless told otherwise; without it they are made up, and this is said. Nothing of them is printed.
//! The word `engines` compares the libraries instead.

#![allow(clippy::print_stdout, reason = "figures are for whoever reads the terminal")]

mod engines;
mod measure;
mod world;
mod book;

use std::{process::ExitCode, sync::Arc};

use judge::{
    contact,
    fold::{Folded, fold},
    mask::mask,
    matcher::{Found, Matcher, Scratch},
};
use measure::{each_ns, percentile, resident_mib, time};
use proto::v1::Entry;
use world::World;

fn main() -> ExitCode {
    let world = World::load();
    println!("texts: {}; words: {}", world.texts_from, world.words_from);
    let lists = [
        ("65,000 words", world.words(65_039, 0)),
        ("100,000 words and 20,000 allow phrases", world.words(100_000, 20_118)),
    ];
    if std::env::args().any(|word| word == "engines") {
        lists.iter().for_each(|(name, entries)| engines::compare(name, &world.texts, entries));
        return ExitCode::SUCCESS;
    }
    for ((name, entries), whole_ns) in lists.iter().zip([2_500.0, 4_000.0]) {
        let matcher = list(name, entries);
        stages(&world, name, &matcher, whole_ns);
        worst(&matcher);
        drop(matcher);
        book::run(&world, name, entries, whole_ns);
    }
    ExitCode::from(u8::from(!measure::all_held()))
}

/// Compiles a list, and says what that takes.
fn list(name: &str, entries: &Arc<[Entry]>) -> Matcher {
    let before = resident_mib();
    let (matcher, took) = time(|| Matcher::new(Arc::clone(entries)));
    let matcher = matcher.unwrap_or_else(|error| unreachable!("the world's entries are good: {error}"));
    println!("\n{name}: {} entries", entries.len());
    measure::figure("compiled in", took.as_secs_f64() * 1e3, "ms", 2_000.0);
    let heap = matcher.heap_bytes() as f64 / f64::from(1 << 20);
    measure::figure("on the heap", heap, "MiB", 50.0);
    println!(
        "    resident memory grew by {:.0} MiB, the most at any time by {:.0}",
        resident_mib() - before,
        measure::peak_mib() - before
    );
    matcher
}

fn stages(world: &World, name: &str, matcher: &Matcher, whole_ns: f64) {
    let (mut folded, mut scratch, mut found) = (Folded::default(), Scratch::default(), Vec::<Found>::new());
    println!("  each of {} texts; {:.1} characters on average", world.texts.len(), world.chars());
    let covered = 0..2;
    // Stages are added one by one, as a judge has them: on one buffer, which stays in the cache.
    let mut each = |stages: usize| {
        each_ns(&world.texts, |text| {
            found.clear();
            fold(text, &mut folded);
            if stages > 1 {
                matcher.find(&folded, &mut scratch, &mut found);
            }
            if stages > 2 {
                contact::find(&folded, &[], &mut found);
            }
            if stages > 3 {
                std::hint::black_box(mask(text, &folded, std::slice::from_ref(&covered)));
            }
            found.len()
        })
    };
    let all = [each(1), each(2), each(3), each(4)];
    for (stage, ns) in ["fold", "find", "contact", "mask, if all were masked"].iter().zip([
        all[0],
        all[1] - all[0],
        all[2] - all[1],
        all[3] - all[2],
    ]) {
        measure::note(stage, ns);
    }
    let hits: usize = world
        .texts
        .iter()
        .map(|text| {
            found.clear();
            fold(text, &mut folded);
            matcher.find(&folded, &mut scratch, &mut found);
            found.len()
        })
        .sum();
    println!("    {hits} hits");
    measure::figure("fold and find", all[1], "ns", 1_800.0);
    measure::figure(&format!("with contacts, {name}"), all[2], "ns", whole_ns);
}

fn worst(matcher: &Matcher) {
    let (mut folded, mut scratch, mut found) = (Folded::default(), Scratch::default(), Vec::new());
    let mut judge = |text: &str| {
        found.clear();
        fold(text, &mut folded);
        matcher.find(&folded, &mut scratch, &mut found);
        contact::find(&folded, &[], &mut found);
    };
    println!("  worst cases");
    let long = world::texts_of(60, 20_000);
    let mut each: Vec<f64> = long.iter().map(|text| time(|| judge(text)).1.as_secs_f64() * 1e6).collect();
    measure::figure("60 characters, p99", percentile(&mut each, 0.99), "µs", 200.0);
    for (name, text) in world::worst_texts() {
        let best = (0..5).map(|_| time(|| judge(&text)).1.as_secs_f64() * 1e3).fold(f64::MAX, f64::min);
        measure::figure(&format!("64 KiB of {name}"), best, "ms", 5.0);
    }
}
