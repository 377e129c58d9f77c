//! The river's behaviors, each in a file of its own; one binary, so that they share a Kafka and are linked once.

mod bustle;
mod happy;
mod words;
mod limited;
mod poison;
mod slow_viewer;
mod resume;
mod filter_killed;
mod kafka_down;
mod mismatch;
mod rebalance;
mod stale_filter;
mod judge_behind;
mod retry;
mod socket_send;
mod socket_send_refused;
mod ingest_down;
mod announcement;
mod link_cut;
mod generation;
mod moved;
mod freshness;
mod watchdog;
mod in_sync;
mod drain;
mod admission;
mod emfile;
mod debug_viewers;
mod state_in_hello;
mod banned;
mod token_refresh;
mod goim_clients;
mod goim_bad_input;
mod fates;
mod gift_fold;
mod resume_across_nodes;
mod recall;
mod decided_long_ago;
mod verdicts;
mod moderators_first;
mod sse;
mod bad_input;
mod hot_room;
mod clocks_wrong;
mod online;
mod replaced;
mod notices;
mod mailbox;
mod placement;
mod redis_gone;
mod routes_rehang;
mod node_swept;
mod edit_in_force;
mod rollback;
mod observe;
mod traced;
mod backtest;
mod export;
mod hold_approve_once;
mod recall_shown;
mod mode_live;
mod two_editors;
mod outbox_after_crash;
mod old_publisher;
mod postgres;
mod erase_user;
mod new_name_same_device;
mod metrics_documented;
mod dashboards_answered;
mod alerts_fired;
mod refused_at_start;
mod kafka_accounts;
mod doctor;
mod canary;

use std::{
    future::Future,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use integration::{Kafka, World, kafka::Plan};
use tokio::task::JoinSet;

/// For what takes well under a second on an idle machine.
const SOON: Duration = Duration::from_secs(30);

/// For what waits for a session, a time-out or a rebalance.
const LATER: Duration = Duration::from_secs(90);

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_node"))
}

fn logs() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("river")
}

/// A river on the shared broker.
async fn world(name: &str) -> World {
    World::new(name, program(), &logs()).await
}

/// The same, whose filters judge by the rule book.
async fn by_the_book(name: &str) -> World {
    let mut world = world(name).await;
    world.by_the_book = true;
    world
}

/// A river on a Kafka of its own.
async fn world_alone(name: &str, plan: Plan) -> World {
    let kafka = tokio::task::spawn_blocking(move || Kafka::start(&plan)).await.expect("a starting thread");
    World::on(Arc::new(kafka.expect("a Kafka of its own")), name, program(), &logs()).await
}

/// Unix milliseconds.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock behind 1970");
    i64::try_from(since.as_millis()).expect("a clock before the year 292 million")
}

/// Does many things, `width` at a time; what came of them, in no order.
async fn together<F>(width: usize, doings: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let (mut running, mut done) = (JoinSet::new(), Vec::new());
    for doing in doings {
        if running.len() == width {
            done.extend(running.join_next().await.map(|ended| ended.expect("it was done")));
        }
        running.spawn(doing);
    }
    done.extend(running.join_all().await);
    done
}
