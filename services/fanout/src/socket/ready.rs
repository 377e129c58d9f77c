//! Which of a shard's viewers are ready, without a task for each.
//!
//! A viewer's waker puts his number on the shard's list and rings its bell. That is 48 B a viewer besides tokio's own 256 B
//! for the registered socket; a task that only awaits readiness would take 1,034 B (measured), and be polled for nothing
//! but pushing the same number.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Wake,
};

use tokio::sync::Notify;

/// Wakes a shard. Rung by its viewers' sockets, the Kafka thread and the handshakes.
pub(crate) type Bell = Arc<Notify>;

/// The numbers of viewers whose sockets were ready since the list was last taken; each stands on it once at most.
#[derive(Debug)]
pub(crate) struct Ready {
    seats: Mutex<Vec<usize>>,
    bell: Bell,
}

/// One viewer's waker.
#[derive(Debug)]
pub(crate) struct Node {
    seat: usize,
    is_listed: AtomicBool,
    ready: Arc<Ready>,
}

impl Ready {
    /// Nobody yet.
    pub(crate) fn new(bell: Bell) -> Self {
        Self { seats: Mutex::default(), bell }
    }

    /// Moves the list into `seats`, which is empty.
    pub(crate) fn take(&self, seats: &mut Vec<usize>) {
        std::mem::swap(&mut *self.seats.lock().unwrap_or_else(PoisonError::into_inner), seats);
    }
}

impl Node {
    /// The waker of the viewer with this number.
    pub(crate) fn new(seat: usize, ready: Arc<Ready>) -> Arc<Self> {
        Arc::new(Self { seat, is_listed: AtomicBool::new(false), ready })
    }

    /// The viewer is being looked at; what happens from now on lists him again.
    pub(crate) fn unlist(&self) {
        self.is_listed.store(false, Ordering::Release);
    }

    /// Lists him, as his socket would.
    pub(crate) fn list(&self) {
        if !self.is_listed.swap(true, Ordering::AcqRel) {
            self.ready.seats.lock().unwrap_or_else(PoisonError::into_inner).push(self.seat);
            self.ready.bell.notify_one();
        }
    }
}

impl Wake for Node {
    fn wake(self: Arc<Self>) {
        self.list();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.list();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_is_listed_once_until_he_is_looked_at() {
        let ready = Arc::new(Ready::new(Bell::default()));
        let (first, second) = (Node::new(3, ready.clone()), Node::new(5, ready.clone()));
        first.list();
        first.list();
        second.list();
        let mut listed = Vec::new();
        ready.take(&mut listed);
        assert_eq!(listed, [3, 5]);
        first.list();
        first.unlist();
        first.list();
        listed.clear();
        ready.take(&mut listed);
        assert_eq!(listed, [3]);
    }
}
