//! What all judging threads of a process share, and whether there is work for them yet.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::SyncSender,
    },
    thread,
    time::Duration,
};

use chassis::kafka::{Cluster, Error, Timing};
use judge::Limits;

use crate::{
    book_feed::Shelf,
    clock::Clock,
    metrics::Metrics,
    survey::Question,
    trace::Told,
    write::{Names, Writer},
};

/// Everything shared. Nothing in it is locked on the way of a record.
pub(crate) struct Works {
    pub(crate) cluster: Cluster,
    pub(crate) group: String,
    pub(crate) names: Names,
    pub(crate) generation: u32,
    pub(crate) partitions: i32,
    pub(crate) limits: Limits,
    pub(crate) shelf: Shelf,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
    pub(crate) told: Told,
    pub(crate) desk: SyncSender<Question>,
    /// The topics are what they should be.
    pub(crate) verified: Arc<AtomicBool>,
    /// We are asked to leave.
    pub(crate) stop: AtomicBool,
}

/// F1. A crashed filter is noticed after a session: 6 s is the least that brokers allow by default. Twelve heartbeats fit into
/// it, so a lost one costs nothing; a member that hangs for 10 s is given up.
pub(crate) const TIMING: Timing =
    Timing { session: Duration::from_secs(6), heartbeat: Duration::from_millis(500), poll: Duration::from_secs(10) };

impl Works {
    /// A new producer with the names of what it writes to.
    pub(crate) fn writer(&self) -> Result<Writer, Error> {
        Writer::new(&self.cluster, self.names.clone(), self.generation, self.partitions)
    }

    /// Whether we are asked to leave.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Waits until there is something to judge with: whoever joins the group earlier takes partitions and lets them wait.
    /// `false` if we are asked to leave before.
    pub(crate) fn wait_for_topics_and_rules(&self) -> bool {
        while !self.is_stopping() {
            if self.verified.load(Ordering::Acquire) && self.shelf.load().is_some() {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}
