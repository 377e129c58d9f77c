//! What the crowd plays to: started for this run, or running already. What it is asked and told is elsewhere.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;

use crate::config::Against;
use crate::door::Door;
use crate::kafka::Kafka;
use crate::pass::Pass;
use crate::process;
use crate::program::{self, OnKafka, Program};
use crate::scrape::Metrics;
use crate::scratch::Scratch;

/// Partitions on a Kafka of our own: enough for ten rooms to spread, few enough for one broker on two cores.
const PARTITIONS: u32 = 8;

/// A Danmaku to play to.
pub struct Server {
    /// Where clients are served.
    pub public: SocketAddr,
    /// Who its users are.
    pub pass: Option<Pass>,
    admins: Vec<Door>,
    program: Option<Program>,
    kafka: Option<Kafka>,
    scratch: Option<Scratch>,
}

/// What processes have used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu {
    /// The `danmaku` program.
    pub server: Option<Duration>,
    /// The broker.
    pub kafka: Option<Duration>,
    /// This crowd.
    pub crowd: Option<Duration>,
}

impl Server {
    /// Starts what is to be started.
    ///
    /// # Errors
    /// When something does not start, or the one that runs does not answer.
    pub async fn stand(against: &Against) -> anyhow::Result<Self> {
        match (&against.target, &against.keys) {
            (Some(target), Some(keys)) => Self::running(*target, &against.admin, keys).await,
            _ => Self::started(against.kafka).await,
        }
    }

    async fn running(public: SocketAddr, admins: &[SocketAddr], keys: &Path) -> anyhow::Result<Self> {
        let admins: Vec<_> = admins.iter().copied().map(Door::new).collect();
        for admin in &admins {
            admin.get("/readyz").await.context("it is not ready")?;
        }
        let pass = Some(Pass::open(keys)?);
        Ok(Self { public, pass, admins, program: None, kafka: None, scratch: None })
    }

    async fn started(on_kafka: bool) -> anyhow::Result<Self> {
        let scratch = Scratch::make().context("make a temporary folder")?;
        let keys = scratch.path().join("keys.jwks");
        let pass = Some(Pass::create(&keys).context("make a key")?);
        let kafka = match on_kafka {
            true => Some(Kafka::start(scratch.path().with_extension("kafka")).await?),
            false => None,
        };
        let program = Self::program(scratch.path(), &keys, kafka.as_ref()).await;
        match program {
            Ok(program) => {
                let admins = vec![Door::new(program.admin)];
                let public = program.public;
                Ok(Self { public, pass, admins, program: Some(program), kafka, scratch: Some(scratch) })
            }
            Err(error) => {
                if let Some(kafka) = kafka {
                    kafka.stop().await;
                }
                Err(error)
            }
        }
    }

    async fn program(folder: &Path, keys: &Path, kafka: Option<&Kafka>) -> anyhow::Result<Program> {
        let Some(kafka) = kafka else { return Program::start(folder, keys, None).await };
        let prefix = format!("load-{:08x}.", rand::random::<u32>());
        let on_kafka = OnKafka { brokers: &kafka.bootstrap, prefix: &prefix, partitions: PARTITIONS };
        program::apply_topics(&on_kafka).await?;
        Program::start(folder, keys, Some(&on_kafka)).await
    }

    /// All numbers that it tells.
    ///
    /// # Errors
    /// When an admin port does not answer.
    pub async fn scrape(&self) -> anyhow::Result<Metrics> {
        let mut metrics = Metrics::default();
        for admin in &self.admins {
            metrics.read(&admin.get("/metrics").await?);
        }
        Ok(metrics)
    }

    /// What the processes that were started here have used so far.
    pub fn cpu(&self) -> Cpu {
        Cpu {
            server: self.program.as_ref().and_then(Program::pid).and_then(process::cpu),
            kafka: self.kafka.as_ref().and_then(Kafka::pid).and_then(process::cpu),
            crowd: process::own_cpu(),
        }
    }

    /// The most memory the `danmaku` program has had.
    pub fn memory_peak(&self) -> Option<u64> {
        self.program.as_ref().and_then(Program::pid).and_then(process::memory_peak)
    }

    /// That the program started here still runs.
    ///
    /// # Errors
    /// When it has ended by itself, with the end of its log.
    pub fn check(&mut self) -> anyhow::Result<()> {
        self.program.as_mut().map_or(Ok(()), Program::check)
    }

    /// Ends what was started, and says where its log is if somebody should look at it.
    pub async fn leave(self, look_at_log: bool) {
        if let Some(program) = self.program {
            program.end().await;
        }
        if let Some(kafka) = self.kafka {
            kafka.stop().await;
        }
        if let Some(mut scratch) = self.scratch.filter(|_| look_at_log) {
            scratch.keep();
            eprintln!("its log is {}", scratch.path().join("danmaku.log").display());
        }
    }
}

impl Cpu {
    /// What was used since `before`, in seconds.
    pub fn secs_since(&self, before: &Self) -> [Option<f64>; 3] {
        let used = |after: Option<Duration>, before: Option<Duration>| Some((after? - before?).as_secs_f64());
        [used(self.server, before.server), used(self.kafka, before.kafka), used(self.crowd, before.crowd)]
    }
}
