//! Topics that somebody recreated: with a new generation everything begins anew and an old cursor is told so; without one the
//! filter refuses.

use integration::{Viewer, World, admin::delete_topics, ledger, until};
use proto::Topic;

use crate::{LATER, SOON, world};

const ROOM: &str = "again";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_generation_begins_anew_and_an_old_cursor_is_told_so() {
    let mut world = world("generation").await;
    let cursor = one_life(&world, 20).await;
    delete_topics(&world, &Topic::ALL).await.unwrap();
    recreate(&world).await;
    world.generation = 2;

    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let back: Viewer = world.viewer_since(&fanout, ROOM, &cursor).await;
    assert_eq!(back.seen().hello.as_ref().and_then(|hello| hello.recovered), Some(false));
    let id = world.sender(&ingest, "new").say(ROOM, "hello again").await.accepted();
    assert_eq!(id.generation, 2);
    back.until("a message of the new generation", SOON, |seen| seen.ids().contains(&id)).await;
    let seen = back.seen();
    ledger::check_once_in_order("the viewer", &seen.all);
    assert!(seen.cursor.starts_with("2-"), "{}", seen.cursor);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_recreated_without_a_new_generation_is_refused() {
    let world = world("recreated").await;
    one_life(&world, 20).await;
    delete_topics(&world, &[Topic::Input]).await.unwrap();
    recreate(&world).await;

    let filter = world.start_unready("filter", &[]).await;
    until("the reason on /readyz", LATER, async || {
        let (ready, text) = filter.readiness().await;
        assert!(!ready, "it must not judge: {text}");
        text.contains("generation").then_some(())
    })
    .await;
}

/// A river runs for some messages and ends; the last cursor of its viewer.
async fn one_life(world: &World, messages: usize) -> String {
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let viewer = world.viewer(&fanout, ROOM).await;
    for user in 0..messages {
        world.sender(&ingest, &format!("u{user}")).say(ROOM, "hello").await.accepted();
    }
    viewer.until("all of it", SOON, |seen| seen.messages.len() == messages).await;
    assert!(filter.stop().await.success(), "what it judged is committed");
    viewer.seen().cursor.clone()
}

/// A deletion goes on for a moment after its answer, so the creation is tried until all are new and empty.
pub(crate) async fn recreate(world: &World) {
    until("the topics are there again", LATER, async || {
        world.apply_topics(integration::world::PARTITIONS).await;
        let cluster = world.cluster();
        let specs: Vec<_> = Topic::ALL.into_iter().map(|topic| world.spec(topic, 8)).collect();
        let mismatches = chassis::kafka::verify_topics(&cluster, &specs).await.ok()?;
        mismatches.is_empty().then_some(())
    })
    .await;
}
