//! Redis: is it there, does it let us in, is it the one that takes writes? Danmaku flow without it.

use chassis::redis::Seen;

use super::Row;
use crate::doctor::facts::{Facts, Service};

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let here = facts.redis.as_ref().map(|(address, seen)| look(address, seen));
    here.into_iter()
        .chain(facts.nodes.iter().filter_map(|node| as_node(&node.address, node.said.as_ref().ok()?)))
        .collect()
}

/// As it is seen from here.
fn look(address: &str, seen: &Seen) -> Row {
    match seen {
        Seen::Up { role, version } => {
            let row = Row::ok("redis", address, format!("{role}, release {version}"));
            match role.as_str() {
                "master" => row,
                "unknown" => row.unknown("allow its account `ROLE`, or nobody sees a fail-over"),
                _ => row.bad(
                    "give --redis (DANMAKU_REDIS) the address that leads to the master: a replica takes no writes",
                ),
            }
        }
        Seen::Locked(why) => {
            Row::ok("redis", address, why).bad("give --redis its account, like redis://user:password@host:6379/0")
        }
        Seen::Away(why) => Row::ok("redis", address, why)
            .bad("start it, or see why it cannot be reached from here; danmaku flow, and each hall counts alone"),
    }
}

/// As a process sees it.
fn as_node(address: &str, said: &crate::doctor::facts::Said) -> Option<Row> {
    let (_, state) = said.notes.iter().find(|(part, _)| part == "redis").filter(|_| said.is(Service::Fanout))?;
    let row = Row::ok("redis", address, format!("{} says: {state}", said.about.program));
    let is_up = state == "connected";
    Some(if is_up { row } else { row.bad("see --redis (DANMAKU_REDIS) of this process, and whether Redis is up") })
}
