//! The `loadtest` program: exit code 0 when the books balance, 1 when they do not, 2 when it could not play.
#![forbid(unsafe_code)]

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use clap::Parser as _;
use loadtest::config::{Cli, Command, Replay};
use loadtest::{replay, synthesize};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Replay(settings) => play(&settings).await,
        Command::Synthesize(settings) => print(&synthesize::file(settings)),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

async fn play(settings: &Replay) -> anyhow::Result<ExitCode> {
    let report = replay::run(settings, interrupted()).await?;
    let text = if settings.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
    print(&text)?;
    Ok(if report.is_balanced() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    writeln!(stdout(), "{}", text.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// SIGINT or SIGTERM: what was started has to be ended.
async fn interrupted() {
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
