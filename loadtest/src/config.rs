//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A crowd from outside: it replays danmaku into a running Danmaku and adds up the books.
#[derive(Debug, Parser)]
#[command(name = "loadtest", version, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "Examples:
  loadtest replay loadtest/data/synthetic.ndjson --embedded --rooms 10 --viewers 1000 --speed 50
  loadtest replay recording.xml --kafka --rooms 10 --speed 100 --duration 60s --json
  loadtest replay FILE --target http://10.0.0.5:8080 --admin http://10.0.0.5:9090 --keys dev.jwks
  loadtest synthesize --seed 1 --count 5000";

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Replays a danmaku file and ends with the ledger; exit code 1 when the books do not balance.
    Replay(Replay),
    /// Prints an invented danmaku file, drawn from what a real live room is like.
    Synthesize(Synthesize),
}

/// What is replayed, how, and against what.
#[derive(Debug, Clone, Args)]
pub struct Replay {
    /// NDJSON (`{"t": ms, "user": …, "text": …, "mode": 1|4|5, "color": "#rrggbb"}`) or a recorder's XML.
    pub file: PathBuf,

    /// How much faster than the file's own time.
    #[arg(long, default_value = "1", value_name = "TIMES", value_parser = speed)]
    pub speed: f64,

    /// How many rooms say the file; each but the first begins at a place of its own and goes round.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rooms: u32,

    /// How many viewers listen, spread over the rooms; each room needs one [default: 10 a room].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=19_000))]
    pub viewers: Option<u32>,

    /// Where the replay ends at the latest, in its own time: 60s, 5m.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub duration: Option<Duration>,

    /// For how long the beginning is rehearsed before the measured part, by other users; 0s for not at all.
    // The first seconds of everything are slow: connections, the judge's memories, above all a Kafka's JVM, which on two
    // busy cores wants 20 s.
    #[arg(long, default_value = "3s", value_name = "DURATION", value_parser = duration)]
    pub warm: Duration,

    /// Chooses the rooms' names and where copies begin, so that a run can be repeated [default: random].
    #[arg(long)]
    pub seed: Option<u32>,

    /// Prints the report as one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,

    /// Does something wrong on purpose, to prove that the ledger sees it.
    #[arg(long, value_enum)]
    pub fault: Option<Fault>,

    /// Against what; the embedded broker if nothing is said.
    #[command(flatten)]
    pub against: Against,
}

/// Against what the file is replayed.
#[derive(Debug, Clone, Default, Args)]
pub struct Against {
    /// Starts the danmaku program on its embedded broker (this is the default).
    #[arg(long, conflicts_with_all = ["kafka", "target"])]
    pub embedded: bool,

    /// Starts a real Kafka by scripts/kafka, and the danmaku program on it.
    #[arg(long, conflicts_with = "target")]
    pub kafka: bool,

    /// A Danmaku that is running, which nobody else uses meanwhile: http://host:port.
    #[arg(long, value_name = "URL", value_parser = address, requires_all = ["admin", "keys"])]
    pub target: Option<SocketAddr>,

    /// Its admin ports, one --admin for each of its programs.
    #[arg(long, value_name = "URL", value_parser = address, requires = "target")]
    pub admin: Vec<SocketAddr>,

    /// A JWKS file with the HS256 key it believes.
    #[arg(long, value_name = "FILE", requires = "target")]
    pub keys: Option<PathBuf>,
}

/// A fault on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// One viewer forgets one message.
    DropOne,
}

/// What is invented.
#[derive(Debug, Clone, Copy, Args)]
pub struct Synthesize {
    /// The same seed invents the same file.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// How many danmaku.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub count: u32,

    /// The file's own time; by default 0.6 s a danmaku, so that 5,000 at --speed 50 take a minute.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub span: Option<Duration>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().map_err(|error| error.to_string())?;
    let sensible = (0.01..=10_000.0).contains(&speed);
    if sensible { Ok(speed) } else { Err("expected a number from 0.01 to 10000".into()) }
}

fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| "expected a duration like 500ms, 60s or 5m".to_owned())?;
    let secs = match &text[digits.len()..] {
        "ms" => number / 1000.0,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err("expected a unit: ms, s, m or h".into()),
    };
    if (0.0..=86_400.0).contains(&secs) {
        Ok(Duration::from_secs_f64(secs))
    } else {
        Err("expected at most 24h".into())
    }
}

/// `http://host:port`, as the ready line names it, or without its beginning.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    use std::net::ToSocketAddrs as _;
    if text.starts_with("https://") {
        return Err("TLS ends at a gateway; name the port behind it, http://…".into());
    }
    let host = text.trim_start_matches("http://").trim_end_matches('/');
    let mut found = host.to_socket_addrs().map_err(|error| format!("expected http://host:port: {error}"))?;
    found.next().ok_or_else(|| "the host has no address".into())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn values() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(address("http://127.0.0.1:80/"), Ok("127.0.0.1:80".parse().unwrap()));
        assert_eq!(speed("50"), Ok(50.0));
        for bad in ["", "60", "s", "-1s", "99h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert!(address("https://127.0.0.1:80").is_err() && address("nowhere").is_err());
        assert!(speed("0").is_err() && speed("NaN").is_err());
    }

    #[test]
    fn what_does_not_go_together() {
        let parse =
            |args: &str| Cli::try_parse_from(["loadtest", "replay", "f"].into_iter().chain(args.split_whitespace()));
        for good in [
            "",
            "--embedded",
            "--kafka",
            "--target http://127.0.0.1:1 --admin 127.0.0.1:2 --admin 127.0.0.1:3 --keys k",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in
            ["--embedded --kafka", "--target http://127.0.0.1:1", "--admin 127.0.0.1:2", "--rooms 0", "--speed x"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
