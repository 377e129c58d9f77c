//! Who is muted, and how a room may be spoken in, is known to a filter that starts when the records which decided it are long
//! deleted: from the rule book and from `danmaku-state`.

use std::collections::BTreeSet;

use integration::{World, admin::delete_records, until};
use proto::{
    MessageId, Topic,
    record::encode,
    v1::{self, Mode, MuteRule, Rules, Sanction, Word, input::Body, rules},
};

use crate::{LATER, SOON, world};

const ROOM: &str = "muted";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_decided_long_ago_holds() {
    let world = world("decided_long_ago").await;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let partition = world.partition_of(ROOM);
    let closed = world.room_in(partition, "closed");

    let mute = Sanction { subject: "user/troll".into(), sequence: 7, ..Sanction::default() };
    write(&world, ROOM, Body::Sanction(mute)).await;
    write(&world, &closed, Body::Mode(Mode { emergency: true, ..Mode::default() })).await;
    // Offsets 0 and 1 are what was decided.
    let rule = MuteRule {
        room: ROOM.into(),
        subject: "user/troll".into(),
        sequence: 7,
        generation: 1,
        src: 0,
        ..MuteRule::default()
    };
    let rule = encode(&Rules { record: Some(rules::Record::Mute(rule)) });
    world.write_raw(Topic::Rules, 0, format!("mute/{ROOM}/user/troll").as_bytes(), &rule).await;

    let say = async |user: &str, room: &str| world.sender(&ingest, user).say(room, "hello").await.accepted();
    let before = [say("troll", ROOM).await, say("ann", ROOM).await, say("ann", &closed).await];
    let expected = [(Word::Muted, "muted"), (Word::Passed, ""), (Word::Limited, "mode_emergency")];
    assert_eq!(words(&world, &before).await, expected);
    until("the mode is kept", SOON, async || (!world.raw(Topic::State).await.is_empty()).then_some(())).await;

    assert!(filter.stop().await.success());
    delete_records(&world, Topic::Input, partition).await.unwrap();
    let _heir = world.filter(&[]).await;
    let after = [say("troll", ROOM).await, say("bob", ROOM).await, say("bob", &closed).await];
    assert_eq!(words(&world, &after).await, expected);
}

/// The verdicts on these, with their codes.
async fn words(world: &World, ids: &[MessageId; 3]) -> [(Word, &'static str); 3] {
    world.until_judged(&BTreeSet::from(*ids), LATER).await;
    let careful = world.careful().await;
    ids.map(|id| {
        let output = &careful.answers[&id];
        let code = ["", "muted", "mode_emergency"].into_iter().find(|code| *code == output.code);
        (output.verdict(), code.unwrap_or("another"))
    })
}

async fn write(world: &World, room: &str, body: Body) {
    let role = v1::Role::Service as i32;
    let input = v1::Input { generation: 1, room: room.into(), role, body: Some(body), ..v1::Input::default() };
    world.write_raw(Topic::Input, world.partition_of(room), room.as_bytes(), &encode(&input)).await;
}
