//! Every query of every dashboard is answered by a real Prometheus that scrapes a river on which everything happens; and the
//! dashboards are whole.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use integration::Prometheus;
use serde_json::Value;
use tokio::time::Instant;

use crate::{LATER, bustle::Bustle};

/// What Grafana puts in place of its variables; ten scrapes are in the window.
const VARIABLES: [(&str, &str); 4] =
    [("$job", ".*"), ("$instance", ".*"), ("$quantile", "0.9"), ("$__rate_interval", "10s")];

/// A query, and the panel that it is of.
struct Query {
    panel: String,
    text: String,
}

fn monitoring() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../k8s/monitoring")
}

/// The files of a folder beside the dashboards, as text, by name.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let listed = std::fs::read_dir(monitoring().join(folder)).expect("a folder of k8s/monitoring");
    let mut files: Vec<_> = listed
        .map(|file| file.expect("a file").path())
        .map(|path| {
            (
                path.file_name().unwrap_or_default().display().to_string(),
                std::fs::read_to_string(&path).expect("a text"),
            )
        })
        .collect();
    files.sort();
    files
}

fn boards() -> Vec<(String, Value)> {
    let parse = |(name, text): (String, String)| {
        let board = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, board)
    };
    files("dashboards").into_iter().map(parse).collect()
}

fn panels(board: &Value) -> Vec<&Value> {
    board["panels"].as_array().expect("panels").iter().filter(|panel| panel["type"] != "row").collect()
}

fn queries() -> Vec<Query> {
    let mut queries = Vec::new();
    for (_, board) in boards() {
        for panel in panels(&board) {
            for target in panel["targets"].as_array().into_iter().flatten() {
                let [board, title] = [&board["title"], &panel["title"]].map(|name| name.as_str().unwrap_or_default());
                let name = format!("{board}, {title}");
                let text = target["expr"].as_str().expect("a query");
                let text = VARIABLES.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
                queries.push(Query { panel: name, text });
            }
        }
    }
    queries
}

/// The words of a query that are names of ours.
fn numbers(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("danmaku_") || word.starts_with("process_"))
}

#[test]
fn the_dashboards_are_whole() {
    let metrics = monitoring().join("../../docs/metrics.md");
    let metrics = std::fs::read_to_string(metrics).expect("docs/metrics.md");
    let is_known = |number: &str| {
        let base = ["_bucket", "_count", "_sum"].iter().find_map(|end| number.strip_suffix(end)).unwrap_or(number);
        metrics.contains(&format!("`{number}`")) || metrics.contains(&format!("`{base}`"))
    };
    let (mut faults, mut uids) = (Vec::new(), BTreeSet::new());
    for (name, board) in boards() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if text(&board["title"]).is_empty() || !uids.insert(text(&board["uid"])) {
            faults.push(format!("{name}: title and uid are there, and the uid is no other's"));
        }
        let mut ids = BTreeSet::new();
        for panel in panels(&board) {
            let title = text(&panel["title"]);
            let is_told = panel["type"] == "text" || !(text(&panel["description"]).is_empty());
            if title.is_empty() || !is_told || !ids.insert(panel["id"].as_u64()) {
                faults.push(format!("{name}, {title}: title, description and an id of its own"));
            }
            for target in panel["targets"].as_array().into_iter().flatten() {
                let query = text(&target["expr"]);
                faults.extend(
                    numbers(&query)
                        .filter(|number| !is_known(number))
                        .map(|number| format!("{name}, {title}: {number} is not in docs/metrics.md")),
                );
            }
        }
    }
    assert_eq!(faults, [] as [String; 0]);
    assert!(queries().len() > 100, "the queries were found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_is_answered() {
    let rules: Vec<String> = files("rules").into_iter().map(|(_, text)| text).collect();
    let Some(prometheus) = Prometheus::start(&rules).await else { return };
    let Some(mut bustle) = Bustle::start("dashboards_answered").await else { return };
    prometheus.scrape(&bustle.nodes()).await;
    let (mut open, deadline) = (queries(), Instant::now() + LATER);
    while !open.is_empty() {
        bustle.round().await;
        prometheus.scrape(&bustle.nodes()).await;
        let mut silent = Vec::new();
        for query in open {
            let answer = prometheus.query(&query.text).await;
            let answer = answer.unwrap_or_else(|error| panic!("{}: {error} in {}", query.panel, query.text));
            if answer.is_empty() || answer.iter().all(|sample| sample.value.is_nan()) {
                silent.push(query);
            }
        }
        open = silent;
        let names: Vec<_> = open.iter().map(|query| format!("{}: {}", query.panel, query.text)).collect();
        assert!(Instant::now() < deadline, "no answer to {names:#?}");
    }
}
