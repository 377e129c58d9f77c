//! Settings from the environment, in processes of their own: this test program runs itself again, one test of it.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

use std::process::{Command, Output};

use chassis::settings::{Common, EXIT_USAGE, Settings, parse_from};

#[derive(clap::Parser)]
struct Sample {
    #[command(flatten)]
    common: Common,
    /// A secret.
    #[arg(long, env = "SAMPLE_PORT", hide_env_values = true)]
    secret_port: Option<u16>,
}

impl Settings for Sample {}

#[test]
fn sample() {
    if std::env::var_os("CHASSIS_SAMPLE").is_none() {
        return; // Only the process that the other tests start has something to do here.
    }
    let sample: Sample = parse_from(["sample", "--partitions", "8"]).unwrap_or_else(|stop| stop.exit());
    println!("generation {} partitions {}", sample.common.generation, sample.common.partitions);
    println!("secret {}", sample.secret_port.is_some());
}

fn run(environment: &[(&str, &str)]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sample", "--nocapture"])
        .env("CHASSIS_SAMPLE", "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn the_environment_speaks_where_the_line_is_silent() {
    let output = run(&[("DANMAKU_GENERATION", "3"), ("DANMAKU_PARTITIONS", "16"), ("SAMPLE_PORT", "1")]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("generation 3 partitions 8") && said.contains("secret true"), "{said}");
}

#[test]
fn all_bad_values_of_the_environment_end_it_with_ex_usage() {
    let output =
        run(&[("DANMAKU_GENERATION", "three"), ("DANMAKU_ORIGINS", "example.com"), ("SAMPLE_PORT", "hunter2")]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(EXIT_USAGE), "{said}");
    for words in [
        "3 settings are not usable",
        "--generation (DANMAKU_GENERATION): `three` from the environment is not accepted",
        "--origins (DANMAKU_ORIGINS): `example.com` from the environment is not accepted: an origin is",
        "--secret-port (SAMPLE_PORT): *** from the environment is not accepted",
    ] {
        assert!(said.contains(words), "{words} in\n{said}");
    }
    assert!(!said.contains("hunter2"), "{said}");
}
