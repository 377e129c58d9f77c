//! A real Kafka of one or three brokers, run by `scripts/kafka`; hurt by number, ended with the test process.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use anyhow::{Context as _, bail};
use chassis::kafka::Cluster;
use serde::Deserialize;

use crate::proxy::Proxy;

/// What kind of Kafka a test needs.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Three brokers with replication 3 and two in-sync replicas at least, instead of one.
    pub three: bool,
    /// More broker settings, `key=value`.
    pub settings: Vec<String>,
}

/// A running Kafka; dropping it ends the brokers and removes their data.
pub struct Kafka {
    dir: PathBuf,
    listeners: Listeners,
    links: Vec<Proxy>,
}

/// What `scripts/kafka` tells about a cluster.
#[derive(Debug, Clone, Deserialize)]
struct Listeners {
    bootstrap: String,
    brokers: Vec<Addresses>,
}

#[derive(Debug, Clone, Deserialize)]
struct Addresses {
    proxied: String,
}

impl Kafka {
    /// The one that tests share under topic prefixes, started when first asked for. It is never dropped: the script's own
    /// watcher ends it when this process is gone.
    ///
    /// # Panics
    /// When it cannot be started: then no test can run.
    pub fn shared() -> Arc<Self> {
        static SHARED: OnceLock<Arc<Kafka>> = OnceLock::new();
        let start = || match Kafka::start(&Plan::default()) {
            Ok(kafka) => Arc::new(kafka),
            Err(error) => panic!("no Kafka to test with: {error:#}"),
        };
        Arc::clone(SHARED.get_or_init(start))
    }

    /// Starts one of its own for a test that hurts it. Blocks for the 3 to 15 s that brokers take.
    ///
    /// # Errors
    /// What the script said.
    pub fn start(plan: &Plan) -> anyhow::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let name = format!("danmaku-river-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        let brokers = if plan.three { 3 } else { 1 };
        let links = (0..brokers).map(|_| Proxy::listen()).collect::<anyhow::Result<Vec<_>>>()?;
        let advertised: Vec<_> = links.iter().map(|link| link.address().to_string()).collect();
        let mut command = script(&dir);
        command.args(["start", if plan.three { "3" } else { "1" }]);
        command.args(["--with-parent", &std::process::id().to_string()]).args(&plan.settings);
        command.env("PROXY_ADVERTISED", advertised.join(","));
        run(command)?;
        let text = std::fs::read(dir.join("listeners.json")).context("listeners.json of scripts/kafka")?;
        let listeners: Listeners = serde_json::from_slice(&text)?;
        for (link, broker) in links.iter().zip(&listeners.brokers) {
            link.lead_to(broker.proxied.parse()?);
        }
        Ok(Self { dir, listeners, links })
    }

    /// Runs one of Kafka's own tools: its name, and its words.
    ///
    /// # Errors
    /// What the tool said.
    pub fn tool(words: &[String]) -> anyhow::Result<()> {
        let mut command = script(&std::env::temp_dir());
        command.arg("run").args(words);
        run(command)
    }

    /// The cluster, reached directly.
    pub fn cluster(&self) -> Cluster {
        Cluster::real(&self.listeners.bootstrap)
    }

    /// Bootstrap servers, reached directly.
    pub fn direct(&self) -> &str {
        &self.listeners.bootstrap
    }

    /// Bootstrap servers behind [`Kafka::link`]; who begins there is led there for ever.
    pub fn linked(&self) -> String {
        let links: Vec<_> = self.links.iter().map(|link| link.address().to_string()).collect();
        links.join(",")
    }

    /// The link to broker `number` (from 1), for those who use [`Kafka::linked`].
    pub fn link(&self, number: usize) -> &Proxy {
        &self.links[number - 1]
    }

    /// SIGKILL for broker `number`; its data stays.
    ///
    /// # Errors
    /// What the script said.
    pub fn kill(&self, number: usize) -> anyhow::Result<()> {
        self.verb("kill", number)
    }

    /// Starts broker `number` again on its ports and data, and waits for it to take requests.
    ///
    /// # Errors
    /// What the script said.
    pub fn restart(&self, number: usize) -> anyhow::Result<()> {
        self.verb("restart", number)
    }

    fn verb(&self, verb: &str, number: usize) -> anyhow::Result<()> {
        let mut command = script(&self.dir);
        command.args([verb, &number.to_string()]);
        run(command)
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        let mut command = script(&self.dir);
        command.arg("stop");
        if let Err(error) = run(command) {
            eprintln!("kafka in {}: {error:#}", self.dir.display());
        }
    }
}

fn script(dir: &Path) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/kafka"));
    command.env("KAFKA_DIR", dir);
    command
}

fn run(mut command: Command) -> anyhow::Result<()> {
    let output = command.output().context("scripts/kafka")?;
    if !output.status.success() {
        bail!("scripts/kafka: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
