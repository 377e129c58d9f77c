//! The task that speaks with Redis: what shards left word of goes out, what other nodes say comes in, and a tick a second
//! keeps both true. What each of these is, the neighboring files know.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use bytes::Bytes;
use chassis::redis::{Link, Redis, RedisError};
use proto::UserId;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::{
    Known, Shared, lock,
    mail::{Mail, Outstanding},
    online::{Online, Round},
    registry::Registry,
    routes::Routes,
};
use crate::{metrics::NodesMetrics, places::Change};

/// Changes that are taken at a time.
const CHANGES: usize = 256;

/// The heart of it all: counts each time, a sign of life every second time, a comparison of places every thirtieth.
const TICK: Duration = Duration::from_secs(1);
const BEAT_TICKS: u64 = 2;
const COMPARE_TICKS: u64 = 30;

/// For how long the counts of a partition are read that nobody watches here, after somebody asked where its rooms are.
const ASKED_FOR: Duration = Duration::from_secs(30);

/// What a node is told through its channel.
#[derive(Debug, Deserialize)]
struct Signal {
    user: String,
    connection: String,
    /// A notice as it lies in the mailbox; without one the place is taken by a newer connection.
    notice: Option<String>,
}

/// All that the task keeps.
pub(super) struct Task {
    redis: Redis,
    shared: Arc<Shared>,
    metrics: NodesMetrics,
    routes: Routes,
    registry: Registry,
    mail: Mail,
    online: Online,
    ticks: u64,
}

impl Task {
    pub(super) fn new(redis: Redis, shared: Arc<Shared>) -> Self {
        Self {
            redis,
            shared,
            metrics: NodesMetrics::new(),
            routes: Routes::new(),
            registry: Registry::new(),
            mail: Mail::new(),
            online: Online::new(),
            ticks: 0,
        }
    }

    /// Goes on until it is told that nobody is here any more.
    pub(super) async fn run(
        mut self,
        mut changes: mpsc::Receiver<Change>,
        mut signals: mpsc::Receiver<Bytes>,
        mut posts: mpsc::Receiver<Outstanding>,
    ) {
        let shared = self.shared.clone();
        let mut links = self.redis.links();
        links.mark_changed();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut batch = Vec::new();
        loop {
            let done = tokio::select! {
                _ = links.changed() => self.link_changed(),
                _ = tick.tick() => self.tick().await,
                () = shared.leaves.notified() => self.leave().await,
                () = shared.ends.notified() => return self.end(&mut changes).await,
                Some(signal) = signals.recv() => self.heard(&signal),
                Some(posted) = posts.recv() => self.posted(posted).await,
                count = changes.recv_many(&mut batch, CHANGES) => match count {
                    0 => return, // The house is gone.
                    _ => self.changed(std::mem::take(&mut batch)).await,
                },
                () = std::future::ready(()), if self.routes.is_comparing() => self.compare_some().await,
            };
            if let Err(error) = done {
                // A bad connection is made anew, after which all of this is said again; and so it is every 30 s.
                tracing::debug!(%error, "redis was asked in vain");
                self.metrics.failures.increment(1);
            }
        }
    }

    /// Another connection: whatever was said may be forgotten there.
    fn link_changed(&mut self) -> Result<(), RedisError> {
        if self.redis.link().is_some() {
            self.routes.compare(&self.shared.local);
        } else {
            self.alone();
        }
        Ok(())
    }

    fn alone(&mut self) {
        *lock(&self.shared.known) = Known::default();
        self.shared.local.house.presence.forget_others();
    }

    /// Each part has its turn, whatever comes of the others; the first failure is told.
    async fn tick(&mut self) -> Result<(), RedisError> {
        let Some(mut link) = self.redis.link() else { return Ok(()) };
        let (turn, now) = (self.ticks, Instant::now());
        self.ticks += 1;
        let beat = self.beat(&mut link, turn).await;
        let counted = self.count(&mut link, turn, now).await;
        let said = self.say_again(&mut link, now).await;
        let mut handed = Ok(());
        if self.ticks.is_multiple_of(COMPARE_TICKS) {
            self.online.forget(now);
            self.routes.compare(&self.shared.local);
            handed = self.mail.look_after(&mut link, &self.shared.local, now).await;
        }
        beat.and(counted).and(said).and(handed)
    }

