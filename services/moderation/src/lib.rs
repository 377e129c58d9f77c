//! The moderators' service: they keep the rule book here, try an edit before it acts, see what acted, and undo it.
//!
//! What is decided about a danmaku is the judge's, and how it reaches a viewer is nobody's here: this service writes the rule
//! book and control records, and meets the others only in Kafka.
//!
//! # Layout, in reading order
//! [`House`] holds the parts; `http` asks them in the order of a request: `access` (may he?), `lists` (the content of a scope
//! and its edits, pure), `files` (lists as files), `versions` (a content under a number), `dryrun` (texts on a content that acts on nobody), `audit` (who did it), all in one
//! change of the `store`; `outbox` brings it to Kafka. `refusal` names every no.
//!
//! While a stream is live: `verdicts` is what the judge says, `holds` what waits for a decision; `sanctions`, `modes`, `recall`
//! and `broadcasts` are what moderators do, as `control` records; `named` is which messages can be meant, `timers` does what is
//! due. `history` reads what was said, `trial` looks at it under other rules, `backtest` compares; `export` tells what was shown,
//! `filters` by which rules.
//! `statistics` and `reports` are what came in, `private` what not everybody is told of it, `events` how all of it is heard;
//! `erase` forgets a person, and `pulse` looks after the database for operators. `pages` are the moderators' own, where this service stands alone.

#![forbid(unsafe_code)]

pub mod config;
mod house;
mod http;
pub mod access;
mod fold;
pub mod lists;
pub mod files;
pub mod versions;
pub mod dryrun;
pub mod audit;
mod store;
mod outbox;
mod control;
mod verdicts;
mod holds;
mod sanctions;
mod modes;
mod named;
mod recall;
mod broadcasts;
mod timers;
mod places;
mod history;
mod trial;
mod backtest;
mod export;
mod filters;
mod statistics;
mod reports;
mod private;
mod events;
mod erase;
mod pulse;
pub mod refusal;
mod metrics;
mod pages;

pub use config::{Config, Settings};
pub use house::House;
pub use http::{document, serves};

use std::sync::Arc;

use anyhow::Context as _;
use chassis::program::{self, Program, Public};
use hyper::{Request, body::Incoming};
use pages::Pages;
use proto::Topic;

/// The service's whole life, alone in a process.
///
/// # Errors
/// When a setting cannot be used (keys, ports, the database); the text names it.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let Settings { common, own, hall } = settings;
    let pages = Pages::of(hall)?;
    let verifier = program::verifier(common.keys.as_deref())?;
    let program = Program::begin::<Settings>(&common, program::cluster(&common)?, verifier, Public::Plain).await?;
    let program = program.asking_about(Topic::Rules.name(&common.topic_prefix));
    let house = House::open(&program.ground, own).await.context("the moderators' service cannot be opened")?;
    let leaving = Arc::clone(&house);
    let handle = move |request: Request<Incoming>, peer| {
        let (house, pages) = (Arc::clone(&house), pages.clone());
        async move {
            match Pages::serves(request.uri().path()) {
                true => pages.answer(&request),
                false => house.handle(request, peer).await,
            }
        }
    };
    program.run(handle, async move { leaving.leave().await }).await
}
