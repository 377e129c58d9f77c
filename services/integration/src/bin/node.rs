//! One service as a process of its own: `node ingest|filter|fanout|moderation FLAGS…`, the service's own flags; and
//! `node danmaku doctor|canary|topics FLAGS…`, commands that look at such services and their topics.
//!
//! It ends when its standard input does, so that no service outlives the test that started it, however that ended.
#![forbid(unsafe_code)]

use std::{
    io::{self, Read as _},
    process::ExitCode,
    thread,
};

use chassis::{program, settings};
use clap::Parser as _;
use danmaku::{canary::Canary, doctor::Doctor};

fn main() -> ExitCode {
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    let service = args.first().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if args.is_empty() {
        args.push("node".into());
    }
    thread::spawn(end_with_parent);
    match service.as_str() {
        "ingest" => program::block_on(ingest::run(parse(args))),
        "filter" => program::block_on(filter::run(parse(args))),
        "fanout" => program::block_on(fanout::run(parse(args))),
        "moderation" => program::block_on(moderation::run(parse(args))),
        "danmaku" => command(&args),
        _ => {
            eprintln!("node: first comes ingest, filter, fanout, moderation or danmaku");
            ExitCode::FAILURE
        }
    }
}

fn command(args: &[std::ffi::OsString]) -> ExitCode {
    let line = args.iter().skip(1);
    let mut code = ExitCode::FAILURE;
    let outcome = program::block_on(async {
        code = match args.get(1).and_then(|name| name.to_str()) {
            Some("doctor") => danmaku::doctor::run(Doctor::parse_from(line)).await,
            Some("canary") => danmaku::canary::run(Canary::parse_from(line)).await,
            Some("topics") => {
                danmaku::topics::run(parse(line.cloned().collect())).await?;
                ExitCode::SUCCESS
            }
            _ => anyhow::bail!("behind danmaku comes doctor, canary or topics"),
        };
        Ok(())
    });
    if outcome == ExitCode::SUCCESS { code } else { outcome }
}

fn parse<S: settings::Settings>(args: Vec<std::ffi::OsString>) -> S {
    settings::parse_from(args).unwrap_or_else(|stop| stop.exit())
}

/// The test holds the other end of our standard input and never writes.
fn end_with_parent() {
    let _ = io::stdin().read(&mut [0]);
    std::process::exit(2);
}
