//! The moderators' commands against the program of a site, with keys of its own: each asks the true service, and tells by its
//! exit code how it went. That a newcomer's needs no token is `first_look`.

#![allow(clippy::unwrap_used, reason = "what cannot fail here fails the test")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use serde_json::Value;

/// For what takes two seconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program, and a folder for what it and tests write; dropping it ends and removes both.
struct Program {
    child: Child,
    server: String,
    folder: PathBuf,
    /// An owner's.
    token: String,
}

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Program {
    fn start() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("danmaku-moderators-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        // Keys of its own, so that a token outlives the program.
        assert_eq!(run(&["keys", "--out", &folder.join("keys").display().to_string()], "").code, 0);
        let token = token(&folder, "owner", "owner");
        let (child, server) = begin(&folder);
        Self { child, server, folder, token }
    }

    /// Kills the program, and starts it on what it has left behind.
    fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.child, self.server) = begin(&self.folder);
    }

    /// Runs a command against the program.
    fn run(&self, line: &[&str]) -> Ended {
        run_as(&self.token, &[line, &["--server", &self.server]].concat(), "")
    }

    /// What a command that has to succeed says.
    fn ok(&self, line: &[&str]) -> String {
        let ended = self.run(line);
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{line:?}: {ended:?}");
        ended.out
    }

    fn json(&self, line: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[line, &["--json"]].concat())).unwrap()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

