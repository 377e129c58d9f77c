//! The hall of the river: what may be shown is read from `danmaku-output` and written to every viewer of its room.
//!
//! A room is a log and a viewer is a cursor in it. Whether something may be shown is not decided here, and nothing is
//! written to Kafka.
//!
//! # Layout, in reading order
//! `hall` holds the threads, and `house` what they share. `http` is the handshake: `admission` says whether there is room for
//! one more, and it ends with an `arrival`. `consume` reads Kafka, with `lookup` for questions that block; each `message` is
//! encoded there once. `raw` keeps 75 seconds of records, `standing` what a late joiner is told of a room, `bans` who may not
//! be here. `wants` says which shard hears what, and it hears it through its `inbox`.
//! A `shard` owns viewers and rooms: `room` is the ring of frames and its window, `viewer` a cursor and what is half on his
//! wire, `resume` what a join or a return is told, `reader` what clients say, `wire` how it all looks in bytes, and `socket`
//! what it goes through. `places` knows which users are here, `presence` counts who watches a room, and `nodes` tells the
//! other nodes of both, with `placement` for where a room is best watched. The `relay` takes what viewers say to a door and
//! brings its answer back, `trace` tells of some flushes, and `debug` shows who lags.

#![forbid(unsafe_code)]

pub mod config;
mod hall;
mod house;
mod http;
mod admission;
mod arrival;
mod consume;
mod lookup;
mod message;
mod raw;
mod standing;
mod bans;
mod wants;
mod inbox;
mod shard;
mod room;
mod viewer;
mod resume;
mod reader;
mod wire;
mod socket;
mod places;
mod presence;
mod nodes;
mod placement;
mod relay;
mod trace;
mod debug;
mod metrics;

pub use config::{Config, NoticeAck, Settings};
pub use hall::{Hall, topic_specs};
pub use http::GOIM_PATH;
pub use nodes::{Peer, peers};
pub use relay::Doors;
pub use socket::SEND_BUFFER_BYTES;

use std::sync::Arc;

use chassis::{
    program::{self, Program, Public},
    tokens::Signer,
};
use proto::Topic;

/// The whole life of the service alone.
///
/// # Errors
/// When its settings name no usable Kafka, keys or ports.
pub async fn run(settings: Settings) -> anyhow::Result<()> {
    let Settings { common, own } = settings;
    let (cluster, verifier) = (program::cluster(&common)?, program::verifier(common.keys.as_deref())?);
    let public = Public::SendBuffer(SEND_BUFFER_BYTES);
    // Keys that only check are right for production; what is wrong with the file the verifier has said.
    let signer = common.keys.as_deref().and_then(|path| Signer::from_file(path).ok()).map(Arc::new);
    let doors = Doors::of(&own, signer)?;
    let program = Program::begin::<Settings>(&common, cluster, verifier, public).await?.stalling_after(own.blocked_max);
    let program = program.accepting(own.handshakes_rate).asking_about(Topic::Output.name(&common.topic_prefix));
    let own = own.listening_at(program.public_address(), program.connections_max());
    let hall = Hall::open_with(&program.ground, own, doors)?;
    let served = hall.clone();
    let handle = move |request, peer| {
        let hall = served.clone();
        async move { hall.handle(request, peer).await }
    };
    program.run(handle, hall.leave()).await
}
