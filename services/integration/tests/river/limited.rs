//! One message a second and a burst of three for a user in a room, on the broker's time: the same before and after a crash.
//!
//! What should be allowed is worked out here from the append times of the input records, so the machine's speed proves nothing
//! and disproves nothing.

use std::collections::BTreeMap;

use integration::{Sender, World, ledger};
use proto::{MessageId, Topic, v1};
use tokio::task::JoinSet;

use crate::{LATER, world};

const ROOM: &str = "limited";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_forgives_no_spammer() {
    let world = world("limited").await;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let spammer = world.sender(&ingest, "spammer");

    let first = shout(&spammer, 0..12).await;
    world.until_judged(&first.iter().copied().collect(), LATER).await;
    filter.kill();
    // Judged by the next filter, which has to know what the dead one knew.
    let second = shout(&spammer, 12..18).await;
    let heir = world.filter(&[]).await;
    let all = first.iter().chain(&second).copied().collect();
    world.until_judged(&all, LATER).await;

    let times = append_times(&world).await;
    let (right, forgetful) = (allowed(&times, None), allowed(&times, second.iter().min().copied()));
    assert_ne!(right, forgetful, "the machine was so slow that a forgetful judge would be right too");
    let careful = world.careful().await;
    let passed: Vec<_> = times.keys().filter(|id| careful.answers[id].verdict() == v1::Word::Passed).copied().collect();
    assert_eq!(passed, right);
    let words = ledger::verdict_words(&world.verdicts_when(times.len() - right.len(), LATER).await);
    for id in times.keys().filter(|id| !right.contains(id)) {
        let output = &careful.answers[id];
        assert_eq!((words[id], output.code.as_str()), (v1::Word::Limited, "rate"));
        let Some(v1::item::Body::Told(told)) = &output.items[0].body else { panic!("told: {output:?}") };
        assert!((1..=3000).contains(&told.retry_after_ms), "{told:?}");
    }
    drop(heir);
}

/// Says many things at once.
async fn shout(sender: &Sender, words: std::ops::Range<usize>) -> Vec<MessageId> {
    let mut saying = JoinSet::new();
    for word in words {
        let sender = sender.clone();
        saying.spawn(async move { sender.say(ROOM, &format!("word {word}")).await.accepted() });
    }
    saying.join_all().await
}

async fn append_times(world: &World) -> BTreeMap<MessageId, i64> {
    let input = world.raw(Topic::Input).await;
    let id = |partition, offset| MessageId { generation: 1, partition, offset };
    input.iter().map(|raw| (id(raw.partition, raw.offset), raw.time_ms)).collect()
}

/// The ids that the rate allows; a judge that forgets does so at `amnesia`.
fn allowed(times: &BTreeMap<MessageId, i64>, amnesia: Option<MessageId>) -> Vec<MessageId> {
    const EVERY_MS: i64 = 1000;
    const BURST: i64 = 3;
    let (mut now, mut due, mut allowed) = (0, 0, Vec::new());
    for (&id, &time) in times {
        if Some(id) == amnesia {
            due = 0;
        }
        now = now.max(time);
        if due - now <= (BURST - 1) * EVERY_MS {
            due = due.max(now) + EVERY_MS;
            allowed.push(id);
        }
    }
    allowed
}
