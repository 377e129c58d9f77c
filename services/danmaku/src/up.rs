//! `danmaku` without a command: ingest, filter and fanout on one ground, one port for page, sockets and messages.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::Context as _;
use chassis::{
    http::Response,
    kafka::{Cluster, Embedded, TopicSpec},
    program::{Program, Public, verifier},
    settings::{Common, Settings, Source, effective},
    tokens::Signer,
};
use fanout::Hall;
use filter::Judge;
use hyper::{Request, body::Incoming};
use ingest::Door;
use proto::{Topic, topics::OUTPUT_RETENTION_MS};

use crate::{crowd::Crowd, page};

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

Examples:
  danmaku                                      a first look: open the address it prints
  danmaku --crowd 0 --listen 0.0.0.0:8080      quiet, and reachable from other machines
  danmaku --brokers kafka:9092 --keys k.jwks   on a real cluster"
)]
pub struct Up {
    #[arg(value_parser = ["up"], hide = true)]
    command: Option<String>,

    #[command(flatten)]
    common: Common,

    /// How many synthetic senders talk in --room; 0 silences them.
    #[arg(long, env = "DANMAKU_CROWD", default_value_t = 12, value_parser = clap::value_parser!(u16).range(0..=1000))]
    crowd: u16,

    /// The room that the printed address opens and the crowd talks in.
    #[arg(long, env = "DANMAKU_ROOM", default_value = "demo", value_parser = room)]
    room: String,

    #[command(flatten)]
    ingest: ingest::Config,

    #[command(flatten)]
    filter: filter::Config,

    #[command(flatten)]
    fanout: fanout::Config,
}

fn room(text: &str) -> Result<String, String> {
    proto::RoomId::new(text).map(|room| room.as_str().to_owned()).map_err(|why| format!("no room: {why}"))
}

/// Partitions of the embedded broker: enough to show that rooms are spread, few enough to idle cheaply.
const EMBEDDED_PARTITIONS: &str = "4";

/// Partitions on a real cluster unless --partitions says otherwise, as for the services alone.
const CLUSTER_PARTITIONS: i32 = 64;

/// The words that are blocked where no list was given: invented ones, so that the judge has something to do.
const EXAMPLE_WORDS: &str = include_str!("example_words.txt");

impl Settings for Up {
    const DEFAULTS: &'static [(&'static str, &'static str)] = &[("partitions", EMBEDDED_PARTITIONS)];
}

/// The whole life of the program.
pub async fn run(mut up: Up) -> anyhow::Result<()> {
    let partitions_given = effective::<Up>(std::env::args_os())
        .is_ok_and(|all| all.iter().any(|one| one.name == "partitions" && one.source != Source::Default));
    if up.common.brokers.is_some() && !partitions_given {
        up.common.partitions = CLUSTER_PARTITIONS;
    }
    let (embedded, cluster) = broker(&up.common)?;
    let signer = signer(up.common.keys.as_deref(), embedded.is_some())?;
    let verifier = match (&signer, &up.common.keys) {
        (Some(signer), None) => signer.verifier()?,
        (_, keys) => verifier(keys.as_deref())?,
    };
    let program = Program::begin::<Up>(&up.common, cluster, verifier, Public::Plain)?;
    let address = program.public_address().context("no public port")?;
    let ground = program.ground.clone();

    let judge = Judge::start(&ground, up.filter.with_words_or(EXAMPLE_WORDS))?;
    let hall = Hall::open(&ground, up.fanout)?;
    let door = Door::open(&ground, up.ingest)?;
    greet(address, &up.room, embedded.is_some());

    let crowd = signer.clone().filter(|_| up.crowd > 0).map(|signer| {
        let crowd = Crowd { senders: usize::from(up.crowd), door: address, room: up.room.clone(), signer };
        let ground = ground.clone();
        tokio::spawn(async move {
            ground.readiness.wait_ready().await;
            crowd.talk(ground.shutdown).await;
        })
    });
    let leaving_door = door.clone();
    let dev_signer = signer.filter(|_| embedded.is_some());
    let served_hall = hall.clone();
    let handle = move |request: Request<Incoming>, peer: SocketAddr| {
        let (door, hall, signer) = (door.clone(), served_hall.clone(), dev_signer.clone());
        async move { route(request, peer, &door, &hall, signer.as_deref()).await }
    };
    // Viewers first, so that they look for another node at once; then what the door has taken is written, and judged.
    program
        .run(handle, async {
            hall.leave().await;
            leaving_door.leave().await;
            judge.leave().await;
        })
        .await?;
    drop(crowd);
    drop(embedded);
    Ok(())
}

/// The broker: the one named, or an embedded one with its topics.
fn broker(common: &Common) -> anyhow::Result<(Option<Embedded>, Cluster)> {
    if let Some(brokers) = &common.brokers {
        return Ok((None, Cluster::real(&**brokers)));
    }
    let topics: Vec<TopicSpec> = Topic::ALL
        .iter()
        .map(|topic| topic.described(&common.topic_prefix, common.partitions, OUTPUT_RETENTION_MS).into())
        .collect();
    let embedded = Embedded::start(topics).context("the embedded broker did not start")?;
    let cluster = embedded.cluster();
    Ok((Some(embedded), cluster))
}

/// Who can sign tokens here: a key of the file if it holds a private one, a random key where everything is embedded.
fn signer(keys: Option<&Path>, embedded: bool) -> anyhow::Result<Option<Arc<Signer>>> {
    match keys {
        // A file of public keys only is right for production; then nobody here can sign, and the crowd stays away.
        Some(path) => Ok(Signer::from_file(path).ok().map(Arc::new)),
        None => Ok(embedded.then(|| Arc::new(Signer::random_hs256()))),
    }
}

/// What a newcomer reads first. On stderr: stdout carries the ready line alone.
fn greet(address: SocketAddr, room: &str, embedded: bool) {
    let room = percent_encoding::utf8_percent_encode(room, percent_encoding::NON_ALPHANUMERIC);
    eprintln!("\n  danmaku is flying:  http://{address}/?room={room}\n");
    if embedded {
        eprintln!(
            "  The broker is embedded: memory only, the last 5 MiB of each partition, about 50,000 messages a second,\n  \
             no times and no topic administration. With --brokers the same program stands on a real Kafka cluster.\n"
        );
    }
}

/// One origin for everything a viewer needs.
async fn route(
    request: Request<Incoming>,
    peer: SocketAddr,
    door: &Arc<Door>,
    hall: &Arc<Hall>,
    signer: Option<&Signer>,
) -> Response {
    let path = request.uri().path();
    if ingest::serves(path) {
        return door.handle(request, peer).await;
    }
    if path.starts_with("/v1/") {
        return hall.handle(request, peer).await;
    }
    if path == "/dev/token" {
        return page::dev_token(&request, peer, signer);
    }
    page::file(&request)
}
