//! `danmaku` without a command: all services on one ground, one port for page, sockets, messages and moderators.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use chassis::{
    ground::Ground,
    http::Response,
    kafka::{Cluster, Embedded, TopicSpec},
    program::{Program, Public, verifier},
    settings::{Common, Settings, Source, effective},
    telemetry,
    tokens::Signer,
};
use fanout::{Doors, Hall, SEND_BUFFER_BYTES};
use filter::Judge;
use hyper::{Request, body::Incoming};
use ingest::Door;
use moderation::House;
use proto::{Topic, topics::OUTPUT_RETENTION_MS};
use tokio_util::task::AbortOnDropHandle;

use crate::{crowd::Crowd, dev, hops::Hops, lives};

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

/// Senders that make a first look move: four messages a second. Nobody wants them in a real cluster unasked.
const EMBEDDED_CROWD: u16 = 12;

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

    /// Where moderators' work is kept, and the words that are there at the first start.
    fn moderation(&self) -> moderation::Config {
        let database = format!("sqlite://{}", self.data.join("moderation.db").display());
        let database = if is_given("database") { self.moderation.database.clone() } else { database };
        moderation::Config { database, ..self.moderation.clone() }
    }
}

/// The whole life of the program.
pub async fn run(mut up: Up) -> anyhow::Result<()> {
    up.common = up.common();
    let moderation = up.moderation();
    if !is_given("database") && !is_given("database-file") {
        writable(&up.data)?;
    }
    if up.common.brokers.is_none() {
        up.common.generation = lives::next(&up.data, up.common.generation)?;
    }
    let (embedded, cluster) = broker(&up.common)?;
    let signer = signer(up.common.keys.as_deref());
    let verifier = match (&signer, &up.common.keys) {
        (Some(signer), None) => signer.verifier()?,
        (_, keys) => verifier(keys.as_deref())?,
    };
    let program = Program::begin::<Up>(&up.common, cluster, verifier, Public::SendBuffer(SEND_BUFFER_BYTES))
        .await?
        .stalling_after(up.fanout.blocked_max)
        .accepting(up.fanout.handshakes_rate)
        .asking_about(Topic::Input.name(&up.common.topic_prefix));
    tracing::info!(partitions = up.common.partitions, embedded = embedded.is_some(), "broker");
    let door_address = reachable(program.public_address().context("no public port")?);
    let ground = program.ground.clone();

    let judge = Judge::start(&ground, up.filter)?;
    if up.fanout.ingest.is_empty() && (signer.is_some() || up.fanout.relay_token_file.is_some()) {
        // Over the loopback like any other node's: one way to the door, whoever comes.
        up.fanout.ingest.push(door_address.to_string().parse().context("the own door's address")?);
    }
    let doors = Doors::of(&up.fanout, signer.clone())?;
    let hall_config = up.fanout.listening_at(program.public_address(), program.connections_max());
    let hall = Hall::open_with(&ground, hall_config, doors)?;
    let door = Door::open(&ground, up.ingest)?;
    let house = House::open_with(&ground, moderation, Some(EXAMPLE_WORDS)).await?;

    let senders = up.crowd.unwrap_or(if embedded.is_some() { EMBEDDED_CROWD } else { 0 });
    let crowd = signer.clone().filter(|_| senders > 0).map(|signer| Crowd {
        senders: usize::from(senders),
        door: door_address,
        room: up.room.clone(),
        signer,
    });
    let hops = Hops::new(telemetry::install(up.common.log_format)?);
    let dev = signer.filter(|_| is_first_look(&up.common)).map(|signer| Arc::new(Dev { signer, hops }));
    let scheme = if up.common.tls_cert.is_some() { "https" } else { "http" };
    let welcome = welcome(ground, format!("{scheme}://{door_address}"), up.room, embedded.is_some(), crowd);
    let _welcome = AbortOnDropHandle::new(tokio::spawn(welcome));

    let (served_hall, served_door, served_house) = (hall.clone(), door.clone(), house.clone());
    let handle = move |request: Request<Incoming>, peer: SocketAddr| {
        let (door, hall, dev) = (served_door.clone(), served_hall.clone(), dev.clone());
        let house = served_house.clone();
        async move { route(request, peer, &door, &hall, &house, dev.as_deref()).await }
    };
    // Viewers first, so that they look for another node at once; then what the door has taken is written, and judged.
    program
        .run(handle, async {
            hall.leave().await;
            door.leave().await;
            judge.leave().await;
            house.leave().await;
        })
        .await
}

