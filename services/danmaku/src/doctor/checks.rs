//! What the facts mean: a row for each thing that was looked at, with what to do where it is not well. Pure.

mod clocks;
mod kafka;
mod nodes;
mod redis;
mod rules;
mod timeouts;

use serde::Serialize;

use super::facts::Facts;

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// Nobody could tell.
    Unknown,
    /// It works, and will not always.
    Watch,
    /// It is not as it must be.
    Bad,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Row {
    /// What was looked at.
    pub(super) check: &'static str,
    /// Where.
    pub(super) of: String,
    pub(super) state: State,
    /// What was seen there.
    pub(super) found: String,
    /// What to do; empty where nothing is to be done.
    #[serde(rename = "do", skip_serializing_if = "String::is_empty")]
    pub(super) remedy: String,
}

impl Row {
    fn ok(check: &'static str, of: impl Into<String>, found: impl Into<String>) -> Self {
        Self { check, of: of.into(), state: State::Ok, found: found.into(), remedy: String::new() }
    }

    /// The same that is not well, and what to do.
    fn but(self, state: State, remedy: impl Into<String>) -> Self {
        Self { state, remedy: remedy.into(), ..self }
    }

    fn bad(self, remedy: impl Into<String>) -> Self {
        self.but(State::Bad, remedy)
    }

    fn watch(self, remedy: impl Into<String>) -> Self {
        self.but(State::Watch, remedy)
    }

    fn unknown(self, remedy: impl Into<String>) -> Self {
        self.but(State::Unknown, remedy)
    }
}

/// All findings, in the order in which they are best mended.
pub(super) fn all(facts: &Facts) -> Vec<Row> {
    let checks = [nodes::check, clocks::check, kafka::check, redis::check, rules::check, timeouts::check];
    checks.into_iter().flat_map(|check| check(facts)).collect()
}

/// Whether something must be done.
pub(super) fn is_ill(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.state == State::Bad)
}

#[cfg(test)]
mod tests;
