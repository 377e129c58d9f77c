//! A real Redis that keeps nothing on disk: killed, started again empty, stopped, and asked what it holds.

use std::{
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use chassis::{
    admin::Readiness,
    redis::{Link, Redis as Handle, address, cmd},
};

use crate::until;

/// A server answers within some milliseconds of its start.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// The server under a shell that kills it when our end of its input closes: with this process, however that ends.
struct Process {
    shell: Child,
    pid: u32,
}

impl Process {
    fn start(dir: &Path, flags: &[&str]) -> Self {
        let script = r#"redis-server "$@" >/dev/null 2>&1 & echo $!; read _; kill -KILL $!; wait"#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "redis", "--save", "", "--appendonly", "no", "--dir"]).arg(dir).args(flags);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let mut line = String::new();
        let stdout = shell.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("a process id");
        Self { shell, pid: line.trim().parse().expect("a process id") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// A Redis server. Dropping it ends it.
pub struct Redis {
    address: SocketAddr,
    dir: PathBuf,
    process: Option<Process>,
}

impl Redis {
    /// Starts one for a test alone; `None`, and says so, on a machine without the program.
    ///
    /// # Panics
    /// When it is there and cannot be started.
    pub async fn start() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let known = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
        if !known.is_ok_and(|status| status.success()) {
            eprintln!("skipped: there is no redis-server on this machine; on Debian: apt-get install redis-server");
            return None;
        }
        let name = format!("danmaku-redis-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).expect("a folder for a redis");
        // An address of its own within the loopback, so that nobody else takes the port between this and the next line.
        let host = [127, 0, rand::random_range(1..=250), rand::random_range(1..=250)];
        let free = TcpListener::bind(SocketAddr::from((host, 0))).expect("a port for a redis");
        let address = free.local_addr().expect("a bound port");
        drop(free);
        let mut redis = Self { address, dir, process: None };
        redis.restart().await;
        Some(redis)
    }

    /// Where it is, as services are told.
    pub fn url(&self) -> String {
        format!("redis://{}/0", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// SIGKILL; all it held is gone.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it, empty, where it was.
    ///
    /// # Panics
    /// When it does not answer in time.
    pub async fn restart(&mut self) {
        self.kill();
        let (host, port) = (self.address.ip().to_string(), self.address.port().to_string());
        self.process = Some(Process::start(&self.dir, &["--bind", &host, "--port", &port]));
        self.link().await;
    }

    /// Holds it stopped, or lets it go on: a Redis that is there and does not answer.
    ///
    /// # Panics
    /// When it was killed before.
    pub fn hold(&self, is_held: bool) {
        let pid = &self.process.as_ref().expect("a live redis").pid;
        let signal = if is_held { "STOP" } else { "CONT" };
        let status = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status();
        assert!(status.is_ok_and(|status| status.success()), "SIG{signal} to {pid}");
    }

    /// A command's answer.
    ///
    /// # Panics
    /// When there is none, or it is of another kind.
    pub async fn ask<T: chassis::redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut command = cmd(words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(*word);
        });
        command.query_async(&mut self.link().await).await.expect("a redis answers")
    }

    async fn link(&self) -> Link {
        let handle = Handle::open(&address(&self.url()).expect("an address"), &Readiness::new());
        until("a redis answers", READY_WITHIN, async || handle.link()).await
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}
