//! Who the nodes are: each says each 2 s that it lives, where it is and how full, and hears the same of the others.

use chassis::redis::{Link, RedisError, Script, cmd};
use serde::{Deserialize, Serialize};

use super::{
    Local,
    keys::{DEAD_AFTER, Keys, NODE_LIFE, USERS_LIFE, millis},
    online::forget_counts,
};

/// Users of a dead node that are seen to in one script, for about a millisecond.
const SWEEP_USERS: usize = 256;

/// What is known of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Unique for each start of a node.
    #[serde(default)]
    pub id: String,
    /// What it calls itself.
    pub node: String,
    /// Where viewers reach it.
    pub address: String,
    /// How many it has.
    pub viewers: u64,
    /// How many it can have.
    pub capacity: u64,
}

/// What a beat has heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Those who live, this node among them.
    pub(super) peers: Vec<Peer>,
    /// The names of those who are dead.
    pub(super) dead: Vec<String>,
}

pub(super) struct Registry {
    beat: Script,
    sweep: Script,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self { beat: Script::new(include_str!("lua/beat.lua")), sweep: Script::new(include_str!("lua/sweep.lua")) }
    }

    /// Says that this node lives, and hears who else does.
    pub(super) async fn beat(&self, link: &mut Link, local: &Local) -> Result<Heard, RedisError> {
        let peer = serde_json::to_string(&local.peer()).unwrap_or_default();
        let keys = &local.keys;
        let mut script = self.beat.prepare_invoke();
        script.key(keys.nodes()).key(keys.node(&local.id)).key(keys.users(&local.id));
        script.arg(&local.id).arg(peer).arg(millis(NODE_LIFE)).arg(millis(USERS_LIFE)).arg(keys.node(""));
        let answer: Vec<String> = script.invoke_async(link).await?;
        Ok(heard(&answer))
    }

    /// Sees to it that nobody is sent here any more. If this node does not end well, the others will sweep it.
    pub(super) async fn leave(&self, link: &mut Link, local: &Local) -> Result<(), RedisError> {
        cmd("DEL").arg(local.keys.node(&local.id)).query_async(link).await
    }

    /// Takes this node out, whose places have all been given up.
    pub(super) async fn end(&self, link: &mut Link, local: &Local) -> Result<(), RedisError> {
        cmd("ZREM").arg(local.keys.nodes()).arg(&local.id).query_async(link).await
    }

    /// Removes the places and counts of a dead node; other nodes may be doing the same.
    pub(super) async fn sweep(&self, link: &mut Link, local: &Local, dead: &str) -> Result<(), RedisError> {
        tracing::warn!(node = dead, "a node is dead; its places are removed");
        let keys = &local.keys;
        let mut script = self.sweep.prepare_invoke();
        script.key(keys.users(dead)).arg(dead).arg(keys.places("")).arg(SWEEP_USERS);
        while script.invoke_async::<usize>(link).await? > 0 {}
        forget_counts(link, local, dead, 0..local.house.partitions() as i32).await?;
        cmd("ZREM").arg(keys.nodes()).arg(dead).query_async(link).await
    }
}

/// A node whose own words have expired is not sent anybody, long before it counts as dead.
fn heard(answer: &[String]) -> Heard {
    let mut heard = Heard::default();
    for node in answer.chunks_exact(3) {
        let age_ms: u64 = node[1].parse().unwrap_or_default();
        match serde_json::from_str(&node[2]) {
            Ok(peer) => heard.peers.push(Peer { id: node[0].clone(), ..peer }),
            Err(_) if age_ms > millis(DEAD_AFTER) => heard.dead.push(node[0].clone()),
            Err(_) => {}
        }
    }
    heard
}

/// All nodes that live, for somebody who is none.
pub(super) async fn peers(link: &mut Link, keys: &Keys) -> Result<Vec<Peer>, RedisError> {
    let ids: Vec<String> = cmd("ZRANGE").arg(keys.nodes()).arg(0).arg(-1).query_async(link).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<_> = ids.iter().map(|id| keys.node(id)).collect();
    let known: Vec<Option<String>> = cmd("MGET").arg(names).query_async(link).await?;
    let peer = |(id, text): (String, Option<String>)| Some(Peer { id, ..serde_json::from_str(&text?).ok()? });
    Ok(ids.into_iter().zip(known).filter_map(peer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_the_silent_and_the_dead() {
        let words = r#"{"node":"n","address":"h:1","viewers":3,"capacity":9}"#;
        let answer: Vec<String> = ["a", "500", words, "b", "30000", "", "c", "60001", "", "d", "70000", "{"]
            .iter()
            .map(|text| (*text).to_owned())
            .collect();
        let heard = heard(&answer);
        let ids: Vec<_> = heard.peers.iter().map(|peer| (peer.id.as_str(), peer.viewers)).collect();
        assert_eq!((ids, heard.dead), (vec![("a", 3)], vec!["c".to_owned(), "d".to_owned()]));
    }
}
