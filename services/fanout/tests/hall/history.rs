//! Who comes sees what was said just before, marked as replay.

use crate::{
    client::Viewer,
    world::{World, config},
};

#[tokio::test]
async fn a_rooms_first_viewer_sees_the_last_fifty() {
    let mut world = World::start(config()).await;
    for index in 0..80 {
        world.say("demo", &index.to_string());
    }
    world.say("other", "not here");
    world.acknowledged().await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    world.say("demo", "live");
    viewer.until("the live one", |viewer| viewer.all.contains(&"live".to_owned())).await;
    let expected: Vec<_> = (0..80).map(|index| index.to_string()).chain(["live".to_owned()]).collect();
    // Where partitions are always read, a few of them may be live for him.
    assert!(expected.ends_with(&viewer.all), "{:?}", viewer.all);
    assert!(viewer.all.len() > 50 && viewer.gaps.is_empty());
    assert!(!world.reads_on_demand() || viewer.replayed.len() == 50);
    assert_eq!(viewer.hellos[0].recovered, None);
    assert!(viewer.heard.contains(&"live".to_owned()));
}

#[tokio::test]
async fn who_comes_later_sees_what_the_first_saw_and_then_the_same() {
    let mut world = World::start(config()).await;
    let mut first = Viewer::enter(&world, "demo").await;
    for index in 0..20 {
        world.say("demo", &index.to_string());
    }
    first.until_all(20).await;
    let mut second = Viewer::enter(&world, "demo").await;
    for index in 20..40 {
        world.say("demo", &index.to_string());
    }
    first.until_all(40).await;
    second.until_all(40).await;
    assert_eq!(first.all, second.all);
    assert_eq!(first.heard.len(), 40);
    // The shards hear of a record one after the other, so a few may be live for the second that the first had already.
    assert_eq!(second.replayed.len() + second.heard.len(), 40);
}
