//! What this node tells the other nodes, and hears from them, through Redis: who lives, who is where, how many watch, and
//! what is for one user. All of it may be lost, and is said again.
//!
//! One task, one connection. Shards never wait for it: they leave word in `places` and `presence`, and what it hears reaches
//! them through their inboxes. While Redis is away each node is alone, and says so.

mod task;
mod registry;
mod routes;
mod online;
mod mail;
mod keys;

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use ahash::HashMap;
use anyhow::Context as _;
use chassis::{
    admin::Readiness,
    redis::{Address, Redis, Script},
};
use proto::{UserId, v1::Notice};
use tokio::sync::{Notify, mpsc};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    house::House,
    placement::{self, Map},
    places::Change,
};
use keys::Keys;
use mail::Outstanding;
pub(crate) use online::Print;
pub use registry::Peer;
use task::Task;

/// What other nodes say faster than it is taken: as many notices as a thousand users get at once. A later one is dropped by
/// the connection; a notice is said again, and a replaced place is found by the comparison.
const SIGNALS_MAX: usize = 4_096;

/// Notices posted here that wait for the task; whoever posts one more is told to come again.
const POSTS_MAX: usize = 1_024;

/// How long the end of this node may take to be told: 20,000 places are given up in 80 pipelines of some milliseconds.
const END_WAIT: Duration = Duration::from_secs(1);

/// How long somebody who only asks waits for Redis.
const PEERS_WAIT: Duration = Duration::from_secs(3);

/// This node, for whoever speaks for it.
pub(crate) struct Local {
    /// Unique for each start.
    id: String,
    keys: Keys,
    house: Arc<House>,
}

/// The other nodes, for handshakes and requests.
pub(crate) struct Nodes {
    redis: Redis,
    shared: Arc<Shared>,
    post: Script,
    posts: mpsc::Sender<Outstanding>,
    _task: AbortOnDropHandle<()>,
}

struct Shared {
    local: Local,
    known: Mutex<Known>,
    /// Partitions that somebody asked about, and when last.
    asked: Mutex<HashMap<i32, Instant>>,
    /// Nobody is to be sent here any more.
    is_leaving: AtomicBool,
    leaves: Notify,
    /// Nobody is here any more, and that was told.
    ends: Notify,
    ended: Notify,
}

/// What was last heard of all nodes; nothing while Redis is away.
#[derive(Default)]
struct Known {
    peers: Vec<Peer>,
    map: Map,
}

/// This node, where there are no others.
pub(crate) fn alone(house: &House) -> Peer {
    Peer {
        id: String::new(),
        node: house.node.clone(),
        address: house.config.address(),
        viewers: house.places.viewers(),
        capacity: house.config.viewers_max() as u64,
    }
}

impl Local {
    fn member(&self, connection: u64) -> String {
        format!("{}/{connection}", self.id)
    }

    /// What the others may know.
    fn peer(&self) -> Peer {
        Peer { id: self.id.clone(), ..alone(&self.house) }
    }
}

impl Shared {
    fn know(&self, peers: Vec<Peer>) {
        let node =
            |peer: &Peer| placement::Node { id: peer.id.clone(), viewers: peer.viewers, capacity: peer.capacity };
        let nodes = peers.iter().map(node).collect();
        let mut known = lock(&self.known);
        let map = Map::new(nodes, self.local.house.partitions(), &known.map);
        *known = Known { peers, map };
    }
}

