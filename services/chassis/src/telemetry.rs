//! Logs on stderr and the metrics recorder, both installed once for the process.
//! Kept out: the metrics themselves, which each service declares; labels of rooms or users, which nobody may add.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

use crate::process::{self, Runtime};
use crate::settings::LogFormat;

/// Histograms are of seconds: from half a millisecond (a hop on an idle broker) to 30 s (a drain).
const BUCKETS_SECONDS: [f64; 16] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0];

/// The recorder keeps 16 B a sample until upkeep folds it into buckets: at 100k samples/s this is 8 MB at most.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// What is installed, with the thread that keeps the recorder small; both live as long as the process.
static INSTALLED: Mutex<Option<(Telemetry, JoinHandle<()>)>> = Mutex::new(None);

/// A handle on the process's metrics.
#[derive(Clone)]
pub struct Telemetry {
    metrics: PrometheusHandle,
}

impl Telemetry {
    /// All metrics in Prometheus' text format.
    #[must_use]
    pub fn render(&self) -> String {
        process::tell();
        self.metrics.render()
    }
}

/// Installs logging and metrics; a second call in one process changes nothing and returns the same handle.
///
/// # Errors
/// When somebody else installed a metrics recorder, or no thread can be started.
pub fn install(format: LogFormat) -> anyhow::Result<Telemetry> {
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((telemetry, _)) = installed.as_ref() {
        return Ok(telemetry.clone());
    }
    install_logs(format);
    let (telemetry, upkeep) = install_metrics()?;
    *installed = Some((telemetry.clone(), upkeep));
    Ok(telemetry)
}

fn install_metrics() -> anyhow::Result<(Telemetry, JoinHandle<()>)> {
    let metrics = PrometheusBuilder::new()
        .set_buckets(&BUCKETS_SECONDS)
        .context("histogram buckets")?
        .install_recorder()
        .context("another metrics recorder is installed in this process")?;
    process::begin();
    let (kept, mut runtime) = (metrics.clone(), Runtime::current());
    let upkeep = std::thread::Builder::new()
        .name("metrics-upkeep".into())
        .spawn(move || {
            loop {
                std::thread::sleep(UPKEEP_EVERY);
                kept.run_upkeep();
                runtime.iter_mut().for_each(|runtime| runtime.look(Instant::now()));
            }
        })
        .context("start the metrics upkeep thread")?;
    Ok((Telemetry { metrics }, upkeep))
}

/// Fails only when a subscriber is there already (a test's own, say); then that one stays.
fn install_logs(format: LogFormat) {
    let asked = std::env::var("RUST_LOG").unwrap_or_default();
    let parsed = if asked.is_empty() { Ok(EnvFilter::new("info")) } else { EnvFilter::try_new(&asked) };
    let (filter, bad) = match parsed {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new("info"), Some(error)),
    };
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let installed = match format {
        LogFormat::Text => logs.try_init(),
        LogFormat::Json => logs.json().flatten_event(true).with_ansi(false).try_init(),
    };
    if let (Ok(()), Some(error)) = (installed, bad) {
        tracing::warn!(%error, RUST_LOG = asked, "RUST_LOG is not understood, logging at info");
    }
}

#[cfg(test)]
mod tests {
    use super::install;
    use crate::settings::LogFormat;

    #[test]
    fn installing_twice_is_harmless_and_counts_in_one_place() {
        let first = install(LogFormat::Text).unwrap();
        let second = install(LogFormat::Json).unwrap();
        metrics::counter!("chassis_test_total").increment(2);
        metrics::histogram!("chassis_test_seconds").record(0.003);
        for telemetry in [first, second] {
            let page = telemetry.render();
            assert!(page.contains("chassis_test_total 2"), "{page}");
            assert!(page.contains("chassis_test_seconds_bucket{le=\"0.005\"} 1"), "{page}");
        }
    }
}
