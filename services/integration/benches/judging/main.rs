//! The filter's figures, from outside, on real Kafka: how many messages it judges in a second of its CPU, and how soon it
//! judges by an edit, with a long word list.
//!
//! `make bench-filter` runs it. A backlog is written first; then one filter on one core works it off, and its CPU time is taken
//! between a tenth and nine tenths. What a judgement alone costs is measured by the judge's own benchmark.
//!
//! Words and texts are real ones where `DANMAKU_SHARED` names a folder with `words/*deny*.txt` and `data/*live_room*.ndjson`.

#![allow(clippy::print_stdout, reason = "figures are for whoever reads the terminal")]

mod edits;
mod flood;
#[path = "../hall/probe.rs"]
#[allow(dead_code, reason = "shared with the hall's benchmark, which asks for more")]
mod probe;
mod texts;

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use integration::{Kafka, Node, World, until, world::PARTITIONS};

/// Enough for seconds of work.
const MESSAGES: u64 = 600_000;

/// So many that none is over its budget of 200 messages a second, however fast the backlog was written.
const ROOMS: u64 = 6_000;

/// What is asked of a CPU-second.
const A_CPU_SECOND: f64 = 100_000.0;

const WITHIN: Duration = Duration::from_secs(120);

fn main() -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let kafka = Arc::new(Kafka::start(&integration::kafka::Plan::default())?);
    let logs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let program = Path::new(env!("CARGO_BIN_EXE_node"));
    let world = runtime.block_on(World::on(kafka.clone(), "judging", program, &logs));
    let words = texts::words(world.folder())?;
    println!("  load {}, {} words", probe::load(), words.count);
    flood::write(&world, MESSAGES, ROOMS, &texts::said()?)?;
    let a_second = runtime.block_on(judged_a_cpu_second(&world, &words.file))?;
    let judged =
        figure("messages judged in a CPU-second of the filter", a_second, "", a_second >= A_CPU_SECOND, "≥ 100000");
    drop(world);
    let mut world = runtime.block_on(World::on(kafka, "edits", program, &logs));
    world.by_the_book = true;
    let edits = runtime.block_on(edits::measure(&world))?;
    println!("  load {}", probe::load());
    Ok(if judged && edits { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a figure beside what it has to be; whether it is.
fn figure(what: &str, value: f64, unit: &str, is_held: bool, bound: &str) -> bool {
    println!("  {what:<50} {value:10.1} {unit:<2} {bound:>9} {}", if is_held { "held" } else { "MISSED" });
    is_held
}

async fn judged_a_cpu_second(world: &World, words: &Path) -> anyhow::Result<f64> {
    let words = words.display().to_string();
    let node = world.filter(&["--words", &words, "--judge-threads", "1"]).await;
    probe::pin(node.pid())?;
    let (first, begun) = passed(&node, MESSAGES / 10).await?;
    let (last, done) = passed(&node, MESSAGES * 9 / 10).await?;
    println!("  {:?}", node.metrics().await.by("danmaku_filter_judged_total", "verdict"));
    println!("  {:.1} MB resident", node.memory_kib() as f64 / 1024.0);
    Ok((last - first) / (done - begun).as_secs_f64())
}

/// How many were judged, and the CPU time so far, once it is `count` at least.
async fn passed(node: &Node, count: u64) -> anyhow::Result<(f64, Duration)> {
    let judged = until("the backlog is worked off", WITHIN, async || {
        let judged = node.metrics().await.sum("danmaku_filter_judged_total");
        (judged >= count as f64).then_some(judged)
    });
    Ok((judged.await, probe::cpu(node.pid())?))
}

/// The partitions that rooms are spread over.
pub(crate) const SPREAD: i32 = PARTITIONS;
