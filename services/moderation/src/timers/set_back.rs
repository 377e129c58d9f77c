//! A clock that was set back: what was to end so many seconds after it began would end that much later, by the hour if the clock
//! was wrong by one. It begins anew now, and lasts as long as it was to last. When that is, is kept out.

use crate::{
    holds, modes,
    store::{Error, Store},
};

/// Clocks of two processes on one database differ by less. What began so far ahead of now was written before the clock was set back.
const SKEW_MAX_MS: i64 = 60_000;

/// Mends what began ahead of `now_ms`.
pub(super) async fn mend(store: &Store, now_ms: i64) -> Result<(), Error> {
    let mut change = store.change().await?;
    let holds = holds::begin_anew(&mut change, now_ms, SKEW_MAX_MS).await?;
    let modes = modes::begin_anew(&mut change, now_ms, SKEW_MAX_MS).await?;
    if holds + modes == 0 {
        return Ok(());
    }
    tracing::warn!(holds, modes, "the clock was set back; what was to end by it begins anew");
    change.commit().await
}
