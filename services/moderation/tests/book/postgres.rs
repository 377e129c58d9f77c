//! The same on PostgreSQL: a private server, and two processes that share it. Skipped, and said so, where it is not installed.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use proto::rules::Scope;
use serde_json::json;

use crate::rig::{Folder, PREFIX, Rig, broker, room, texts};

/// A server of this test's own, on a socket in its folder.
struct Postgres {
    folder: Folder,
    programs: PathBuf,
}

impl Postgres {
    /// `None`, and says so, on a machine without the programs.
    fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: no initdb found; on Debian: apt-get install postgresql");
            return None;
        };
        let server = Self { folder: Folder::new(), programs };
        let data = server.data();
        server.run("initdb", &["-D", &data, "-U", "danmaku", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
        let options = format!("-c listen_addresses='' -c fsync=off -k {}", server.folder.path().display());
        let log = server.folder.path().join("log").display().to_string();
        server.run("pg_ctl", &["-D", &data, "-w", "-l", &log, "-o", &options, "start"]);
        Some(server)
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

    fn url(&self) -> String {
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

#[tokio::test]
async fn two_processes_share_a_database_and_one_publishes() {
    let Some(server) = Postgres::start() else { return };
    let broker = broker();
    let one = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    one.admin().put("lists/house", json!({})).await.ok();
    one.in_force(&Scope::Global, 1).await;
    // The other waits for its turn to publish, and serves meanwhile.
    let two = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    let made = two.admin().post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    assert_eq!(made["version"]["number"], 2);
    assert_eq!(texts(&one.in_force(&Scope::Global, 2).await.1), ["blorp"], "heard from the other process");
    assert_eq!(one.admin().get("lists/house/entries").await.ok()["total"], 1);

    // Both at once: every edit has its own number, and all are there.
    let edits = async |rig: &Rig, name: &str| {
        for number in 0..10 {
            rig.admin().post("lists/house/entries", json!({ "add": [format!("{name}{number}")] })).await.ok();
        }
    };
    tokio::join!(edits(&one, "xyzzy"), edits(&two, "plugh"));
    assert_eq!(one.in_force(&Scope::Global, 22).await.1.len(), 21);
    let verified = two.admin().get("audit/verify").await.ok();
    assert_eq!((&verified["whole"], &verified["rows"]), (&json!(true), &json!(22)));

    // The one that publishes goes away: the other takes over, with what was not published yet.
    one.leave().await;
    two.admin().put("lists/mine?room=demo", json!({})).await.ok();
    two.in_force(&room("demo"), 23).await;
}

#[tokio::test]
async fn versions_files_and_the_log_are_the_same_there() {
    let Some(server) = Postgres::start() else { return };
    let broker = broker();
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.put("policy", json!({ "weak": "hold" })).await.ok();
    ann.file("lists/house/import", "text/plain", "blorp\n坏词语\n").await.ok();
    ann.post("lists/house/entries", json!({ "remove": ["blorp"] })).await.ok();
    let late = ann.post("lists/house/entries", json!({ "add": ["x1"], "base_version": 1 })).await;
    assert_eq!(late.is(), (409, "stale_version"));
    ann.post("rollback", json!({ "to": 3 })).await.ok();
    let (version, entries) = rig.in_force(&Scope::Global, 5).await;
    assert_eq!((texts(&entries), version.policy.is_some()), (vec!["blorp", "坏词语"], true));
    assert_eq!(ann.get("diff?from=4").await.ok()["tally"]["added"], 1);
    assert_eq!(ann.get("audit/export").await.text.lines().count(), 5);
    rig.leave().await;
    // What was stored is read again.
    let rig = Rig::on(&broker.cluster(), PREFIX, &server.url()).await;
    assert_eq!(rig.admin().get("lists/house/export").await.text, "blorp\n坏词语\n");
}
