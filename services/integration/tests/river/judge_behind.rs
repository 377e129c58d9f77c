//! A judge that is behind in one partition: the door closes for that partition's rooms alone, and opens again.

use integration::{Answer, until};

use crate::{LATER, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_door_closes_for_one_partition_and_opens_again() {
    let world = world("judge_behind").await;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (waiting, other) = (world.room_in(2, "waiting"), world.room_in(5, "other"));
    let mut accepted = std::collections::BTreeSet::new();
    for room in [&waiting, &other] {
        accepted.insert(world.sender(&ingest, "first").say(room, "judged").await.accepted());
    }
    world.until_judged(&accepted, LATER).await;
    assert!(filter.stop().await.success(), "it leaves in peace, and what it judged is committed");

    // Nobody judges: the room's first message grows old, while the other room has none that could.
    let mut turn = 0;
    let refused = until("the door closes", LATER, async || {
        turn += 1;
        let answer = world.sender(&ingest, &format!("u{turn}")).say(&waiting, "unjudged").await;
        accepted.extend(answer.id());
        answer.id().is_none().then_some(answer)
    });
    let refused = refused.await;
    let Answer::Refused { status: 503, code, retry_after_ms, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!(code, "judge_behind");
    assert!(retry_after_ms.is_some(), "{refused:?}");
    accepted.insert(world.sender(&ingest, "second").say(&other, "still open").await.accepted());
    assert_eq!(ingest.metrics().await.sum("danmaku_ingest_closed_partitions"), 1.0);

    let _heir = world.filter(&[]).await;
    let mut turn = 0;
    let opened = until("the door opens again", LATER, async || {
        turn += 1;
        world.sender(&ingest, &format!("v{turn}")).say(&waiting, "open").await.id()
    });
    accepted.insert(opened.await);
    world.until_judged(&accepted, LATER).await;
}
