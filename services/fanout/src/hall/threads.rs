//! The hall's threads: how each begins, and what its failure means for the node. What they do is kept out.

use std::{
    sync::{Arc, mpsc::Receiver},
    thread::JoinHandle,
};

use anyhow::Context as _;
use chassis::admin::Condition;
use tokio::sync::mpsc;

use crate::{consume::Consumer, house::House, inbox::Inbox, lookup::Answerer, shard::Shard};

/// A shard's; `lives` ends with it.
pub(super) fn shard(
    index: usize,
    shard: Shard,
    inbox: Arc<Inbox>,
    condition: &Condition,
    lives: mpsc::Sender<()>,
) -> anyhow::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("a shard's runtime")?;
    guarded(&format!("fanout-shard-{index}"), condition, Some(inbox), move || {
        // Unconstrained: the shard itself yields after every slice, and tokio's budget would only make ready sockets look
        // as if they were not.
        runtime.block_on(tokio::task::unconstrained(shard.run()));
        drop(lives);
    })
}

/// The one that asks Kafka what may take long. Nobody waits for its end: it may be in the middle of a question to a broker that
/// is away.
pub(super) fn lookups(
    answerer: Answerer,
    house: Arc<House>,
    shards: Vec<Arc<Inbox>>,
    condition: &Condition,
) -> anyhow::Result<()> {
    guarded("fanout-lookup", condition, None, move || answerer.run(&house.lookups, &shards)).map(drop)
}

/// The one that reads Kafka, once it is told that the topics are right.
pub(super) fn kafka(
    consumer: Consumer,
    started: Receiver<()>,
    condition: &Condition,
) -> anyhow::Result<JoinHandle<()>> {
    guarded("fanout-kafka", condition, None, move || {
        // An error is the hall's end before that.
        if started.recv().is_ok() {
            consumer.run();
        }
    })
}

/// A thread whose panic is not its own affair: the node is not ready from then on, and a shard takes nobody any more. The
/// sockets of a shard close with it, so its viewers come back, to another node.
fn guarded(
    name: &str,
    condition: &Condition,
    inbox: Option<Arc<Inbox>>,
    run: impl FnOnce() + Send + 'static,
) -> anyhow::Result<JoinHandle<()>> {
    let (named, condition) = (name.to_owned(), condition.clone());
    let run = move || {
        // Nothing of what it owned is looked at afterwards.
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
            inbox.iter().for_each(|inbox| inbox.close());
            condition.not_ready(format!("{named} failed; restart this node"));
        }
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(run).with_context(|| format!("thread {name}"))
}
