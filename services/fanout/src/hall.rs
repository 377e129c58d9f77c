//! The hall as a whole: what it is made of, its life, and its end. How a viewer comes in is `http`'s, and what a thread does
//! is its own.

mod threads;

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use chassis::{
    admin::Condition,
    ground::Ground,
    http::Response,
    kafka::{Cluster, Follower, TopicSpec, verify_topics},
};
use hyper::{Request, body::Incoming};
use ipnet::IpNet;
use proto::{Topic, topics::OUTPUT_RETENTION_MS};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

use crate::{
    admission::{self, Admission},
    bans,
    config::Config,
    consume::Consumer,
    debug,
    house::House,
    http,
    inbox::{Event, Inbox, Leaving},
    lookup::Answerer,
    metrics::ShardMetrics,
    nodes::Nodes,
    places::Places,
    relay::{Doors, Relay},
    shard::Shard,
};

/// How long handshakes that have begun may take when the hall leaves.
const HANDSHAKES_WAIT: Duration = Duration::from_secs(1);

/// How long the Kafka thread may take to end: closing a consumer waits for a broker that may be away.
const THREADS_WAIT: Duration = Duration::from_secs(2);

/// What of the drain time viewers' slots leave, for last words to be taken, threads to end, and whatever leaves after the hall:
/// a tenth, and so much at least.
const DRAIN_REST: (f64, Duration) = (0.1, Duration::from_millis(1_500));

/// What of that is for threads, and whatever leaves after the hall. Kafka's threads take 0.9 s to end, the judge of the
/// one-process program 0.2 s. Viewers who have not hung up by then are let go.
const ENDING: Duration = Duration::from_millis(1_100);

/// How often topics that are not as they should be are looked at again.
const VERIFY_EVERY: Duration = Duration::from_secs(2);

/// The hall: every viewer of a room sees what may be shown.
///
/// Dropping it stops its threads, and sends all viewers away at once; [`Hall::leave`] gives each his slot.
pub struct Hall {
    pub(crate) house: Arc<House>,
    pub(crate) shards: Vec<Arc<Inbox>>,
    /// The other nodes, if there may be any.
    pub(crate) nodes: Option<Nodes>,
    pub(crate) origins: Vec<String>,
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Handshakes under way; each holds a place in its shard's inbox, or of the callers, which bounds them.
    pub(crate) handshakes: TaskTracker,
    /// Places for who speaks goim and has no shard yet.
    pub(crate) callers: Arc<Semaphore>,
    /// Nobody is let in any more.
    pub(crate) leaving: CancellationToken,
    condition: Condition,
    /// Ends when the last shard has.
    shards_end: tokio::sync::Mutex<mpsc::Receiver<()>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    starting: AbortOnDropHandle<()>,
    /// Ends when what viewers sent is answered, once it was told that nothing more comes.
    relaying: tokio::sync::Mutex<Option<AbortOnDropHandle<()>>>,
    /// How long leaving may take.
    drain: Duration,
    _watching: AbortOnDropHandle<()>,
    _bans: Follower,
}

/// The topics that the hall reads, as they should be.
#[must_use]
pub fn topic_specs(prefix: &str, partitions: i32) -> Vec<TopicSpec> {
    let spec = |topic: Topic| topic.described(prefix, partitions, OUTPUT_RETENTION_MS).into();
    [Topic::Output, Topic::State, Topic::Rules].map(spec).into()
}

/// The same, kept at least as long as a viewer may come back.
fn keeping(mut specs: Vec<TopicSpec>, history: Duration) -> Vec<TopicSpec> {
    let history_ms = u64::try_from(history.as_millis()).unwrap_or(u64::MAX);
    for least in specs.iter_mut().filter_map(|spec| spec.retention_ms_min.as_mut()) {
        *least = history_ms.max(*least);
    }
    specs
}

impl Hall {
    /// A hall whose viewers only watch.
    ///
    /// # Errors
    /// As [`open_with`](Self::open_with).
    pub fn open(ground: &Ground, config: Config) -> anyhow::Result<Arc<Self>> {
        Self::open_with(ground, config, None)
    }

