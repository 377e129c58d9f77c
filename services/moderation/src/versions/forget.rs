//! Forgetting old versions, and the pages and chunks that only they were made of. When it is done is kept out (`timers`).

use std::collections::HashSet;

use super::read::waiting;
use crate::store::{Change, Error, Store};

/// Of each scope so many of the newest are kept however old they are: those that the console shows.
const NEWEST: i64 = 50;

/// Versions read, and blobs deleted, in one question: 500 rows of 8 KB are 4 MB.
const AT_ONCE: i32 = 500;

/// Forgets the versions of before `before_ms`, but for the newest of each scope and what is not on Kafka yet. How many they were.
///
/// If there are any, what is left is looked through while all changes wait: of 100 edits a day and 90 days 9,000 versions of two
/// times 64 names of 65 B, which are 75 MB.
pub(crate) async fn forget(store: &Store, before_ms: i64) -> Result<u64, Error> {
    let unpublished = waiting(store).await?.into_iter().min().unwrap_or(i64::MAX);
    let mut change = store.change().await?;
    let sql = "DELETE FROM versions WHERE number IN (SELECT number FROM (SELECT number, at_ms, \
               ROW_NUMBER() OVER (PARTITION BY scope ORDER BY number DESC) AS place FROM versions) AS placed \
               WHERE place > $1 AND at_ms < $2 AND number < $3)";
    let forgotten =
        sqlx::query(sql).bind(NEWEST).bind(before_ms).bind(unpublished).execute(change.connection()).await?;
    if forgotten.rows_affected() > 0 {
        drop_blobs(&mut change).await?;
    }
    change.commit().await?;
    Ok(forgotten.rows_affected())
}

/// Deletes what no version is made of any more.
async fn drop_blobs(change: &mut Change) -> Result<(), Error> {
    let blobs: Vec<(String,)> = sqlx::query_as("SELECT hash FROM blobs").fetch_all(change.connection()).await?;
    let mut unused: HashSet<String> = blobs.into_iter().map(|(hash,)| hash).collect();
    let mut after = 0_i64;
    loop {
        let sql = "SELECT number, pages, chunks FROM versions WHERE number > $1 ORDER BY number LIMIT $2";
        let rows: Vec<(i64, String, String)> =
            sqlx::query_as(sql).bind(after).bind(AT_ONCE).fetch_all(change.connection()).await?;
        let Some((last, ..)) = rows.last() else { break };
        after = *last;
        for name in rows.iter().flat_map(|(_, pages, chunks)| pages.split(',').chain(chunks.split(','))) {
            unused.remove(name);
        }
    }
    for hashes in unused.into_iter().collect::<Vec<_>>().chunks(AT_ONCE as usize) {
        let places: Vec<String> = (1..=hashes.len()).map(|place| format!("${place}")).collect();
        let sql = format!("DELETE FROM blobs WHERE hash IN ({})", places.join(", "));
        let query = hashes.iter().fold(sqlx::query(sqlx::AssertSqlSafe(sql)), |query, hash| query.bind(hash.clone()));
        query.execute(change.connection()).await?;
    }
    Ok(())
}
