//! The processes: is each there and ready, are all of one release, do they mean the same Kafka, may they open enough files?

use std::collections::BTreeSet;

use chassis::admin::About;

use super::Row;
use crate::doctor::facts::{Facts, Node, Said, Service};

/// A hall of fewer files than this is full before its machine is: 384 are its own, and Debian's default leaves it 640 viewers.
const FILES_MIN: u64 = 10_000;

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let mut rows: Vec<Row> = facts.nodes.iter().map(ready).collect();
    let said: Vec<&Said> = facts.nodes.iter().filter_map(|node| node.said.as_ref().ok()).collect();
    if said.is_empty() {
        return rows;
    }
    if said.len() == facts.nodes.len() {
        rows.extend(whole(&said));
    }
    rows.push(release(&said));
    rows.extend(agreed(&said));
    rows.extend(facts.nodes.iter().filter_map(files));
    rows
}

fn ready(node: &Node) -> Row {
    match &node.said {
        Err(why) => Row::ok("node", &node.address, why).bad(
            "start it, or give --nodes the admin ports (DANMAKU_ADMIN) of the processes that run; from outside a cluster \
             through `kubectl port-forward`",
        ),
        Ok(said) if said.not_ready.is_empty() => Row::ok("node", &node.address, format!("{}, ready", said.about.program)),
        Ok(said) => {
            let why: Vec<_> = said.not_ready.iter().map(|(condition, why)| format!("{condition}: {why}")).collect();
            Row::ok("node", &node.address, format!("{}, not ready: {}", said.about.program, why.join("; ")))
                .bad("do what the sentence says; a start takes some seconds")
        }
    }
}

/// A river with a stage missing shows nothing; who looks at a part of a deployment is told so.
fn whole(said: &[&Said]) -> Option<Row> {
    let missing: Vec<_> = Service::ALL
        .into_iter()
        .filter(|service| !said.iter().any(|said| said.is(*service)))
        .map(Service::name)
        .collect();
    let found = format!("no {} among --nodes", missing.join(", no "));
    (!missing.is_empty()).then(|| {
        Row::ok("services", "all", found).unknown("name the admin ports of those too, or what they do is not looked at")
    })
}

fn release(said: &[&Said]) -> Row {
    let releases: BTreeSet<_> =
        said.iter().map(|said| format!("{} ({})", said.about.version, said.about.commit)).collect();
    let found = releases.iter().cloned().collect::<Vec<_>>().join(", ");
    let row = Row::ok("release", "all", found);
    match releases.len() {
        1 => row,
        _ => row.watch("during an upgrade that is right for some minutes; else bring the older ones up"),
    }
}

/// What all processes must be told alike: its name, how it is read, and what a difference does.
type Common = (&'static str, fn(&About) -> String, &'static str);

const COMMON: [Common; 4] = [
    ("generation", |about| about.generation.to_string(), "they do not read one another's records"),
    ("partitions", |about| about.partitions.to_string(), "a room is in two places"),
    ("topic-prefix", |about| format!("\"{}\"", about.topic_prefix), "they read other topics than others write"),
    ("brokers", |about| about.brokers.clone(), "they may stand on two clusters"),
];

fn agreed(said: &[&Said]) -> Vec<Row> {
    let row = |(name, read, harm): Common| {
        let values: BTreeSet<_> = said.iter().map(|said| read(&said.about)).collect();
        let found = values.iter().cloned().collect::<Vec<_>>().join(" and ");
        let row = Row::ok(name, "all", found);
        match (values.len(), name) {
            (1, _) => row,
            // The same cluster has many names.
            (_, "brokers") => row.watch(format!("see that these are one cluster: else {harm}")),
            _ => row.bad(format!("give all processes the same --{name}: {harm}")),
        }
    };
    COMMON.into_iter().map(row).collect()
}

fn files(node: &Node) -> Option<Row> {
    let said = node.said.as_ref().ok().filter(|said| said.is(Service::Fanout))?;
    let row = match said.about.files_max {
        None => Row::ok("open files", &node.address, "no limit"),
        Some(files) if files < FILES_MIN => {
            Row::ok("open files", &node.address, format!("at most {files}")).watch(format!(
                "raise the hard limit to 65,536 or more (systemd's LimitNOFILE, `ulimit -Hn`): each viewer is one, and \
                 384 are the hall's own; it takes in {} viewers now",
                said.numbers.get("danmaku_fanout_viewers_max").copied().unwrap_or_default()
            ))
        }
        Some(files) => Row::ok("open files", &node.address, format!("at most {files}")),
    };
    Some(row)
}