    /// Starts the threads of a hall on `ground`, which must be called on a tokio runtime. It is ready once its topics were
    /// found to be as they should; until then viewers wait. What they send goes to `doors`.
    ///
    /// # Errors
    /// When threads or Kafka clients cannot be made, or the doors' token is none.
    pub fn open_with(ground: &Ground, config: Config, doors: Option<Doors>) -> anyhow::Result<Arc<Self>> {
        let count = config.shards();
        let metrics = ShardMetrics::new();
        let relay = doors.map(|doors| Relay::start(doors, &ground.verifier)).transpose()?;
        let (relay, relaying) = relay.unzip();
        let bells: Vec<Arc<Notify>> = (0..count).map(|_| Arc::default()).collect();
        let shards: Vec<_> = bells.iter().map(|bell| Arc::new(Inbox::new(bell.clone()))).collect();
        let (places, changes) = Places::new(config.places.into(), shards.clone(), ground.redis.is_some());
        let house = Arc::new(House::new(ground, config, count, places).relaying(relay));
        let topic = Topic::Output.name(&ground.topic_prefix);
        let condition = ground.readiness.condition("fanout");
        let states = Topic::State.name(&ground.topic_prefix);
        let answerer = Answerer::new(&ground.cluster, &topic, &states, house.config.history)?;
        let consumer =
            Consumer::new(ground.cluster.clone(), topic, states, house.clone(), shards.clone(), condition.clone())
                .context("kafka clients for reading")?;
        let bans = bans::follow(ground, &house).context("a follower of bans")?;

        // Never a word: its end says that nobody holds the other side any more.
        let (shard_lives, shards_end) = mpsc::channel(1);
        let mut joined = Vec::new();
        for (index, (bell, inbox)) in bells.into_iter().zip(&shards).enumerate() {
            let shard = Shard::new(index, house.clone(), inbox.clone(), bell, metrics.clone());
            joined.push(threads::shard(index, shard, inbox.clone(), &condition, shard_lives.clone())?);
        }
        threads::lookups(answerer, house.clone(), shards.clone(), &condition)?;
        // One word: the topics are right.
        let (go, started) = std::sync::mpsc::sync_channel(1);
        joined.push(threads::kafka(consumer, started, &condition)?);
        let nodes = ground
            .redis
            .clone()
            .zip(changes)
            .map(|(redis, changes)| Nodes::open(redis, &ground.topic_prefix, house.clone(), changes));
        let specs = keeping(topic_specs(&ground.topic_prefix, ground.partitions), house.config.history);
        let starting = tokio::spawn(start(ground.cluster.clone(), specs, condition.clone(), go));
        let watching = tokio::spawn(admission::watch(house.caps.clone(), ground.readiness.condition("admission")));
        let (looked_at, counted) = (shards.clone(), shards.clone());
        ground.pages.add("/debug/viewers", move |query| debug::viewers(looked_at.clone(), query));
        ground.pages.add("/debug/rooms", move |query| debug::rooms(counted.clone(), query));
        tracing::info!(shards = count, node = house.node, "hall open");
        Ok(Arc::new(Self {
            house,
            shards,
            nodes,
            origins: ground.origins.clone(),
            trusted_proxies: ground.trusted_proxies.clone(),
            handshakes: TaskTracker::new(),
            callers: Arc::new(Semaphore::new(http::CALLERS_MAX)),
            leaving: CancellationToken::new(),
            condition,
            shards_end: tokio::sync::Mutex::new(shards_end),
            threads: Mutex::new(joined),
            starting: AbortOnDropHandle::new(starting),
            relaying: tokio::sync::Mutex::new(relaying),
            drain: ground.drain,
            _watching: AbortOnDropHandle::new(watching),
            _bans: bans,
        }))
    }

    /// Answers a request: a room's live stream, where to watch it, or a notice to somebody.
    pub async fn handle(self: &Arc<Self>, request: Request<Incoming>, peer: SocketAddr) -> Response {
        match http::route(request.uri().path()) {
            http::Route::Where => self.tell_where(&request),
            http::Route::Notices => self.take_notice(request).await,
            http::Route::Live => self.respond(request, peer),
        }
    }

    /// Whether there is room for a viewer from `address`; if so, he holds his pass until he is gone.
    pub(crate) fn admission(&self, address: IpAddr) -> Admission {
        self.house.caps.admit(address)
    }

    /// Whether nobody is let in any more.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.is_cancelled()
    }

    /// Lets nobody in any more, serves every viewer until his slot, advises him to come back elsewhere, closes 1012, and ends
    /// the threads. The slots fill most of the drain time; it is over as soon as the last viewer is gone, and who does not go
    /// is not waited for.
    pub async fn leave(&self) {
        let start = Instant::now();
        self.leaving.cancel();
        self.condition.not_ready("leaving");
        self.nodes.iter().for_each(Nodes::leave);
        self.handshakes.close();
        // Who has not finished his handshake by then is cut off with the process.
        let _ = tokio::time::timeout(HANDSHAKES_WAIT, self.handshakes.wait()).await;
        let (part, least) = DRAIN_REST;
        let rest = self.drain.mul_f64(part).max(least);
        let leaving = Leaving { start, length: self.drain.saturating_sub(rest), patience: rest - ENDING };
        self.shards.iter().for_each(|inbox| inbox.tell(Event::Leave(leaving)));
        // The end of the channel is the end of the shards; nothing is ever sent.
        let _ = self.shards_end.lock().await.recv().await;
        self.finish_relaying().await;
        if let Some(nodes) = &self.nodes {
            nodes.end().await;
        }
        self.end();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let joined = tokio::task::spawn_blocking(|| {
            for thread in threads {
                let _ = thread.join();
            }
        });
        match tokio::time::timeout(THREADS_WAIT, joined).await {
            Ok(_) => tracing::info!("hall closed"),
            Err(_) => tracing::warn!("hall closed, while a kafka client still waits for its broker"),
        }
    }

    /// What viewers have sent goes on to the door, which takes no longer than any answer.
    async fn finish_relaying(&self) {
        if let (Some(relay), Some(relaying)) = (&self.house.relay, self.relaying.lock().await.take()) {
            relay.end().await;
            // It fails only when the task did, which is told already.
            let _ = relaying.await;
        }
    }

    fn end(&self) {
        self.starting.abort();
        self.house.is_over.store(true, Ordering::Release);
        self.house.lookups.end();
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.end();
        let patience = DRAIN_REST.1 - ENDING;
        let leaving = Leaving { start: Instant::now(), length: Duration::ZERO, patience };
        self.shards.iter().for_each(|inbox| inbox.tell(Event::Leave(leaving)));
    }
}

/// Lets the Kafka thread go as soon as the topics are what this service was built for.
async fn start(cluster: Cluster, specs: Vec<TopicSpec>, condition: Condition, go: std::sync::mpsc::SyncSender<()>) {
    loop {
        match verify_topics(&cluster, &specs).await {
            Ok(mismatches) if mismatches.is_empty() => break,
            Ok(mismatches) => {
                let words: Vec<_> = mismatches.iter().map(ToString::to_string).collect();
                condition.not_ready(words.join("; "));
            }
            Err(error) => condition.not_ready(format!("the topics cannot be verified: {error}")),
        }
        tokio::time::sleep(VERIFY_EVERY).await;
    }
    // It fails only when the thread is gone, and so is the hall.
    let _ = go.send(());
}
