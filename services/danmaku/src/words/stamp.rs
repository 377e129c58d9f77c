//! A version as the service tells it, and how it is told to a person. What is in one is kept out.

use serde::Deserialize;

use crate::show::{Table, ago, plain};

/// A version without its content.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Stamp {
    pub(super) number: u64,
    scope: String,
    author: String,
    at_ms: i64,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    entries: u64,
    #[serde(default)]
    added: u64,
    #[serde(default)]
    removed: u64,
    #[serde(default)]
    changed: u64,
}

impl Stamp {
    /// In a sentence, for whoever just made it.
    pub(super) fn told(&self) -> String {
        let Self { number, scope, entries, .. } = self;
        format!("version {number} of {}: {}, {entries} entries now\n", plain(scope), self.change())
    }

    fn change(&self) -> String {
        format!("+{} -{} ~{}", self.added, self.removed, self.changed)
    }
}

/// Versions, newest first.
pub(super) fn table(stamps: &[Stamp], now_ms: i64) -> String {
    let mut table = Table::of(&["version", "when", "author", "change", "entries", "reason"]);
    for stamp in stamps {
        let (number, entries) = (stamp.number.to_string(), stamp.entries.to_string());
        table.row([&number, &ago(stamp.at_ms, now_ms), &stamp.author, &stamp.change(), &entries, &stamp.reason]);
    }
    table.told("there is no version yet")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_in_a_line() {
        let text = r#"{"number":7,"scope":"room/demo","author":"ann","at_ms":0,"reason":"spam","entries":3,"added":2,"removed":1,"changed":0}"#;
        let stamp: Stamp = serde_json::from_str(text).unwrap();
        assert_eq!(stamp.told(), "version 7 of room/demo: +2 -1 ~0, 3 entries now\n");
        let table = table(&[stamp], 60_000);
        assert!(table.ends_with("7        1 min ago  ann     +2 -1 ~0  3        spam\n"), "{table}");
    }
}
