//! What happens because time has passed: holds that nobody decided on, modes that end by themselves, rows that are old. The
//! times stand in the database, so a restart forgets none. What then happens is its own module's.

mod set_back;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time;

use crate::{
    holds::{self, Answer, NOBODY, OnTimeout, TIMEOUT},
    http::now_ms,
    modes,
    refusal::Refusal,
    store::{Error, Store},
    versions,
};

/// The longest pause: so late a row of another process is seen if its bell was not heard.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// The shortest, so that a storm of events is not one of queries.
const PAUSE_MIN: Duration = Duration::from_millis(50);

/// How long after a failure it is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Holds decided on in one round.
const HOLDS_MAX: i64 = 100;

/// A message that nobody could decide on for so long behind its time is not shown any more, whatever the room's rule: the
/// service was away.
const STALE_MS: i64 = 600_000;

/// How often old rows are deleted.
const SWEEP_EVERY: Duration = Duration::from_secs(600);

/// How often old versions are forgotten: what is kept for months need not go by the minute.
const FORGET_EVERY: Duration = Duration::from_secs(24 * 3600);

/// Refusals that are kept: at 300 B a row 300 MB.
const REFUSALS_MAX: i64 = 1_000_000;

/// What was seen in the rounds before.
#[derive(Default)]
struct Seen {
    /// When the last round was, in Unix milliseconds.
    round_ms: Option<i64>,
    /// When old rows were deleted last, by a clock that nobody sets.
    swept: Option<Instant>,
    /// When old versions were forgotten last, by the same.
    forgot: Option<Instant>,
}

/// What the timers know.
pub(crate) struct Timers {
    pub(crate) store: Arc<Store>,
    /// Of the records that are written.
    pub(crate) generation: u32,
    /// How long decided holds, refusals and reports are kept.
    pub(crate) keep: Duration,
    /// How long versions are, that are not among the newest.
    pub(crate) versions_keep: Duration,
}

impl Timers {
    /// Runs until it is dropped.
    pub(crate) async fn run(self) {
        let mut told = self.store.told();
        let mut seen = Seen::default();
        loop {
            let pause = match self.round(&mut seen, now_ms(), Instant::now()).await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(?error, "what was due could not be done, it is tried again");
                    AGAIN_AFTER
                }
            };
            time::sleep(PAUSE_MIN).await;
            // Whatever was told may have made something due earlier.
            let _ = time::timeout(pause.saturating_sub(PAUSE_MIN), told.changed()).await;
        }
    }

    /// Does what is due; how long until the next.
    async fn round(&self, seen: &mut Seen, now: i64, at: Instant) -> Result<Duration, Refusal> {
        // The first round does not know how late the last one of the process before was.
        if seen.round_ms.is_none_or(|before| now < before) {
            set_back::mend(&self.store, now).await?;
        }
        seen.round_ms = Some(now);
        for (id, room, deadline_ms) in holds::expired(&self.store, now, HOLDS_MAX).await? {
            self.nobody_decided(&id, &room, deadline_ms, now).await?;
        }
        let (rooms, mode_ends) = modes::due(&self.store, now).await?;
        for room in rooms {
            let by = modes::By {
                actor: NOBODY,
                act: "mode_ended",
                reason: "its time is over",
                now_ms: now,
                generation: self.generation,
            };
            modes::end(&self.store, &room, false, by).await?;
        }
        if seen.swept.is_none_or(|swept| at.duration_since(swept) >= SWEEP_EVERY) {
            self.sweep(now).await?;
            seen.swept = Some(at);
        }
        if seen.forgot.is_none_or(|forgot| at.duration_since(forgot) >= FORGET_EVERY) {
            self.forget(now).await?;
            seen.forgot = Some(at);
        }
        let next = [holds::next_deadline(&self.store).await?, mode_ends].into_iter().flatten().min();
        let until_next = next.map_or(i64::MAX, |next| next - now);
        Ok(Duration::from_millis(until_next.max(0).cast_unsigned()).min(PAUSE_MAX))
    }

    async fn nobody_decided(&self, id: &str, room: &str, deadline_ms: i64, now_ms: i64) -> Result<(), Refusal> {
        let mut connection = self.store.reads().acquire().await?;
        let rule = holds::rule(&mut connection, room).await?;
        drop(connection);
        let is_late = now_ms - deadline_ms > STALE_MS;
        let answer = match rule.on_timeout {
            OnTimeout::Allow if !is_late => Answer::Approve(None),
            OnTimeout::Allow | OnTimeout::Deny => Answer::Reject,
        };
        let by = holds::By { actor: NOBODY, reason: TIMEOUT, now_ms, generation: self.generation };
        match holds::decide(&self.store, room, id, answer, by).await {
            // Somebody was faster by a hair; or its author was erased.
            Ok(_) | Err(Refusal::Conflict(_) | Refusal::NotFound(_)) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    /// Deletes what is old.
    async fn sweep(&self, now_ms: i64) -> Result<(), Error> {
        let before = before(now_ms, self.keep);
        let mut change = self.store.change().await?;
        for sql in [
            "DELETE FROM refusals WHERE at_ms < $1",
            "DELETE FROM reports WHERE at_ms < $1",
            "DELETE FROM holds WHERE outcome <> '' AND decided_ms < $1",
            "DELETE FROM sanctions WHERE until_ms > 0 AND until_ms < $1",
        ] {
            sqlx::query(sql).bind(before).execute(change.connection()).await?;
        }
        let sql = "DELETE FROM refusals WHERE at_ms < \
                   (SELECT COALESCE(MIN(at_ms), 0) FROM (SELECT at_ms FROM refusals ORDER BY at_ms DESC LIMIT $1) AS newest)";
        sqlx::query(sql).bind(REFUSALS_MAX).execute(change.connection()).await?;
        change.commit().await
    }

    /// Forgets old versions of the rule book.
    async fn forget(&self, now_ms: i64) -> Result<(), Error> {
        let versions = versions::forget(&self.store, before(now_ms, self.versions_keep)).await?;
        if versions > 0 {
            tracing::info!(versions, "old versions of the rule book are forgotten");
        }
        Ok(())
    }
}

/// What was before then is older than `keep`.
fn before(now_ms: i64, keep: Duration) -> i64 {
    now_ms - i64::try_from(keep.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
