//! Programs that nobody here wrote, as the registries hand them out: installed once under `target`, run as processes, and
//! heard line by line. What is checked of them is the test's.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;

use crate::{node::tail, until_so};

/// How long a registry may take; a dozen small packages come in ten seconds.
const INSTALLED_WITHIN: Duration = Duration::from_secs(240);

/// Why a package cannot be had on this machine. Anything else that goes wrong is a panic.
#[derive(Debug)]
pub struct NotHere(pub String);

impl NotHere {
    /// Says that the test is skipped, and why; past the test harness, which shows nothing that a passing test prints.
    pub fn tell(&self) {
        let _ = writeln!(std::io::stderr(), "skipped: {}", self.0);
    }
}

/// How installers say that they cannot reach their registry.
const UNREACHABLE: [&str; 10] = [
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENETUNREACH",
    "ETIMEDOUT",
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ProxyError",
];

/// Installs an npm package such as `name@1.2.3` below `cache`; the answer is what `NODE_PATH` must say.
///
/// # Errors
/// Without Node.js or its registry.
pub async fn npm(cache: &Path, package: &str) -> Result<PathBuf, NotHere> {
    present("node").await?;
    present("npm").await?;
    let folder = cache.join(package);
    installed(&folder, async || {
        let mut install = tokio::process::Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--fetch-retries", "1"]);
        install.arg("--prefix").arg(&folder).arg(package);
        run(install).await
    })
    .await?;
    Ok(folder.join("node_modules"))
}

/// Installs a PyPI package such as `name==1.2.3` below `cache`; the answer is the Python that has it.
///
/// # Errors
/// Without Python, its `venv`, or its registry.
pub async fn pip(cache: &Path, package: &str) -> Result<PathBuf, NotHere> {
    present("python3").await?;
    let folder = cache.join(package);
    let python = folder.join("bin").join("python");
    installed(&folder, async || {
        let mut venv = tokio::process::Command::new("python3");
        venv.args(["-m", "venv"]).arg(&folder);
        run(venv).await.map_err(|NotHere(why)| NotHere(format!("python3 -m venv: {why}")))?;
        let mut install = tokio::process::Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", package]);
        run(install).await
    })
    .await?;
    Ok(python)
}

async fn present(program: &str) -> Result<(), NotHere> {
    match tokio::process::Command::new(program).arg("--version").stdout(Stdio::null()).status().await {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(NotHere(format!("there is no {program} here"))),
        _ => Ok(()),
    }
}

/// A mark says that a folder is whole; one without it is what an interrupted run left.
async fn installed(folder: &Path, install: impl AsyncFnOnce() -> Result<(), NotHere>) -> Result<(), NotHere> {
    let mark = folder.join("installed");
    if mark.exists() {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder under target");
    install().await?;
    File::create(mark).expect("a mark in the folder");
    Ok(())
}

async fn run(mut command: tokio::process::Command) -> Result<(), NotHere> {
    command.kill_on_drop(true).stdin(Stdio::null());
    let Ok(done) = tokio::time::timeout(INSTALLED_WITHIN, command.output()).await else {
        return Err(NotHere(format!("the registry did not answer within {INSTALLED_WITHIN:?}")));
    };
    let done = done.expect("a program that is here starts");
    let said = [String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)].concat();
    match UNREACHABLE.iter().find(|word| said.contains(**word)) {
        _ if done.status.success() => Ok(()),
        Some(word) => Err(NotHere(format!("the registry cannot be reached: {word}"))),
        None => panic!("{command:?} failed:\n{said}"),
    }
}

/// A running program that prints what happens to it as lines of JSON with an `event`. Dropping it kills it.
pub struct Stranger {
    name: String,
    child: Child,
    heard: Arc<Mutex<Vec<Value>>>,
    log: PathBuf,
}

impl Stranger {
    /// Starts it. What it prints besides goes to a log in the folder `logs`.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(name: &str, mut command: Command, logs: &Path) -> Self {
        std::fs::create_dir_all(logs).expect("a folder for logs");
        let log = logs.join(format!("{name}.log"));
        let file = File::create(&log).expect("a log file");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file).spawn().expect("it starts");
        let stdout = child.stdout.take().expect("it is piped");
        let heard = Arc::<Mutex<Vec<Value>>>::default();
        let ours = heard.clone();
        // It ends with the pipe.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                ours.lock().unwrap_or_else(PoisonError::into_inner).push(value);
            }
        });
        Self { name: name.to_owned(), child, heard, log }
    }

    /// What it was told in events of one name, in order.
    pub fn heard(&self, event: &str) -> Vec<Value> {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().filter(|value| value["event"] == event).cloned().collect()
    }

    /// Waits until it has told of `count` events of a name.
    ///
    /// # Panics
    /// When it has not in time; says what came instead.
    pub async fn until(&self, event: &str, count: usize, within: Duration) {
        let _summary = Summary(self);
        let what = format!("{} tells of {count} {event}", self.name);
        until_so(&what, within, || self.heard(event).len() >= count).await;
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tells what was heard when a wait fails.
struct Summary<'a>(&'a Stranger);

impl Drop for Summary<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let heard = self.0.heard.lock().unwrap_or_else(PoisonError::into_inner);
            let last: Vec<_> = heard.iter().rev().take(20).rev().map(Value::to_string).collect();
            eprintln!("{} heard {} lines, the last:\n{}", self.0.name, heard.len(), last.join("\n"));
            eprintln!("its log:\n{}", tail(&self.0.log));
        }
    }
}
