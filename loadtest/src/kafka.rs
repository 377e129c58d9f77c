//! A real Kafka for one run, by the project's script. How Kafka is started is written there.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, ensure};
use tokio::process::Command;

use crate::program::repository;

/// One broker. [`Kafka::stop`] ends it; a run that dies has its watcher end it.
pub struct Kafka {
    /// Where to begin.
    pub bootstrap: String,
    script: PathBuf,
    folder: PathBuf,
}

impl Kafka {
    /// Starts a broker that lives in `folder`, which is made and removed with it; the first time its jars are fetched.
    /// Its progress goes to stderr.
    ///
    /// # Errors
    /// When the script is not there or cannot start it; it says why itself.
    pub async fn start(folder: PathBuf) -> anyhow::Result<Self> {
        let repository = repository().context("no repository here, and so no scripts/kafka; use --target")?;
        let script = repository.join("scripts/kafka");
        let own = std::process::id().to_string();
        let output = command(&script, &folder)
            .args(["start", "1", "--with-parent", &own])
            .stderr(Stdio::inherit())
            .output()
            .await
            .with_context(|| format!("run {}", script.display()))?;
        ensure!(output.status.success(), "{} start 1: {}", script.display(), output.status);
        let bootstrap = String::from_utf8(output.stdout)?.trim().to_owned();
        Ok(Self { bootstrap, script, folder })
    }

    /// The broker's process number.
    pub fn pid(&self) -> Option<u32> {
        std::fs::read_to_string(self.folder.join("broker1/pid")).ok()?.trim().parse().ok()
    }

    /// Ends it and removes its data.
    pub async fn stop(self) {
        let stopped = command(&self.script, &self.folder).arg("stop").stderr(Stdio::inherit()).status().await;
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("Kafka in {} could not be stopped; its watcher ends it with this program", self.folder.display());
        }
    }
}

/// The script, on a folder of our own; FAST, as figures want a JVM that is not saving.
fn command(script: &Path, folder: &Path) -> Command {
    let mut command = Command::new(script);
    command.env("KAFKA_DIR", folder).env("FAST", "1").stdin(Stdio::null()).stdout(Stdio::piped());
    command
}
