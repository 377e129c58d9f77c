//! A real PostgreSQL of a test's own, on a socket in its folder: killed, started again on its data, and asked behind the
//! services' backs.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use crate::until;

/// A cluster of empty tables is up in a second; after a kill it reads its log first.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A server. Dropping it ends it and removes its data.
pub struct Postgres {
    dir: PathBuf,
    programs: PathBuf,
    process: Option<Process>,
}

/// The server under a shell that ends it when our end of its input closes: with this process, however that ends.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Postgres {
    /// Starts one for a test alone; `None`, and says so, on a machine without the programs.
    ///
    /// # Panics
    /// When they are there and cannot be started.
    pub async fn start() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let Some(programs) = programs() else {
            eprintln!("skipped: there is no PostgreSQL on this machine; on Debian: apt-get install postgresql");
            return None;
        };
        let name = format!("danmaku-postgres-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).expect("a folder for a database");
        let mut server = Self { dir, programs, process: None };
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(&server.dir).status();
            assert!(owned.is_ok_and(|status| status.success()), "the folder belongs to the user postgres");
        }
        let data = server.data();
        server.run("initdb", &["-D", &data, "-U", "danmaku", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        server.restart().await;
        Some(server)
    }

    /// Where it is, as services are told.
    pub fn url(&self) -> String {
        format!("postgres://danmaku@{}/postgres", self.dir.display().to_string().replace('/', "%2F"))
    }

    /// Ends it as a crash does: nobody is told, nothing is written.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Starts it where it was, with what it had.
    ///
    /// # Panics
    /// When it does not answer in time.
    pub async fn restart(&mut self) {
        self.kill();
        let script = r#""$@" 2>"$LOG" & read _; kill -QUIT $!; wait"#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "postgres"]).args(self.line("postgres")).args(["-D", &self.data()]);
        command.args(["-c", "listen_addresses=", "-c", "fsync=off", "-k"]).arg(&self.dir);
        command.env("LOG", self.dir.join("log")).stdin(Stdio::piped()).stdout(Stdio::null()).current_dir(&self.dir);
        File::create(self.dir.join("log")).expect("a log file");
        self.process = Some(Process(command.spawn().expect("a shell")));
        let socket = self.dir.display().to_string();
        until("a database answers", READY_WITHIN, async || {
            self.output("pg_isready", &["-q", "-h", &socket]).status.success().then_some(())
        })
        .await;
    }

    /// What a query gives, a row a line.
    ///
    /// # Panics
    /// When it fails.
    pub fn ask(&self, sql: &str) -> String {
        let socket = self.dir.display().to_string();
        self.run("psql", &["-qtA", "-h", &socket, "-U", "danmaku", "-d", "postgres", "-c", sql])
    }

    fn data(&self) -> String {
        self.dir.join("data").display().to_string()
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let output = self.output(program, args);
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn output(&self, program: &str, args: &[&str]) -> Output {
        let line = self.line(program);
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).args(args).current_dir(&self.dir).output().expect("a program of PostgreSQL")
    }

    /// How a program is called. PostgreSQL does not run as root: there its own user is taken.
    fn line(&self, program: &str) -> Vec<String> {
        let program = self.programs.join(program).display().to_string();
        match is_root() {
            true => ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", &program]
                .map(str::to_owned)
                .to_vec(),
            false => vec![program],
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Where the programs of the newest installed release are; Debian keeps them out of the path.
fn programs() -> Option<PathBuf> {
    let release = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let releases = std::fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let whole = releases.filter(|path| path.join("bin/initdb").exists());
    whole.max_by_key(|path| release(path)).map(|path| path.join("bin"))
}
