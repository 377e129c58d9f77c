//! The moderators' own knobs, each with the reason for its default. What all services share is kept out (`chassis`).

use std::{fmt, path::Path, time::Duration};

use chassis::settings::{origin, parse_duration, secret};

use crate::store;

/// What the service is told besides the common settings.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
// Unnamed: in one process it stands beside other services' `Config` on one command line.
#[group(skip)]
pub struct Config {
    /// Where the rule book and all that moderators do is kept: sqlite://FILE for one process, postgres://USER@HOST/NAME for several;
    /// behind that ?sslmode=verify-full is TLS, with &sslrootcert=FILE for an authority that this machine does not trust by itself.
    // A file needs nobody else; who runs two of this service has a PostgreSQL already. It may hold a password.
    #[arg(long, env = "DANMAKU_DATABASE", value_name = "URL", default_value = "sqlite://data/moderation.db",
          hide_env_values = true, value_parser = database)]
    pub database: String,

    /// A file that holds the URL, read at the start: for one with a password. It goes before --database.
    #[arg(long, env = "DANMAKU_DATABASE_FILE", value_name = "FILE", value_parser = in_file)]
    pub database_file: Option<Url>,

    /// How long the body of a request to the moderators' service may take to arrive.
    // 32 MiB, the largest list, in a minute are 4.5 Mbit/s.
    #[arg(long, env = "DANMAKU_MODERATION_BODY_TIMEOUT", value_name = "DURATION", default_value = "60s",
          value_parser = parse_duration)]
    pub moderation_body_timeout: Duration,

    /// How long decided holds, refused messages, ended sanctions and reports are kept in the database.
    // As long as danmaku-verdicts itself; 500 refusals an hour of 300 B are 25 MB.
    #[arg(long, env = "DANMAKU_MODERATION_KEEP", value_name = "DURATION", default_value = "7d", value_parser = parse_duration)]
    pub moderation_keep: Duration,

    /// How long versions of the rule book can be gone back to. The newest 50 of each scope always can.
    // A season. 100 edits a day of 16 KB, a page and a chunk of 10,000 entries and the version's row, are 144 MB.
    #[arg(long, env = "DANMAKU_VERSIONS_KEEP", value_name = "DURATION", default_value = "90d", value_parser = parse_duration)]
    pub versions_keep: Duration,

    /// How many viewers have to report a message until moderators hear of it.
    // One can be a mistake, and two friends are quickly found.
    #[arg(long, env = "DANMAKU_REPORTS_TO_FLAG", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub reports_to_flag: u16,

    /// Whether web players are told at /v3/, without a token, what rooms were shown.
    // The hall lets anybody watch, and shows him a minute; this is all that Kafka holds, with names.
    #[arg(long, env = "DANMAKU_ANONYMOUS_PLAYERS", value_name = "BOOL", default_value_t = false,
          action = clap::ArgAction::Set)]
    pub anonymous_players: bool,
}

impl Config {
    /// The database's URL, whichever way it was said.
    #[must_use]
    pub fn database(&self) -> &str {
        self.database_file.as_ref().map_or(&self.database, |Url(url)| url)
    }
}

/// A URL that may hold a password, and does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Url(String);

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

fn in_file(path: &str) -> Result<Url, String> {
    database(&secret(Path::new(path))?).map(Url)
}

fn database(text: &str) -> Result<String, String> {
    let kind = store::Kind::of(text);
    kind.map(|_| text.to_owned()).ok_or_else(|| "a database is sqlite://FILE or postgres://USER@HOST/NAME".to_owned())
}

impl Default for Config {
    fn default() -> Self {
        Self {
            database: "sqlite://data/moderation.db".to_owned(),
            database_file: None,
            moderation_body_timeout: Duration::from_secs(60),
            moderation_keep: Duration::from_secs(7 * 24 * 3600),
            versions_keep: Duration::from_secs(90 * 24 * 3600),
            reports_to_flag: 3,
            anonymous_players: false,
        }
    }
}

/// Everything the service is told when it runs alone.
#[derive(Debug, Clone, clap::Parser)]
#[command(
    name = "moderation",
    version,
    about = "The moderators' service: the rule book, mutes, holds, and who did what"
)]
pub struct Settings {
    /// What every service is told.
    #[command(flatten)]
    pub common: chassis::settings::Common,
    /// The service's own.
    #[command(flatten)]
    pub own: Config,

    /// Where the console watches rooms, such as https://live.example.com, unless a gateway brings the hall to this origin.
    #[arg(long, env = "DANMAKU_HALL", value_name = "ORIGIN", value_parser = origin)]
    pub hall: Option<String>,
}

impl chassis::settings::Settings for Settings {
    const DEFAULTS: &'static [(&'static str, &'static str)] =
        &[("listen", "127.0.0.1:8083"), ("admin", "127.0.0.1:9094")];

    fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.common.without_brokers().into_iter().collect();
        if self.common.keys.is_none() {
            problems.push("--keys (DANMAKU_KEYS): tokens are checked against keys; give --keys <FILE>".to_owned());
        }
        problems.extend(self.common.problems());
        problems
    }
}

#[cfg(test)]
mod tests {
    use chassis::settings::{Stop, parse_from};

    use super::*;

    #[test]
    fn the_defaults_in_code_and_on_the_line_are_the_same() {
        let line = ["moderation", "--brokers", "localhost:9092", "--keys", "keys.json"];
        let settings: Settings = parse_from(line).unwrap();
        assert_eq!((settings.own, settings.hall), (Config::default(), None));
    }

    #[test]
    fn a_database_of_another_kind_is_named() {
        let line = ["moderation", "--brokers", "localhost:9092", "--keys", "k", "--database", "mysql://localhost/x"];
        let Err(Stop::Problems(problems)) = parse_from::<Settings>(line) else { panic!("accepted") };
        assert!(problems.to_string().contains("--database"), "{problems}");
    }
}
