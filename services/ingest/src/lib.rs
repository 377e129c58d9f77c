//! The door of the river: what viewers and the platform's servers say is checked here and written to `danmaku-input`.
//!
//! Accepted means durable: 202 is answered only after Kafka acknowledged. Whether a message may be *shown* is not decided
//! here but by the judge.
//!
//! # Layout, in reading order
//! [`Door`] holds the parts; `http` asks them in the order of a request: `token` (who is it?), `bans`
//! (and may he speak?), `admit` (may this be said at all?), `limit` (so fast?), `lag` (is anybody listening?), `produce`
//! (written down) and `trace` (of some it is told how). `refusal` names every no.

#![forbid(unsafe_code)]

pub mod config;
mod door;
mod http;
mod token;
mod bans;
mod admit;
mod limit;
mod lag;
mod produce;
mod trace;
mod refusal;
mod metrics;

pub use config::{Config, Settings};
pub use door::Door;
pub use http::serves;

use std::sync::Arc;

use anyhow::Context as _;
use chassis::program::{self, Program, Public};
use proto::Topic;

/// The door's whole life, alone in a process.
///
/// # Errors
/// When a setting cannot be used (keys, ports); the text names it.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let Settings { common, own } = settings;
    let verifier = program::verifier(common.keys.as_deref())?;
    let program = Program::begin::<Settings>(&common, program::cluster(&common)?, verifier, Public::Plain).await?;
    let program = program.asking_about(Topic::Input.name(&common.topic_prefix));
    let door = Door::open(&program.ground, own).context("the door cannot be opened")?;
    let leaving = Arc::clone(&door);
    let handle = move |request, peer| {
        let door = Arc::clone(&door);
        async move { door.handle(request, peer).await }
    };
    program.run(handle, async move { leaving.leave().await }).await
}
