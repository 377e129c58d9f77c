//! A Redis that may be away at any time: one connection that is made and made again in the background, and what its
//! channels say. Nobody ever waits for it: whoever wants it is told at once that it is away.
//! Kept out: keys, scripts, and what is lost with it.
//!
//! `rediss://` is TLS, trusting whom the machine trusts; the environment's SSL_CERT_FILE names another authority.
//!
//! One server, or whatever stands in front of several and leads to the one that takes writes. There is no cluster mode:
//! scripts touch keys of several slots. Redis 6.2 is the oldest that knows every command we send.

mod address;
mod keep;
mod look;

pub use ::redis::{FromRedisValue, RedisError, Script, cmd, pipe};
pub use address::{Address, address};
pub use look::{Seen, let_in, look};

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use ::redis::aio::MultiplexedConnection;
use bytes::Bytes;
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    admin::{Note, Readiness},
    dependency::Dependency,
};

/// A Redis; clones share its connection, which ends with the last of them.
#[derive(Clone)]
pub struct Redis {
    shared: Arc<Shared>,
    _keeping: Arc<AbortOnDropHandle<()>>,
}

/// A connection that was good when it was asked for. An error of it is not worth a second try: the next connection is
/// being made already.
pub type Link = MultiplexedConnection;

struct Shared {
    link: watch::Sender<Option<Link>>,
    channels: Mutex<BTreeMap<String, mpsc::Sender<Bytes>>>,
    has_new_channel: Arc<Notify>,
    note: Note,
    dependency: Dependency,
}

/// What went wrong, and if it is a certificate, the remedy.
fn told(error: &RedisError) -> String {
    let error = error.to_string();
    let remedy = "; SSL_CERT_FILE in the environment names the authority to trust";
    if error.contains("certificate") { error + remedy } else { error }
}

impl Redis {
    /// Begins to connect, and returns at once; must be called on a tokio runtime.
    #[must_use]
    pub fn open(address: &Address, readiness: &Readiness) -> Self {
        keep::describe();
        let note = readiness.note("redis", "connecting");
        let shared = Arc::new(Shared {
            link: watch::Sender::new(None),
            channels: Mutex::default(),
            has_new_channel: Arc::default(),
            note,
            dependency: Dependency::new("redis"),
        });
        let keeping = tokio::spawn(keep::keep(address.clone(), Arc::downgrade(&shared)));
        Self { shared, _keeping: Arc::new(AbortOnDropHandle::new(keeping)) }
    }

    /// The connection, if there is one now.
    #[must_use]
    pub fn link(&self) -> Option<Link> {
        self.shared.link.borrow().clone()
    }

    /// Tells of each connection made and lost; its channels are subscribed before it is told of.
    #[must_use]
    pub fn links(&self) -> watch::Receiver<Option<Link>> {
        self.shared.link.subscribe()
    }

    /// What `channel` says whenever there is a connection; one that is there already is told of anew once it is subscribed.
    /// Of messages that nobody takes `capacity` are kept; a later one is dropped and counted.
    #[must_use]
    pub fn subscribe(&self, channel: &str, capacity: usize) -> mpsc::Receiver<Bytes> {
        let (sender, receiver) = mpsc::channel(capacity);
        let mut channels = self.shared.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.insert(channel.to_owned(), sender);
        drop(channels);
        self.shared.has_new_channel.notify_one();
        receiver
    }
}
