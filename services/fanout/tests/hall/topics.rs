//! A topic that is not what the hall was built for.

use crate::{
    client::Handshake,
    world::{PARTITIONS, World, config},
};

#[tokio::test]
async fn another_number_of_partitions_is_a_clear_refusal_to_become_ready() {
    let world = World::start_with_topics(config(), PARTITIONS + 1).await;
    let deadline = std::time::Instant::now() + crate::world::PATIENCE;
    let reason = loop {
        let reason = world.readiness.not_ready().first().map(|not| not.reason.clone()).unwrap_or_default();
        if reason.contains("partitions") || std::time::Instant::now() > deadline {
            break reason;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    assert!(reason.contains("has 9 partitions, --partitions says 8"), "{reason}");
    // Who comes anyway waits, and is not shown another room's messages.
    let mut viewer = Handshake::new("demo").open(&world).await;
    viewer.send_text(r#"{"type":"ping","at":1}"#).await;
    viewer.until("pong", |viewer| !viewer.pongs.is_empty()).await;
    assert!(viewer.hellos.is_empty());
    assert_eq!(viewer.until_closed().await, 1013);
    assert_eq!(viewer.reconnects.len(), 1);
    // And the node can be stopped.
    world.leave().await;
}
