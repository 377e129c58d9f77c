//! `danmaku` without a command: all services on one ground, one port for page, sockets, messages and moderators. Here is what it
//! is told; what becomes of it is below: the `ground`, the `services` on it, the `origin` they are reached at, the `welcome`.

mod ground;
mod services;
mod origin;
mod welcome;

use std::{path::PathBuf, time::Duration};

use chassis::{
    program::{Program, Public},
    settings::{Common, Settings, Source, effective},
};
use fanout::SEND_BUFFER_BYTES;
use proto::Topic;
use tokio_util::task::AbortOnDropHandle;

use crate::{dev::Dev, lives};
use origin::Origin;
use services::Services;

/// Live danmaku in one process: a page, a door, a judge and a hall on an embedded Kafka broker.
///
/// Without flags it starts everything on this machine, prints where the page is, and lets a small crowd talk there.
/// With --brokers the same program stands on a real Kafka cluster.
#[derive(Debug, clap::Parser)]
#[command(
    name = "danmaku",
    version,
    after_help = "Commands (each with its own --help):
  danmaku up       what danmaku does without a command
  danmaku topics   creates or verifies the Kafka topics of a real cluster
  danmaku keys     writes a key file for development
  danmaku token    mints a token with a key file
  danmaku drain    says whether other nodes have room for one's viewers
  danmaku doctor   looks at a deployment and says what is wrong and what to do
  danmaku canary   says something through the public path and counts who sees it
  danmaku completions, danmaku man   for shells, and for readers

For moderators, through the service of a program that runs:
  danmaku words    keeps lists of words, tries texts on them, and goes back
  danmaku mute     keeps somebody from speaking in a room; unmute, ban, unban
  danmaku recall   takes back what was shown
  danmaku mode     says how a room may be spoken in
  danmaku holds    decides on what waits

On a real cluster --partitions is 64 and --drain 30s unless they are given.

Examples:
  danmaku                                      a first look: open the address it prints
  danmaku --crowd 0 --listen 0.0.0.0:8080      quiet, and reachable from other machines
  danmaku --brokers kafka:9092 --keys k.jwks   on a real cluster"
)]
pub struct Up {
    #[arg(value_parser = command, hide = true)]
    command: Option<String>,

    #[command(flatten)]
    common: Common,

    /// How many synthetic senders talk in --room; 0 silences them.
    /// [default: 12 on the embedded broker, 0 with --brokers]
    #[arg(long, env = "DANMAKU_CROWD", value_parser = clap::value_parser!(u16).range(0..=1000))]
    crowd: Option<u16>,

    /// The room that the printed address opens and the crowd talks in.
    #[arg(long, env = "DANMAKU_ROOM", default_value = "demo", value_parser = room)]
    room: String,

    #[command(flatten)]
    ingest: ingest::Config,

    #[command(flatten)]
    filter: filter::Config,

    #[command(flatten)]
    fanout: fanout::Config,

    #[command(flatten)]
    moderation: moderation::Config,

    /// The folder for what must outlive the program: the rule book, mutes and bans, unless --database names another place.
    // In the folder where it is started, and made there: a first look asks nobody, and leaves one thing to be removed.
    #[arg(long, env = "DANMAKU_DATA", value_name = "FOLDER", default_value = "danmaku-data")]
    data: PathBuf,
}

/// The small commands are taken out before; whoever meets this one has mistyped one of them, or put it behind a flag.
fn command(text: &str) -> Result<String, String> {
    match text {
        "up" => Ok(text.to_owned()),
        _ => {
            let commands = "up, topics, keys, token, drain, doctor, canary, completions, man, words, mute, unmute, ban, \
                            unban, recall, mode and holds";
            Err(format!("the commands are {commands}, and a command stands before every flag"))
        }
    }
}

fn room(text: &str) -> Result<String, String> {
    proto::RoomId::new(text).map(|room| room.as_str().to_owned()).map_err(|why| format!("no room: {why}"))
}

/// Partitions of the embedded broker: enough to show that rooms are spread, few enough to idle cheaply.
const EMBEDDED_PARTITIONS: &str = "4";

/// Partitions on a real cluster unless --partitions says otherwise, as for the services alone.
const CLUSTER_PARTITIONS: i32 = 64;

/// How long leaving takes on the embedded broker: whoever presses Ctrl-C waits for it, and no other node is to be spared.
const EMBEDDED_DRAIN: &str = "2s";

/// How long it takes on a real cluster unless --drain says otherwise, as for the services alone.
const CLUSTER_DRAIN: Duration = Duration::from_secs(30);

/// The words that are blocked where no list was given: invented ones, so that the judge has something to do.
pub(crate) const EXAMPLE_WORDS: &str = include_str!("example_words.txt");

impl Settings for Up {
    const DEFAULTS: &'static [(&'static str, &'static str)] =
        &[("partitions", EMBEDDED_PARTITIONS), ("drain", EMBEDDED_DRAIN)];

