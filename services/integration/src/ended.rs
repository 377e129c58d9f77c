//! A program that is run until it ends: a command, or a service that refuses to start.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::Command;

/// How long one may take: a doctor waits 10 s for a Kafka that is away, twice.
const ENDED_WITHIN: Duration = Duration::from_secs(60);

/// How it ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit code; none if it was killed.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it told on stderr, its log among it.
    pub err: String,
}

impl Ended {
    /// What it printed, as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs it.
///
/// # Panics
/// When it does not end in time.
pub(crate) async fn run(program: &Path, args: &[String]) -> Ended {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // What the caller's shell has set for a river of his own is not for this one.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DANMAKU_") {
            command.env_remove(name);
        }
    }
    let mut child = command.spawn().expect("the program starts");
    // The node program ends when its input does.
    let life = child.stdin.take();
    let output = tokio::time::timeout(ENDED_WITHIN, child.wait_with_output()).await;
    drop(life);
    let output = output.unwrap_or_else(|_| panic!("{args:?} does not end")).expect("it can be waited for");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
