//! A moderator takes things back: nobody sees them any more, now or later, whoever he is and wherever he stands; who may not,
//! takes nothing back.

use integration::{Node, Sender, Viewer, World, ledger, viewer::Ticket};
use proto::{
    MessageId,
    frame::FromServer,
    v1::{self, Recall, input::Body},
};
use serde_json::json;

use crate::{LATER, SOON, together, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recall_by_id_and_by_user_holds_for_who_joins_and_resumes() {
    let world = world("recall").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (fanout, elsewhere) = tokio::join!(world.fanout(&[]), world.fanout(&[]));
    let room = "recall";
    let viewer = world.viewer(&fanout, room).await;
    let start = viewer.seen().cursor;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(room, text).await.accepted();
    let platform = world.service(&ingest);

    let [kept, bad] = [say("ann", "kept").await, say("ann", "taken back").await];
    let gift = platform.gift(room, "bob", "rose", 1, 1).await.accepted();
    let [first, second] = [say("eve", "one").await, say("eve", "two").await];
    viewer.until("all five", SOON, |seen| seen.all.len() == 5).await;

    // Who may not take anything back does not.
    world.bring(room, v1::Role::Sender, Body::Recall(by_ids(&[kept]))).await;
    world.moderate(room, Body::Recall(by_ids(&[bad, gift]))).await;
    world.moderate(room, Body::Recall(by_user("eve", second))).await;
    let after = say("eve", "after").await;
    viewer.until("what she says afterwards", SOON, |seen| seen.all.len() == 6).await;
    let seen = viewer.seen();
    assert_eq!(seen.recalls, [by_ids(&[bad, gift]), by_user("eve", second)], "who was there is told");
    assert!(seen.ids().starts_with(&[kept, bad, gift, first, second]), "and had seen it");
    assert_eq!(seen.gaps.len(), 0);
    let words = ledger::verdict_words(&world.verdicts_when(1, SOON).await);
    assert_eq!(words.into_values().collect::<Vec<_>>(), [v1::Word::Blocked], "the one without the right is on record");

    for (name, node) in [("here", &fanout), ("elsewhere", &elsewhere)] {
        let joined = world.viewer(node, room).await;
        joined.until("the last messages", SOON, |seen| seen.all.len() == 2).await;
        let back = world.viewer_since(node, room, &start).await;
        back.until("what he missed", SOON, |seen| seen.all.len() == 2 && seen.recalls.len() == 2).await;
        for (who, seen) in [("joined", joined.seen()), ("back", back.seen())] {
            let ids: Vec<_> = seen.all.iter().map(|heard| heard.id).collect();
            assert_eq!((ids, seen.gaps.len()), (vec![kept, after], 0), "who {who} {name}");
        }
        assert_eq!(back.seen().hello.and_then(|hello| hello.recovered), Some(true), "nothing that is there is missing");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recall_reaches_what_a_lagging_viewer_has_not_read() {
    let world = world("recall_lag").await;
    // Chat stays fresh for the test's own time, so that what he lags behind is shown and not only counted.
    let lenient = ["--blocked-max", "10m", "--fresh", "10m"];
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let mut fanout = world.fanout(&lenient).await;
    let room = "lag";
    let ticket = Ticket { room: room.into(), receive_buffer: Some(4096), ..Ticket::default() };
    let (slow, other) = (world.viewer_with(&fanout, &ticket).await, world.viewer(&fanout, room).await);
    let platform = world.service(&ingest);
    slow.stop_reading();
    let mut all = fill(&platform, &other, room).await;

    // More than 50 gifts at once, so that they fold; and chat between them.
    fanout.pause();
    let gifts = ["eve", "bob"].map(|user| give(&platform, room, user));
    let [eves, bobs] = [gifts[0].clone(), gifts[1].clone()].map(|gifts| together(20, gifts.into_iter().map(Give::run)));
    let (eves, bobs) = (eves.await, bobs.await);
    let bad = world.sender(&ingest, "eve").say(room, "taken back").await.accepted();
    let kept = world.sender(&ingest, "ann").say(room, "kept").await.accepted();
    world.until_judged(&[bad, kept].into(), LATER).await;
    fanout.go_on();
    all.push(kept);
    other.until("all of it", LATER, |seen| seen.all.last().is_some_and(|heard| heard.id == kept)).await;
    assert!(other.seen().all.len() < all.len() + eves.len() + bobs.len(), "they were folded");

    // All of hers, and one of his that was folded with others.
    let (last, one) = (eves.iter().max().copied().expect("she gave"), *bobs.iter().max().expect("he gave"));
    world.moderate(room, Body::Recall(by_user("eve", last.max(bad)))).await;
    world.moderate(room, Body::Recall(by_ids(&[one]))).await;
    other.until("the recalls", SOON, |seen| seen.recalls.len() == 2).await;
    slow.read_on();
    slow.until("the recalls too", LATER, |seen| seen.closed.is_some() || seen.recalls.len() == 2).await;

    let seen = slow.seen();
    assert_eq!((seen.closed, seen.gaps.len()), (None, 0));
    let hers: Vec<_> = seen.all.iter().filter(|heard| heard.user == "eve").collect();
    assert!(hers.is_empty(), "what was taken back before he read it: {hers:?}");
    let count = |heard: &&integration::viewer::Heard| {
        serde_json::from_str::<serde_json::Value>(&heard.data).unwrap()["count"].as_u64().unwrap()
    };
    let his: u64 = seen.all.iter().filter(|heard| heard.user == "bob").map(|heard| count(&heard)).sum();
    assert_eq!(his, bobs.len() as u64 - 1, "the others of his are exact");
    assert!(seen.position_of(kept) < seen.position(|frame| matches!(frame, FromServer::Recall(_))), "in order");
    assert!(all.iter().all(|id| seen.position_of(*id).is_some()), "nothing else is gone");
}

/// What is more than his socket takes, so that whatever follows waits on the ring.
async fn fill(platform: &Sender, other: &Viewer, room: &str) -> Vec<MessageId> {
    let mut all = Vec::new();
    for number in 0..50 {
        let data = json!({ "pad": "p".repeat(1_900) });
        let event = json!({ "kind": "event", "event": "fill", "data": data });
        all.push(platform.event(room, event).await.accepted());
        other.until("the other keeps up", LATER, |seen| seen.all.len() > number).await;
    }
    all
}

/// One of many gifts alike.
#[derive(Clone)]
struct Give {
    platform: Sender,
    room: String,
    user: String,
}

impl Give {
    async fn run(self) -> MessageId {
        self.platform.gift(&self.room, &self.user, "rose", 1, 1).await.accepted()
    }
}

fn give(platform: &Sender, room: &str, user: &str) -> Vec<Give> {
    (0..60).map(|_| Give { platform: platform.clone(), room: room.into(), user: user.into() }).collect()
}

pub(crate) fn by_ids(ids: &[MessageId]) -> Recall {
    Recall { ids: ids.iter().map(MessageId::to_string).collect(), ..Recall::default() }
}

fn by_user(user: &str, through: MessageId) -> Recall {
    Recall { user: user.into(), through: through.to_string(), ..Recall::default() }
}

/// Somebody who watches with a token.
pub(crate) async fn known(
    world: &World,
    fanout: &Node,
    room: &str,
    user: &str,
    roles: &[chassis::tokens::Role],
) -> Viewer {
    let token = Some(world.token(user, roles));
    world.viewer_with(fanout, &Ticket { room: room.into(), token, ..Ticket::default() }).await
}