/// Starts the program in a folder; it is ready, and reached at the address.
fn begin(folder: &Path) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_danmaku"))
        .args(["--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--crowd=0"])
        .arg(format!("--data={}", folder.join("data").display()))
        .arg(format!("--keys={}", folder.join("keys").display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no ready line: {line:?}"));
    (child, format!("http://{}", ready["public"].as_str().unwrap()))
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn run(line: &[&str], input: &str) -> Ended {
    run_as("", line, input)
}

fn run_as(token: &str, line: &[&str], input: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_danmaku"));
    command.args(line).env_remove("DANMAKU_SERVER").env_remove("DANMAKU_TOKEN");
    if !token.is_empty() {
        command.env("DANMAKU_TOKEN", token);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that does not read has closed its end.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
}

#[test]
fn lists_are_kept_compared_and_undone() {
    let program = Program::start();
    assert!(program.ok(&["words", "list"]).contains("examples  enforce  20"), "the first words are a list");
    // One list is the one that is meant.
    let added = program.ok(&["words", "add", "blorp", "坏词语", "--severity=3", "--reason=seen tonight"]);
    assert!(added.contains("of global: +2 -0 ~0, 22 entries now"), "{added}");
    let found = program.ok(&["words", "list", "examples", "--find=blorp"]);
    assert!(found.contains("word other/3"), "{found}");

    let removed = program.json(&["words", "remove", "blorp"]);
    let number = removed["version"]["number"].as_u64().unwrap();
    let (before, now) = ((number - 1).to_string(), number.to_string());
    assert_eq!(
        program.ok(&["words", "diff", &before, &now]),
        "- examples: blorp (word other/3)\n0 added, 1 removed, 0 changed\n"
    );
    program.ok(&["words", "rollback", &before, "--reason=too hasty"]);
    assert!(program.ok(&["words", "export"]).lines().any(|line| line == "blorp"));
    let versions = program.ok(&["words", "versions"]);
    assert!(versions.contains("too hasty") && versions.contains("seen tonight"), "{versions}");

    // Two lists, and one must be named.
    program.ok(&["words", "set", "trial", "--mode=observe", "--comment=for a start"]);
    let unnamed = program.run(&["words", "add", "gruntle"]);
    assert_eq!(unnamed.code, 2);
    assert!(unnamed.err.contains("examples, trial"), "{}", unnamed.err);
    program.ok(&["words", "add", "gruntle", "--list=trial"]);
    program.ok(&["words", "drop", "trial"]);
    assert!(!program.ok(&["words", "list"]).contains("trial"));
}

#[test]
fn a_no_is_1_and_a_question_that_cannot_be_asked_is_2() {
    let program = Program::start();
    let late = program.run(&["words", "add", "blorp", "--base=0"]);
    assert_eq!(late.code, 1);
    assert!(late.err.contains("is newer") && late.err.contains("is by"), "{}", late.err);
    let doubtful = program.run(&["words", "add", "x"]);
    assert_eq!(doubtful.code, 1);
    assert!(doubtful.err.contains("of one character"), "{}", doubtful.err);
    let refused = program.run(&["words", "rollback", "4711", "--json"]);
    assert_eq!((refused.code, refused.err.as_str()), (1, ""));
    assert_eq!(serde_json::from_str::<Value>(&refused.out).unwrap()["code"], "not_found");

    for line in
        [&["words"][..], &["words", "add"], &["words", "diff", "x"], &["mute", "eve"], &["recall", "--room=demo"]]
    {
        assert_eq!(program.run(line).code, 2, "{line:?}");
    }
    for (line, why) in [
        (&["words", "list", "--server=http://127.0.0.1:1", "--token=x"][..], "nobody answers"),
        (&["words", "list", "--server=https://example.com"], "--token"),
        (&["words", "list", "--server=http://192.0.2.1"], "--token"),
    ] {
        let ended = run(line, "");
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.err.contains(why), "{}", ended.err);
    }
    let stranger = program.run(&["words", "list", "--token=nonsense"]);
    assert_eq!(stranger.code, 1, "{stranger:?}");
}

#[test]
fn files_come_in_whole_or_not_at_all() {
    let program = Program::start();
    program.ok(&["words", "set", "files"]);
    let good = program.file("good.csv", "text,severity\nblorp,3\ngruntle,1\n");
    let tried = program.ok(&["words", "import", &good, "--list=files", "--dry-run"]);
    assert!(tried.starts_with("2 entries read\nnothing was changed: it was only tried"), "{tried}");
    program.ok(&["words", "import", &good, "--list=files"]);
    let out = program.folder.join("out.csv").display().to_string();
    program.ok(&["words", "export", "--list=files", "--format=csv", "--out", &out]);
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 3);
    assert_eq!(program.run(&["words", "export", "--list=files", "--out", &out]).code, 2, "nothing is replaced");

    let bad = program.file("bad.csv", "text,severity\nfnord,3\nxyzzy,many\n");
    let refused = program.run(&["words", "import", &bad, "--list=files"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("line 3"), "{}", refused.err);
    assert!(!program.ok(&["words", "export", "--list=files"]).contains("fnord"));
    let doubtful = program.file("doubtful.txt", "blorpy blorp\nblorp\n");
    let tried = program.run(&["words", "import", &doubtful, "--list=files", "--dry-run"]);
    assert_eq!(tried.code, 1, "a doubt is a finding: {tried:?}");

    let line = ["words", "import", "-", "--list=files", "--server", &program.server];
    let piped = run_as(&program.token, &line, "plugh\n");
    assert_eq!(piped.code, 0, "{piped:?}");
    assert_eq!(program.run(&["words", "import", "nowhere.txt", "--list=files"]).code, 2);
}

/// Somebody says something in the room; the id.
fn say(program: &Program, user: &str, text: &str) -> String {
    let head = format!(
        "POST /v1/rooms/demo/danmaku HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
        token(&program.folder, user, "viewer,sender")
    );
    let (head, body) = ask(program, &head, &serde_json::json!({ "text": text }).to_string());
    assert!(head.contains(" 202 "), "{head}: {body}");
    serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned()
}

fn token(folder: &Path, user: &str, roles: &str) -> String {
    let keys = folder.join("keys").display().to_string();
    let minted = run(&["token", "--keys", &keys, "--sub", user, "--roles", roles], "");
    assert_eq!(minted.code, 0, "{minted:?}");
    minted.out.trim().to_owned()
}

fn ask(program: &Program, head: &str, body: &str) -> (String, String) {
    use std::io::Read as _;
    let mut socket = std::net::TcpStream::connect(program.server.trim_start_matches("http://")).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(socket, "{head}host: here\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

#[test]
fn a_room_is_moderated_while_it_talks() {
    let program = Program::start();
    assert_eq!(program.ok(&["mute", "--room=demo"]), "nobody is muted here\n");
    let muted = program.ok(&["mute", "--room=demo", "eve", "--for=10m", "--reason=spam"]);
    assert_eq!(muted, "user/eve is muted for 10 min\n");
    assert!(program.ok(&["mute", "--room=demo"]).contains("user/eve"));
    assert_eq!(program.ok(&["unmute", "--room=demo", "eve"]), "user/eve may speak again\n");
    program.ok(&["ban", "mallory"]);
    assert!(program.ok(&["ban"]).contains("user/mallory  good"));
    program.ok(&["unban", "mallory"]);

    assert_eq!(program.ok(&["mode", "--room=demo"]), "everybody may speak freely\n");
    let mode = program.ok(&["mode", "--room=demo", "--slow=2s", "--for=1h"]);
    assert!(mode.starts_with("slow: 2 s between"), "{mode}");
    let off = program.ok(&["mode", "--room=demo", "--off"]);
    assert!(off.starts_with("everybody may speak freely\n"), "{off}");

    let id = say(&program, "ann", "taken back");
    let recalled = program.ok(&["recall", "--room=demo", &id]);
    assert_eq!(recalled, "1 message taken back\n");

    program.ok(&["words", "add", "gruntle", "--action=hold"]);
    let deadline = Instant::now() + PATIENCE;
    // Said until the judge knows the word.
    let held = loop {
        let id = say(&program, "bob", "gruntle");
        let queue = wait_for_hold(&program, &id);
        if queue {
            break id;
        }
        assert!(Instant::now() < deadline, "nothing is ever held");
    };
    let approved = program.ok(&["holds", "approve", &held, "--text=g"]);
    assert!(approved.contains("is approved"), "{approved}");
    let late = program.run(&["holds", "reject", &held]);
    assert_eq!(late.code, 1);
    assert!(late.err.contains("approved"), "who was faster: {}", late.err);
    assert!(program.ok(&["holds", "list", "--room=demo", "--decided"]).contains("approved by"));
}

/// Whether it is held, as soon as that can be known: two seconds are a long time for a judge.
fn wait_for_hold(program: &Program, id: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(2);
    while Instant::now() < deadline {
        if program.ok(&["holds", "list", "--room=demo"]).contains(id) {
            return true;
        }
    }
    false
}

/// The broker in the program forgets everything; who was muted stays so.
#[test]
fn a_restart_forgives_nobody() {
    let mut program = Program::start();
    program.ok(&["mute", "--room=demo", "eve", "--for=1h"]);
    program.ok(&["mute", "--room=demo", "mallory"]);
    program.restart();
    let muted = ["eve", "mallory"].map(|user| (user, say(&program, user, "hello again")));
    let head = format!(
        "GET /v1/moderation/refusals?room=demo HTTP/1.1\r\nauthorization: Bearer {}\r\n",
        token(&program.folder, "mo", "moderator")
    );
    let deadline = Instant::now() + PATIENCE;
    for (user, id) in muted {
        loop {
            let refusals: Value = serde_json::from_str(&ask(&program, &head, "").1).unwrap();
            let mut refusals = refusals["refusals"].as_array().unwrap().iter();
            if refusals.any(|refusal| refusal["id"] == *id && refusal["verdict"] == "muted") {
                break;
            }
            assert!(Instant::now() < deadline, "{user} may speak again");
        }
    }
}

#[test]
fn a_dry_run_explains_each_stage() {
    let program = Program::start();
    let line = ["words", "dry-run", "--text", "ｂ.a.d🙂w0rd"];
    let found = program.run(&line);
    assert_eq!((found.code, found.err.as_str()), (1, ""), "a text that would not pass is a finding: {found:?}");
    for stage in
        ["U+FF42", "a gap (punctuation)", "a gap (emoji)", "Searched as: badw0rd", "read as leet: block", "So: block"]
    {
        assert!(found.out.contains(stage), "{stage}:\n{}", found.out);
    }
    let clean = program.ok(&["words", "dry-run", "--text=good morning"]);
    assert!(clean.contains("So: pass"), "{clean}");

    let chat = program.file("chat.txt", "hello\n\nbad word\nBADWORD!\n");
    let many = program.run(&["words", "dry-run", "--file", &chat]);
    assert_eq!(many.code, 1);
    assert!(many.out.contains("1 of 3 would not simply pass") || many.out.contains("2 of 3"), "{}", many.out);
    program.ok(&["words", "set", "idea", "--mode=draft"]);
    program.ok(&["words", "add", "gruntle", "--list=idea"]);
    assert_eq!(program.run(&["words", "dry-run", "--text=gruntle"]).code, 0);
    assert_eq!(program.run(&["words", "dry-run", "--text=gruntle", "--draft=idea"]).code, 1);

    let alone = run(&[&line[..], &["--built-in"]].concat(), "");
    assert_eq!((alone.code, alone.out), (1, found.out), "the same without a service");
}
