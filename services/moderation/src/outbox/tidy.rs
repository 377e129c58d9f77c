//! Mutes and bans that ended leave the topic, so that whoever starts need not read all that ever were: a year of 10,000 a day is
//! 3.6 million records. Lifting one is kept out (`sanctions`).

use std::time::Duration;

use proto::rules::Key;

use super::{bundle::Bundle, kafka::Writer, shelf::Shelf};
use crate::store::Store;

/// How often it is looked for them.
pub(super) const EVERY: Duration = Duration::from_secs(3600);

/// So long after its end nobody's clock still has it in force: they may be wrong by an hour.
const OVER_MS: i64 = 24 * 3_600_000;

/// Tombstones in one transaction, 100 B each.
const AT_ONCE: usize = 1_000;

/// Takes away what ended a day before `now_ms`, from the topic and then from the database; how many were.
pub(super) async fn tidy(store: &Store, writer: &Writer, shelf: &mut Shelf, now_ms: i64) -> anyhow::Result<usize> {
    let mut count = 0;
    loop {
        let over = over(shelf, now_ms);
        if over.is_empty() {
            return Ok(count);
        }
        let mut bundle = Bundle::on(shelf);
        over.iter().for_each(|key| bundle.forget(key));
        writer.rules(bundle.rules).await?;
        *shelf = bundle.shelf;
        let _turn = store.turn().await;
        let mut transaction = store.reads().begin().await?;
        for key in &over {
            let gone = sqlx::query("DELETE FROM standing WHERE record_key = $1 AND until_ms <> 0 AND until_ms < $2");
            gone.bind(key.to_string()).bind(now_ms - OVER_MS).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        count += over.len();
    }
}

fn over(shelf: &Shelf, now_ms: i64) -> Vec<Key> {
    let ended = shelf.standing().iter().filter(|(_, stands)| stands.until != 0 && stands.until < now_ms - OVER_MS);
    ended.filter_map(|(key, _)| key.parse().ok()).take(AT_ONCE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ended_a_day_ago_is_over() {
        let mut shelf = Shelf::default();
        let now_ms = 10 * OVER_MS;
        for (user, until) in [("for-good", 0), ("runs", now_ms + 1), ("just-ended", now_ms - OVER_MS), ("lifted", 1)] {
            let key: Key = format!("mute/demo/user/{user}").parse().unwrap();
            shelf.stand(&key, 1, until, b"");
        }
        let over: Vec<String> = over(&shelf, now_ms).iter().map(ToString::to_string).collect();
        assert_eq!(over, ["mute/demo/user/lifted"]);
    }
}
