//! What each entry of the rule book found and what moderators thought of it, so that bad entries show; and what was refused of
//! late. Counted where verdicts and decisions are written down; read here.

use sqlx::FromRow;

use crate::store::{Error, Store};

/// An entry's numbers.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Numbers {
    pub(crate) entry: String,
    pub(crate) list: String,
    pub(crate) category: String,
    pub(crate) hits: i64,
    pub(crate) observed: i64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
    pub(crate) held: i64,
    pub(crate) approved: i64,
    pub(crate) rejected: i64,
}

impl Numbers {
    /// The share of held messages that moderators let through, of those they decided on: near 1 is a bad entry.
    pub(crate) fn approve_rate(&self) -> Option<f64> {
        let decided = self.approved + self.rejected;
        (decided > 0).then(|| self.approved as f64 / decided as f64)
    }
}

/// Something that was not shown as it was said.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Refused {
    pub(crate) id: String,
    pub(crate) room: String,
    pub(crate) user_id: String,
    pub(crate) at_ms: i64,
    pub(crate) word: String,
    pub(crate) code: String,
    pub(crate) rule: String,
    pub(crate) said: String,
}

/// The entries with the most hits; of one list, if one is named.
pub(crate) async fn entries(store: &Store, list: Option<&str>, limit: i64) -> Result<Vec<Numbers>, Error> {
    match list {
        None => sqlx::query_as(
            "SELECT entry, list, category, hits, observed, first_ms, last_ms, held, approved, rejected FROM entry_hits \
             ORDER BY hits DESC, entry LIMIT $1",
        )
        .bind(limit),
        Some(list) => sqlx::query_as(
            "SELECT entry, list, category, hits, observed, first_ms, last_ms, held, approved, rejected FROM entry_hits \
             WHERE list = $2 ORDER BY hits DESC, entry LIMIT $1",
        )
        .bind(limit)
        .bind(list.to_owned()),
    }
    .fetch_all(store.reads())
    .await
}

/// What was refused of late, the newest first: of a user, of a room, or of a user in a room.
pub(crate) async fn refused(store: &Store, room: &str, user: Option<&str>, limit: i64) -> Result<Vec<Refused>, Error> {
    match user {
        None => sqlx::query_as(
            "SELECT id, room, user_id, at_ms, word, code, rule, said FROM refusals WHERE room = $1 \
             ORDER BY at_ms DESC, id LIMIT $2",
        )
        .bind(room.to_owned())
        .bind(limit),
        Some(user) => sqlx::query_as(
            "SELECT id, room, user_id, at_ms, word, code, rule, said FROM refusals WHERE user_id = $3 AND room = $1 \
             ORDER BY at_ms DESC, id LIMIT $2",
        )
        .bind(room.to_owned())
        .bind(limit)
        .bind(user.to_owned()),
    }
    .fetch_all(store.reads())
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_decided_says_something_of_an_entry() {
        let numbers = |approved, rejected| Numbers {
            entry: "e".to_owned(),
            list: "l".to_owned(),
            category: "other".to_owned(),
            hits: 9,
            observed: 0,
            first_ms: 0,
            last_ms: 0,
            held: 9,
            approved,
            rejected,
        };
        assert_eq!(numbers(0, 0).approve_rate(), None);
        assert_eq!(numbers(3, 1).approve_rate(), Some(0.75));
        assert_eq!(numbers(0, 2).approve_rate(), Some(0.0));
    }
}
