//! What a newcomer finds: the address of a page that moves. Who talks there is the `crowd`'s.

use std::sync::Arc;

use chassis::{ground::Ground, program::Program, tokens::Signer};

use super::{Up, ground};
use crate::crowd::Crowd;

/// Senders that make a first look move: four messages a second. Nobody wants them in a real cluster unasked.
const EMBEDDED_CROWD: u16 = 12;

/// What is said and done once the program is ready.
pub(super) struct Welcome {
    /// Where the page is.
    origin: String,
    room: String,
    is_embedded: bool,
    crowd: Option<Crowd>,
}

/// The welcome of this program; the crowd stays away where nobody can sign its tokens.
pub(super) fn of(
    program: &Program,
    up: &Up,
    is_embedded: bool,
    signer: Option<Arc<Signer>>,
) -> anyhow::Result<Welcome> {
    let door = ground::door(program)?;
    let scheme = if up.common.tls_cert.is_some() { "https" } else { "http" };
    let senders = usize::from(up.crowd.unwrap_or(if is_embedded { EMBEDDED_CROWD } else { 0 }));
    let crowd = signer.filter(|_| senders > 0).map(|signer| Crowd { senders, door, room: up.room.clone(), signer });
    Ok(Welcome { origin: format!("{scheme}://{door}"), room: up.room.clone(), is_embedded, crowd })
}

impl Welcome {
    /// Says where the page is once it would move, and lets the crowd talk.
    pub(super) async fn say(self, ground: Ground) {
        ground.readiness.wait_ready().await;
        greet(&self.origin, &self.room, self.is_embedded);
        if let Some(crowd) = self.crowd {
            crowd.talk(ground.shutdown).await;
        }
    }
}

/// What a newcomer reads first. On stderr: stdout carries the ready line alone.
fn greet(origin: &str, room: &str, is_embedded: bool) {
    let room = percent_encoding::utf8_percent_encode(room, percent_encoding::NON_ALPHANUMERIC);
    if is_embedded {
        eprintln!(
            "\n  The broker is embedded: memory only, the last 5 MiB of each partition, about 50,000 messages a second,\n  \
             no times and no topic administration. With --brokers the same program stands on a real Kafka cluster."
        );
    }
    eprintln!("\n  danmaku is flying:  {origin}/?room={room}\n  for moderators:     {origin}/console\n");
}
