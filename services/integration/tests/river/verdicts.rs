//! What the judge says to a sender reaches all of his sockets in the room and nobody else's, in its place among what the room
//! sees, and again when he comes back for it.

use chassis::tokens::Role;
use integration::{
    Node, Viewer, World,
    viewer::{Seen, Ticket},
};
use proto::{MessageId, frame::FromServer, v1};

use crate::{LATER, SOON, recall, world};

const ROOM: &str = "verdicts";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_reach_their_senders_sockets_alone() {
    let world = world("verdicts").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let (one, two) = tokio::join!(world.fanout(&[]), world.fanout(&[]));
    let his = [watch(&world, &one, "ann", None).await, watch(&world, &two, "ann", None).await];
    let others = [watch(&world, &one, "bob", None).await, world.viewer(&one, ROOM).await];
    let start = his[0].seen().cursor;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();

    let before = say("bob", "before").await;
    let bad = say("ann", "blorfed").await;
    let after = say("cid", "after").await;
    // The same socket hears of a limit, however fast the machine is.
    let mut limited = None;
    for turn in 0..100 {
        let id = say("ann", &format!("word {turn}")).await;
        world.until_judged(&[id].into(), LATER).await;
        if world.careful().await.answers[&id].verdict() == v1::Word::Limited {
            limited = Some(id);
            break;
        }
    }
    let limited = limited.expect("nobody was ever too fast");
    let last = say("dan", "last").await;

    for (number, viewer) in his.iter().enumerate() {
        viewer.until("the last", SOON, |seen| seen.ids().last() == Some(&last) && seen.told.len() == 2).await;
        let seen = viewer.seen();
        let told: Vec<_> = seen.told.iter().map(|told| (told.id.clone(), told.verdict(), &*told.code)).collect();
        let expected =
            [(bad.to_string(), v1::Word::Blocked, "words"), (limited.to_string(), v1::Word::Limited, "rate")];
        assert_eq!(told, expected, "socket {number}");
        assert!(seen.told[1].retry_after_ms > 0);
        let places = [seen.position_of(before), told_at(&seen, bad), seen.position_of(after), told_at(&seen, limited)];
        assert!(places.is_sorted() && places[0].is_some(), "socket {number}: each in its place: {places:?}");
        assert!(told_at(&seen, limited) < seen.position_of(last), "socket {number}");
    }
    for viewer in &others {
        viewer.until("the last", SOON, |seen| seen.ids().last() == Some(&last)).await;
        assert_eq!(viewer.seen().told, [], "nobody else is told");
        assert!(!viewer.seen().ids().contains(&bad));
    }

    for (user, told) in [(Some("ann"), 2), (Some("bob"), 0), (None, 0)] {
        for node in [&one, &two] {
            let back = match user {
                Some(user) => watch(&world, node, user, Some(&start)).await,
                None => world.viewer_since(node, ROOM, &start).await,
            };
            back.until("all again", SOON, |seen| seen.all.last().is_some_and(|heard| heard.id == last)).await;
            let seen = back.seen();
            assert_eq!(seen.told.len(), told, "{user:?} is told what is his, and nothing else: {:?}", seen.told);
            if told > 0 {
                let places = [seen.position_of(before), told_at(&seen, bad), seen.position_of(after)];
                assert!(places.is_sorted(), "in its place: {places:?}");
            }
            assert_eq!(seen.hello.and_then(|hello| hello.recovered), Some(true));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_that_come_all_at_once_close_nobody_who_reads() {
    const SAID: usize = 100; // a viewer's slot holds 64
    let world = world("verdicts_at_once").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let mut fanout = world.fanout(&[]).await;
    let viewer = watch(&world, &fanout, "ann", None).await;
    fanout.pause();
    let ann = world.sender(&ingest, "ann");
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..SAID {
        ids.insert(ann.say(ROOM, "blorfed").await.accepted());
    }
    world.until_judged(&ids, LATER).await;
    fanout.go_on();
    viewer.until("all verdicts", SOON, |seen| seen.closed.is_some() || seen.told.len() == SAID).await;
    let seen = viewer.seen();
    assert_eq!(seen.closed, None, "told {} of {SAID}", seen.told.len());
    assert!(seen.told.iter().map(|told| told.id.clone()).eq(ids.iter().map(MessageId::to_string)), "in order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_find_a_sender_who_came_back_before_their_turn() {
    let world = world("verdicts_delayed").await;
    let (ingest, _filter, fanout) =
        tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&["--shards", "1"]));
    let moderator = recall::known(&world, &fanout, ROOM, "mod", &[Role::Viewer, Role::Moderator]).await;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();
    let mode = v1::Mode { delay_ms: 6_000, ..v1::Mode::default() };
    world.moderate(ROOM, v1::input::Body::Mode(mode)).await;
    moderator.until("the mode", SOON, |seen| seen.modes == [mode]).await;

    // It is handed over to who is there, and not written yet, as everybody is six seconds behind.
    let (gone, other) = (watch(&world, &fanout, "ann", None).await, watch(&world, &fanout, "ann", None).await);
    let before = say("bob", "before").await;
    let bad = say("ann", "blorfed").await;
    let last = say("cid", "last").await;
    moderator.until("the last", SOON, |seen| seen.ids().last() == Some(&last)).await;
    let cursor = gone.seen().cursor;
    drop(gone);
    let back = watch(&world, &fanout, "ann", Some(&cursor)).await;
    for viewer in [&other, &back] {
        viewer.until("the last", SOON, |seen| seen.position_of(last).is_some()).await;
        let seen = viewer.seen();
        let places = [seen.position_of(before), told_at(&seen, bad), seen.position_of(last)];
        assert!(places.is_sorted() && places[1].is_some() && seen.told.len() == 1, "{places:?} {:?}", seen.told);
    }
    assert_eq!(moderator.seen().told, []);
}

fn told_at(seen: &Seen, id: MessageId) -> Option<usize> {
    let id = id.to_string();
    seen.position(|frame| matches!(frame, FromServer::Verdict(told) if told.id == id))
}

async fn watch(world: &World, fanout: &Node, user: &str, since: Option<&str>) -> Viewer {
    let token = Some(world.token(user, &[Role::Viewer, Role::Sender]));
    let ticket = Ticket { room: ROOM.into(), token, since: since.map(str::to_owned), ..Ticket::default() };
    world.viewer_with(fanout, &ticket).await
}
