//! Forgetting a person: what stands of him in the database goes, and it is said what Kafka keeps, and for how long.
//!
//! Rows about him are deleted. The audit log cannot lose a row without breaking its chain, so a row about him loses what it says
//! (its hash covers a digest of that, and stays). What he did himself as a moderator stays: that is the log's purpose.

use std::collections::HashMap;

use chassis::{ground::Ground, kafka::topic_settings};
use proto::{Topic, topics::OUTPUT_RETENTION_MS};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    audit::Note,
    holds,
    refusal::Refusal,
    sanctions::{self, By},
    store::{Change, Error, Store},
};

/// What becomes of a person's mutes and bans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sanctions {
    /// They stay, under his name: whoever runs the platform must weigh that.
    Keep,
    /// They are lifted, and go.
    Lift,
}

/// What was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub(crate) struct Erased {
    /// Messages of his that were held, decided on or not.
    pub(crate) holds: u64,
    /// Of those, the ones that waited: they are rejected.
    pub(crate) rejected: u64,
    /// Refused messages of his.
    pub(crate) refusals: u64,
    /// Reports he brought.
    pub(crate) reports: u64,
    /// Events that named him.
    pub(crate) events: u64,
    /// Rows of the audit log that say nothing any more.
    pub(crate) audit_rows: u64,
    /// Mutes and bans that were lifted and removed.
    pub(crate) sanctions_lifted: u64,
    /// Mutes and bans that stay under his name.
    pub(crate) sanctions_kept: u64,
}

/// What Kafka keeps of him, and up to when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct StillKept {
    /// Where.
    pub(crate) topic: String,
    /// When its last record of him is deleted, by the topic's `retention.ms`, or where the broker does not tell it by what
    /// `danmaku topics apply` makes it with; 0 is not by itself.
    pub(crate) until_ms: i64,
    /// What it holds.
    pub(crate) what: &'static str,
}

/// Erases a person.
///
/// # Errors
/// When the database does not answer; nothing was changed then.
pub(crate) async fn erase(store: &Store, user: &str, with: Sanctions, by: By<'_>) -> Result<Erased, Refusal> {
    let mut change = store.change().await?;
    let mut erased = Erased::default();
    let subject = format!("user/{user}");
    let standing = sanctions::row::standing(&mut change, &subject, by.now_ms).await?;
    match with {
        Sanctions::Lift => {
            erased.sanctions_lifted = sanctions::lift_all(&mut change, user, by).await? as u64;
            sanctions::row::delete(&mut change, &subject).await?;
        }
        Sanctions::Keep => erased.sanctions_kept = standing,
    }
    let rejects = holds::By { actor: by.actor, reason: holds::ERASED, now_ms: by.now_ms, generation: by.generation };
    erased.rejected = holds::reject_all(&mut change, user, rejects).await?;
    erased.holds = delete(&mut change, "DELETE FROM holds WHERE user_id = $1", user).await?;
    erased.refusals = delete(&mut change, "DELETE FROM refusals WHERE user_id = $1", user).await?;
    erased.reports = delete(&mut change, "DELETE FROM reports WHERE user_id = $1", user).await?;
    erased.events = delete(&mut change, "DELETE FROM events WHERE user_id = $1", user).await?;
    let sql =
        "UPDATE audit SET actor = '', subject = '', reason = '', before = '', after = '', salt = '' WHERE subject = $1";
    erased.audit_rows = delete(&mut change, sql, &subject).await?;
    let note = Note {
        actor: by.actor,
        act: "erase",
        scope: "global",
        // Whom, the log must not say again.
        subject: "a user",
        reason: by.reason,
        before: "",
        after: &serde_json::to_string(&erased).map_err(|error| Error::Encode(error.into()))?,
    };
    change.note(note, by.now_ms).await?;
    change.commit().await?;
    Ok(erased)
}

async fn delete(change: &mut Change, sql: &'static str, whom: &str) -> Result<u64, Error> {
    Ok(sqlx::query(sql).bind(whom.to_owned()).execute(change.connection()).await?.rows_affected())
}

/// How long topics keep their records; one that is not there, for ever.
pub(crate) type Retention = HashMap<Topic, u64>;

/// The topics that hold what he said, and what of it.
const SAID: [(Topic, &str); 4] = [
    (Topic::Input, "what he said, with his device and the hash of his address"),
    (Topic::Output, "what was shown of it, and what he alone was told"),
    (Topic::Verdicts, "what did not simply pass, with its text"),
    (Topic::DeadLetter, "records that could not be judged"),
];

/// How long those keep it, as their broker says.
pub(crate) async fn retention(ground: &Ground) -> Retention {
    let mut all = Retention::new();
    for (topic, _) in SAID {
        // An embedded broker knows no settings.
        let told = match ground.cluster.embedded {
            true => None,
            false => topic_settings(&ground.cluster, &topic.name(&ground.topic_prefix)).await.ok().flatten(),
        };
        let told = told.and_then(|settings| settings.get(SETTING)?.parse::<i64>().ok()).or_else(|| made_with(topic));
        all.extend(told.and_then(|ms| u64::try_from(ms).ok()).map(|ms| (topic, ms)));
    }
    all
}

/// The broker's name for it; −1 is for ever.
const SETTING: &str = "retention.ms";

fn made_with(topic: Topic) -> Option<i64> {
    let settings = topic.config(OUTPUT_RETENTION_MS);
    settings.into_iter().find(|setting| setting.name == SETTING)?.value.parse().ok()
}

/// What Kafka keeps of a person who is erased at `now_ms`.
pub(crate) fn still_kept(prefix: &str, retention: &Retention, with: Sanctions, now_ms: i64) -> Vec<StillKept> {
    let kept = |topic: Topic, what| StillKept {
        topic: topic.name(prefix),
        until_ms: retention.get(&topic).map_or(0, |for_ms| now_ms.saturating_add_unsigned(*for_ms)),
        what,
    };
    let of_sanctions = match with {
        Sanctions::Keep => "his mutes and bans, until they are lifted",
        Sanctions::Lift => "nothing once it is compacted: his mutes and bans are followed by tombstones",
    };
    let of_rules = "that a rule muted him, or one was lifted, until another filter judges the room and it is compacted";
    let named = [(Topic::Rules, of_sanctions), (Topic::State, of_rules)];
    SAID.into_iter().chain(named).map(|(topic, what)| kept(topic, what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kafka_keeps_is_said_topic_by_topic() {
        const HOUR_MS: u64 = 3_600_000;
        let retention = [(Topic::Input, HOUR_MS), (Topic::Output, 24 * HOUR_MS), (Topic::Verdicts, 168 * HOUR_MS)];
        let kept = still_kept("t-", &retention.into(), Sanctions::Lift, 1_000);
        let hours: Vec<_> =
            kept.iter().map(|kept| (kept.topic.as_str(), (kept.until_ms - 1_000) / 3_600_000)).collect();
        let expected = [("t-danmaku-input", 1), ("t-danmaku-output", 24), ("t-danmaku-verdicts", 168)];
        assert_eq!(hours[..3], expected);
        let for_ever: Vec<_> =
            kept[3..].iter().filter(|kept| kept.until_ms == 0).map(|kept| kept.topic.as_str()).collect();
        assert_eq!(for_ever, ["t-danmaku-dead-letter", "t-danmaku-rules", "t-danmaku-state"]);
    }
}
