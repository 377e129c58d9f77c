//! What one process says on its admin port: who it is, whether it is ready, and its numbers.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use chassis::admin::{ABOUT, About};
use http_body_util::Full;
use hyper::{Request, StatusCode};
use serde::Deserialize;

use super::facts::{Node, Said};
use crate::reach;

/// An admin port answers in milliseconds; one that takes longer is what is looked for.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);

/// A port, as it is named.
pub(super) fn port(text: &str) -> Result<String, String> {
    let is_one =
        text.trim().rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if is_one {
        Ok(text.trim().to_owned())
    } else {
        Err("an admin port is host:port, such as fanout-0:9093".to_owned())
    }
}

/// Asks all of them side by side; those of one name in the order of their addresses.
pub(super) async fn ask_all(names: &[String]) -> Vec<Node> {
    let mut asking = Vec::new();
    for name in names {
        match addresses(name).await {
            Ok(addresses) => {
                asking.extend(addresses.into_iter().map(|address| tokio::spawn(ask(named(name, address), address))));
            }
            Err(why) => {
                let node = Node { address: name.clone(), said: Err(why) };
                asking.push(tokio::spawn(async move { node }));
            }
        }
    }
    let mut nodes = Vec::new();
    for node in asking {
        // A panic in there has been printed.
        nodes.extend(node.await);
    }
    nodes
}

async fn addresses(name: &str) -> Result<Vec<SocketAddr>, String> {
    let found = tokio::net::lookup_host(name).await.map_err(|error| format!("the name is not known: {error}"))?;
    let mut addresses: Vec<_> = found.collect();
    addresses.sort();
    addresses.dedup();
    if addresses.is_empty() { Err("the name leads nowhere".to_owned()) } else { Ok(addresses) }
}

/// A name, with the address that it stands for here.
fn named(name: &str, address: SocketAddr) -> String {
    let shown = address.to_string();
    if name == shown { shown } else { format!("{name} ({})", address.ip()) }
}

async fn ask(address: String, at: SocketAddr) -> Node {
    let asking = said(at);
    let said = tokio::time::timeout(ANSWERED_WITHIN, asking).await;
    let said = said.unwrap_or_else(|_| Err(format!("no answer within {} s", ANSWERED_WITHIN.as_secs())));
    Node { address, said }
}

#[derive(Deserialize)]
struct Readyz {
    #[serde(default)]
    reasons: Vec<Reason>,
    #[serde(default)]
    notes: Vec<Note>,
}

#[derive(Deserialize)]
struct Reason {
    condition: String,
    reason: String,
}

#[derive(Deserialize)]
struct Note {
    part: String,
    state: String,
}

async fn said(at: SocketAddr) -> Result<Said, String> {
    // The first question opens the connection, so that the second is quick and tells the time.
    let (_, readyz) = get(at, "/readyz").await?;
    let readyz: Readyz = serde_json::from_str(&readyz).map_err(|_| "this is no admin port of ours".to_owned())?;
    let (before_ms, began) = (unix_ms(), Instant::now());
    let (status, about) = get(at, ABOUT).await?;
    let took_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    if status == StatusCode::NOT_FOUND {
        return Err(format!("it has no {ABOUT}: it is of an earlier release"));
    }
    let about: About = serde_json::from_str(&about).map_err(|error| format!("{ABOUT} is not understood: {error}"))?;
    let (_, metrics) = get(at, "/metrics").await?;
    Ok(Said {
        ahead_ms: about.now_ms - (before_ms + took_ms / 2),
        give_or_take_ms: took_ms / 2 + 1,
        not_ready: readyz.reasons.into_iter().map(|Reason { condition, reason }| (condition, reason)).collect(),
        notes: readyz.notes.into_iter().map(|Note { part, state }| (part, state)).collect(),
        numbers: numbers(&metrics),
        about,
    })
}

async fn get(at: SocketAddr, path: &str) -> Result<(StatusCode, String), String> {
    let asking = async {
        let request = Request::get(format!("http://{at}{path}")).body(Full::default())?;
        reach::ask(request).await
    };
    let answer = asking.await.map_err(|error| format!("{error:#}"))?;
    Ok((answer.status(), String::from_utf8_lossy(answer.body()).into_owned()))
}

/// Prometheus' text format; the samples of one name are added up, whatever their labels.
fn numbers(page: &str) -> BTreeMap<String, f64> {
    let mut numbers = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        if let Some((head, value)) = line.rsplit_once(' ')
            && let (name, Ok(value)) = (head.split('{').next().unwrap_or(head), value.parse::<f64>())
        {
            *numbers.entry(name.to_owned()).or_default() += value;
        }
    }
    numbers
}

pub(super) fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_name_are_added_up() {
        let numbers = numbers("# TYPE a counter\na{b=\"1\"} 2\na{b=\"x y\"} 3\n\nc 0.5\nnonsense\nd x\n");
        assert_eq!(numbers, BTreeMap::from([("a".to_owned(), 5.0), ("c".to_owned(), 0.5)]));
    }

    #[test]
    fn ports() {
        for (text, expected) in [
            ("fanout-0:9093", Some("fanout-0:9093")),
            (" [::1]:9090", Some("[::1]:9090")),
            ("fanout", None),
            (":9090", None),
            ("http://fanout:9093/", None),
        ] {
            assert_eq!(port(text).ok().as_deref(), expected, "{text}");
        }
    }
}
