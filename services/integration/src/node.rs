//! One service as a process of its own: started, looked at, paused, stopped and killed by its process id.

mod clock;

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    time::Duration,
};

use serde::Deserialize;

use crate::{metrics::Metrics, sender::Http, until};
pub use clock::Clock;

/// How long a service may take until it is ready, on two busy cores and a group that has to settle first.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// How long one may take to leave: its own drain time of 10 s, and a little.
const LEFT_WITHIN: Duration = Duration::from_secs(20);

/// What a process is started from.
pub(crate) struct Recipe<'a> {
    /// This crate's `node`.
    pub(crate) program: &'a Path,
    /// Such as `filter`.
    pub(crate) service: &'a str,
    /// All of the service's flags.
    pub(crate) flags: Vec<String>,
    /// How wrong its clock is.
    pub(crate) clock: Clock,
    /// Such as `filter-2`.
    pub(crate) name: String,
    /// Where its log goes.
    pub(crate) log: PathBuf,
    /// How many files and sockets it may have open; as many as the test if `None`.
    pub(crate) files_max: Option<usize>,
    /// Asks its admin port.
    pub(crate) http: Http,
}

/// A running service. Dropping it kills it.
pub struct Node {
    /// Such as `filter-2`: the second process of this test.
    pub name: String,
    /// Where it is served to clients; a filter is not.
    pub public: Option<SocketAddr>,
    /// Its admin port.
    pub admin: SocketAddr,
    child: Child,
    // Held open: the process ends when it closes, which it does at the latest when this process is gone.
    _life: Option<ChildStdin>,
    pause: Option<Pause>,
    http: Http,
}

#[derive(Deserialize)]
struct Ready {
    public: Option<SocketAddr>,
    admin: SocketAddr,
}

/// Holds a process stopped. A helper waits for its input to end and lets the process go on, so that a stopped one does not
/// outlive a test that was killed.
struct Pause(Child);

impl Drop for Pause {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Node {
    /// Starts a service and waits for its ready line.
    ///
    /// # Panics
    /// When it is not ready in time; the log says why.
    pub(crate) async fn start(recipe: Recipe<'_>) -> Self {
        let (mut child, stdout) = spawn(&recipe);
        let Recipe { name, log, http, .. } = recipe;
        let life = child.stdin.take();
        let reading = tokio::task::spawn_blocking(move || first_line(stdout));
        let ready = match tokio::time::timeout(READY_WITHIN, reading).await {
            Ok(Ok(line)) => serde_json::from_str::<Ready>(&line).ok(),
            _ => None,
        };
        let Some(ready) = ready else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{name} did not become ready:\n{}", tail(&log));
        };
        Self { name, public: ready.public, admin: ready.admin, child, _life: life, pause: None, http }
    }

    /// Starts one that will not become ready, and waits only for its admin port.
    ///
    /// # Panics
    /// When there is no admin port in time.
    pub(crate) async fn start_unready(recipe: Recipe<'_>) -> Self {
        let (mut child, _) = spawn(&recipe);
        let Recipe { name, log, http, .. } = recipe;
        let life = child.stdin.take();
        let told = until("the admin port in the log", READY_WITHIN, async || {
            let text = std::fs::read_to_string(&log).ok()?;
            let line = text.lines().find(|line| line.contains("admin port open"))?;
            line.split_once("address=")?.1.split_whitespace().next()?.parse().ok()
        });
        Self { admin: told.await, name, public: None, child, _life: life, pause: None, http }
    }

    /// Its public address.
    ///
    /// # Panics
    /// For a filter, which has none.
    pub fn address(&self) -> SocketAddr {
        self.public.expect("a filter is served to nobody")
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its numbers now.
    ///
    /// # Panics
    /// When the admin port does not answer.
    pub async fn metrics(&self) -> Metrics {
        let (_, text) = self.http.get(self.admin, "/metrics").await.expect("an admin port answers");
        Metrics::parse(&text)
    }

    /// What `/readyz` says: ready, and the whole answer with the reasons.
    ///
    /// # Panics
    /// When the admin port does not answer.
    pub async fn readiness(&self) -> (bool, String) {
        let (status, text) = self.http.get(self.admin, "/readyz").await.expect("an admin port answers");
        (status == 200, text)
    }

    /// A page of its admin port: status and body.
    ///
    /// # Panics
    /// When the admin port does not answer.
    pub async fn page(&self, path: &str) -> (u16, String) {
        self.http.get(self.admin, path).await.expect("an admin port answers")
    }

    /// How many files and sockets it has open.
    ///
    /// # Panics
    /// When it is gone.
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("the process lives").count()
    }

    /// For how long it has kept a processor busy so far.
    ///
    /// # Panics
    /// When it is gone.
    pub fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("the process lives");
        // Behind the name, which may hold anything: fields 14 and 15 of all are hundredths of a second of user and system.
        let (_, fields) = stat.rsplit_once(')').expect("a name");
        let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
        Duration::from_millis(ticks.sum::<u64>() * 10)
    }

    /// How much memory it holds now, in KiB.
    ///
    /// # Panics
    /// When it is gone.
    pub fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("the process lives");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a live process has memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// SIGTERM, and waits for the end.
    ///
    /// # Panics
    /// When it does not leave in time.
    pub async fn stop(mut self) -> ExitStatus {
        signal("TERM", self.pid());
        until("the service left", LEFT_WITHIN, async || self.child.try_wait().ok().flatten()).await
    }

    /// SIGKILL: no word to anybody.
    pub fn kill(self) {
        drop(self);
    }

    /// SIGSTOP: it holds its sockets and does nothing.
    ///
    /// # Panics
    /// When no helper can be started.
    pub fn pause(&mut self) {
        let go_on = format!("read _; kill -CONT {}", self.pid());
        let helper = Command::new("sh").args(["-c", &go_on]).stdin(Stdio::piped()).spawn();
        self.pause = Some(Pause(helper.expect("a shell")));
        signal("STOP", self.pid());
    }

    /// SIGCONT after [`Node::pause`].
    pub fn go_on(&mut self) {
        self.pause = None;
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(recipe: &Recipe<'_>) -> (Child, impl std::io::Read + Send + use<>) {
    let file = File::create(&recipe.log).expect("a log file");
    let mut command = match recipe.files_max {
        None => Command::new(recipe.program),
        Some(files) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]).arg(recipe.program);
            shell
        }
    };
    command.arg(recipe.service).args(&recipe.flags);
    // What the caller's shell has set for a river of his own is not for these.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("DANMAKU_") {
            command.env_remove(name);
        }
    }
    recipe.clock.bend(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
    let mut child = command.spawn().expect("the node program starts");
    let stdout = child.stdout.take().expect("it is piped");
    (child, stdout)
}

/// The first line, and the rest read away: a closed pipe would be an error to the writer.
fn first_line(stdout: impl std::io::Read + Send + 'static) -> String {
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    std::thread::spawn(move || reader.read_to_end(&mut Vec::new()));
    line
}

fn signal(name: &str, pid: u32) {
    // The shell's own `kill` is on every machine. The process is our child and not waited for yet, so its id is still its.
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status();
    assert!(status.is_ok_and(|status| status.success()), "SIG{name} to {pid}");
}

/// The last lines of a log.
pub fn tail(log: &Path) -> String {
    const LINES: usize = 60;
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
