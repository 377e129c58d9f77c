//! `danmaku canary`: says something in a room of its own through the public path, and counts who sees it. What it tells is the
//! only true delivery ratio: every other number is a part's word for itself.
//!
//! # Layout, in reading order
//! `book` is what was said and who saw it, pure; `speaker` says it, a `watcher` at each hall sees it, with tokens out of the
//! `purse`; `watch` goes on for ever and exports `numbers`, `once` is a probe. What is wrong where is kept out (`doctor`).

mod book;
mod numbers;
mod once;
mod purse;
mod speaker;
mod watch;
mod watcher;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use chassis::settings::{LogFormat, parse_duration};
use hyper::Uri;
use tokio::{sync::mpsc, task::JoinSet};

use purse::Purse;
use speaker::Speaker;
use watcher::{Event, Watcher};

use crate::reach;

/// Says something through the public path again and again, and counts at which halls it is seen.
///
/// It prints a ready line and serves its numbers on --admin, for Prometheus. With --once it says one thing, prints what
/// became of it, and ends with 0 if it was seen at every hall, with 1 if it was not, with 2 if it cannot be asked so.
///
/// Examples:
///   danmaku canary --once
///   danmaku canary --door https://live.example --halls https://live.example,http://fanout-0:8082 --token-file /run/secrets/canary
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku canary", verbatim_doc_comment)]
pub struct Canary {
    /// Where viewers' messages go in. [default: the one-process program of this machine]
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080", hide_default_value = true, value_parser = address)]
    door: Uri,

    /// Where viewers watch, a comma list; each is watched by one viewer. [default: the address of --door]
    #[arg(long, value_name = "URL,...", value_delimiter = ',', value_parser = address)]
    halls: Vec<Uri>,

    /// A room that nobody else uses: what is said there means nothing.
    #[arg(long, default_value = "danmaku-canary", value_parser = crate::token::room)]
    room: String,

    /// How often something is said.
    // A judge lets a user speak once a second. Of twelve a minute, one that is lost is seen in a ratio of five minutes as 98 %.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = pause)]
    every: Duration,

    /// Until when it must have been seen.
    // Chat later than 3 s is not shown as live; whoever comes back within the rest reads it with his cursor.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = pause)]
    within: Duration,

    /// A key file that can sign; tokens are made with it.
    #[arg(long, env = "DANMAKU_KEYS", value_name = "FILE", conflicts_with = "token_file")]
    keys: Option<PathBuf>,

    /// A file with a token that may watch and send, read again whenever one is needed. Without it and without --keys a
    /// program on an embedded broker is asked for one.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Where its numbers are served: /metrics, /readyz and /livez.
    #[arg(long, env = "DANMAKU_ADMIN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9095")]
    admin: SocketAddr,

    /// How logs are written on stderr.
    #[arg(long, env = "DANMAKU_LOG_FORMAT", value_name = "FORMAT", default_value = "text", value_enum)]
    log_format: LogFormat,

    /// Say one thing, tell what became of it, and end.
    #[arg(long)]
    once: bool,

    /// With --once: print one JSON object instead of sentences.
    #[arg(long, requires = "once")]
    json: bool,
}

/// The whole path is the service's own.
fn address(text: &str) -> Result<Uri, String> {
    let uri = reach::address(text)?;
    if uri.path() == "/" { Ok(uri) } else { Err("the address of a door or a hall has no path".to_owned()) }
}

fn pause(text: &str) -> Result<Duration, String> {
    let pause = parse_duration(text).map_err(|error| error.to_string())?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(60);
    if allowed.contains(&pause) { Ok(pause) } else { Err("it must be from 1s to 60s".to_owned()) }
}

/// Events that wait for the book: of a second, from a hundred halls.
const EVENTS_MAX: usize = 1_024;

/// Everything at work: whoever holds it hears what happens, and dropping it ends it.
struct Stage {
    halls: Vec<String>,
    speaker: Arc<Speaker>,
    events: mpsc::Receiver<Event>,
    _watching: JoinSet<()>,
}

impl Stage {
    fn set(canary: &Canary) -> anyhow::Result<Self> {
        let halls = if canary.halls.is_empty() { vec![canary.door.clone()] } else { canary.halls.clone() };
        let purse = Arc::new(Purse::of(canary)?);
        let (tell, events) = mpsc::channel(EVENTS_MAX);
        let mut watching = JoinSet::new();
        for (number, hall) in halls.iter().enumerate() {
            let watcher = Watcher {
                number,
                hall: hall.clone(),
                room: canary.room.clone(),
                purse: purse.clone(),
                tell: tell.clone(),
            };
            watching.spawn(watcher.watch());
        }
        let named = |hall: &Uri| hall.authority().map(ToString::to_string).unwrap_or_default();
        let speaker = Arc::new(Speaker::new(&canary.door, &canary.room, purse));
        Ok(Self { halls: halls.iter().map(named).collect(), speaker, events, _watching: watching })
    }
}

/// Speaks and watches, once or until it is told to leave.
pub async fn run(canary: Canary) -> ExitCode {
    let stage = match Stage::set(&canary) {
        Ok(stage) => stage,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::from(2);
        }
    };
    if canary.once {
        return once::run(&canary, stage).await;
    }
    match watch::run(&canary, stage).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
