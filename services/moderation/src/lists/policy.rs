//! What a scope does about hits, as the API says it. What comes of it in a message is kept out (the judge).

use proto::v1;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entry::Action;
use crate::refusal::Problem;

const ROWS_MAX: usize = 64;
const DOMAINS_MAX: usize = 100;
const EMOTES_MAX: usize = 1_000;
/// Two weeks: longer is a mute by hand.
const MUTE_S_MAX: u32 = 14 * 24 * 3600;
/// As much as a room can read in a second, many times over.
const BUDGET_MAX: u32 = 10_000;

/// A speaker's role, in a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Who only watches.
    Viewer,
    /// Who may send.
    Sender,
    /// A moderator.
    Moderator,
    /// The platform's own server.
    Service,
    /// The room's streamer.
    Streamer,
}

/// A row of the table; the first that fits holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    /// Only hits of this category; empty is every.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// Only hits at least so severe; 0 is every.
    pub severity_min: u32,
    /// Only speakers with this role; absent is every.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What is done.
    pub action: Action,
    /// For how long, if it is `mute`; 0 is 60.
    pub mute_s: u32,
}

/// What a scope does about hits, and how much of its chat it shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The table, at most 64 rows.
    pub rows: Vec<Row>,
    /// For weak readings, such as pinyin: `flag` or `hold`; `policy` is `flag`.
    pub weak: Action,
    /// Plain chat shown in a second; 0 is 200.
    pub budget_per_s: u32,
    /// Domains that are no contact; at most 100.
    pub allow_domains: Vec<String>,
    /// Codes that stand for a picture, without brackets; at most 1,000.
    pub emotes: Vec<String>,
}

impl Policy {
    /// As a record.
    ///
    /// # Errors
    /// All that is wrong with it; a row is named by its place.
    pub fn record(self) -> Result<v1::Policy, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut require = |is_so: bool, line: Option<usize>, why: &str| {
            if !is_so {
                problems.push(Problem { line, message: why.to_owned() });
            }
        };
        require(self.rows.len() <= ROWS_MAX, None, "a table has at most 64 rows");
        require(matches!(self.weak, Action::Policy | Action::Flag | Action::Hold), None, "weak is flag or hold");
        require(self.budget_per_s <= BUDGET_MAX, None, "budget_per_s is at most 10,000");
        require(self.allow_domains.len() <= DOMAINS_MAX, None, "there are at most 100 domains");
        require(self.emotes.len() <= EMOTES_MAX, None, "there are at most 1,000 emotes");
        let fits = |text: &str| !text.is_empty() && text.len() <= 64 && !text.contains(char::is_whitespace);
        require(
            self.allow_domains.iter().chain(&self.emotes).all(|text| fits(text)),
            None,
            "a domain or emote is 1 to 64 bytes without spaces",
        );
        for (row, place) in self.rows.iter().zip(1..) {
            require(row.severity_min <= 4, Some(place), "severity_min is 0 to 4");
            require(row.action != Action::Policy, Some(place), "a row of the table names an action");
            require(row.mute_s <= MUTE_S_MAX, Some(place), "mute_s is at most two weeks");
            require(row.category.len() <= 32, Some(place), "a category is at most 32 bytes");
        }
        if problems.is_empty() { Ok(self.into()) } else { Err(problems) }
    }
}

impl From<Policy> for v1::Policy {
    fn from(policy: Policy) -> Self {
        let rows = policy.rows.into_iter().map(|row| v1::PolicyRow {
            category: row.category,
            severity_min: row.severity_min,
            role: row.role.map(|role| v1::Role::from(role).into()),
            action: v1::Action::from(row.action).into(),
            mute_s: row.mute_s,
        });
        Self {
            rows: rows.collect(),
            weak: v1::Action::from(policy.weak).into(),
            budget_per_s: policy.budget_per_s,
            allow_domains: policy.allow_domains,
            emotes: policy.emotes,
        }
    }
}

impl From<&v1::Policy> for Policy {
    fn from(policy: &v1::Policy) -> Self {
        let rows = policy.rows.iter().map(|row| Row {
            category: row.category.clone(),
            severity_min: row.severity_min,
            role: row.role.and_then(|_| told(row.role())),
            action: row.action().into(),
            mute_s: row.mute_s,
        });
        Self {
            rows: rows.collect(),
            weak: policy.weak().into(),
            budget_per_s: policy.budget_per_s,
            allow_domains: policy.allow_domains.clone(),
            emotes: policy.emotes.clone(),
        }
    }
}

impl From<Role> for v1::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Sender => Self::Sender,
            Role::Moderator => Self::Moderator,
            Role::Service => Self::Service,
            Role::Streamer => Self::Streamer,
        }
    }
}

fn told(role: v1::Role) -> Option<Role> {
    match role {
        v1::Role::Viewer => Some(Role::Viewer),
        v1::Role::Sender => Some(Role::Sender),
        v1::Role::Moderator => Some(Role::Moderator),
        v1::Role::Service => Some(Role::Service),
        v1::Role::Streamer => Some(Role::Streamer),
        v1::Role::Relay => None,
    }
}

#[cfg(test)]
mod tests;
