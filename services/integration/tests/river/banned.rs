//! A ban on `danmaku-rules` closes what its subject has open and refuses him at door and hall, also after both were
//! restarted; lifted, it lets him in. A topic that was recreated is read anew.

use std::sync::mpsc;

use chassis::{
    admin::Readiness,
    kafka::{Follower, News},
    tokens::Role,
};
use integration::{Answer, Node, Viewer, World, admin::delete_topics, until, viewer::Ticket};
use proto::{
    Topic,
    record::encode,
    v1::{BanRule, Rules, rules},
};

use crate::{LATER, SOON, generation::recreate, world};

const ROOM: &str = "calm";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn banned() {
    let world = world("banned").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let ticket = Ticket { room: ROOM.into(), token: Some(world.token("troll", &[Role::Viewer])), ..Ticket::default() };
    let troll = world.viewer_with(&fanout, &ticket).await;
    let other = world.viewer(&fanout, ROOM).await;
    world.sender(&ingest, "troll").say(ROOM, "hello").await.accepted();

    ban(&world, "user/troll", 0, 1).await;
    let written = std::time::Instant::now();
    troll.until("the close", SOON, |seen| seen.closed.is_some()).await;
    println!("closed {:?} after the ban was written", written.elapsed());
    check_removed(&troll);
    until("the door says no", SOON, async || {
        let answer = world.sender(&ingest, "troll").say(ROOM, "again").await;
        matches!(answer, Answer::Refused { status: 403, ref code, .. } if code == "forbidden").then_some(())
    })
    .await;
    let id = world.sender(&ingest, "ann").say(ROOM, "others speak on").await.accepted();
    other.until("what others say", SOON, |seen| seen.ids().contains(&id)).await;

    // A new node is not ready before it has read the bans.
    assert!(ingest.stop().await.success() && fanout.stop().await.success());
    let (ingest, fanout) = tokio::join!(world.ingest(&[]), world.fanout(&[]));
    let again = Viewer::connect(fanout.address(), &ticket).await.unwrap();
    again.until("the close", SOON, |seen| seen.closed.is_some()).await;
    check_removed(&again);
    assert_eq!(again.seen().hellos, 0);
    assert_eq!(world.sender(&ingest, "troll").say(ROOM, "again").await.word(), "forbidden");

    ban(&world, "user/troll", 1, 2).await;
    until("the hall lets him in", SOON, async || is_let_in(&fanout, &ticket).await.then_some(())).await;
    until("the door lets him speak", SOON, async || {
        world.sender(&ingest, "troll").say(ROOM, "sorry").await.id().map(drop)
    })
    .await;
}

fn check_removed(viewer: &Viewer) {
    let seen = viewer.seen();
    assert_eq!(seen.closed, Some(4503));
    let codes: Vec<_> = seen.errors.iter().map(|error| (&*error.code, &*error.message)).collect();
    assert_eq!(codes, [("forbidden", "banned for good")]);
}

async fn is_let_in(fanout: &Node, ticket: &Ticket) -> bool {
    let viewer = Viewer::connect(fanout.address(), ticket).await.expect("a connection");
    viewer.until("an answer", SOON, |seen| seen.closed.is_some() || seen.hello.is_some()).await;
    viewer.seen().hello.is_some()
}

async fn ban(world: &World, subject: &str, until: i64, sequence: u64) {
    let ban = BanRule { subject: subject.into(), until, sequence, reason: String::new() };
    let value = encode(&Rules { record: Some(rules::Record::Ban(ban)) });
    world.write_raw(Topic::Rules, 0, format!("ban/{subject}").as_bytes(), &value).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rules_topic_that_was_recreated_is_read_anew() {
    let world = world("rules_recreated").await;
    for sequence in 1..4 {
        ban(&world, "user/troll", 0, sequence).await;
    }
    let (tell, told) = mpsc::sync_channel(100);
    let hear = move |news: News<'_>| {
        let _ = tell.send(match news {
            News::Anew => "anew".to_owned(),
            News::CaughtUp => "caught up".to_owned(),
            News::Record(record) => String::from_utf8_lossy(record.key().unwrap_or_default()).into_owned(),
        });
    };
    let readiness = Readiness::new();
    let condition = readiness.condition("follower");
    let _following = Follower::start(&world.cluster(), &Topic::Rules.name(&world.prefix), condition, hear).unwrap();
    let mut news = Vec::new();
    hear_until(&mut news, &told, "ban/user/troll").await;
    hear_until(&mut news, &told, "caught up").await;
    until("ready", SOON, async || readiness.is_ready().then_some(())).await;

    delete_topics(&world, &[Topic::Rules]).await.unwrap();
    recreate(&world).await;
    hear_until(&mut news, &told, "anew").await;
    ban(&world, "user/another", 0, 1).await;
    hear_until(&mut news, &told, "ban/user/another").await;
    assert!(readiness.is_ready(), "what is known stays known meanwhile");
}

async fn hear_until(news: &mut Vec<String>, told: &mpsc::Receiver<String>, word: &str) {
    until(word, LATER, async || {
        news.extend(told.try_iter());
        let place = news.iter().position(|news| news == word)?;
        // What comes behind it stays to be looked at.
        news.drain(..place);
        Some(())
    })
    .await;
}
