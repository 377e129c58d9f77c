//! SIGTERM and SIGINT, sent to a process of its own: this test program runs itself again, one test of it.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use chassis::shutdown::{Shutdown, on_signals};

#[test]
fn sample() {
    if std::env::var_os("CHASSIS_SAMPLE").is_none() {
        return; // Only the process that the other tests start has something to do here.
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let shutdown = Shutdown::new();
        let _signals = on_signals(&shutdown).unwrap();
        println!("\nlistening");
        shutdown.requested().await;
        println!("\nrequested");
        std::future::pending::<()>().await; // A drain that never ends.
    });
}

struct Sample {
    process: Child,
    said: BufReader<ChildStdout>,
}

impl Sample {
    fn start() -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sample", "--nocapture"])
            .env("CHASSIS_SAMPLE", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stdout.take().unwrap());
        Self { process, said }
    }

    fn wait_for(&mut self, word: &str) {
        let found = self.said.by_ref().lines().any(|line| line.unwrap() == word);
        assert!(found, "ended before it said {word}");
    }

    fn send(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.process.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

#[test]
fn the_first_signal_is_a_request_and_the_second_ends_at_once() {
    for (first, second, code) in [("-TERM", "-TERM", 143), ("-INT", "-TERM", 143), ("-TERM", "-INT", 130)] {
        let mut sample = Sample::start();
        sample.wait_for("listening");
        sample.send(first);
        sample.wait_for("requested");
        sample.send(second);
        assert_eq!(sample.process.wait().unwrap().code(), Some(code));
    }
}
