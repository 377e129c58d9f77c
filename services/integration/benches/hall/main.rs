//! The hall's figures, from outside: real Kafka, one fanout process on one core, its viewers on the other.
//!
//! `make bench-fanout` runs it. Words on the line pick parts: `deliver`, `hot`, `connect`, `memory`, and `stalls`, which is
//! the longest part of `memory`; `--rounds N` (default 5) and `--stall-minutes N` (default 2, the promise is for 10, and 4
//! to warm up come before) say how long. What a shard's writing costs beside a raw loop is measured inside fanout, by
//! `shard/tests/bench.rs`.

#![allow(clippy::print_stdout, reason = "figures are for whoever reads the terminal")]

mod bench;
mod connect;
mod crowd;
mod deliver;
mod ears;
mod feed;
mod floor;
mod hot;
mod memory;
mod plain;
mod probe;
mod servant;

use std::process::ExitCode;

use anyhow::Context as _;

fn main() -> anyhow::Result<ExitCode> {
    // Cargo's own word to every benchmark.
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut parts, mut rounds, mut stall_minutes) = (Vec::new(), 5, 2);
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|word| word.parse().ok()).context(word.clone());
        match &*word {
            "floor" => return floor::run(arguments).map(|()| ExitCode::SUCCESS),
            "plain" => return plain::run().map(|()| ExitCode::SUCCESS),
            "--rounds" => rounds = number()? as usize,
            "--stall-minutes" => stall_minutes = number()?,
            "deliver" | "hot" | "connect" | "memory" | "stalls" => parts.push(word),
            _ => {
                anyhow::bail!("{word}: there are deliver, hot, connect, memory, stalls, --rounds N, --stall-minutes N")
            }
        }
    }
    let mut bench = bench::Bench::new(rounds, stall_minutes)?;
    let mut feed = feed::Feed::new(&bench.world.cluster(), &bench.world.prefix, integration::world::PARTITIONS)?;
    let is_asked = |part: &str| parts.is_empty() || parts.iter().any(|asked| asked == part);
    println!("  load {} at the beginning", probe::load());
    if is_asked("deliver") {
        deliver::run(&mut bench, &mut feed)?;
    }
    if is_asked("hot") {
        hot::run(&mut bench, &mut feed)?;
    }
    if is_asked("connect") {
        connect::run(&mut bench, &mut feed)?;
    }
    if is_asked("memory") {
        memory::run(&mut bench, &mut feed)?;
    }
    if is_asked("stalls") || is_asked("memory") {
        memory::stalls(&mut bench, &mut feed)?;
    }
    Ok(if bench.report() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
