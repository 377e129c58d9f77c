//! What things are called in Redis, and how long they live there.

use std::time::Duration;

use proto::UserId;

/// A user's place. It is renewed each 30 s, so two renewals may fail.
pub(super) const PLACE_LIFE: Duration = Duration::from_secs(90);

/// What is known of a node. It is said each 2 s; nobody is sent to a node that missed this five times.
pub(super) const NODE_LIFE: Duration = Duration::from_secs(10);

/// A node that was silent for so long is dead, and the others remove its places.
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(60);

/// The list of a node's users: beyond the time in which others would have swept it.
pub(super) const USERS_LIFE: Duration = Duration::from_secs(600);

/// Counts of a partition. Readers pass over a node whose counts stand still long before.
pub(super) const COUNTS_LIFE: Duration = Duration::from_secs(60);

/// A notice, waiting or remembered.
pub(super) const NOTICE_LIFE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Makes keys; several installations share a Redis under a prefix each, as they share brokers.
#[derive(Debug, Clone)]
pub(crate) struct Keys(String);

impl Keys {
    pub(crate) fn new(prefix: &str) -> Self {
        Self(format!("{prefix}danmaku:"))
    }

    /// Sorted set: all nodes by when they were last heard.
    pub(super) fn nodes(&self) -> String {
        format!("{}nodes", self.0)
    }

    /// JSON: what is known of a node.
    pub(super) fn node(&self, node: &str) -> String {
        format!("{}node:{node}", self.0)
    }

    /// Set: the users that have places on a node.
    pub(super) fn users(&self, node: &str) -> String {
        format!("{}users:{node}", self.0)
    }

    /// Channel: what a node is told.
    pub(super) fn channel(&self, node: &str) -> String {
        format!("{}signal:{node}", self.0)
    }

    /// Sorted set: a user's places, `node/connection`, by when they were taken.
    pub(super) fn places(&self, user: &str) -> String {
        format!("{}user:{user}", self.0)
    }

    /// Hash: how many watch the rooms of a partition, by node.
    pub(super) fn online(&self, partition: i32) -> String {
        format!("{}online:{partition}", self.0)
    }

    /// Stream: a user's notices.
    pub(super) fn mailbox(&self, user: &UserId) -> String {
        format!("{}mailbox:{user}", self.0)
    }

    /// Where a notice lies in its mailbox; an id holds no colon, so that no two notices share a name.
    pub(super) fn notice(&self, user: &UserId, id: &str) -> String {
        format!("{}notice:{id}:{user}", self.0)
    }

    /// Set: the connections that have a notice which all of the user's must have.
    pub(super) fn acked(&self, user: &UserId, id: &str) -> String {
        format!("{}acked:{id}:{user}", self.0)
    }
}

/// A length of time as Redis counts it.
pub(super) fn millis(life: Duration) -> u64 {
    u64::try_from(life.as_millis()).unwrap_or(u64::MAX)
}
