//! The rules: does every judge have some, the newest ones, and the same?

use std::collections::BTreeSet;

use super::Row;
use crate::doctor::facts::{Facts, Said, Service};

/// An edit acts within a second; a judge that is a minute behind follows nobody.
const AGE_SECONDS_MAX: f64 = 60.0;

pub(super) fn check(facts: &Facts) -> Vec<Row> {
    let judges: Vec<(&str, &Said)> = facts
        .nodes
        .iter()
        .filter_map(|node| Some((node.address.as_str(), node.said.as_ref().ok()?)))
        .filter(|(_, said)| said.is(Service::Filter))
        .collect();
    judges.iter().map(|(address, said)| age(address, said)).chain(same(&judges)).collect()
}

fn age(address: &str, said: &Said) -> Row {
    let number = |name: &str| said.numbers.get(name).copied();
    let version = number("danmaku_filter_rules_version").unwrap_or_default();
    let entries = number("danmaku_filter_rules_entries").unwrap_or_default();
    match number("danmaku_filter_rules_age_seconds") {
        None => Row::ok("rules", address, "it does not say how old its rules are")
            .unknown("wait until it judges, or bring it to this release"),
        Some(age) => {
            let row = Row::ok("rules", address, format!("version {version}, {entries} entries, {age:.0} s behind"));
            if age > AGE_SECONDS_MAX {
                row.bad("see whether moderation runs and whether this judge reads danmaku-rules (`/readyz`, notes)")
            } else {
                row
            }
        }
    }
}

fn same(judges: &[(&str, &Said)]) -> Option<Row> {
    let version = |said: &Said| said.numbers.get("danmaku_filter_rules_version").map(|version| version.to_string());
    let versions: BTreeSet<_> = judges.iter().filter_map(|(_, said)| version(said)).collect();
    let found = versions.iter().cloned().collect::<Vec<_>>().join(" and ");
    (versions.len() > 1).then(|| {
        Row::ok("rules", "all", format!("versions {found}"))
            .watch("right for a second after an edit: look again, and at the judge that stays behind")
    })
}