    async fn beat(&mut self, link: &mut Link, turn: u64) -> Result<(), RedisError> {
        if !turn.is_multiple_of(BEAT_TICKS) || self.shared.is_leaving.load(Ordering::Acquire) {
            return Ok(());
        }
        let heard = self.registry.beat(link, &self.shared.local).await?;
        self.metrics.nodes.set(heard.peers.len() as f64);
        self.shared.know(heard.peers);
        for dead in heard.dead {
            self.metrics.swept.increment(1);
            self.registry.sweep(link, &self.shared.local, &dead).await?;
        }
        Ok(())
    }

    async fn count(&mut self, link: &mut Link, turn: u64, now: Instant) -> Result<(), RedisError> {
        let asked = {
            let mut asked = lock(&self.shared.asked);
            asked.retain(|_, at| now.saturating_duration_since(*at) < ASKED_FOR);
            asked.keys().copied().collect()
        };
        self.online.count(link, &self.shared.local, Round { asked, turn, now }).await
    }

    async fn say_again(&mut self, link: &mut Link, now: Instant) -> Result<(), RedisError> {
        while let Some(notice) = self.mail.due(now) {
            self.metrics.notices_again.increment(1);
            self.mail.deliver(link, &self.shared.local, notice, now).await?;
        }
        Ok(())
    }

    async fn leave(&mut self) -> Result<(), RedisError> {
        let Some(mut link) = self.redis.link() else { return Ok(()) };
        self.registry.leave(&mut link, &self.shared.local).await
    }

    async fn end(mut self, changes: &mut mpsc::Receiver<Change>) {
        let rest = std::iter::from_fn(|| changes.try_recv().ok()).collect();
        let changed = self.changed(rest).await;
        if let Some(mut link) = self.redis.link() {
            // If any of it fails, the others find a dead node, and do it.
            let counts = self.online.end(&mut link, &self.shared.local).await;
            if changed.and(counts).is_ok() {
                let _ = self.registry.end(&mut link, &self.shared.local).await;
            }
        }
        self.shared.ended.notify_one();
    }

    fn heard(&mut self, signal: &[u8]) -> Result<(), RedisError> {
        let places = &self.shared.local.house.places;
        let signal = serde_json::from_slice::<Signal>(signal).ok();
        let read = signal
            .and_then(|signal| Some((UserId::new(&signal.user).ok()?, signal.connection.parse().ok()?, signal.notice)));
        match read {
            Some((user, connection, None)) => {
                self.metrics.replaced.increment(1);
                places.replaced(&user, connection);
            }
            Some((user, connection, Some(text))) => {
                let notice = serde_json::from_str(&text).ok();
                places.notify(&user, connection, notice.into_iter().collect());
            }
            // Of a later release.
            None => {}
        }
        Ok(())
    }

    async fn posted(&mut self, notice: Outstanding) -> Result<(), RedisError> {
        self.metrics.notices.increment(1);
        let now = Instant::now();
        let Some(mut link) = self.redis.link() else {
            self.mail.again(notice, now);
            return Ok(());
        };
        self.mail.deliver(&mut link, &self.shared.local, notice, now).await
    }

    /// What shards left word of, in order. While Redis is away there is nobody to tell: a comparison will.
    async fn changed(&mut self, changes: Vec<Change>) -> Result<(), RedisError> {
        let link = self.redis.link();
        let (mut came, mut left, mut acked) = (Vec::new(), Vec::new(), Vec::new());
        for change in changes {
            match change {
                Change::Came(user, connection) => came.push((user, connection)),
                Change::Left(user, connection) => {
                    self.mail.left(connection);
                    left.push((user, connection));
                }
                Change::Acked { user, connection, notice } => acked.push((user, connection, notice)),
            }
        }
        let Some(mut link) = link else { return Ok(()) };
        // Who has left already is not claimed for, so the order between the two does not matter.
        self.claim(&mut link, &came).await?;
        if !left.is_empty() {
            self.routes.release(&mut link, &self.shared.local, &left).await?;
        }
        for (user, connection, notice) in &acked {
            self.mail.acked(&mut link, &self.shared.local, (user, *connection, notice)).await?;
        }
        Ok(())
    }

    async fn claim(&mut self, link: &mut Link, wanted: &[(UserId, u64)]) -> Result<(), RedisError> {
        for claimed in self.routes.claim(link, &self.shared.local, wanted).await? {
            self.mail.arrived(link, &self.shared.local, &claimed).await?;
        }
        Ok(())
    }

    async fn compare_some(&mut self) -> Result<(), RedisError> {
        let Some(mut link) = self.redis.link() else {
            self.routes.give_up();
            return Ok(());
        };
        let missing = self.routes.compare_some(&mut link, &self.shared.local, &self.metrics).await?;
        self.claim(&mut link, &missing).await
    }
}
