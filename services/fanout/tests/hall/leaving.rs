//! A planned restart: everybody is told to come back elsewhere, and loses nothing.

use crate::{
    client::{Handshake, Viewer},
    world::{World, config},
};

#[tokio::test]
async fn everybody_is_told_and_closed_1012_and_resumes_elsewhere() {
    let mut world = World::start(config()).await;
    let other = world.neighbor(config()).await;
    let mut viewers = Vec::new();
    for _ in 0..20 {
        viewers.push(Viewer::enter(&world, "demo").await);
    }
    for index in 0..100 {
        world.say("demo", &index.to_string());
    }
    viewers[0].until_all(1).await;
    world.leave().await;
    assert!(!world.readiness.is_ready());
    for viewer in &mut viewers {
        assert_eq!(viewer.until_closed().await, 1012);
        let reconnect = &viewer.reconnects[0];
        assert_eq!((&*reconnect.reason, &reconnect.cursor), ("restart", &viewer.cursor));
        assert!(reconnect.after_ms < 3_000);
        viewer.until_over().await;
    }
    for viewer in &mut viewers {
        let mut back = Handshake::new("demo").since(&viewer.cursor).enter_at(other.address).await;
        assert_eq!(back.hellos[0].recovered, Some(true));
        back.until_all(100 - viewer.all.len()).await;
        let all = [&viewer.all[..], &back.all[..]].concat();
        assert_eq!(all, (0..100).map(|index| index.to_string()).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn everybody_is_served_until_his_slot() {
    let mut world = World::start(config()).await;
    let mut viewers = Vec::new();
    for _ in 0..20 {
        viewers.push(Viewer::enter(&world, "demo").await);
    }
    let hall = world.hall.clone();
    let leaving = tokio::spawn(async move { hall.leave().await });
    // The first of his shard.
    assert_eq!(viewers[0].until_closed().await, 1012);
    world.say("demo", "still here");
    world.acknowledged().await;
    let (mut served, mut reconnects) = (0, 0);
    for viewer in &mut viewers {
        assert_eq!(viewer.until_closed().await, 1012);
        served += usize::from(viewer.all == ["still here"]);
        reconnects += viewer.reconnects.len();
        // Ten in each of two shards in the 6.5 s that eight leave for it: a slot is 650 ms wide.
        assert!(viewer.reconnects[0].after_ms <= 650, "{:?}", viewer.reconnects);
        viewer.until_over().await;
    }
    assert!(served > 0, "it was shown to those who were still there");
    assert_eq!(reconnects, 20);
    leaving.await.unwrap();
}
