//! A viewer who does not read harms only himself: the others see everything, and he is told exactly what he missed.

use std::time::Duration;

use fanout::Config;
use proto::v1::GapReason;

use crate::{
    client::{Handshake, Viewer},
    world::{World, config},
};

/// Enough to fill every buffer between a shard and a client that does not read, and the room's ring.
const MESSAGES: usize = 4_000;

async fn say_much(world: &mut World, quick: &mut Viewer) {
    let text = "弹".repeat(100);
    for index in 0..MESSAGES {
        world.say("demo", &format!("{index} {text}"));
        if index % 100 == 99 {
            world.acknowledged().await;
            quick.until_all(index + 1).await;
        }
    }
}

fn numbers(texts: &[String]) -> Vec<usize> {
    texts.iter().map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn the_others_see_everything_and_the_gap_is_exact() {
    let mut world = World::start(config()).await;
    let mut slow = Handshake::new("demo").lazy().enter(&world).await;
    let mut quick = Viewer::enter(&world, "demo").await;
    say_much(&mut world, &mut quick).await;
    assert_eq!(numbers(&quick.all), (0..MESSAGES).collect::<Vec<_>>());
    assert!(quick.gaps.is_empty());

    world.say("demo", "last");
    slow.until("the last one", |viewer| viewer.all.last().is_some_and(|text| text == "last")).await;
    assert!(slow.dropped() > 0, "not slow enough to be a test");
    assert_eq!(slow.all.len() + slow.dropped(), MESSAGES + 1);
    assert_eq!(slow.dropped_for(GapReason::Slow), slow.dropped());
    let seen = numbers(&slow.all[..slow.all.len() - 1]);
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "out of order or twice");
}

#[tokio::test]
async fn gifts_are_never_among_what_is_dropped() {
    let mut world = World::start(config()).await;
    let mut slow = Handshake::new("demo").lazy().enter(&world).await;
    let mut quick = Viewer::enter(&world, "demo").await;
    let text = "弹".repeat(100);
    for index in 0..MESSAGES {
        if index % 400 == 0 {
            world.give("demo", &format!("gift {index}"))
        } else {
            world.say("demo", &text)
        };
        if index % 100 == 99 {
            quick.until_all(index + 1).await;
        }
    }
    world.give("demo", "last");
    slow.until("the last one", |viewer| viewer.all.last().is_some_and(|text| text == "last")).await;
    assert!(slow.dropped() > 0, "not slow enough to be a test");
    assert_eq!(slow.all.len() + slow.dropped(), MESSAGES + 1);
    let gifts = slow.all.iter().filter(|text| text.starts_with("gift")).count();
    assert_eq!(gifts, MESSAGES / 400);
}

#[tokio::test]
async fn who_takes_nothing_for_too_long_is_closed_and_told_why_and_comes_back_without_a_hole() {
    let mut world = World::start(Config { blocked_max: Duration::from_millis(500), ..config() }).await;
    let mut slow = Handshake::new("demo").lazy().enter(&world).await;
    let mut quick = Viewer::enter(&world, "demo").await;
    say_much(&mut world, &mut quick).await;
    world.metric_reaches(r#"danmaku_fanout_closed_total{code="4001",reason="slow",initiator="server"}"#, 1.0).await;
    assert_eq!(slow.until_closed().await, 4001);

    let mut back = Handshake::new("demo").since(&slow.cursor).enter(&world).await;
    world.say("demo", "last");
    back.until("the last one", |viewer| viewer.all.last().is_some_and(|text| text == "last")).await;
    let dropped: usize = slow.dropped() + back.dropped();
    assert_eq!(slow.all.len() + back.all.len() + dropped, MESSAGES + 1);
    // Much more was missed than a resume replays.
    assert_eq!(back.hellos[0].recovered, Some(false));
}
