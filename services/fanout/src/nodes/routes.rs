//! Where users are, for the other nodes: each connection of a user is a member of his set of places in Redis.
//!
//! A member is `node/connection`, so whoever gives up a place can only give up his own. All places are compared with
//! Redis every 30 s and after each new connection to it, which makes good whatever was lost: by a restart, a fail-over, a
//! sweep of the others, or here when too much was to be told at once.

use chassis::redis::{Link, RedisError, Script, pipe};
use proto::UserId;

use super::{
    Local,
    keys::{PLACE_LIFE, millis},
};
use crate::metrics::NodesMetrics;

/// Connections in one script: at 7 µs each (measured), Redis is kept from others for half a millisecond.
const CLAIMS_MAX: usize = 64;

/// Users in one comparison: at 3 µs each (measured) it takes 0.7 ms, and 20,000 users take 80 of them every 30 s.
const CHECKS_MAX: usize = 256;

/// When so many of a node's places are missing, others may be wrong in ways a comparison cannot see: all are taken anew.
const DRIFT_PERCENT_MAX: usize = 5;

/// A connection that has its place, and how many notices wait for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claimed {
    pub(super) user: UserId,
    pub(super) connection: u64,
    pub(super) mail: u64,
}

/// The scripts, and what of a comparison is still to be done.
pub(super) struct Routes {
    claim: Script,
    check: Script,
    unchecked: Vec<UserId>,
    checked: usize,
    missing: Vec<(UserId, u64)>,
}

impl Routes {
    pub(super) fn new() -> Self {
        Self {
            claim: Script::new(include_str!("lua/claim.lua")),
            check: Script::new(include_str!("lua/check.lua")),
            unchecked: Vec::new(),
            checked: 0,
            missing: Vec::new(),
        }
    }

    /// Takes places for connections; who has too many is told by Redis' channels.
    pub(super) async fn claim(
        &self,
        link: &mut Link,
        local: &Local,
        wanted: &[(UserId, u64)],
    ) -> Result<Vec<Claimed>, RedisError> {
        let mut claimed = Vec::new();
        for wanted in wanted.chunks(CLAIMS_MAX) {
            let limit = local.house.config.places;
            let mut script = self.claim.prepare_invoke();
            script.key(local.keys.users(&local.id)).arg(&local.id).arg(limit);
            script.arg(millis(PLACE_LIFE)).arg(local.keys.channel(""));
            let mut asked = Vec::new();
            for (user, connection) in wanted {
                // Who is gone again takes no place: his end may have been told before his beginning.
                let places = local.house.places.of(user);
                let Some(place) = places.iter().find(|place| place.connection == *connection) else { continue };
                script.key(local.keys.places(user.as_str())).key(local.keys.mailbox(user));
                script.arg(user.as_str()).arg(connection).arg(place.since_us);
                asked.push((user, *connection));
            }
            if asked.is_empty() {
                continue;
            }
            let answer: Vec<u64> = script.invoke_async(link).await?;
            for ((user, connection), answer) in asked.into_iter().zip(answer.chunks_exact(2)) {
                local.house.places.heard_of(user, connection, answer[0]);
                claimed.push(Claimed { user: user.clone(), connection, mail: answer[1] });
            }
        }
        Ok(claimed)
    }

    /// Gives places up. A user who has none left here is not this node's any more.
    pub(super) async fn release(
        &self,
        link: &mut Link,
        local: &Local,
        left: &[(UserId, u64)],
    ) -> Result<(), RedisError> {
        let mut all = pipe();
        for (user, connection) in left {
            let member = local.member(*connection);
            all.cmd("ZREM").arg(local.keys.places(user.as_str())).arg(member).ignore();
            if local.house.places.of(user).is_empty() {
                all.cmd("SREM").arg(local.keys.users(&local.id)).arg(user.as_str()).ignore();
            }
        }
        all.query_async(link).await
    }

    /// Begins to compare all places of this node with Redis.
    pub(super) fn compare(&mut self, local: &Local) {
        self.unchecked = local.house.places.users();
        self.missing.clear();
        self.checked = 0;
    }

    /// Ends a comparison: there is nothing to compare with.
    pub(super) fn give_up(&mut self) {
        self.unchecked.clear();
    }

    /// Whether a comparison goes on.
    pub(super) fn is_comparing(&self) -> bool {
        !self.unchecked.is_empty()
    }

    /// Compares some more places. At the end, those that are missing are to be taken again.
    pub(super) async fn compare_some(
        &mut self,
        link: &mut Link,
        local: &Local,
        metrics: &NodesMetrics,
    ) -> Result<Vec<(UserId, u64)>, RedisError> {
        let rest = self.unchecked.len().saturating_sub(CHECKS_MAX);
        let users = self.unchecked.split_off(rest);
        let mut script = self.check.prepare_invoke();
        script.arg(&local.id).arg(millis(PLACE_LIFE));
        for user in &users {
            let places = local.house.places.of(user);
            self.checked += places.len();
            script.key(local.keys.places(user.as_str()));
            script.arg(places.iter().map(|place| format!("{},", place.connection)).collect::<String>());
        }
        let answer: Vec<String> = script.invoke_async(link).await?;
        for (user, missing) in users.iter().zip(answer) {
            let connections = missing.split(',').filter_map(|connection| connection.parse().ok());
            self.missing.extend(connections.map(|connection| (user.clone(), connection)));
        }
        Ok(if self.is_comparing() { Vec::new() } else { self.drifted(local, metrics) })
    }

    fn drifted(&mut self, local: &Local, metrics: &NodesMetrics) -> Vec<(UserId, u64)> {
        let missing = std::mem::take(&mut self.missing);
        if !is_drift(missing.len(), self.checked) {
            return missing;
        }
        tracing::warn!(
            missing = missing.len(),
            places = self.checked,
            "routes are gone from redis; all are taken anew"
        );
        metrics.rehangs.increment(1);
        let places = |user: UserId| {
            let places = local.house.places.of(&user);
            places.into_iter().map(move |place| (user.clone(), place.connection)).collect::<Vec<_>>()
        };
        local.house.places.users().into_iter().flat_map(places).collect()
    }
}

fn is_drift(missing: usize, places: usize) -> bool {
    missing * 100 > places * DRIFT_PERCENT_MAX
}

#[cfg(test)]
mod tests {
    use super::is_drift;

    #[test]
    fn a_few_that_came_meanwhile_are_no_drift() {
        for (missing, places, expected) in
            [(0, 0, false), (5, 100, false), (6, 100, true), (1, 1, true), (1, 20, false)]
        {
            assert_eq!(is_drift(missing, places), expected, "{missing} of {places}");
        }
    }
}
