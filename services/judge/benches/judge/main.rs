//! What the judgement of one text costs, stage by stage, on the shape of a live room.
//!
//! `make bench-filter` runs it. Real texts and lists are read from the folder that `DANMAKU_SHARED` names, `../shared` beside
//! this repository unless told otherwise; without it they are made up, and this is said. Nothing of them is printed.

#![allow(clippy::print_stdout, reason = "figures are for whoever reads the terminal")]

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
    let small = list("65,000 words", &world.words(65_039, 0));
    stages(&world, "65,000 words", &small, 2_500.0);
    let large = list("100,000 words and 20,000 allow phrases", &world.words(100_000, 20_118));
    stages(&world, "100,000 words and 20,000 allow phrases", &large, 4_000.0);
    worst(&large);
    book::run(&world, "65,000 words", small.entries(), 2_500.0);
    book::run(&world, "100,000 words and 20,000 allow phrases", large.entries(), 4_000.0);
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
    println!("  each of {} texts, ns; {:.1} characters on average", world.texts.len(), world.chars());
    let folding = each_ns(&world.texts, |text| fold(text, &mut folded));
    measure::note("fold", folding);
    let all: Vec<Folded> = world.texts.iter().map(|text| folded_text(text)).collect();
    let finding = each_ns(&all, |folded| {
        found.clear();
        matcher.find(folded, &mut scratch, &mut found);
    });
    measure::figure("fold and find", folding + finding, "ns", 1_800.0);
    measure::note("find", finding);
    let contacts = each_ns(&all, |folded| {
        found.clear();
        contact::find(folded, &[], &mut found);
    });
    measure::note("contact", contacts);
    let masked: Vec<(&String, &Folded, [std::ops::Range<u32>; 1])> =
        world.texts.iter().zip(&all).map(|(text, folded)| (text, folded, [0..folded.clusters() / 2])).collect();
    let masking = each_ns(&masked, |(text, folded, spans)| std::hint::black_box(mask(text, folded, spans)));
    measure::note("mask, of those that are masked", masking);
    let mut hits = 0;
    for folded in &all {
        found.clear();
        matcher.find(folded, &mut scratch, &mut found);
        hits += found.len();
    }
    println!("    {hits} hits");
    measure::figure(&format!("all but mask, {name}"), folding + finding + contacts, "ns", whole_ns);
}

fn worst(matcher: &Matcher) {
    let (mut folded, mut scratch, mut found) = (Folded::default(), Scratch::default(), Vec::new());
    let mut judge = |text: &str| {
        found.clear();
        fold(text, &mut folded);
        matcher.find(&folded, &mut scratch, &mut found);
        contact::find(&folded, &[], &mut found);
    };
    println!("\nworst cases");
    let long = world::texts_of(60, 20_000);
    let mut each: Vec<f64> = long.iter().map(|text| time(|| judge(text)).1.as_secs_f64() * 1e6).collect();
    measure::figure("60 characters, p99", percentile(&mut each, 0.99), "µs", 200.0);
    for (name, text) in world::worst_texts() {
        let best = (0..5).map(|_| time(|| judge(&text)).1.as_secs_f64() * 1e3).fold(f64::MAX, f64::min);
        measure::figure(&format!("64 KiB of {name}"), best, "ms", 5.0);
    }
}

fn folded_text(text: &str) -> Folded {
    let mut folded = Folded::default();
    fold(text, &mut folded);
    folded
}
