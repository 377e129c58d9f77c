//! All wires say the same; and what an event stream has of its own: `Last-Event-ID`, comments, gaps for a reader who stalls, and
//! a last word before it ends.

use chassis::tokens::Role;
use integration::{
    Node, Viewer, World, ledger,
    viewer::{Seen, Ticket, Wire},
};
use proto::{
    MessageId,
    frame::FromServer,
    v1::{Message, Mode, input::Body},
};
use serde_json::json;

use crate::{LATER, SOON, recall, together, world};

const ROOM: &str = "wires";
const WIRES: [Wire; 3] = [Wire::Json, Wire::Proto, Wire::Events];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sse_and_protobuf_and_json_say_the_same() {
    let world = world("wires").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let mut viewers = Vec::new();
    for wire in WIRES {
        viewers.push(watch(&world, &fanout, wire, None).await);
    }
    let start = viewers[0].seen().cursor;
    let all = say_everything(&world, &ingest).await;
    for (wire, viewer) in WIRES.iter().zip(&viewers) {
        viewer.until("everything", SOON, |seen| seen.all.len() == all.len() && seen.told.len() == 1).await;
        check(&format!("{wire:?}"), &viewer.seen(), &viewers[0].seen(), &all);
    }
    let cursors: Vec<_> = viewers.iter().map(|viewer| viewer.seen().cursor).collect();
    assert!(cursors.iter().all(|cursor| *cursor == cursors[0]), "{cursors:?}");
    assert_eq!(viewers[2].seen().event_id, cursors[2], "the stream's own cursor");

    // Who comes back is told the same too.
    let mut back = Vec::new();
    for wire in WIRES {
        back.push(watch(&world, &fanout, wire, Some(&start)).await);
    }
    let left: Vec<_> = all.iter().copied().filter(|id| *id != all[0]).collect();
    for (wire, viewer) in WIRES.iter().zip(&back) {
        viewer.until("everything again", SOON, |seen| seen.all.len() == left.len() && seen.told.len() == 1).await;
        let seen = viewer.seen();
        assert_eq!(seen.hello.as_ref().and_then(|hello| hello.recovered), Some(true), "{wire:?}");
        check(&format!("{wire:?} back"), &seen, &back[0].seen(), &left);
    }

    // The comments of a quiet stream come each 15 s; then the node leaves, and says so.
    viewers[2].until("a comment", LATER, |seen| seen.comments > 0).await;
    assert!(fanout.stop().await.success());
    for (wire, viewer) in WIRES.iter().zip(&viewers) {
        viewer.until("the end", SOON, |seen| seen.closed.is_some()).await;
        let seen = viewer.seen();
        assert_eq!((seen.closed, seen.reconnects.len(), seen.others), (Some(1012), 1, 0), "{wire:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sse_tells_a_reader_who_stalls_what_he_missed() {
    const SAID: usize = 1_600; // of 400 B are 640 KB: above what socket, pipe (50 KiB) and ring (256 KiB) hold
    let world = world("sse_stall").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--blocked-max", "10m"]));
    let ticket = Ticket { room: ROOM.into(), wire: Wire::Events, receive_buffer: Some(4096), ..Ticket::default() };
    let (slow, other) = (world.viewer_with(&fanout, &ticket).await, world.viewer(&fanout, ROOM).await);
    slow.stop_reading();
    let mut all = Vec::new();
    for turn in 0..SAID / 40 {
        let says = (turn * 40..(turn + 1) * 40).map(|user| {
            let sender = world.sender(&ingest, &format!("u{user}"));
            async move { sender.say(ROOM, &format!("{user} {}", "弹".repeat(95))).await.accepted() }
        });
        all.extend(together(20, says).await);
        other.until("the other keeps up", LATER, |seen| seen.all.len() >= all.len()).await;
    }
    all.push(world.service(&ingest).gift(ROOM, "giver", "rose", 1, 1).await.accepted());
    all.sort_unstable();
    slow.read_on();
    slow.until("the gift", LATER, |seen| seen.all.last().map(|heard| heard.id) == all.last().copied()).await;
    let seen = slow.seen();
    ledger::check_exact("who stalled", &seen.frames, &all);
    assert!(seen.dropped() > 0, "he missed something");
    assert_eq!((seen.closed, seen.others), (None, 0));

    // With the last event's id he is where he was.
    let ticket = Ticket { since: Some(seen.event_id), ..ticket };
    let back = world.viewer_with(&fanout, &ticket).await;
    let now = world.sender(&ingest, "late").say(ROOM, "now").await.accepted();
    back.until("now", SOON, |seen| !seen.all.is_empty()).await;
    let seen = back.seen();
    assert_eq!(seen.all.iter().map(|heard| heard.id).collect::<Vec<_>>(), [now]);
    assert_eq!(seen.hello.and_then(|hello| hello.recovered), Some(true));
}

/// Says one thing of each kind, in all its fields, and takes the first back.
async fn say_everything(world: &World, ingest: &Node) -> Vec<MessageId> {
    let (platform, ann) = (world.service(ingest), world.sender(ingest, "ann"));
    let paid = json!({ "amount_minor": 100, "currency": "CNY", "show_ms": 1_000 });
    let user = json!({ "id": "u\"7", "name": "七\u{1f600}", "level": 12, "badges": ["b1", "b2"] });
    let colorful =
        json!({ "text": "\\\"quoted\" \u{2028} 😀", "color": "#12ab00", "position": "top", "size": "large" });
    let posts = [
        json!({ "kind": "super", "user": user, "text": "paid", "data": paid }),
        json!({ "kind": "system", "text": "a line" }),
        json!({ "kind": "event", "event": "score", "data": { "home": 1, "away": [2, null] }, "sticky": "score" }),
    ];
    let mut all = vec![ann.say(ROOM, "taken back").await.accepted(), ann.say_all(ROOM, &colorful).await.accepted()];
    all.push(platform.gift(ROOM, "giver", "rose", 2, 20).await.accepted());
    for post in posts {
        all.push(platform.event(ROOM, post).await.accepted());
    }
    ann.say(ROOM, "blorfed").await.accepted();
    world.moderate(ROOM, Body::Recall(recall::by_ids(&all[..1]))).await;
    let mode = Mode { slow_ms: 1, level_min: 2, followers_min_s: 3, emote_only: true, ..Mode::default() };
    world.moderate(ROOM, Body::Mode(mode)).await;
    world.moderate(ROOM, Body::Mode(Mode::default())).await;
    all.push(world.sender(ingest, "bob").say(ROOM, "last").await.accepted());
    all
}

/// The same messages in all their fields, and the same of everything else, as the reference heard.
fn check(who: &str, seen: &Seen, reference: &Seen, all: &[MessageId]) {
    ledger::check_exact(who, &seen.frames, all);
    assert_eq!(messages(seen), messages(reference), "{who}");
    assert_eq!(ledger::lossless(&seen.frames), ledger::lossless(&reference.frames), "{who}");
    assert_eq!(seen.told, reference.told, "{who}");
    assert_eq!((seen.gaps.len(), seen.others, seen.closed), (0, 0, None), "{who}");
}

fn messages(seen: &Seen) -> Vec<Message> {
    let batches = seen.frames.iter().filter_map(|frame| match frame {
        FromServer::Batch(batch) => Some(batch.messages.clone()),
        _ => None,
    });
    batches.flatten().collect()
}

async fn watch(world: &World, fanout: &Node, wire: Wire, since: Option<&str>) -> Viewer {
    let token = Some(world.token("ann", &[Role::Viewer, Role::Sender]));
    let since = since.map(str::to_owned);
    world.viewer_with(fanout, &Ticket { room: ROOM.into(), wire, token, since, ..Ticket::default() }).await
}
