//! A blocked word: nobody sees the message, its sender alone is told, and the verdict is on record with its rule.

use integration::{ledger, until};
use proto::v1;

use crate::{SOON, world};

const ROOM: &str = "words";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_word_is_shown_to_nobody_and_told_to_its_sender() {
    let world = world("words").await;
    let (ingest, _filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let viewer = world.viewer(&fanout, ROOM).await;

    let mut ids = Vec::new();
    // In other letters and inside a sentence it is the same word (NFKC, lower case).
    for (user, text) in [("a", "hello"), ("b", "so ＢＬＯＲＦＥＤ!"), ("c", "又是坏词甲吧"), ("d", "goodbye")]
    {
        let sender = world.sender(&ingest, user);
        ids.push(sender.say_as(ROOM, text, &format!("said-by-{user}")).await.accepted());
    }
    viewer.until("the last word", SOON, |seen| seen.messages.len() == 2).await;
    let texts: Vec<_> = viewer.seen().messages.iter().map(|heard| heard.text.clone()).collect();
    assert_eq!(texts, ["hello", "goodbye"]);

    let careful = world.careful().await;
    for (at, user) in [(1, "b"), (2, "c")] {
        let output = &careful.answers[&ids[at]];
        assert_eq!(output.verdict(), v1::Word::Blocked);
        let [item] = &output.items[..] else { panic!("one private item: {output:?}") };
        assert_eq!(item.to_user, user);
        let Some(v1::item::Body::Told(told)) = &item.body else { panic!("a word to its sender: {item:?}") };
        assert_eq!((told.verdict(), told.code.as_str()), (v1::Word::Blocked, "words"));
        assert_eq!((told.id.as_str(), told.client_id.as_str()), (&*ids[at].to_string(), &*format!("said-by-{user}")));
    }

    let verdicts = world.verdicts_when(2, SOON).await;
    let rules: Vec<_> = verdicts.iter().map(|at| (at.record.id.as_str(), at.record.rule.as_str())).collect();
    assert_eq!(rules, [(&*ids[1].to_string(), "word:1"), (&*ids[2].to_string(), "word:2")]);
    assert_eq!(ledger::verdict_words(&verdicts)[&ids[1]], v1::Word::Blocked);
    let said = verdicts[0].record.input.as_ref().expect("a verdict holds what was said");
    assert_eq!(said.user_id(), "b");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_word_is_blocked_without_a_restart_and_a_bad_file_changes_nothing() {
    let world = world("new_words").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    let viewer = world.viewer(&fanout, ROOM).await;

    world.set_words(&["quonked"]);
    // Somebody tries until the filter has looked at the file.
    for turn in 0.. {
        let id = world.sender(&ingest, &format!("u{turn}")).say(ROOM, "quonked").await.accepted();
        world.until_judged(&[id].into(), SOON).await;
        if world.careful().await.answers[&id].verdict() == v1::Word::Blocked {
            break;
        }
        assert!(turn < 50, "a new word is never blocked");
    }
    // An empty list is no list: the last good one stays.
    let reads = filter.metrics().await.sum("danmaku_filter_rules_bad_total");
    world.set_words(&[]);
    until("the empty file was looked at", SOON, async || {
        (filter.metrics().await.sum("danmaku_filter_rules_bad_total") > reads).then_some(())
    })
    .await;
    let blocked = world.sender(&ingest, "last").say(ROOM, "quonked").await.accepted();
    let shown = world.sender(&ingest, "last").say(ROOM, "blorfed").await.accepted();
    viewer.until("what is no word any more", SOON, |seen| seen.ids().last() == Some(&shown)).await;
    assert!(!viewer.seen().ids().contains(&blocked));
}
