//! Chat that comes too late is not shown as live; it is counted, with its reason.

use proto::v1::{Fate, GapReason};

use crate::{
    client::Viewer,
    world::{World, config},
};

impl World {
    /// Says something that the filter read so late.
    fn say_late(&mut self, fate: Fate, text: &str, judge_lag_ms: u32) {
        let items = vec![self.item("demo", fate, text)];
        let mut output = self.output("demo", items);
        output.judge_lag_ms = judge_lag_ms;
        self.write("demo", &output);
    }
}

#[tokio::test]
async fn chat_over_three_seconds_late_is_counted_and_gifts_are_shown() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.say("demo", "in time");
    viewer.until_all(1).await;
    for _ in 0..7 {
        world.say_late(Fate::Lossy, "too late", 10_000);
    }
    world.say_late(Fate::Lossless, "a gift", 10_000);
    world.say_late(Fate::Lossy, "late", 1_000);
    viewer.until_all(3).await;
    assert_eq!(viewer.heard, ["in time", "a gift", "late"]);
    assert_eq!(viewer.dropped_for(GapReason::Stale), 7);
    let first = &viewer.gaps[0];
    assert_eq!(first.from, format!("1-{}-1", World::partition("demo")));
    world.metric_reaches(r#"danmaku_fanout_dropped_total{reason="stale"}"#, 7.0).await;
}

#[tokio::test]
async fn what_was_too_late_for_the_screen_is_still_history() {
    let mut world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.say_late(Fate::Lossy, "too late", 10_000);
    viewer.until("gap", |viewer| !viewer.gaps.is_empty()).await;
    let mut new = Viewer::enter(&world, "demo").await;
    new.until_all(1).await;
    assert_eq!(new.replayed, ["too late"]);
}
