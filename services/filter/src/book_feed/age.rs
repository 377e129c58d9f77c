//! How old the rules in force are, told by a task of its own: a thread that died tells nothing, and least that it died.

use std::{sync::Arc, time::Duration};

use chassis::lately::Lately;
use tokio::time::interval;

use crate::metrics::RulesMetrics;

/// A topic that was asked within this time counts as asked now: it is asked each 2 s, an answer may take 5, and behind a
/// transaction 6 s pass until its end is heard.
const ASKED_LATELY: Duration = Duration::from_secs(15);

const TELL_EVERY: Duration = Duration::from_secs(1);

/// Tells, until it is dropped, how long it is since the rules in force were `confirmed` as the newest known, or since the
/// topic was `asked` for newer ones.
pub(crate) async fn tell(confirmed: Arc<Lately>, asked: Arc<Lately>) {
    let gauge = RulesMetrics::age_seconds();
    let mut ticks = interval(TELL_EVERY);
    loop {
        ticks.tick().await;
        gauge.set(age(confirmed.elapsed(), asked.elapsed()).as_secs_f64());
    }
}

fn age(confirmed: Duration, asked: Duration) -> Duration {
    if asked < ASKED_LATELY { confirmed } else { confirmed.max(asked) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_grow_old_when_nobody_confirms_them_and_when_the_topic_cannot_be_asked() {
        for (confirmed, asked, expected) in [(1, 2, 1), (1, 14, 1), (1, 15, 15), (70, 2, 70), (70, 15, 70)] {
            let seconds = Duration::from_secs;
            assert_eq!(age(seconds(confirmed), seconds(asked)), seconds(expected), "{confirmed} {asked}");
        }
    }
}
