//! `danmaku drain --check`: whether the other nodes have room for the viewers of one. It asks Redis alone, and drains nothing.

use std::{io::Write as _, process::ExitCode};

use anyhow::{Context as _, bail};
use chassis::settings::{RedisPlace, Settings, topic_prefix};
use fanout::Peer;
use serde_json::json;

/// Says whether the other nodes have room for the viewers of a node that is to leave: exit code 0 if they have, 1 if not.
///
/// Example: danmaku drain --check --redis redis://cache:6379/0 --node hall-0.example.com:443 && kubectl drain …
#[derive(Debug, clap::Parser)]
#[command(name = "danmaku drain")]
pub struct Drain {
    /// Only ask. To drain, send the node SIGTERM.
    #[arg(long, required = true)]
    pub check: bool,

    /// The Redis in which the nodes are registered.
    #[command(flatten)]
    pub redis: RedisPlace,

    /// The node that is to leave, by its address (--advertise) or its name (--node of the hall).
    #[arg(long, value_name = "ADDRESS or NAME")]
    pub node: String,

    /// Put before every key, as before topics.
    #[arg(long, env = "DANMAKU_TOPIC_PREFIX", default_value = "", hide_default_value = true, value_parser = topic_prefix)]
    pub topic_prefix: String,

    /// Print one JSON object instead of a sentence.
    #[arg(long)]
    pub json: bool,
}

impl Settings for Drain {
    fn problems(&self) -> Vec<String> {
        let missing =
            "--redis (DANMAKU_REDIS): the nodes are registered in Redis; give --redis <redis://HOST:PORT/DATABASE>";
        self.redis.address().is_none().then(|| missing.to_owned()).into_iter().collect()
    }
}

/// Of what a node can carry, so much may be used: clients come back unevenly.
const USABLE_PERCENT: u64 = 90;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    viewers: u64,
    others: usize,
    free: u64,
}

impl Room {
    fn is_enough(self) -> bool {
        self.others > 0 && self.free >= self.viewers
    }
}

/// Asks, and prints the answer.
pub async fn run(drain: Drain) -> ExitCode {
    match answer(&drain).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn answer(drain: &Drain) -> anyhow::Result<bool> {
    let redis = drain.redis.address().context("--redis (DANMAKU_REDIS) names none")?;
    let peers = fanout::peers(redis, &drain.topic_prefix).await?;
    let room = room(&peers, &drain.node)?;
    let Room { viewers, others, free } = room;
    let is_enough = room.is_enough();
    let mut out = std::io::stdout();
    if drain.json {
        writeln!(out, "{}", json!({ "room": is_enough, "viewers": viewers, "others": others, "free": free }))?;
    } else {
        let word = if is_enough { "room" } else { "no room" };
        writeln!(out, "{word}: {viewers} viewers here, {others} other nodes with {free} free places")?;
    }
    Ok(is_enough)
}

fn room(peers: &[Peer], node: &str) -> anyhow::Result<Room> {
    let is_it = |peer: &&Peer| [&peer.id, &peer.address, &peer.node].contains(&&node.to_owned());
    let mut found = peers.iter().filter(is_it);
    let known = || peers.iter().map(|peer| peer.address.as_str()).collect::<Vec<_>>().join(", ");
    let it = found.next().with_context(|| format!("--node: no live node is called {node}; there are: {}", known()))?;
    if found.next().is_some() {
        bail!("--node: several nodes are called {node}; give the address of one: {}", known());
    }
    let others: Vec<_> = peers.iter().filter(|peer| peer.id != it.id).collect();
    let free = |peer: &&Peer| (peer.capacity.saturating_mul(USABLE_PERCENT) / 100).saturating_sub(peer.viewers);
    Ok(Room { viewers: it.viewers, others: others.len(), free: others.iter().map(free).sum() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(name: &str, viewers: u64, capacity: u64) -> Peer {
        Peer { id: format!("{name}-1"), node: name.into(), address: format!("{name}:443"), viewers, capacity }
    }

    #[test]
    fn the_others_have_room_or_not() {
        let (a, b, c) = (peer("a", 900, 1_000), peer("b", 500, 1_000), peer("c", 400, 1_000));
        for (peers, expected, is_enough) in [
            (vec![a.clone(), b.clone(), c], Room { viewers: 900, others: 2, free: 900 }, true),
            (vec![a.clone(), b], Room { viewers: 900, others: 1, free: 400 }, false),
            (vec![a.clone(), peer("d", 2_000, 1_000)], Room { viewers: 900, others: 1, free: 0 }, false),
            (vec![a.clone(), peer("e", 0, 150)], Room { viewers: 900, others: 1, free: 135 }, false),
            (vec![peer("a", 0, 1_000)], Room { viewers: 0, others: 0, free: 0 }, false),
        ] {
            let room = room(&peers, "a:443").unwrap();
            assert_eq!((room, room.is_enough()), (expected, is_enough), "{peers:?}");
        }
        let twice = [a.clone(), Peer { id: "a-2".into(), ..a }];
        assert!(room(&twice, "a").unwrap_err().to_string().contains("several"));
        assert!(room(&twice, "x").unwrap_err().to_string().contains("a:443"));
    }
}
