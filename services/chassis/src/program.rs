//! The life of a program around its service: telemetry, keys, ports, the ready line, leaving. The service itself is kept out.
//!
//! settings → [`Program::begin`] (nothing is half started when a setting is wrong) → the service opens on the ground →
//! [`Program::run`] until a signal → the drain, within its deadline.

use std::{future::Future, net::SocketAddr, path::Path, process::ExitCode, time::Duration};

use anyhow::Context as _;
use hyper::{Request, body::Incoming};
use metrics::{describe_gauge, gauge};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    admin::{About, Admin, Pages, Readiness, Served},
    descriptors,
    ground::Ground,
    http::Response,
    kafka::{self, Access, Cluster, keep_asking},
    listen::{self, Limits, Port},
    redis,
    settings::{Common, Settings, describe},
    shutdown::{self, Shutdown, Signals},
    telemetry,
    tokens::{self, Verifier},
};

/// A program whose ports are bound and whose service is not open yet.
pub struct Program {
    /// What services open on.
    pub ground: Ground,
    public: Option<Port>,
    admin: Served,
    limits: Limits,
    /// Asks whether Kafka answers.
    asking: Option<AbortOnDropHandle<()>>,
    /// Takes up other keys.
    following: Option<AbortOnDropHandle<()>>,
    // Held so that signals are heard until the end.
    _signals: Signals,
}

/// What kind of public port a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Public {
    /// None.
    Closed,
    /// One for requests.
    Plain,
    /// One whose sockets have a send buffer of so many bytes.
    SendBuffer(usize),
}

impl Program {
    /// Installs telemetry, says the effective settings, hears signals, asks whether Kafka and Redis let us in, and binds the
    /// ports.
    ///
    /// # Errors
    /// A no of Kafka or Redis, a port that cannot be bound, or a certificate that cannot serve, in a sentence that names its
    /// setting.
    pub async fn begin<S: Settings>(
        common: &Common,
        cluster: Cluster,
        verifier: Verifier,
        public: Public,
    ) -> anyhow::Result<Self> {
        let telemetry = telemetry::install(common.log_format)?;
        describe::<S>();
        descriptors::raise();
        let shutdown = Shutdown::new();
        let signals = shutdown::on_signals(&shutdown).context("cannot hear signals")?;
        let_in(common, &cluster).await?;
        let listener = match public {
            Public::Closed => None,
            Public::Plain => Some(listen::bind(common.listen, "--listen")?),
            Public::SendBuffer(bytes) => Some(listen::bind_with(common.listen, "--listen", Some(bytes))?),
        };
        let public = match listener {
            Some(listener) => Some(Port { listener, tls: common.tls()? }),
            None => None,
        };
        let (readiness, pages) = (Readiness::new(), Pages::default());
        About::this::<S>(common, &cluster).told_on(&pages);
        let admin = Admin::new(readiness.clone(), telemetry, pages.clone());
        let admin = admin.serve(listen::bind(common.admin, "--admin")?)?;
        tracing::info!(address = %admin.address(), "admin port open");
        let ground = Ground::new(common, cluster, verifier, readiness, pages, shutdown);
        // Who serves nobody checks no token.
        let keys = common.keys.clone().filter(|_| public.is_some());
        let following =
            keys.map(|path| AbortOnDropHandle::new(tokio::spawn(tokens::follow(path, ground.verifier.clone()))));
        let descriptors_each = public.as_ref().map_or(1, Port::descriptors_each);
        let connections_max = descriptors::for_clients() / descriptors_each;
        let limits = Limits { drain: ground.drain, connections_max, ..Limits::default() };
        describe_gauge!("danmaku_draining", "1 from the signal to leave until the end.");
        gauge!("danmaku_draining").set(0.0);
        Ok(Self { ground, public, admin, limits, asking: None, following, _signals: signals })
    }

    /// For a program that tells whether Kafka answers; it is asked about `topic`.
    #[must_use]
    pub fn asking_about(mut self, topic: String) -> Self {
        self.asking = Some(AbortOnDropHandle::new(tokio::spawn(keep_asking(self.ground.cluster.clone(), topic))));
        self
    }

    /// For a program that itself closes who takes nothing for `blocked_max`, and says why: its port does so only after it.
    #[must_use]
    pub fn stalling_after(mut self, blocked_max: Duration) -> Self {
        // A sweep a second, and a turn for its last words.
        self.limits.stall_max = blocked_max.saturating_add(Duration::from_secs(5));
        self
    }

