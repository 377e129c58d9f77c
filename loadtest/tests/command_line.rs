//! The program as a caller meets it: exit codes, and sentences for what cannot be played. No server is started here;
//! a whole replay is `make e2e`'s.

use std::path::PathBuf;
use std::process::{Command, Output};

fn loadtest(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loadtest")).args(args).output().expect("the program starts")
}

fn synthetic() -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/synthetic.ndjson").display().to_string()
}

#[test]
fn synthesize_prints_a_file_that_is_read_back() {
    let output = loadtest(&["synthesize", "--seed", "7", "--count", "200", "--span", "60s"]);
    assert!(output.status.success());
    let recording = loadtest::file::parse(&String::from_utf8(output.stdout).unwrap()).unwrap();
    assert_eq!((recording.lines.len(), recording.faults.lines), (200, 0));
    assert!(recording.lines.last().unwrap().at.as_secs() < 60);
}

#[test]
fn what_cannot_be_played_is_said_in_a_sentence() {
    let file = synthetic();
    let table: [(&[&str], &str); 5] = [
        (&["replay", "no/such/file.xml"], "read no/such/file.xml: No such file"),
        (&["replay", &file, "--rooms", "5", "--viewers", "4"], "each room needs one who counts"),
        (&["replay", &file, "--speed", "0"], "expected a number from 0.01 to 10000"),
        (&["replay", &file, "--target", "http://127.0.0.1:1"], "--admin"),
        (&["replay", &file, "--target", "127.0.0.1:1", "--admin", "127.0.0.1:1", "--keys", &file], "it is not ready"),
    ];
    for (args, sentence) in table {
        let output = loadtest(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(sentence), "{args:?}: {said}");
    }
}
