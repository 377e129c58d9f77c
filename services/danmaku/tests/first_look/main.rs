//! The program as a newcomer starts it, on its embedded broker: it gets ready, its crowd talks, and the hops are told; and
//! over TLS, in `tls`.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

mod tls;

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use serde_json::Value;

/// For what takes two seconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A name in the temporary folder that nobody has.
fn folder() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("danmaku-first-look-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

/// The program; dropping it ends it.
struct Program {
    child: Child,
    public: String,
    admin: String,
    data: PathBuf,
}

impl Program {
    fn start(args: &[&str]) -> Self {
        let data = folder();
        let mut child = Command::new(env!("CARGO_BIN_EXE_danmaku"))
            .arg("--admin=127.0.0.1:0")
            .args(args.iter().all(|arg| !arg.starts_with("--listen=")).then_some("--listen=127.0.0.1:0"))
            .arg(format!("--data={}", data.display()))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no ready line: {line:?}"));
        let at = |port: &str| ready[port].as_str().unwrap().to_owned();
        Self { child, public: at("public"), admin: at("admin"), data }
    }

    /// Status and body of a `GET`.
    fn get(&self, path: &str, header: &str) -> (u16, String) {
        let mut socket = TcpStream::connect(&self.public).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(socket, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}

#[test]
fn a_talking_crowd_is_seen_in_the_hops() {
    let program = Program::start(&["--crowd=3"]);
    let give_up = Instant::now() + PATIENCE;
    let hops = loop {
        let (status, body) = program.get("/dev/hops", "");
        assert_eq!(status, 200, "{body}");
        let hops: Value = serde_json::from_str(&body).unwrap();
        if (0..2).all(|place| hops["hops"][place]["count"].as_u64() > Some(0)) {
            break hops["hops"].clone();
        }
        assert!(Instant::now() < give_up, "nobody was judged: {body}");
        std::thread::sleep(Duration::from_millis(100));
    };
    let names: Vec<_> = hops.as_array().unwrap().iter().map(|hop| hop["hop"].as_str().unwrap()).collect();
    assert_eq!(names, ["appended", "judged", "encoded", "written"]);
    for hop in &hops.as_array().unwrap()[..2] {
        let (p50, p99) = (hop["p50_ms"].as_f64().unwrap(), hop["p99_ms"].as_f64().unwrap());
        assert!(0.0 < p50 && p50 <= p99, "{hop}");
    }
    assert_eq!(hops[3]["p50_ms"], Value::Null, "nobody looks, so nothing is written");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let line = ["--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--data=/dev/null/folder"];
    let ended = Command::new(env!("CARGO_BIN_EXE_danmaku")).args(line).output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((ended.status.code(), ended.stdout.len()), (Some(1), 0), "{told}");
    let told = told.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
    assert!(told.contains("--data (DANMAKU_DATA)") && told.contains("give --data <FOLDER>"), "{told}");
}

/// As somebody uses them who has nothing else running: a probe that is answered, and a look that finds nothing wrong.
#[test]
fn doctor_and_canary_find_it_well() {
    let program = Program::start(&["--crowd=0"]);
    let run = |words: &[&str]| Command::new(env!("CARGO_BIN_EXE_danmaku")).args(words).output().unwrap();
    let door = format!("http://{}", program.public);
    let probe = run(&["canary", "--once", "--json", "--within=60s", "--door", &door]);
    let told: Value = serde_json::from_slice(&probe.stdout).unwrap();
    assert_eq!((probe.status.code(), &told["delivered"]), (Some(0), &true.into()), "{told}");
    let look = run(&["doctor", "--nodes", &program.admin]);
    let told = String::from_utf8_lossy(&look.stdout);
    assert_eq!(look.status.code(), Some(0), "{told}");
    assert!(told.ends_with("\nWell.\n") && !told.contains("Not known"), "{told}");
}

#[test]
fn what_is_for_development_is_refused_to_who_comes_through_a_proxy() {
    let program = Program::start(&["--crowd=0"]);
    for path in ["/dev/hops", "/dev/token?name=me"] {
        assert_eq!(program.get(path, "").0, 200, "{path}");
        let (status, body) = program.get(path, "x-forwarded-for: 127.0.0.1\r\n");
        assert_eq!(status, 403, "{path}");
        assert!(body.contains("for this machine only"), "{body}");
    }
    assert_eq!(program.get("/dev/other", "").0, 404);
}

#[test]
fn where_a_room_is_watched_is_where_it_listens() {
    let program = Program::start(&["--crowd=0", "--listen=0.0.0.0:0"]);
    let (status, told) = program.get("/v1/rooms/demo/where", "");
    assert_eq!(status, 200, "{told}");
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["nodes"][0]["address"], program.public, "another machine's loopback is not this one");
}

/// Moderators are served on the same port, and find the words that are there at the first start.
#[test]
fn the_first_words_are_a_list_that_can_be_edited() {
    let program = Program::start(&["--crowd=0"]);
    let (status, minted) = program.get("/dev/token?name=mo&roles=admin", "");
    assert_eq!(status, 200, "{minted}");
    let token: Value = serde_json::from_str(&minted).unwrap();
    let bearer = format!("authorization: Bearer {}\r\n", token["token"].as_str().unwrap());
    let (status, lists) = program.get("/v1/moderation/lists", &bearer);
    assert_eq!(status, 200, "{lists}");
    let lists: Value = serde_json::from_str(&lists).unwrap();
    assert_eq!((&lists["lists"][0]["name"], &lists["lists"][0]["entries"]), (&"examples".into(), &20.into()));
    assert_eq!(program.get("/openapi.json", "").0, 200);
    assert_eq!(program.get("/v1/moderation/lists", "").0, 401);
}
