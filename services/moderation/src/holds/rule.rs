//! How long a room's held messages wait, and what becomes of those that nobody decides on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store::{Change, Error};

/// A moderator who looks at a queue decides in seconds; a minute is long for a danmaku.
const HOLD_MS: i64 = 60_000;

/// What becomes of a message that nobody decided on in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnTimeout {
    /// It is rejected.
    #[default]
    Deny,
    /// It is shown.
    Allow,
}

/// How a room holds messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// How long a message waits, in milliseconds: 1,000 to 600,000.
    #[schema(minimum = 1_000, maximum = 600_000)]
    pub(crate) hold_ms: i64,
    /// What becomes of it then.
    #[serde(default)]
    pub(crate) on_timeout: OnTimeout,
}

impl Default for Rule {
    fn default() -> Self {
        Self { hold_ms: HOLD_MS, on_timeout: OnTimeout::Deny }
    }
}

impl Rule {
    /// Whether it can be one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let can_be = (1_000..=600_000).contains(&self.hold_ms);
        can_be.then_some(()).ok_or("hold_ms is 1,000 to 600,000 milliseconds")
    }
}

impl OnTimeout {
    fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
        }
    }
}

/// The rule of a room.
pub(crate) async fn rule(connection: &mut sqlx::AnyConnection, room: &str) -> Result<Rule, Error> {
    let found: Option<(i64, String)> = sqlx::query_as("SELECT hold_ms, on_timeout FROM rooms WHERE room = $1")
        .bind(room.to_owned())
        .fetch_optional(connection)
        .await?;
    let said = |(hold_ms, word): (i64, String)| {
        let on_timeout = if word == OnTimeout::Allow.name() { OnTimeout::Allow } else { OnTimeout::Deny };
        Rule { hold_ms, on_timeout }
    };
    Ok(found.map(said).unwrap_or_default())
}

/// Makes this the rule of a room; what waits already waits on by the one before.
pub(crate) async fn set_rule(change: &mut Change, room: &str, rule: Rule) -> Result<(), Error> {
    let sql = "INSERT INTO rooms (room, hold_ms, on_timeout, broadcast, broadcast_ms) VALUES ($1, $2, $3, '', 0) \
               ON CONFLICT (room) DO UPDATE SET hold_ms = excluded.hold_ms, on_timeout = excluded.on_timeout";
    sqlx::query(sql)
        .bind(room.to_owned())
        .bind(rule.hold_ms)
        .bind(rule.on_timeout.name())
        .execute(change.connection())
        .await
        .map(drop)
}
