//! Asks the cluster now and then whether it answers, for operators alone, on a client of its own: nothing waits for it, and
//! nothing is decided by it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{task::spawn_blocking, time::sleep};

use super::{Cluster, LookUp};
use crate::dependency::Dependency;

/// A scrape each 15 s finds an answer that is not older than itself.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// A cluster in good health answers within milliseconds.
const ANSWER_WAIT: Duration = Duration::from_secs(3);

/// Asks about `topic` until it is dropped.
pub async fn keep_asking(cluster: Cluster, topic: String) {
    let kafka = Dependency::new("kafka");
    let look_up = match LookUp::new(&cluster, "danmaku-pulse", ANSWER_WAIT) {
        Ok(look_up) => Arc::new(look_up),
        Err(error) => return tracing::error!(%error, "nobody asks whether kafka answers"),
    };
    loop {
        let (asked, asking, topic) = (Instant::now(), Arc::clone(&look_up), topic.clone());
        match spawn_blocking(move || asking.partitions(&topic)).await {
            Ok(Ok(_)) => kafka.answered(asked.elapsed()),
            _ => kafka.is_silent(),
        }
        sleep(ASK_EVERY).await;
    }
}
