//! The `danmaku` program: everything in one process, or one of its small commands.
#![forbid(unsafe_code)]

use std::{ffi::OsString, process::ExitCode};

use chassis::{program::block_on, settings};
use danmaku::{canary, doctor, drain, holds, keys, mode, papers, recall, sanction, token, topics, up, words};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    match args.get(1).and_then(|command| command.to_str()) {
        Some("token") => token::run(&parse(&args, "danmaku token")),
        Some("keys") => keys::run(&parse(&args, "danmaku keys")),
        Some("topics") => block_on(topics::run(parse(&args, "danmaku topics"))),
        Some("drain") => block_on_code(drain::run(parse(&args, "danmaku drain"))),
        Some("canary") => block_on_code(canary::run(asked(&args, "danmaku canary"))),
        Some("doctor") => block_on_code(doctor::run(asked(&args, "danmaku doctor"))),
        Some("completions") => papers::completions(&asked(&args, "danmaku completions")),
        Some("man") => papers::man(&asked(&args, "danmaku man")),
        Some("words") => block_on_code(words::run(asked(&args, "danmaku words"))),
        Some("mute") => block_on_code(sanction::mute(asked(&args, "danmaku mute"))),
        Some("unmute") => block_on_code(sanction::unmute(asked(&args, "danmaku unmute"))),
        Some("ban") => block_on_code(sanction::ban(asked(&args, "danmaku ban"))),
        Some("unban") => block_on_code(sanction::unban(asked(&args, "danmaku unban"))),
        Some("recall") => block_on_code(recall::run(asked(&args, "danmaku recall"))),
        Some("mode") => block_on_code(mode::run(asked(&args, "danmaku mode"))),
        Some("holds") => block_on_code(holds::run(asked(&args, "danmaku holds"))),
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
    settings::parse_from(line(args, name)).unwrap_or_else(|stop| stop.exit())
}

/// What a command that asks a server is told. Wrong usage ends it with 2, as clap does: 1 is the server's no.
fn asked<T: clap::Parser>(args: &[OsString], name: &str) -> T {
    T::parse_from(line(args, name))
}

fn line(args: &[OsString], name: &str) -> impl Iterator<Item = OsString> {
    std::iter::once(OsString::from(name)).chain(args.iter().skip(2).cloned())
}
