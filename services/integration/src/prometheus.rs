//! Debian's Prometheus, which scrapes the services of a test once a second, evaluates rules, and answers what dashboards ask.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::{node::Node, sender::Http, until};

/// It is up in a second.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A server with a database of its own. Dropping it ends it and removes its data.
pub struct Prometheus {
    address: SocketAddr,
    dir: PathBuf,
    http: Http,
    /// A shell that kills the server when our end of its input closes: with this process, however that ends.
    shell: Child,
}

/// A sample of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// What it is of.
    pub labels: BTreeMap<String, String>,
    /// What it says.
    pub value: f64,
}

impl Prometheus {
    /// Starts one with the rules of these files, given as text; `None`, and says so, on a machine without the program.
    ///
    /// # Panics
    /// When it is there and cannot be started.
    pub async fn start(rules: &[String]) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        if !is_here("prometheus") {
            eprintln!("skipped: there is no prometheus on this machine; on Debian: apt-get install prometheus");
            return None;
        }
        let name = format!("danmaku-prometheus-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        configure(&dir, rules);
        // An address of its own within the loopback, so that nobody else takes the port between this and the next line.
        let host = [127, 0, rand::random_range(1..=250), rand::random_range(1..=250)];
        let free = TcpListener::bind(SocketAddr::from((host, 0))).expect("a port for a prometheus");
        let address = free.local_addr().expect("a bound port");
        drop(free);
        let prometheus = Self { address, shell: start(&dir, address), dir, http: Http::default() };
        until("prometheus is ready", READY_WITHIN, async || {
            let (status, _) = prometheus.http.get(address, "/-/ready").await.ok()?;
            (status == 200).then_some(())
        })
        .await;
        Some(prometheus)
    }

    /// Scrapes these from now on, each kind as a job of its own, as an operator would.
    ///
    /// # Panics
    /// When it does not scrape all of them in time.
    pub async fn scrape(&self, nodes: &[&Node]) {
        let group = |node: &&Node| {
            let job = node.name.split_once('-').map_or(&*node.name, |(service, _)| service);
            json!({ "targets": [node.admin.to_string()], "labels": { "job": job } })
        };
        let groups: Vec<Value> = nodes.iter().map(group).collect();
        let file = self.dir.join("targets.json");
        // Put there whole: half a file would be an error in its log, and no target.
        let new = file.with_extension("new");
        std::fs::write(&new, json!(groups).to_string()).expect("a file of targets");
        std::fs::rename(new, file).expect("a file of targets");
        until("all are scraped", READY_WITHIN, async || {
            let up = self.query("up == 1").await.ok()?;
            (up.len() == nodes.len()).then_some(())
        })
        .await;
    }

    /// The answer to a query, now.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub async fn query(&self, query: &str) -> Result<Vec<Sample>, String> {
        let said = self.api(&format!("query?query={}", utf8_percent_encode(query, NON_ALPHANUMERIC))).await?;
        let data = &said["data"];
        Ok(match data["resultType"].as_str() {
            Some("scalar") => vec![Sample { labels: BTreeMap::new(), value: number(&data["result"]) }],
            _ => data["result"].as_array().into_iter().flatten().map(sample).collect(),
        })
    }

    /// The alerts that fire now.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn firing(&self) -> BTreeSet<String> {
        let said = self.api("alerts").await.expect("the alerts");
        let alerts = said["data"]["alerts"].as_array().expect("a list of alerts");
        let firing = alerts.iter().filter(|alert| alert["state"] == "firing");
        firing.filter_map(|alert| alert["labels"]["alertname"].as_str().map(str::to_owned)).collect()
    }

    /// How each alert that fires says it.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn summaries(&self, alert: &str) -> Vec<String> {
        let said = self.api("alerts").await.expect("the alerts");
        let alerts = said["data"]["alerts"].as_array().expect("a list of alerts");
        let named = alerts.iter().filter(|one| one["labels"]["alertname"] == alert);
        named.filter_map(|one| one["annotations"]["summary"].as_str().map(str::to_owned)).collect()
    }

    async fn api(&self, path: &str) -> Result<Value, String> {
        let (_, text) = self.http.get(self.address, &format!("/api/v1/{path}")).await.map_err(|e| format!("{e:#}"))?;
        let said: Value = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
        if said["status"] == "success" { Ok(said) } else { Err(said["error"].to_string()) }
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
        if std::thread::panicking() {
            eprintln!("──── the end of its log\n{}", crate::node::tail(&self.dir.join("prometheus.log")));
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Whether a program is on this machine.
pub fn is_here(program: &str) -> bool {
    let known = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    known.is_ok_and(|status| status.success())
}

/// Files that say whom to scrape, how often, and by which rules.
fn configure(dir: &Path, rules: &[String]) {
    std::fs::create_dir_all(dir).expect("a folder for a prometheus");
    for (number, text) in rules.iter().enumerate() {
        std::fs::write(dir.join(format!("rules-{number}.yaml")), text).expect("a file of rules");
    }
    std::fs::write(dir.join("targets.json"), "[]").expect("a file of targets");
    let config = "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 500ms}\n\
                  rule_files: ['rules-*.yaml']\n\
                  scrape_configs: [{job_name: none, file_sd_configs: [{files: [targets.json]}]}]\n";
    std::fs::write(dir.join("prometheus.yml"), config).expect("a configuration");
}

fn start(dir: &Path, address: SocketAddr) -> Child {
    let script = r#"cd "$0" && { prometheus "$@" >prometheus.log 2>&1 & read _; kill -KILL $!; wait; }"#;
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(dir);
    command.args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"]);
    command.arg(format!("--web.listen-address={address}"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a shell")
}

fn sample(one: &Value) -> Sample {
    let labels = one["metric"].as_object().into_iter().flatten();
    let labels = labels.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()));
    Sample { labels: labels.collect(), value: number(&one["value"]) }
}

/// The second of a pair of a time and a number as text.
fn number(pair: &Value) -> f64 {
    pair[1].as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}
