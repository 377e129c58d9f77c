//! Waiting for something to be so. There is no other waiting in these tests.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How often a condition is asked. Asking costs a lock or a scrape; 20 ms a test keep that below 1 % of a core.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Waits until `ask` is true.
///
/// # Panics
/// When `within` has passed: `what` says what was hoped for.
pub async fn until_so(what: &str, within: Duration, mut ask: impl FnMut() -> bool) {
    let deadline = Instant::now() + within;
    while !ask() {
        assert!(Instant::now() < deadline, "not within {within:?}: {what}");
        sleep(ASK_EVERY).await;
    }
}

/// Asks, awaiting each answer, until it is `Some`, and returns it.
///
/// # Panics
/// When `within` has passed: `what` says what was hoped for.
pub async fn until<T>(what: &str, within: Duration, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "not within {within:?}: {what}");
        sleep(ASK_EVERY).await;
    }
}
