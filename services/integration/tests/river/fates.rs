//! Two fates: a viewer who does not read misses chat, exactly counted, and nothing else. Who misses more than a ring holds of
//! what may not be missed is closed, and reads it from the raw records when he comes back.

use integration::{Sender, World, ledger, viewer::Ticket};
use proto::{MessageId, v1, v1::input::Body};
use serde_json::json;

use crate::{LATER, SOON, together, world};

/// 100 characters of three bytes: 1,200 of them are 460 KB, more than a socket (50 KiB) and a ring (256 KiB) hold.
const LONG: &str = "弹";

const TURNS: usize = 30;
const CHATTERS: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fates_who_does_not_read_misses_chat_and_nothing_else() {
    let world = world("fates").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--blocked-max", "10m"]));
    let room = "fates";
    let (slow, other) = (world.viewer_with(&fanout, &narrow(room)).await, world.viewer(&fanout, room).await);
    slow.stop_reading();

    let platform = world.service(&ingest);
    let mut all = Vec::new();
    for turn in 0..TURNS {
        all.extend(chat(&world, &ingest, room, turn * CHATTERS..(turn + 1) * CHATTERS).await);
        all.extend(posts(&platform, room, turn).await);
        match turn {
            5 => drop(world.moderate(room, recall_of_nobody()).await),
            10 => drop(world.moderate(room, Body::Mode(v1::Mode { slow_ms: 7, ..v1::Mode::default() })).await),
            _ => {}
        }
        // Nobody but him may miss anything.
        other.until("the other keeps up", LATER, |seen| seen.all.len() >= all.len()).await;
    }
    slow.read_on();
    let last = *all.last().expect("something was said");
    slow.until("the last gift", LATER, |seen| seen.all.last().is_some_and(|heard| heard.id == last)).await;

    let (slow, other) = (slow.seen(), other.seen());
    ledger::check_exact("the other", &other.frames, &all);
    assert_eq!(other.gaps.len(), 0);
    ledger::check_exact("who did not read", &slow.frames, &all);
    assert!(slow.dropped() > 0, "he missed something");
    assert_eq!(ledger::lossless(&slow.frames), ledger::lossless(&other.frames), "but only chat");
    assert_eq!((slow.recalls.len(), slow.modes.len(), slow.closed), (1, 1, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fates_who_falls_off_the_lossless_lane_is_closed_and_reads_the_rest_when_he_comes_back() {
    const GIFTS: usize = 260; // of 2 KB each are 500 KB, twice what a ring keeps
    let world = world("fates_fell").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--blocked-max", "10m"]));
    let room = "fell";
    let (slow, other) = (world.viewer_with(&fanout, &narrow(room)).await, world.viewer(&fanout, room).await);
    slow.stop_reading();

    let platform = world.service(&ingest);
    let mut all = Vec::new();
    for turn in 0..GIFTS / 20 {
        all.extend(chat(&world, &ingest, room, turn..turn + 1).await);
        let gift = |number: usize| {
            let data = json!({ "gift": "g", "name": "g", "count": 1, "value": 1, "note": "n".repeat(1_900) });
            let user = json!({ "id": format!("giver-{turn}-{number}") });
            let platform = platform.clone();
            async move { platform.event(room, json!({ "kind": "gift", "user": user, "data": data })).await.accepted() }
        };
        all.extend(together(20, (0..20).map(gift)).await);
        all.sort_unstable();
        other.until("the other keeps up", LATER, |seen| seen.all.len() >= all.len()).await;
    }
    slow.read_on();
    slow.until("he is closed", LATER, |seen| seen.closed.is_some()).await;
    let first = slow.seen();
    assert_eq!(first.closed, Some(4003), "he fell off");
    assert!(first.all.len() < all.len());

    let back = world.viewer_since(&fanout, room, &first.cursor).await;
    let rest = all.len() - first.all.len();
    back.until("the rest", LATER, |seen| seen.all.len() >= rest).await;
    let second = back.seen();
    assert_eq!(second.hello.as_ref().and_then(|hello| hello.recovered), Some(true));
    let frames: Vec<_> = first.frames.into_iter().chain(second.frames).collect();
    ledger::check_exact("he who fell and came back", &frames, &all);
    assert_eq!(second.gaps.len() + first.gaps.len(), 0, "there was not too much chat");
    assert_eq!(other.seen().gaps.len(), 0);

    let now = platform.gift(room, "late", "g", 1, 1).await.accepted();
    back.until("he is live again", SOON, |seen| seen.ids().last() == Some(&now)).await;
}

/// A viewer whose socket is soon full.
fn narrow(room: &str) -> Ticket {
    Ticket { room: room.into(), receive_buffer: Some(4096), ..Ticket::default() }
}

/// Long words of many, each of whom speaks once; their ids in order.
async fn chat(world: &World, ingest: &integration::Node, room: &str, users: std::ops::Range<usize>) -> Vec<MessageId> {
    let says = users.map(|user| {
        let (sender, room) = (world.sender(ingest, &format!("u{user}")), room.to_owned());
        async move { sender.say(&room, &format!("{user} {}", LONG.repeat(95))).await.accepted() }
    });
    let mut ids = together(20, says).await;
    ids.sort_unstable();
    ids
}

/// One of each kind that nobody may miss.
async fn posts(platform: &Sender, room: &str, turn: usize) -> Vec<MessageId> {
    let paid = json!({ "amount_minor": 100, "currency": "CNY", "show_ms": 1_000 });
    vec![
        platform.gift(room, &format!("g{turn}"), "rose", 1, 10).await.accepted(),
        platform.event(room, json!({ "kind": "super", "text": "paid", "data": paid })).await.accepted(),
        platform.event(room, json!({ "kind": "system", "text": "a line" })).await.accepted(),
        platform.event(room, json!({ "kind": "event", "event": "score", "data": { "turn": turn } })).await.accepted(),
    ]
}

fn recall_of_nobody() -> Body {
    Body::Recall(v1::Recall { user: "nobody".into(), ..v1::Recall::default() })
}
