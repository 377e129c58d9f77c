//! `docs/metrics.md` is what the services tell: each number in it exists and moves when everything happens, and each that exists
//! is in it. `UPDATE=1` writes it anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use integration::metrics::{Family, families};
use tokio::time::Instant;

use crate::{
    LATER,
    bustle::{Bustle, ROOM, USERS},
};

/// What only trouble moves, or chance: 0 is well.
const STILL: [&str; 42] = [
    "danmaku_draining",
    "danmaku_fanout_bans_lost_total",
    "danmaku_fanout_blocked_viewers",
    "danmaku_fanout_dropped_total",
    "danmaku_fanout_full_total",
    "danmaku_fanout_notices_again_total",
    "danmaku_fanout_passed_over_total",
    "danmaku_fanout_rebuilds_total",
    "danmaku_fanout_redis_failures_total",
    "danmaku_fanout_rehangs_total",
    "danmaku_fanout_repeated_total",
    "danmaku_fanout_restarts_total",
    "danmaku_fanout_state_forgotten_total",
    "danmaku_fanout_swept_total",
    "danmaku_fanout_undecodable_total",
    "danmaku_filter_commit_failures_total",
    "danmaku_filter_dead_letters_total",
    "danmaku_filter_deleted_unjudged_total",
    "danmaku_filter_disputes_total",
    "danmaku_filter_forgotten_total",
    "danmaku_filter_in_flight_inputs",
    "danmaku_filter_lag_seconds",
    "danmaku_filter_reader_restarts_total",
    "danmaku_filter_rejoins_total",
    "danmaku_filter_rewinds_total",
    "danmaku_filter_rules_bad_total",
    "danmaku_filter_rules_behind_total",
    "danmaku_filter_rules_refused_total",
    "danmaku_filter_stood_total",
    "danmaku_filter_superseded_total",
    "danmaku_filter_survey_failures_total",
    "danmaku_http_ended_early_total",
    "danmaku_http_starved_accepts_total",
    "danmaku_http_turned_away_total",
    "danmaku_ingest_bans_lost_total",
    "danmaku_ingest_closed_partitions",
    "danmaku_ingest_in_flight_bytes",
    "danmaku_ingest_look_up_failures_total",
    "danmaku_ingest_producers_lost_total",
    "danmaku_moderation_outbox_parcels",
    "danmaku_moderation_publishers_lost_total",
    "danmaku_redis_dropped_total",
];

/// Partitions, shards, codes: what a label may have many of. 64 partitions, or 19 close codes and the lost ones.
const SERIES_MAX: usize = 64;

/// All numbers, and which services tell them.
#[derive(Default)]
struct Book(BTreeMap<String, (Family, BTreeSet<String>)>);

fn is_still(name: &str) -> bool {
    STILL.contains(&name)
}

impl Book {
    fn read(&mut self, node: &str, page: &str) {
        let service = node.split_once('-').map_or(node, |(service, _)| service);
        for (name, family) in families(page) {
            assert!(family.series <= SERIES_MAX, "{name} has {} series: which label has no bound?", family.series);
            let (known, services) = self.0.entry(name).or_insert_with(|| (family.clone(), BTreeSet::new()));
            known.has_moved |= family.has_moved;
            known.labels.extend(family.labels);
            services.insert(service.to_owned());
        }
    }

    /// What should have moved and has not.
    fn waiting(&self) -> Vec<&str> {
        let waits = |(name, (family, _)): &(&String, &(Family, _))| !family.has_moved && !is_still(name);
        self.0.iter().filter(waits).map(|(name, _)| &**name).collect()
    }

    /// What the names and sentences break of the house's rules.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, (family, _)) in &self.0 {
            let is_ours = name.starts_with("danmaku_") || name.starts_with("process_");
            let is_named = match &*family.kind {
                "counter" => name.ends_with("_total"),
                "histogram" => name.ends_with("_seconds"),
                _ => !name.ends_with("_total"),
            };
            if !is_ours || !is_named || family.help.is_empty() {
                faults.push(format!("{name}: a {} named so, saying {:?}", family.kind, family.help));
            }
        }
        let is_gone = |name: &&&str| !self.0.contains_key(**name);
        let gone = STILL.iter().filter(is_gone);
        faults.extend(gone.map(|name| format!("{name} is said to stand still, and there is none")));
        faults
    }

    fn document(&self) -> String {
        let mut page = String::from(HEAD);
        let services = ["ingest", "filter", "fanout", "moderation"];
        for section in [None, Some("ingest"), Some("filter"), Some("fanout"), Some("moderation")] {
            let of = services.iter().find_map(|service| section.filter(|section| section == service));
            let _ = writeln!(page, "\n## {}\n", of.map_or("Several", |service| service));
            let extra = if of.is_none() { ("| told by ", "|---") } else { ("", "") };
            let _ = writeln!(page, "| name | kind | by {}| what it says |\n|---|---|---{}|---|", extra.0, extra.1);
            for (name, (family, told_by)) in self.0.iter().filter(|(name, _)| owner(name, &services) == section) {
                let labels: Vec<_> = family.labels.iter().map(|label| format!("`{label}`")).collect();
                let told_by: Vec<_> = told_by.iter().map(String::as_str).collect();
                let told_by = if told_by.len() == services.len() { "all".to_owned() } else { told_by.join(", ") };
                let told_by = if of.is_none() { format!("| {told_by} ") } else { String::new() };
                let still = if is_still(name) { " ∘" } else { "" };
                let (kind, help) = (&family.kind, sentence(&family.help));
                let _ = writeln!(page, "| `{name}`{still} | {kind} | {} {told_by}| {help} |", labels.join(" "));
            }
        }
        page + SWITCHED_ON + CANARY
    }
}

