//! The `danmaku` program that lies beside this one: found or built, started, and ended. What it is asked is elsewhere.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use crate::config::address;

/// From its start to its ready line: 1 s on the embedded broker; on Kafka it joins a group and warms up besides.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// From SIGTERM to its end; its drain is told to take 5 s.
const END_WITHIN: Duration = Duration::from_secs(10);

/// A running `danmaku`. Dropping it kills it.
pub struct Program {
    /// Where clients are served.
    pub public: SocketAddr,
    /// Where operators are served.
    pub admin: SocketAddr,
    child: Child,
    log: PathBuf,
}

/// On which Kafka it stands.
pub struct OnKafka<'a> {
    /// Where to begin.
    pub brokers: &'a str,
    /// Put before topics and groups.
    pub prefix: &'a str,
    /// As many as the topics have.
    pub partitions: u32,
}

impl OnKafka<'_> {
    fn flags(&self) -> [String; 6] {
        let Self { brokers, prefix, partitions } = self;
        ["--brokers", brokers, "--topic-prefix", prefix, "--partitions", &partitions.to_string()].map(str::to_owned)
    }
}

impl Program {
    /// Starts it on free ports, without a crowd of its own and without the door's limits, as all senders of a load test
    /// share an address, and without a room's budget, so that all of the load arrives. Its log goes into `folder`.
    ///
    /// # Errors
    /// When it is not there and cannot be built, or ends or stays silent instead of being ready.
    pub async fn start(folder: &Path, keys: &Path, kafka: Option<&OnKafka<'_>>) -> anyhow::Result<Self> {
        let path = found_or_built().await?;
        let log = folder.join("danmaku.log");
        let mut child = command(&path)
            .arg("up")
            .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--crowd", "0", "--drain", "5s"])
            .args(["--door-user-rate", "0", "--door-address-rate", "0", "--room-budget", "0"])
            .arg("--keys")
            .arg(keys)
            .arg("--data")
            .arg(folder.join("data"))
            .args(kafka.map(OnKafka::flags).into_iter().flatten())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()
            .with_context(|| format!("start {}", path.display()))?;
        let stdout = child.stdout.take().context("a child without stdout")?;
        let ready = tokio::time::timeout(READY_WITHIN, ready(stdout)).await;
        match ready.unwrap_or_else(|_| bail!("it was not ready after 60 s")) {
            Ok((public, admin)) => Ok(Self { public, admin, child, log }),
            Err(error) => Err(error.context(format!("{} did not start; it says:\n{}", path.display(), tail(&log)))),
        }
    }

    /// Its number, while it lives.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// That it still runs.
    ///
    /// # Errors
    /// When it has ended by itself, with the end of its log.
    pub fn check(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("danmaku ended by itself ({status}); it says:\n{}", tail(&self.log)),
        }
    }

    /// Asks it to leave, and kills it if it does not.
    pub async fn end(mut self) {
        if let Some(pid) = self.pid() {
            // The standard library knows SIGKILL only.
            let _ = Command::new("kill").args(["-TERM", &pid.to_string()]).status().await;
        }
        if tokio::time::timeout(END_WITHIN, self.child.wait()).await.is_err() {
            eprintln!("danmaku did not leave in 10 s after SIGTERM: killed");
            let _ = self.child.kill().await;
        }
    }
}

/// `danmaku topics apply`.
///
/// # Errors
/// When the topics cannot be created.
pub async fn apply_topics(kafka: &OnKafka<'_>) -> anyhow::Result<()> {
    let path = found_or_built().await?;
    let output = command(&path).args(["topics", "apply"]).args(kafka.flags()).output().await?;
    ensure!(output.status.success(), "danmaku topics apply: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// The root of the repository this program was built from; none when it was carried elsewhere.
pub fn repository() -> Option<PathBuf> {
    let of_cargo = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let starts = [of_cargo, std::env::current_exe().ok(), std::env::current_dir().ok()];
    let mut above = starts.iter().flatten().flat_map(|path| path.ancestors());
    above.find(|path| path.join("services/danmaku/Cargo.toml").is_file()).map(Path::to_path_buf)
}

/// A child that ends with this program, and that no setting of the caller's environment changes.
fn command(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.kill_on_drop(true).stdin(Stdio::null());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DANMAKU_")) {
        command.env_remove(name);
    }
    command
}

/// The program beside this one. One that is there is taken as it is, with a word on its age.
async fn found_or_built() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("a program without a folder")?;
    let path = folder.join(format!("danmaku{}", std::env::consts::EXE_SUFFIX));
    if !path.is_file() {
        build(folder).await?;
    }
    ensure!(path.is_file(), "{} is not there, and building did not make it", path.display());
    Ok(path)
}

async fn build(folder: &Path) -> anyhow::Result<()> {
    let repository = repository().with_context(|| {
        format!("no danmaku program in {}, and no repository to build it from; put it there", folder.display())
    })?;
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    eprintln!("no danmaku program in {}: building it (cargo build -p danmaku --profile {profile})", folder.display());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "-p", "danmaku", "--bin", "danmaku", "--profile", profile])
        .current_dir(repository)
        .kill_on_drop(true)
        .status()
        .await
        .context("run cargo")?;
    ensure!(status.success(), "cargo could not build danmaku: {status}");
    Ok(())
}

/// How long ago the program was built, for the one who wonders which one is measured.
pub fn age() -> Option<Duration> {
    let path = std::env::current_exe().ok()?.with_file_name(format!("danmaku{}", std::env::consts::EXE_SUFFIX));
    let built = std::fs::metadata(path).ok()?.modified().ok()?;
    SystemTime::now().duration_since(built).ok()
}

/// Reads the ready line; what it prints afterwards is read and forgotten, so that it never waits for us.
async fn ready(stdout: ChildStdout) -> anyhow::Result<(SocketAddr, SocketAddr)> {
    let mut lines = BufReader::new(stdout).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(addresses) = ready_line(&line)? {
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Ok(addresses);
        }
    }
    bail!("it ended before it was ready")
}

/// `{"ready":true,"public":"…","admin":"…"}`; another line is none.
fn ready_line(line: &str) -> anyhow::Result<Option<(SocketAddr, SocketAddr)>> {
    #[derive(Deserialize)]
    struct Ready {
        ready: bool,
        public: String,
        admin: String,
    }
    match serde_json::from_str::<Ready>(line) {
        Ok(said) if said.ready => {
            let read = |text: &str| address(text).map_err(|why| anyhow::anyhow!("its ready line {line}: {why}"));
            Ok(Some((read(&said.public)?, read(&said.admin)?)))
        }
        _ => Ok(None),
    }
}

/// The end of a log.
fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line() {
        let addresses = ("127.0.0.1:8080".parse().unwrap(), "127.0.0.1:9090".parse().unwrap());
        for line in [
            r#"{"ready":true,"public":"http://127.0.0.1:8080","admin":"http://127.0.0.1:9090"}"#,
            r#"{"admin":"127.0.0.1:9090","public":"127.0.0.1:8080/","ready":true,"later":1}"#,
        ] {
            assert_eq!(ready_line(line).unwrap(), Some(addresses), "{line}");
        }
        for line in ["", "starting", r#"{"ready":false,"public":"","admin":""}"#] {
            assert_eq!(ready_line(line).unwrap(), None, "{line}");
        }
        assert!(ready_line(r#"{"ready":true,"public":"nowhere","admin":"127.0.0.1:1"}"#).is_err());
    }

    #[test]
    fn the_repository_is_found_while_it_is_there() {
        assert!(repository().is_some_and(|root| root.join("loadtest/Cargo.toml").is_file()));
    }
}