    fn problems(&self) -> Vec<String> {
        let common = self.common();
        let mut problems = common.problems();
        problems.extend(self.filter.problems(common.partitions));
        problems.extend(self.fanout.problems());
        if self.common.brokers.is_some() && self.common.keys.is_none() {
            let missing =
                "--keys (DANMAKU_KEYS): on a real cluster tokens are checked against keys; give --keys <FILE>";
            problems.push(missing.to_owned());
        }
        problems
    }
}

impl Up {
    /// The common settings as they act: what is not given is another thing on a real cluster.
    fn common(&self) -> Common {
        let mut common = self.common.clone();
        if common.brokers.is_some() {
            common.partitions = if is_given("partitions") { common.partitions } else { CLUSTER_PARTITIONS };
            common.drain = if is_given("drain") { common.drain } else { CLUSTER_DRAIN };
        }
        common
    }

    /// Makes what was said what acts: the folder for what must outlive the program is there, and this life has its number.
    fn settle(&mut self) -> anyhow::Result<()> {
        self.common = self.common();
        if !is_given("database") && !is_given("database-file") {
            ground::folder(&self.data)?;
        }
        if self.common.brokers.is_none() {
            self.common.generation = lives::next(&self.data, self.common.generation)?;
        }
        Ok(())
    }

    /// Where moderators' work is kept, and the words that are there at the first start.
    fn moderation(&self) -> moderation::Config {
        let database = format!("sqlite://{}", self.data.join("moderation.db").display());
        let database = if is_given("database") { self.moderation.database.clone() } else { database };
        moderation::Config { database, ..self.moderation.clone() }
    }
}

/// The whole life of the program.
pub async fn run(mut up: Up) -> anyhow::Result<()> {
    up.settle()?;
    let (embedded, cluster) = ground::broker(&up.common)?;
    let (signer, verifier) = ground::keys(up.common.keys.as_deref())?;
    let program = Program::begin::<Up>(&up.common, cluster, verifier, Public::SendBuffer(SEND_BUFFER_BYTES))
        .await?
        .stalling_after(up.fanout.blocked_max)
        .accepting(up.fanout.handshakes_rate)
        .asking_about(Topic::Input.name(&up.common.topic_prefix));
    tracing::info!(partitions = up.common.partitions, embedded = embedded.is_some(), "broker");
    let services = Services::open(&program, &up, signer.clone()).await?;
    let welcome = welcome::of(&program, &up, embedded.is_some(), signer.clone())?;
    let _welcome = AbortOnDropHandle::new(tokio::spawn(welcome.say(program.ground.clone())));
    let origin = Origin::of(&services, Dev::of(&up.common, signer)?);
    let handle = move |request, peer| {
        let origin = origin.clone();
        async move { origin.answer(request, peer).await }
    };
    program.run(handle, services.leave()).await
}

/// Whether a setting was said and is not its default.
fn is_given(name: &str) -> bool {
    effective::<Up>(std::env::args_os())
        .is_ok_and(|all| all.iter().any(|one| one.name == name && one.source != Source::Default))
}

#[cfg(test)]
mod tests {
    use chassis::settings::{Stop, parse_from};
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::dev::is_first_look;

    #[test]
    fn the_services_settings_stand_side_by_side_on_one_line() {
        Up::command().debug_assert();
        let up: Up = parse_from(["danmaku", "up"]).unwrap();
        assert_eq!((up.common.partitions, up.crowd, up.room.as_str()), (4, None, "demo"));
        assert_eq!(up.common.drain, Duration::from_secs(2));
        assert_eq!(up.moderation().database, "sqlite://danmaku-data/moderation.db");
        assert_eq!((up.ingest, up.filter, up.fanout, up.moderation), Default::default());
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        let table = [
            (["danmaku", "tokens"], "mode and holds"),
            (["danmaku", "--brokers=kafka:9092"], "--keys"),
            (["danmaku", "--ping=80s"], "--ping"),
            (["danmaku", "--history=2h"], "--output-retention"),
            (["danmaku", "--judge-threads=5"], "at most 4"),
            (["danmaku", "--grace=2s"], "--drain"),
            (["danmaku", "--kafka-user=me"], "--kafka-password-file"),
        ];
        for (line, word) in table {
            let Err(Stop::Problems(problems)) = parse_from::<Up>(line) else { panic!("accepted: {line:?}") };
            assert!(problems.to_string().contains(word), "{problems}");
        }
    }

    #[test]
    fn tokens_are_given_away_at_a_first_look_alone() {
        for (flag, expected) in [
            ("--listen=0.0.0.0:8080", true),
            ("--brokers=kafka:9092", false),
            ("--keys=k.jwks", false),
            ("--trusted-proxies=127.0.0.1/32", false),
            ("--origins=https://live.example.com", false),
        ] {
            let up = Up::try_parse_from(["danmaku", flag]).unwrap();
            assert_eq!(is_first_look(&up.common), expected, "{flag}");
        }
    }

    #[test]
    fn twenty_words_are_built_in() {
        let words = EXAMPLE_WORDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(words.count(), 20);
        assert!(EXAMPLE_WORDS.lines().any(|line| line == crate::crowd::NAUGHTY), "the crowd's own is one of them");
    }
}
