//! An operator asks who lags: the slowest first, by hash, and nobody waits for the answer; and which rooms are the largest.

use chassis::tokens::Role;
use integration::{Node, until, viewer::Ticket};
use serde::Deserialize;
use tokio::task::JoinSet;

use crate::{LATER, SOON, world};

const ROOM: &str = "观众";
const QUERY: &str = "/debug/viewers?room=%E8%A7%82%E4%BC%97";

#[derive(Debug, Deserialize)]
struct Page {
    viewers: usize,
    silent_shards: usize,
    slowest: Vec<Slow>,
}

#[derive(Debug, Deserialize)]
struct Slow {
    user: Option<String>,
    wire: String,
    lag_messages: Option<u64>,
    lag_ms: Option<u64>,
    dropped: u64,
    blocked_ms: u64,
    since: i64,
}

/// What `printf slowpoke | sha256sum` begins with.
const SLOWPOKE: &str = "ee90b10c03df9e49";

async fn look(node: &Node) -> Page {
    let (status, text) = node.page(QUERY).await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).expect("the page is JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_slowest_viewers_of_a_room_are_shown() {
    let world = world("debug_viewers").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--blocked-max", "10m", "--shards", "2"]));
    let token = Some(world.token("slowpoke", &[Role::Viewer]));
    let ticket = Ticket { room: ROOM.into(), token, receive_buffer: Some(4096), ..Ticket::default() };
    let slow = world.viewer_with(&fanout, &ticket).await;
    let quick = [world.viewer(&fanout, ROOM).await, world.viewer(&fanout, ROOM).await];
    let before = look(&fanout).await;
    assert_eq!((before.viewers, before.silent_shards, before.slowest.len()), (3, 0, 3));
    assert!(before.slowest.iter().all(|one| (one.lag_messages, one.blocked_ms, one.dropped) == (Some(0), 0, 0)));

    slow.stop_reading();
    let mut saying = JoinSet::new();
    for user in 0..400 {
        let sender = world.sender(&ingest, &format!("u{user}"));
        saying.spawn(async move { sender.say(ROOM, &"弹".repeat(99)).await.accepted() });
        if saying.len() == 20 {
            saying.join_next().await;
        }
    }
    saying.join_all().await;
    for viewer in &quick {
        viewer.until("all of it", LATER, |seen| seen.messages.len() == 400).await;
    }
    let page = until("he lags for more than three seconds", SOON, async || {
        Some(look(&fanout).await).filter(|page| page.slowest[0].lag_ms > Some(3_000))
    });
    let page = page.await;
    let worst = &page.slowest[0];
    assert_eq!((worst.user.as_deref(), worst.wire.as_str()), (Some(SLOWPOKE), "json"), "{page:?}");
    assert!(worst.blocked_ms > 0 && worst.lag_messages > Some(0) && worst.since > 0, "{page:?}");
    let others = &page.slowest[1..];
    assert!(others.iter().all(|one| (one.lag_messages, one.blocked_ms, &one.user) == (Some(0), 0, &None)), "{page:?}");

    let (_, text) = fanout.page("/debug/rooms?by=messages").await;
    let rooms: serde_json::Value = serde_json::from_str(&text).expect("the page is JSON");
    let (room, partition) = (&rooms["rooms"][0], &rooms["partitions"][0]);
    assert!(room["room"] == ROOM && room["viewers"] == 3, "those of both shards: {text}");
    assert!(room["messages_per_second"].as_f64() > Some(1.0), "{text}");
    assert!(partition["partition"] == world.partition_of(ROOM) && partition["rooms"] == 1, "{text}");
    assert_eq!(fanout.page("/debug/rooms?top=0").await.0, 400);

    slow.read_on();
    slow.until("his gap", SOON, |seen| seen.dropped() > 0 && seen.messages.len() as u64 + seen.dropped() == 400).await;
    let told = slow.seen().dropped();
    until("the page says so too", SOON, async || {
        let page = look(&fanout).await;
        page.slowest.into_iter().find(|one| one.dropped == told && one.lag_messages == Some(0))
    })
    .await;

    let (status, text) = fanout.page("/debug/viewers").await;
    assert!(status == 400 && text.contains("/debug/viewers?room=NAME"), "{text}");
    assert_eq!(fanout.page("/debug/viewers?room=a%2Fb").await.0, 400);
}
