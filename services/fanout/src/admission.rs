//! Whether there is room for one more viewer: the node's caps, counted by a pass that each viewer holds until he is gone.
//!
//! Kept out: how somebody is refused, which is his wire's affair, and what viewers take, which shards report. The accept loop
//! stands before this, with the cap on descriptors and the pace of handshakes.

mod fullness;

use std::{
    net::IpAddr,
    num::NonZeroU64,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use ahash::HashMap;
use chassis::listen::Place;

use crate::{config::Config, metrics};
pub(crate) use fullness::watch;

/// Who was refused comes back after so long: half of it at least, and a moment of his own, so that they do not come together.
const RETRY_MAX: Duration = Duration::from_secs(4);

/// Whether somebody may come in.
#[derive(Debug)]
pub(crate) enum Admission {
    /// Yes, as long as he holds this.
    Admitted(Pass),
    /// No.
    Full {
        /// What is full.
        cap: Cap,
        /// When to ask again.
        retry: Duration,
    },
}

/// What there can be too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cap {
    /// Viewers of this node.
    Viewers,
    /// Viewers from one address.
    Address,
    /// Memory.
    Memory,
}

/// The caps of a hall, and how far they are used up.
#[derive(Debug)]
pub(crate) struct Caps {
    viewers_max: usize,
    viewers: AtomicUsize,
    /// 0 is no cap.
    address_max: u32,
    /// Touched once a handshake, and only if there is a cap.
    by_network: Mutex<HashMap<NonZeroU64, u32>>,
    memory_max: u64,
    /// What each shard's viewers and rooms take, as of its last sweep.
    shards: Vec<AtomicU64>,
    /// What the partitions that are read take: raw records, and what stands in rooms.
    partitions: AtomicU64,
}

/// A viewer's place in the books, and his connection's at the port; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    caps: Arc<Caps>,
    /// If it is counted.
    network: Option<NonZeroU64>,
    place: Option<Place>,
}

impl Cap {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Viewers, Self::Address, Self::Memory];

    /// Its label in metrics.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Viewers => "viewers",
            Self::Address => "address",
            Self::Memory => "memory",
        }
    }

    /// For who is refused.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Viewers | Self::Memory => "this node is full; another one may have room",
            Self::Address => "too many connections from this address",
        }
    }
}

impl Caps {
    /// The caps that `config` sets for a hall of so many shards.
    pub(crate) fn new(config: &Config, shards: usize) -> Self {
        Self {
            viewers_max: config.viewers_max(),
            viewers: AtomicUsize::new(0),
            address_max: config.address_connections_max,
            by_network: Mutex::default(),
            memory_max: config.memory_max(),
            shards: (0..shards).map(|_| AtomicU64::new(0)).collect(),
            partitions: AtomicU64::new(0),
        }
    }

    /// Lets somebody from `address` in, if there is room.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Admission {
        let full = |cap: Cap| {
            metrics::full(cap.word());
            Admission::Full { cap, retry: RETRY_MAX.mul_f64(rand::random_range(0.5..1.0)) }
        };
        if self.memory() >= self.memory_max {
            return full(Cap::Memory);
        }
        let take = |viewers| (viewers < self.viewers_max).then_some(viewers + 1);
        if self.viewers.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_err() {
            return full(Cap::Viewers);
        }
        let mut pass = Pass { caps: self.clone(), network: None, place: None };
        if self.address_max > 0 {
            let network = network(address);
            let mut networks = self.by_network.lock().unwrap_or_else(PoisonError::into_inner);
            let count = networks.entry(network).or_default();
            if *count >= self.address_max {
                // Before the pass gives back what it has taken.
                drop(networks);
                return full(Cap::Address);
            }
            *count += 1;
            pass.network = Some(network);
        }
        Admission::Admitted(pass)
    }

    /// Publishes how far they are used up.
    fn tell(&self) {
        metrics::caps(self.viewers_max, self.memory_max);
        metrics::memory(self.memory());
    }

    /// A shard's viewers and rooms take so much.
    pub(crate) fn shard_takes(&self, shard: usize, bytes: u64) {
        self.shards[shard].store(bytes, Ordering::Relaxed);
    }

    /// The partitions that are read take so much.
    pub(crate) fn partitions_take(&self, bytes: u64) {
        self.partitions.store(bytes, Ordering::Relaxed);
    }

    /// What is taken of the memory, as of the last sweeps.
    pub(crate) fn memory(&self) -> u64 {
        self.shards_memory() + self.partitions.load(Ordering::Relaxed)
    }

    fn shards_memory(&self) -> u64 {
        self.shards.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }

    /// How much a shard that takes `own` is to give back: its part of what all take above what may be taken.
    pub(crate) fn excess(&self, own: u64) -> u64 {
        let (taken, all) = (self.memory(), self.shards_memory());
        if taken <= self.memory_max || all == 0 {
            return 0;
        }
        // To where the node counts as having room again.
        let excess = taken - fullness::below(self.memory_max);
        (u128::from(excess) * u128::from(own) / u128::from(all)) as u64
    }
}

impl Pass {
    /// Keeps the connection's place for as long as the viewer is here.
    pub(crate) fn keep(&mut self, place: Place) {
        self.place = Some(place);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.caps.viewers.fetch_sub(1, Ordering::AcqRel);
        let Some(network) = self.network else { return };
        let mut networks = self.caps.by_network.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = networks.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                networks.remove(&network);
            }
        }
    }
}

/// Who counts as one address: an IPv4 address, or an IPv6 network of 64 bits, which is what one household is given. The upper
/// half of a network is never zero in the part of IPv6 that is handed out, so the two do not meet.
fn network(address: IpAddr) -> NonZeroU64 {
    let number = match address.to_canonical() {
        IpAddr::V4(address) => u64::from(u32::from(address)),
        IpAddr::V6(address) => (u128::from(address) >> 64) as u64,
    };
    // Zero is nobody's address but a machine's own.
    NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests;
