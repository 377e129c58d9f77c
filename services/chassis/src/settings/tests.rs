//! The line is judged whole: every bad value is named, with its flag, variable, value and remedy.
//! The environment's part is in `tests/settings.rs`, because it wants a process of its own.

use std::net::SocketAddr;

use super::*;

#[derive(Debug, clap::Parser)]
struct Sample {
    #[command(flatten)]
    common: Common,

    /// A secret.
    #[arg(long, env = "SAMPLE_PASSWORD", hide_env_values = true, value_parser = no_spaces)]
    password: Option<String>,

    /// A flag.
    #[arg(long)]
    verbose: bool,

    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Token {
        #[arg(long, value_parser = parse_duration)]
        ttl: std::time::Duration,
    },
}

impl Settings for Sample {
    const DEFAULTS: &'static [(&'static str, &'static str)] =
        &[("listen", "127.0.0.1:8081"), ("admin", "127.0.0.1:9091")];

    fn problems(&self) -> Vec<String> {
        let same = self.common.listen == self.common.admin;
        same.then(|| "--listen and --admin are the same; give two ports".to_owned()).into_iter().collect()
    }
}

fn no_spaces(text: &str) -> Result<String, String> {
    if text.contains(' ') { Err(format!("{text} has a space")) } else { Ok(text.into()) }
}

fn parsed(line: &str) -> Result<Sample, Stop> {
    parse_from(std::iter::once("sample").chain(line.split_ascii_whitespace()))
}

fn problems(line: &str) -> Vec<String> {
    match parsed(line) {
        Err(Stop::Problems(problems)) => problems.0,
        other => panic!("{line}: {other:?}"),
    }
}

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

#[test]
fn a_service_has_its_own_defaults_and_the_line_overrules_them() {
    let sample = parsed("").unwrap();
    assert_eq!(sample.common.listen, address("127.0.0.1:8081"));
    assert_eq!(sample.common.admin, address("127.0.0.1:9091"));
    assert_eq!((sample.common.generation, sample.common.partitions), (1, 64));
    assert_eq!(sample.common.drain.as_secs(), 30);
    assert!(!sample.verbose);
    assert_eq!(parsed("--listen 0.0.0.0:0").unwrap().common.listen, address("0.0.0.0:0"));
}

#[test]
fn lists_are_split_at_commas() {
    let line = "--trusted-proxies 10.0.0.0/8,::1 --origins https://a.example,https://b.example --brokers a:1,b:2";
    let common = parsed(line).unwrap().common;
    assert_eq!(common.trusted_proxies.len(), 2);
    assert_eq!(common.origins, ["https://a.example", "https://b.example"]);
    assert_eq!(common.brokers.as_deref(), Some("a:1,b:2"));
}

#[test]
fn all_bad_values_are_reported_at_once() {
    let found = problems(
        "--listen nowhere --generation 0 --partitions x --drain 5 --log-format xml --trusted-proxies 10.0.0.0/8,proxy",
    );
    let expected = [
        "--listen (DANMAKU_LISTEN): `nowhere` is not accepted: invalid socket address syntax",
        "--generation (DANMAKU_GENERATION): `0` is not accepted: 0 is not in 1..=4294967295",
        "--partitions (DANMAKU_PARTITIONS): `x` is not accepted: invalid digit found in string",
        "--trusted-proxies (DANMAKU_TRUSTED_PROXIES): `proxy` is not accepted: a network is",
        "--drain (DANMAKU_DRAIN): `5` is not accepted: the unit must be",
        "--log-format (DANMAKU_LOG_FORMAT): `xml` is not accepted",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
    assert!(found[0].ends_with("Give --listen <ADDRESS:PORT>, for example --listen 127.0.0.1:8081."), "{}", found[0]);
    assert!(found[3].ends_with("Give --trusted-proxies <NETWORK,...>, or leave it out."), "{}", found[3]);
    assert!(found[5].ends_with("Give one of: text, json."), "{}", found[5]);
}

#[test]
fn a_subcommands_values_are_judged_with_the_rest() {
    let found = problems("--generation x token --ttl soon");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[1].starts_with("--ttl: `soon` is not accepted"), "{}", found[1]);
}

#[test]
fn what_is_wrong_between_values_is_asked_when_each_is_right() {
    let found = problems("--listen 127.0.0.1:1 --admin 127.0.0.1:1");
    assert_eq!(found, ["--listen and --admin are the same; give two ports"]);
}

#[test]
fn a_secret_is_never_shown() {
    let args = |password: &'static str| ["sample", "--password", password];
    let Err(Stop::Problems(Problems(found))) = parse_from::<Sample>(args("pass word")) else {
        panic!("accepted");
    };
    assert!(found[0].starts_with("--password (SAMPLE_PASSWORD): *** is not accepted\n"), "{}", found[0]);
    let effective = effective::<Sample>(args("hunter2")).unwrap();
    let password = effective.iter().find(|setting| setting.name == "password").unwrap();
    assert_eq!(password.to_string(), "password=*** (flag)");
}

#[test]
fn the_effective_settings_say_who_set_them() {
    let effective = effective::<Sample>(["sample", "--generation", "7", "--verbose"]).unwrap();
    let lines: Vec<String> = effective.iter().map(ToString::to_string).collect();
    for line in ["listen=127.0.0.1:8081", "generation=7 (flag)", "brokers=(none)", "verbose=true (flag)"] {
        assert!(lines.iter().any(|found| found == line), "{line} in {lines:#?}");
    }
}

#[test]
fn an_unknown_flag_and_a_call_for_help_are_claps_to_answer() {
    for (line, to_stderr) in [("--lisen 1", true), ("--listen", true), ("--help", false)] {
        match parsed(line) {
            Err(Stop::Usage(error)) => assert_eq!(error.use_stderr(), to_stderr, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn help_teaches_meaning_variable_and_default() {
    let help = command::<Sample>().render_long_help().to_string();
    for words in ["DANMAKU_LISTEN", "127.0.0.1:8081", "X-Forwarded-For", "JWKS file", "second signal"] {
        assert!(help.contains(words), "{words} in\n{help}");
    }
}
