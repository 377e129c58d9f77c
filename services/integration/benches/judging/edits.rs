//! How long a moderator's edit takes until three filters judge by it, with 100,000 words in force; and what a filter needs of
//! memory meanwhile.

use std::time::{Duration, Instant};

use chassis::tokens::Role;
use integration::{
    Node, World,
    moderator::{Moderator, in_force, number},
};
use serde_json::json;

use crate::{figure, probe, texts};

/// A large platform's list.
const WORDS: u32 = 100_000;

const EDITS: usize = 100;

const IMPORT_AT_MOST: Duration = Duration::from_secs(5);
const P50_AT_MOST: Duration = Duration::from_millis(200);
const P99_AT_MOST: Duration = Duration::from_secs(1);

/// At the most, a filter needs this many times what it needs once it stands still.
const PEAK_AT_MOST: f64 = 2.0;

/// Imports the list, makes single edits of it, and tells whether all figures hold.
pub(crate) async fn measure(world: &World) -> anyhow::Result<bool> {
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let (one, two, three) = (world.filter(&[]), world.filter(&[]), world.filter(&[]));
    let first = ann.block("house", "blorp").await;
    let (one, two, three) = tokio::join!(one, two, three);
    let filters = [&one, &two, &three];
    in_force(&filters, first).await;
    let import = import(&ann, &filters).await;
    let mut took = Vec::with_capacity(EDITS);
    for turn in 0..EDITS {
        let began = Instant::now();
        in_force(&filters, ann.block("house", &format!("xyzzy{turn}")).await).await;
        took.push(began.elapsed());
    }
    took.sort();
    let at_most = |what: &str, took: Duration, bound: Duration| {
        figure(what, took.as_secs_f64() * 1e3, "ms", took <= bound, &format!("≤ {:.0}", bound.as_secs_f64() * 1e3))
    };
    let peak = filters.iter().map(|filter| peak(filter)).collect::<anyhow::Result<Vec<f64>>>()?;
    let peak = peak.into_iter().fold(0.0, f64::max);
    Ok([
        at_most("import of 100,000 words, answered", import, IMPORT_AT_MOST),
        at_most("edit to in force on three filters, p50", took[EDITS / 2], P50_AT_MOST),
        at_most("  p99", took[EDITS * 99 / 100], P99_AT_MOST),
        figure("a filter's memory at its most / now", peak, "×", peak < PEAK_AT_MOST, &format!("< {PEAK_AT_MOST}")),
    ]
    .iter()
    .all(|is_held| *is_held))
}

/// Until the service has answered; then waits until the list is in force.
async fn import(ann: &Moderator, filters: &[&Node]) -> Duration {
    let words: String = (0..WORDS).map(|number| texts::invented(number, 3 + number % 6) + "\n").collect();
    let began = Instant::now();
    let made = ann.post("lists/house/import?force=true", &json!({ "text": words, "sample": [] })).await;
    let answered = began.elapsed();
    in_force(filters, number(&made["version"])).await;
    println!("  {:.1} s until three filters had it", began.elapsed().as_secs_f64());
    answered
}

/// How many times of what it has now a process has had at the most.
fn peak(filter: &Node) -> anyhow::Result<f64> {
    let (most, now) = (probe::status(filter.pid(), "VmHWM")?, probe::status(filter.pid(), "VmRSS")?);
    println!("  {:.0} MB, at the most {:.0}", now as f64 / 1e6, most as f64 / 1e6);
    Ok(most as f64 / now as f64)
}
