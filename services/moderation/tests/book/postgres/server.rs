//! A private PostgreSQL server for one test, gone with it. What is stored on it is kept out.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use crate::rig::Folder;

/// A server of this test's own, on a socket in its folder.
pub(crate) struct Postgres {
    pub(crate) folder: Folder,
    programs: PathBuf,
}

impl Postgres {
    /// `None`, and says so, on a machine without the programs.
    pub(crate) fn start() -> Option<Self> {
        let server = Self::made()?;
        server.begin("-c listen_addresses=''");
        Some(server)
    }

    /// One that has its data and is not begun.
    pub(crate) fn made() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: no initdb found; on Debian: apt-get install postgresql");
            return None;
        };
        let server = Self { folder: Folder::new(), programs };
        let data = server.data();
        server.run("initdb", &["-D", &data, "-U", "danmaku", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        Some(server)
    }

    /// Begins with more settings than its own.
    pub(crate) fn begin(&self, settings: &str) {
        let settings = format!("{settings} -c fsync=off -k {}", self.folder.path().display());
        let log = self.folder.path().join("log").display().to_string();
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-l", &log, "-o", &settings, "start"]);
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, args: &[&str]) {
        let output = self.output(program, args);
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// PostgreSQL does not run as root: there another user is taken, who must own the folder.
    fn output(&self, program: &str, args: &[&str]) -> Output {
        let path = self.programs.join(program);
        let mut command = if is_root() {
            let owned = Command::new("chown").args(["-R", "postgres"]).arg(self.folder.path()).status();
            assert!(owned.is_ok_and(|status| status.success()), "the folder cannot be given to postgres");
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir(self.folder.path()).args(args).output().unwrap()
    }

    pub(crate) fn url(&self) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://danmaku@{socket}/postgres")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.output("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

/// Where the programs of the newest installed release are; Debian keeps them out of the path.
fn programs() -> Option<PathBuf> {
    let releases = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = releases.filter_map(|release| Some(release.ok()?.path().join("bin"))).collect();
    folders.sort();
    folders.into_iter().rev().find(|folder| folder.join("initdb").exists())
}
