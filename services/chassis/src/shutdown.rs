//! The end of a process: one request everybody hears, and draining with a deadline.
//! Kept out: what each part does to leave; it waits for the request and leaves by itself.

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The request to end, shared by everything that must hear it.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
}

/// How a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// Everything was finished in time.
    Finished,
    /// The deadline passed; what was left was dropped.
    DeadlinePassed,
}

impl Shutdown {
    /// A shutdown that only [`trigger`](Self::trigger) requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the end.
    pub fn trigger(&self) {
        self.token.cancel();
    }

    /// Waits until the end is requested; at once if it was already.
    pub async fn requested(&self) {
        self.token.cancelled().await;
    }

    /// Whether the end was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.token.is_cancelled()
    }

    /// A shutdown that hears this one and can be requested alone, for a part that ends earlier than the whole.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { token: self.token.child_token() }
    }
}

/// Listens for signals as long as it is held.
#[derive(Debug)]
#[must_use = "dropping it stops listening for signals"]
pub struct Signals {
    listener: JoinHandle<()>,
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Makes the first SIGTERM or SIGINT trigger `shutdown` and a second one end the process at once.
///
/// # Errors
/// When the system refuses the handlers.
pub fn on_signals(shutdown: &Shutdown) -> io::Result<Signals> {
    let terminate = signal(SignalKind::terminate())?;
    let interrupt = signal(SignalKind::interrupt())?;
    Ok(Signals { listener: tokio::spawn(listen(terminate, interrupt, shutdown.clone())) })
}

async fn listen(mut terminate: Signal, mut interrupt: Signal, shutdown: Shutdown) {
    let (name, _) = next(&mut terminate, &mut interrupt).await;
    tracing::info!(signal = name, "leaving; a second signal ends at once");
    shutdown.trigger();
    let (name, code) = next(&mut terminate, &mut interrupt).await;
    tracing::warn!(signal = name, "ended by a second signal");
    std::process::exit(code);
}

/// The next signal's name, and the code a shell would give for dying of it.
async fn next(terminate: &mut Signal, interrupt: &mut Signal) -> (&'static str, i32) {
    tokio::select! {
        _ = terminate.recv() => ("SIGTERM", 143),
        _ = interrupt.recv() => ("SIGINT", 130),
    }
}

/// Gives `work` until `deadline` to finish, and logs either ending; `what` names it in the log.
pub async fn drain(what: &str, deadline: Duration, work: impl Future<Output = ()>) -> Drained {
    let started = tokio::time::Instant::now();
    match tokio::time::timeout(deadline, work).await {
        Ok(()) => {
            tracing::info!(what, took_ms = started.elapsed().as_millis(), "drained");
            Drained::Finished
        }
        Err(_) => {
            tracing::warn!(what, deadline_ms = deadline.as_millis(), "deadline passed, the rest is dropped");
            Drained::DeadlinePassed
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn everybody_hears_one_request() {
        let shutdown = Shutdown::new();
        let other = shutdown.clone();
        let part = shutdown.child();
        assert!(!other.is_requested());
        shutdown.trigger();
        other.requested().await;
        part.requested().await;
        assert!(other.is_requested() && part.is_requested());
    }

    #[tokio::test]
    async fn a_part_can_end_before_the_whole() {
        let shutdown = Shutdown::new();
        shutdown.child().trigger();
        assert!(!shutdown.is_requested());
    }

    #[tokio::test]
    async fn a_drain_ends_finished_or_at_its_deadline() {
        assert_eq!(drain("ready", Duration::from_secs(60), ready(())).await, Drained::Finished);
        assert_eq!(drain("stuck", Duration::ZERO, pending()).await, Drained::DeadlinePassed);
    }
}
