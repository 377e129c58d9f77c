//! The reader of verdicts: one process at a time, from where the database says, and on. Kept out: what a verdict means.

mod begin;
mod gather;

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use chassis::{admin::Condition, ground::Ground};
use proto::Topic;
use tokio::{sync::mpsc, time};

use super::keep::{NotKept, keep};
use crate::{
    http::now_ms,
    metrics::Metrics,
    store::{LeaderLock, Lock, Store},
};
use gather::{Gathered, Gatherer};

/// How long until reading is begun anew after a failure: a Kafka or database that is away comes back within seconds.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How often it is asked whether the lock is still ours while nothing comes.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// Reads until it is dropped. `condition` is ready once all that stood there has been read, or while another process reads.
pub(crate) async fn run(store: Arc<Store>, ground: Ground, condition: Condition, metrics: Metrics) {
    let mut is_first = true;
    loop {
        if let Err(error) = read(&store, &ground, &condition, &metrics, is_first).await {
            tracing::warn!(error = format!("{error:#}"), "reading verdicts was given up, it is begun anew");
            condition.not_ready(format!("the verdicts are not read: {error:#}"));
        }
        is_first = false;
        time::sleep(AGAIN_AFTER).await;
    }
}

async fn read(
    store: &Store,
    ground: &Ground,
    condition: &Condition,
    metrics: &Metrics,
    is_first: bool,
) -> anyhow::Result<()> {
    let lock = LeaderLock::take(store, Lock::Verdicts, || condition.ready()).await;
    let mut lock = lock.context("the lock cannot be taken")?;
    condition.not_ready("the verdicts are being read");
    let topic = Topic::Verdicts.name(&ground.topic_prefix);
    // An embedded broker's topics are as old as this process.
    let places = begin::begin(store, ground, &topic, is_first && ground.cluster.embedded).await?;
    // One batch waits while another is written; the reader waits behind it, and Kafka keeps the rest.
    let (out, mut batches) = mpsc::channel(1);
    let _gathering = Gatherer::start(&ground.cluster, &topic, places, out)?;
    loop {
        match time::timeout(CHECK_EVERY, batches.recv()).await {
            Err(_) => {}
            Ok(None) => bail!("the reader's thread ended"),
            Ok(Some(Gathered::Batch(batch))) => match keep(store, &batch, now_ms()).await {
                Ok(()) => metrics.verdicts(batch.lessons.len()),
                Err(NotKept::Elsewhere) => bail!("another process reads them"),
                Err(NotKept::Database(error)) => return Err(error).context("a batch cannot be written"),
            },
            Ok(Some(Gathered::CaughtUp)) => {
                tracing::info!("verdicts read to their end");
                condition.ready();
            }
        }
        lock.check().await.context("the lock is lost")?;
    }
}
