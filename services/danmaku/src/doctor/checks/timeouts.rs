//! The order of patience: whoever stands in front waits at least as long as a hall, a hall longer than a client's ping, and
//! whoever ends a process longer than it drains. A program on an embedded broker is a first look: nobody stands in front of it.

use std::time::Duration;

use super::Row;
use crate::doctor::facts::{Facts, Said, Service};

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let said = facts.nodes.iter().filter_map(|node| Some((&node.address, node.said.as_ref().ok()?)));
    let halls = said.clone().filter(|(_, said)| said.is(Service::Fanout));
    let patience = halls.flat_map(|(address, said)| idle(address, said, facts.gateway_idle));
    patience.chain(said.map(|(address, said)| drain(address, said))).collect()
}

fn idle(address: &str, said: &Said, gateway: Option<Duration>) -> Vec<Row> {
    let (Some(ping), Some(idle)) = (said.duration("ping"), said.duration("idle")) else { return Vec::new() };
    let order = Row::ok("patience", address, format!("ping {ping:?} < idle limit {idle:?}"));
    let order = if ping < idle { order } else { order.bad("give this hall a --ping shorter than its --idle") };
    let Some(gateway) = gateway else {
        if said.about.embedded {
            return vec![order];
        }
        let row = Row::ok("patience", format!("gateway of {address}"), "not told");
        return vec![
            order,
            row.unknown("give --gateway-idle what the gateway in front keeps an idle connection for, if there is one"),
        ];
    };
    let row = Row::ok("patience", format!("gateway of {address}"), format!("{gateway:?} ≥ idle limit {idle:?}"));
    let row = match (gateway >= idle, gateway > ping) {
        (true, _) => row,
        (false, pings) => {
            let found = format!("{gateway:?} < idle limit {idle:?}");
            let remedy =
                "lengthen the gateway's (proxy_read_timeout, streamIdleTimeout): it cuts viewers off without a word";
            let row = Row { found, ..row };
            // Pings come through before it loses patience, until one is lost.
            if pings { row.watch(remedy) } else { row.bad(remedy) }
        }
    };
    vec![order, row]
}

fn drain(address: &str, said: &Said) -> Row {
    let drain = Duration::from_millis(said.about.drain_ms);
    match said.duration("grace") {
        Some(grace) if grace > drain => Row::ok("drain", address, format!("{drain:?} < grace {grace:?}")),
        Some(grace) => Row::ok("drain", address, format!("{drain:?} ≥ grace {grace:?}"))
            .bad("shorten --drain or lengthen the grace: who is still here is cut off"),
        None if said.about.embedded => Row::ok("drain", address, format!("{drain:?}")),
        None => Row::ok("drain", address, format!("{drain:?}; the grace is not told")).unknown(
            "give this process --grace (DANMAKU_GRACE): Kubernetes' terminationGracePeriodSeconds less the preStop, or \
             systemd's TimeoutStopSec",
        ),
    }
}