    /// For a program that lets so many new connections in each second, and no more; 0 is as fast as they come.
    #[must_use]
    pub fn accepting(mut self, per_second: u32) -> Self {
        self.limits.accepts_per_second = per_second;
        self
    }

    /// Where clients are served.
    pub fn public_address(&self) -> Option<SocketAddr> {
        self.public.as_ref().and_then(|port| port.listener.local_addr().ok())
    }

    /// How many connections clients may have at a time.
    pub fn connections_max(&self) -> usize {
        self.limits.connections_max
    }

    /// Serves `handle` until a signal, then lets the service `leave` and the requests in hand finish, within the drain time.
    /// The ready line is printed once all conditions are ready.
    pub async fn run<H, F>(self, handle: H, leave: impl Future<Output = ()>) -> anyhow::Result<()>
    where
        H: Fn(Request<Incoming>, SocketAddr) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response> + Send + 'static,
    {
        let public_address = self.public_address();
        let Self { ground, public, admin, limits, asking: _asking, following: _following, _signals } = self;
        let serving = async {
            match public {
                Some(port) => {
                    // A task, or each connection would be handed from this thread to a worker, and its end back, at a
                    // wake-up each: 9,600 handshakes cost 1.2 s of CPU instead of 0.7 (measured).
                    let serving = tokio::spawn(listen::serve(port, ground.shutdown.clone(), limits, handle));
                    if let Err(failed) = AbortOnDropHandle::new(serving).await
                        && let Ok(panic) = failed.try_into_panic()
                    {
                        std::panic::resume_unwind(panic);
                    }
                }
                None => ground.shutdown.requested().await,
            }
        };
        let announcing = async {
            tokio::select! {
                () = ground.readiness.wait_ready() => listen::announce(public_address, admin.address()),
                () = ground.shutdown.requested() => {}
            }
        };
        let staying = ground.readiness.condition("staying");
        staying.ready();
        let leaving = async {
            ground.shutdown.requested().await;
            staying.not_ready("shutting down");
            gauge!("danmaku_draining").set(1.0);
            shutdown::drain("service", ground.drain, leave).await;
            ground.tracer.end().await;
        };
        tokio::join!(serving, announcing, leaving);
        Ok(())
    }
}

/// Whether Kafka and Redis let us in. That either is away is no reason not to start: it may be back before anybody looks.
async fn let_in(common: &Common, cluster: &Cluster) -> anyhow::Result<()> {
    let kafka = async {
        // Without an account there is nothing that could be wrong with it.
        if common.kafka.is_plain() { Ok(()) } else { kafka::let_in(cluster).await }
    };
    let redis = async {
        match common.redis.address() {
            Some(address) => redis::let_in(address).await,
            None => Ok(()),
        }
    };
    let (kafka, redis) = tokio::join!(kafka, redis);
    kafka.and(redis).map_err(anyhow::Error::msg)
}

/// The cluster that `--brokers` names.
///
/// # Errors
/// When it is not set: a service alone needs one. When a file of its access cannot be read.
pub fn cluster(common: &Common) -> anyhow::Result<Cluster> {
    let brokers = common.brokers.as_deref().context(
        "no Kafka named: set --brokers (DANMAKU_BROKERS) to host:port, or try `danmaku`, which brings its own broker",
    )?;
    let access = Access::of(&common.kafka).map_err(anyhow::Error::msg)?;
    Ok(Cluster::real(brokers).asked_as(access))
}

/// The keys of `--keys`. Without the setting no token is good, and only what needs none is served.
///
/// # Errors
/// When the file cannot be read or holds a key that cannot be used.
pub fn verifier(keys: Option<&Path>) -> anyhow::Result<Verifier> {
    match keys {
        Some(path) => Verifier::from_file(path)
            .with_context(|| format!("--keys (DANMAKU_KEYS) {} cannot be used", path.display())),
        None => Ok(Verifier::empty()),
    }
}

/// Runs a program's whole life on a runtime of its own; an error is told on stderr and ends it with 1.
pub fn block_on(run: impl Future<Output = anyhow::Result<()>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(run);
    // What a blocking call still waits for is not worth waiting for.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
