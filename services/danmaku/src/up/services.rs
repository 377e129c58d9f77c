//! The four services on one ground: opening them, and leaving. What each does is its own crate's; which is asked is the `origin`'s.

use std::sync::Arc;

use anyhow::Context as _;
use chassis::{program::Program, tokens::Signer};
use fanout::{Doors, Hall};
use filter::Judge;
use ingest::Door;
use moderation::House;

use super::{EXAMPLE_WORDS, Up, ground};

/// All of them, opened.
pub(super) struct Services {
    judge: Judge,
    pub(super) hall: Arc<Hall>,
    pub(super) door: Arc<Door>,
    pub(super) house: Arc<House>,
}

impl Services {
    /// Opens them as they were told to be.
    pub(super) async fn open(program: &Program, up: &Up, signer: Option<Arc<Signer>>) -> anyhow::Result<Self> {
        let ground = &program.ground;
        let judge = Judge::start(ground, up.filter.clone())?;
        let hall = hall(program, up, signer)?;
        let door = Door::open(ground, up.ingest.clone())?;
        let house = House::open_with(ground, up.moderation(), Some(EXAMPLE_WORDS)).await?;
        Ok(Self { judge, hall, door, house })
    }

    /// Viewers first, so that they look for another node at once; then what the door has taken is written, and judged.
    pub(super) async fn leave(self) {
        self.hall.leave().await;
        self.door.leave().await;
        self.judge.leave().await;
        self.house.leave().await;
    }
}

/// The hall, which says what viewers send at this process's own door unless another is named.
fn hall(program: &Program, up: &Up, signer: Option<Arc<Signer>>) -> anyhow::Result<Arc<Hall>> {
    let mut config = up.fanout.clone();
    if config.ingest.is_empty() && (signer.is_some() || config.relay_token_file.is_some()) {
        // Over the loopback like any other node's: one way to the door, whoever comes.
        config.ingest.push(ground::door(program)?.to_string().parse().context("the own door's address")?);
    }
    let doors = Doors::of(&config, signer)?;
    let config = config.listening_at(program.public_address(), program.connections_max());
    Hall::open_with(&program.ground, config, doors)
}
