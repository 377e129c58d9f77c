//! Asks the database now and then, for operators alone: whether it answers, what waits to be published, and what waits for a
//! decision. Nothing waits for it, and nothing is decided by it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chassis::dependency::Dependency;
use tokio::time::{sleep, timeout};

use crate::{
    metrics::Metrics,
    store::{Error, Store},
};

/// A scrape each 15 s finds an answer that is not older than itself.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// A database in good health answers within milliseconds.
const ANSWER_WAIT: Duration = Duration::from_secs(3);

/// Asks until it is dropped.
pub(crate) async fn keep_asking(store: Arc<Store>, metrics: Metrics) {
    let database = Dependency::new("database");
    loop {
        let asked = Instant::now();
        match timeout(ANSWER_WAIT, waiting(&store)).await {
            Ok(Ok((parcels, holds))) => {
                database.answered(asked.elapsed());
                metrics.waiting(parcels, holds);
            }
            _ => database.is_silent(),
        }
        sleep(ASK_EVERY).await;
    }
}

/// Parcels in the outbox, and messages that are held.
async fn waiting(store: &Store) -> Result<(i64, i64), Error> {
    let sql = "SELECT (SELECT COUNT(*) FROM outbox), (SELECT COUNT(*) FROM holds WHERE outcome = '')";
    sqlx::query_as(sql).fetch_one(store.reads()).await
}