/// Whether tokens may be given away: their key is random and the broker forgets all, and nothing says that others than this
/// machine come, by a proxy on it or from pages elsewhere.
fn is_first_look(common: &Common) -> bool {
    let is_alone = common.brokers.is_none() && common.keys.is_none();
    is_alone && common.trusted_proxies.is_empty() && common.origins.is_empty()
}

/// Makes the folder if it is not there, and a file in it, for a moment.
fn writable(folder: &Path) -> anyhow::Result<()> {
    let written = || {
        std::fs::create_dir_all(folder)?;
        let file = folder.join(format!(".written-{}", std::process::id()));
        std::fs::write(&file, "")?;
        std::fs::remove_file(&file)
    };
    written().with_context(|| {
        format!("--data (DANMAKU_DATA): nothing can be written in {}; give --data <FOLDER>", folder.display())
    })
}

/// Whether a setting was said and is not its default.
fn is_given(name: &str) -> bool {
    effective::<Up>(std::env::args_os())
        .is_ok_and(|all| all.iter().any(|one| one.name == name && one.source != Source::Default))
}

/// Where this machine reaches what listens at `address`.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}

/// The broker: the one named, or an embedded one with its topics.
fn broker(common: &Common) -> anyhow::Result<(Option<Embedded>, Cluster)> {
    if common.brokers.is_some() {
        return Ok((None, chassis::program::cluster(common)?));
    }
    let topics: Vec<TopicSpec> = Topic::ALL
        .iter()
        .map(|topic| topic.described(&common.topic_prefix, common.partitions, OUTPUT_RETENTION_MS).into())
        .collect();
    let embedded = Embedded::start(topics).context("the embedded broker did not start")?;
    let cluster = embedded.cluster();
    Ok((Some(embedded), cluster))
}

/// Who can sign tokens here: a key of the file if it holds a private one, a random key where no file is named (which only
/// the embedded broker allows).
fn signer(keys: Option<&Path>) -> Option<Arc<Signer>> {
    match keys {
        // A file of public keys only is right for production; then nobody here can sign, and the crowd stays away. What is
        // wrong with a file the verifier says, which reads it next.
        Some(path) => Signer::from_file(path).ok().map(Arc::new),
        None => Some(Arc::new(Signer::random_hs256())),
    }
}

/// Says where the page is once it would move, and lets the crowd talk.
async fn welcome(ground: Ground, origin: String, room: String, embedded: bool, crowd: Option<Crowd>) {
    ground.readiness.wait_ready().await;
    greet(&origin, &room, embedded);
    if let Some(crowd) = crowd {
        crowd.talk(ground.shutdown).await;
    }
}

/// What a newcomer reads first. On stderr: stdout carries the ready line alone.
fn greet(origin: &str, room: &str, embedded: bool) {
    let room = percent_encoding::utf8_percent_encode(room, percent_encoding::NON_ALPHANUMERIC);
    if embedded {
        eprintln!(
            "\n  The broker is embedded: memory only, the last 5 MiB of each partition, about 50,000 messages a second,\n  \
             no times and no topic administration. With --brokers the same program stands on a real Kafka cluster."
        );
    }
    eprintln!("\n  danmaku is flying:  {origin}/?room={room}\n  for moderators:     {origin}/console\n");
}

/// One origin for everything a viewer needs.
async fn route(
    request: Request<Incoming>,
    peer: SocketAddr,
    door: &Arc<Door>,
    hall: &Arc<Hall>,
    house: &Arc<House>,
    dev: Option<&Dev>,
) -> Response {
    let path = request.uri().path();
    if moderation::serves(path) {
        return house.handle(request, peer).await;
    }
    if ingest::serves(path) {
        return door.handle(request, peer).await;
    }
    if path.starts_with("/v1/") || path == fanout::GOIM_PATH {
        return hall.handle(request, peer).await;
    }
    if path.starts_with("/dev/") {
        return dev_only(&request, peer, dev);
    }
    web::file(&request)
}

/// What the page is given for development.
struct Dev {
    signer: Arc<Signer>,
    hops: Hops,
}

fn dev_only(request: &Request<Incoming>, peer: SocketAddr, dev: Option<&Dev>) -> Response {
    if let Some(refused) = dev::refuse_dev(request, peer, dev.is_some()) {
        return refused;
    }
    match (request.uri().path(), dev) {
        ("/dev/token", Some(dev)) => dev::dev_token(request, &dev.signer),
        ("/dev/hops", Some(dev)) => dev.hops.answer(),
        _ => dev::unknown(),
    }
}

#[cfg(test)]
mod tests {
    use chassis::settings::{Stop, parse_from};
    use clap::{CommandFactory as _, Parser as _};

    use super::*;

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
