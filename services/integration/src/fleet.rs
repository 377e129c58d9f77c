//! Thousands who watch, come back when they are told to, and remember no more than a ledger needs. One task each.
//! Kept out: everything a single [`Viewer`](crate::Viewer) is good for, such as being slow.

mod wanderer;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{task::JoinSet, time::Instant};

use crate::until_so;
pub use wanderer::Log;
use wanderer::Wanderer;

/// Viewers of some rooms.
pub struct Fleet {
    logs: Vec<Arc<Mutex<Log>>>,
    nodes: Arc<Mutex<Vec<SocketAddr>>>,
    _tasks: JoinSet<()>,
}

impl Fleet {
    /// So many viewers, spread evenly over rooms and nodes.
    pub fn start(viewers: usize, rooms: &[String], nodes: &[SocketAddr]) -> Self {
        let nodes = Arc::new(Mutex::new(nodes.to_vec()));
        let mut tasks = JoinSet::new();
        let start = |number: usize| {
            let room = rooms[number % rooms.len()].clone();
            let (wanderer, log) = Wanderer::new(room, number / rooms.len(), nodes.clone());
            tasks.spawn(wanderer.wander());
            log
        };
        let logs = (0..viewers).map(start).collect();
        Self { logs, nodes, _tasks: tasks }
    }

    /// Whoever connects from now on goes to one of these.
    pub fn direct_to(&self, nodes: &[SocketAddr]) {
        *self.nodes.lock().unwrap_or_else(PoisonError::into_inner) = nodes.to_vec();
    }

    /// How many have got their hello from this node and are still there.
    pub fn on(&self, node: SocketAddr) -> usize {
        self.count(|log| log.on == Some(node))
    }

    fn count(&self, is_so: impl Fn(&Log) -> bool) -> usize {
        self.logs.iter().filter(|log| is_so(&log.lock().unwrap_or_else(PoisonError::into_inner))).count()
    }

    /// Waits until it is so for everybody.
    ///
    /// # Panics
    /// When it is not `within` the time.
    pub async fn until_all(&self, what: &str, within: Duration, is_so: impl Fn(&Log) -> bool) {
        until_so(what, within, || self.count(&is_so) == self.logs.len()).await;
    }

    /// Looks at everybody.
    pub fn each(&self, mut look: impl FnMut(usize, &Log)) {
        for (number, log) in self.logs.iter().enumerate() {
            look(number, &log.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Attempts to connect in each second from `since` on.
    pub fn attempts_by_second(&self, since: Instant) -> Vec<usize> {
        let mut seconds = Vec::new();
        self.each(|_, log| {
            for attempt in log.attempts.iter().filter_map(|at| at.checked_duration_since(since)) {
                let second = attempt.as_secs() as usize;
                seconds.resize(seconds.len().max(second + 1), 0);
                seconds[second] += 1;
            }
        });
        seconds
    }
}
