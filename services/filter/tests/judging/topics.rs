//! Goal: on topics that are not what they should be nothing is judged, and the reason is said. Method: one is left out.

use std::time::{Duration, Instant};

use proto::Topic;

use crate::world::{World, config};

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_topic_is_named() {
    let world = World::with_topics(&[Topic::Input, Topic::Output, Topic::Verdicts, Topic::State]);
    let judge = world.filter_unready(config());
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let reasons = world.ground.readiness.not_ready();
        if reasons.iter().any(|why| why.reason.contains("danmaku-dead-letter does not exist")) {
            break;
        }
        assert!(Instant::now() < deadline, "{reasons:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    judge.leave().await;
}
