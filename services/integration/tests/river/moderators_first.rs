//! A room with a delay: its moderators see everything first, and what they take back meanwhile nobody else ever sees.
//!
//! No clock is asked. A recall reaches everybody at once, so where it stands among what everybody sees tells which was first.

use chassis::tokens::Role;
use proto::{
    frame::FromServer,
    v1::{Mode, input::Body},
};

use crate::{LATER, SOON, recall, world};

const ROOM: &str = "delayed";

/// The longest there is: the test has so long to look and to take something back.
const DELAY_MS: u32 = 6_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moderators_first_and_what_they_take_back_nobody_else_sees() {
    let world = world("delayed").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (fanout, elsewhere) = tokio::join!(world.fanout(&[]), world.fanout(&["--shards", "1"]));
    // There the partition is read, and nobody watches the room.
    let _neighbor = world.viewer(&elsewhere, &world.room_in(world.partition_of(ROOM), "neighbor")).await;
    let moderator = recall::known(&world, &fanout, ROOM, "mod", &[Role::Viewer, Role::Moderator]).await;
    let (everyone, start) = (world.viewer(&fanout, ROOM).await, moderator.seen().cursor);
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();

    let mode = Mode { delay_ms: DELAY_MS, ..Mode::default() };
    world.moderate(ROOM, Body::Mode(mode)).await;
    moderator.until("the mode", SOON, |seen| seen.modes == [mode]).await;
    let [fine, bad] = [say("ann", "fine").await, say("eve", "bad").await];
    moderator.until("both", SOON, |seen| seen.ids() == [fine, bad]).await;
    // Who comes now is everybody too.
    let (late, first) = (world.viewer(&fanout, ROOM).await, world.viewer(&elsewhere, ROOM).await);
    world.moderate(ROOM, Body::Recall(recall::by_ids(&[bad]))).await;
    moderator.until("the recall", SOON, |seen| seen.recalls.len() == 1).await;
    let last = say("bob", "last").await;
    moderator.until("the last", SOON, |seen| seen.ids() == [fine, bad, last]).await;
    let back = world.viewer_since(&fanout, ROOM, &start).await;

    let is_recall = |frame: &FromServer| matches!(frame, FromServer::Recall(_));
    for (who, viewer) in
        [("was there", &everyone), ("came", &late), ("came first elsewhere", &first), ("came back", &back)]
    {
        viewer.until("the last", LATER, |seen| seen.all.iter().any(|heard| heard.id == last)).await;
        let seen = viewer.seen();
        assert_eq!(seen.all.iter().map(|heard| heard.id).collect::<Vec<_>>(), [fine, last], "who {who}");
        assert_eq!(seen.gaps.len(), 0, "who {who}");
        assert!(!seen.recalls.is_empty(), "who {who}");
        if who != "came back" {
            let order = (seen.position(is_recall), seen.position_of(fine));
            assert!(order.0 < order.1, "who {who} saw {order:?}: what was said first, after what was done next");
        }
    }
    let seen = moderator.seen();
    assert!(seen.position_of(bad) < seen.position(is_recall), "the moderator saw them as they came");
    assert_eq!((seen.recalls.len(), seen.gaps.len()), (1, 0));

    // Without a delay everybody is where they are.
    world.moderate(ROOM, Body::Mode(Mode::default())).await;
    let now = say("dan", "now").await;
    for viewer in [&everyone, &late, &first, &back, &moderator] {
        viewer.until("now", SOON, |seen| seen.all.last().is_some_and(|heard| heard.id == now)).await;
        assert_eq!(viewer.seen().modes.last(), Some(&Mode::default()));
    }
}