/// The service that a number belongs to; none for those of any process.
fn owner<'a>(name: &str, services: &[&'a str]) -> Option<&'a str> {
    services.iter().copied().find(|service| name.starts_with(&format!("danmaku_{service}_")))
}

/// With a capital and a stop, whoever wrote it, and nothing that a table would take for its own.
fn sentence(help: &str) -> String {
    let help = help.trim_end_matches('.').replace('|', "\\|");
    let mut letters = help.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

const HEAD: &str = "# Metrics

Every process tells its numbers on its admin port, `/metrics`, in Prometheus' text format. This page is written by a test that reads them
while everything happens (`UPDATE=1 make e2e ARGS=metrics_documented`), so each of them exists, and moves.

- Names are `danmaku_{service}_{noun}_{unit}`, with `_total` for what only rises. Units are seconds and bytes.
- ∘ stands still while all is well: only trouble moves it, or chance. It is told from the start, as 0.
- No label has a room or a user. The largest rooms of a hall, and their partitions, are at its `/debug/rooms?by=viewers|messages&top=20`,
  and the slowest viewers of one at `/debug/viewers?room=`.
- Histograms have the classic buckets, from half a millisecond to 30 s. No percentile is computed here: those of nodes do not add up.
- The hops (`danmaku_hop_seconds`) are the time from one stamp to the next: `appended` from acceptance until Kafka had it, `judged` until a
  filter took it, `encoded` until a hall had a frame of it, `written` until the last viewer who could take it had it. No two machines' clocks
  are compared, so they are not added up either; what a viewer feels the canary measures.

The one process tells all of them. Dashboards are in `k8s/monitoring/dashboards`, alerts in `k8s/monitoring/rules`, each with a
[page](runbooks) on what to do.
";

const SWITCHED_ON: &str = "
## Where it is switched on

These are told under a setting that no test of this page gives.

| name | kind | by | with | what it says |
|---|---|---|---|---|
| `danmaku_http_certificate_ends_seconds` | gauge |  | `--tls-cert` | When the certificate of --tls-cert ends, in Unix time. |
| `danmaku_trace_spans_total` | counter | `outcome` | `--otlp-endpoint` | Spans by what became of them: sent, refused by the collector, dropped because too many waited for it, or left out because ten a second that are late or failed say enough. |
";

const CANARY: &str = "
## The canary

`danmaku canary` is a program of its own, with an admin port of its own; no test of this page scrapes it.

| name | kind | by | what it says |
|---|---|---|---|
| `danmaku_canary_connected` | gauge | `hall` | Whether the canary's viewer is at the hall. |
| `danmaku_canary_delivery_ratio` | gauge |  | Of the last 720 that were due at a hall, the share that was seen there. |
| `danmaku_canary_due_total` | counter | `hall` | Accepted messages that were due at the hall: received and lost. |
| `danmaku_canary_healthy` | gauge |  | Whether every hall is there, and the last thing said was seen at each. |
| `danmaku_canary_lost_total` ∘ | counter | `hall` | Messages not seen at the hall in time. |
| `danmaku_canary_received_total` | counter | `hall` | Messages seen at the hall in time. |
| `danmaku_canary_repeated_total` ∘ | counter | `hall` | Messages seen at the hall once more. |
| `danmaku_canary_said_total` | counter | `outcome` | What the canary said, by what became of it at the door and the judge. |
| `danmaku_canary_seconds` | histogram | `hall` | From before a message is sent to its being seen at the hall. |
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_number_is_documented_and_moves() {
    let Some(mut bustle) = Bustle::start("metrics_documented").await else { return };
    let (mut book, deadline) = (Book::default(), Instant::now() + LATER);
    while book.0.is_empty() || !book.waiting().is_empty() {
        assert!(Instant::now() < deadline, "these never moved: {:?}", book.waiting());
        bustle.round().await;
        for node in bustle.nodes() {
            let (_, page) = node.page("/metrics").await;
            assert!(!page.contains(ROOM) && !page.contains(USERS), "{} tells of a room or a user", node.name);
            book.read(&node.name, &page);
        }
    }
    assert_eq!(book.faults(), [] as [String; 0]);
    let (path, found) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md"), book.document());
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(path, found).expect("docs/metrics.md");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    let differ = |one: &str, other: &str| -> Vec<String> {
        let known: BTreeSet<_> = other.lines().collect();
        one.lines().filter(|line| !known.contains(line)).map(str::to_owned).collect()
    };
    let (gone, new) = (differ(&written, &found), differ(&found, &written));
    assert!(written == found, "docs/metrics.md is not what is told: UPDATE=1 writes it. Gone: {gone:#?} New: {new:#?}");
}