/// Whether another machine cannot mean this one by it.
fn is_here_only(address: &str) -> bool {
    address.parse::<SocketAddr>().is_ok_and(|address| address.ip().is_unspecified() || address.ip().is_loopback())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Nodes {
    /// Begins to speak with the others; must be called on a tokio runtime.
    pub(crate) fn open(redis: Redis, prefix: &str, house: Arc<House>, changes: mpsc::Receiver<Change>) -> Self {
        let address = house.config.address();
        if is_here_only(&address) {
            tracing::warn!(
                address,
                "other nodes tell clients an address that is this machine's alone; set --advertise"
            );
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' };
        let name: String = address.chars().map(plain).collect();
        let id = format!("{name}-{:08x}", rand::random::<u32>());
        let local = Local { id, keys: Keys::new(prefix), house };
        let signals = redis.subscribe(&local.keys.channel(&local.id), SIGNALS_MAX);
        let shared = Arc::new(Shared {
            local,
            known: Mutex::default(),
            asked: Mutex::default(),
            is_leaving: AtomicBool::new(false),
            leaves: Notify::new(),
            ends: Notify::new(),
            ended: Notify::new(),
        });
        let (posts, posted) = mpsc::channel(POSTS_MAX);
        let task = Task::new(redis.clone(), shared.clone());
        let running = tokio::spawn(task.run(changes, signals, posted));
        Self { redis, shared, post: mail::post_script(), posts, _task: AbortOnDropHandle::new(running) }
    }

    /// The best nodes for a room of this many viewers here and, as far as known, elsewhere.
    pub(crate) fn place(&self, partition: i32, watching: u32) -> Vec<Peer> {
        lock(&self.shared.asked).insert(partition, Instant::now());
        let known = lock(&self.shared.known);
        let chosen = known.map.place(partition.unsigned_abs() as usize, watching.into());
        let mut peers: Vec<_> = chosen.into_iter().filter_map(|node| known.peers.get(node).cloned()).collect();
        if peers.is_empty() {
            peers.push(self.shared.local.peer());
        }
        peers
    }

    /// Puts a notice into its mailbox; what follows is the task's. `None`: not now.
    pub(crate) async fn post(&self, user: &UserId, notice: &Notice) -> Option<()> {
        let permit = self.posts.try_reserve().ok()?;
        let mut link = self.redis.link()?;
        match mail::post(&self.post, &mut link, &self.shared.local, user, notice).await {
            Ok(outstanding) => {
                permit.send(outstanding);
                Some(())
            }
            Err(error) => {
                tracing::debug!(%error, "a notice was not taken");
                None
            }
        }
    }

    /// Nobody is to be sent here any more.
    pub(crate) fn leave(&self) {
        self.shared.is_leaving.store(true, Ordering::Release);
        self.shared.leaves.notify_one();
    }

    /// Nobody is here any more: waits until the others know it, a moment at most. What they do not hear of now expires, or
    /// is swept.
    pub(crate) async fn end(&self) {
        self.shared.ends.notify_one();
        let _ = tokio::time::timeout(END_WAIT, self.shared.ended.notified()).await;
    }
}

/// The nodes that live, for somebody who is none of them.
///
/// # Errors
/// When Redis cannot be asked.
pub async fn peers(address: &Address, prefix: &str) -> anyhow::Result<Vec<Peer>> {
    let readiness = Readiness::new();
    let redis = Redis::open(address, &readiness);
    let mut links = redis.links();
    let connected = tokio::time::timeout(PEERS_WAIT, links.wait_for(Option::is_some)).await;
    let link = connected.ok().and_then(|link| link.ok()?.clone());
    let why = || readiness.notes().first().map(|note| note.state.clone()).unwrap_or_default();
    let mut link = link.with_context(|| format!("redis at {address} is {}", why()))?;
    Ok(registry::peers(&mut link, &Keys::new(prefix)).await?)
}

#[cfg(test)]
mod tests {
    use super::is_here_only;

    #[test]
    fn an_address_that_is_this_machines_alone() {
        for (address, expected) in [
            ("0.0.0.0:8080", true),
            ("[::]:8080", true),
            ("127.0.0.1:8080", true),
            ("192.0.2.1:8080", false),
            ("hall-0.example.com:443", false),
            ("", false),
        ] {
            assert_eq!(is_here_only(address), expected, "{address}");
        }
    }
}
