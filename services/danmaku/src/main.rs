//! The `danmaku` program: everything in one process, or one of its small commands.
#![forbid(unsafe_code)]

use std::{ffi::OsString, process::ExitCode};

use chassis::{program::block_on, settings};
use danmaku::{drain, keys, token, topics, up};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    match args.get(1).and_then(|command| command.to_str()) {
        Some("token") => token::run(&parse(&args, "danmaku token")),
        Some("keys") => keys::run(&parse(&args, "danmaku keys")),
        Some("topics") => block_on(topics::run(parse(&args, "danmaku topics"))),
        Some("drain") => block_on_code(drain::run(parse(&args, "danmaku drain"))),
        // Everything else belongs to `up`, whose help tells of the commands too.
        _ => block_on(up::run(settings::parse())),
    }
}

/// For a command whose answer is its exit code.
fn block_on_code(run: impl Future<Output = ExitCode>) -> ExitCode {
    let mut code = ExitCode::FAILURE;
    let outcome = block_on(async {
        code = run.await;
        Ok(())
    });
    if outcome == ExitCode::SUCCESS { code } else { outcome }
}

/// The settings of a command: what stands behind its name.
fn parse<T: settings::Settings>(args: &[OsString], name: &str) -> T {
    let command = std::iter::once(OsString::from(name)).chain(args.iter().skip(2).cloned());
    settings::parse_from(command).unwrap_or_else(|stop| stop.exit())
}
