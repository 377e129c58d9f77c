//! Goal: rules change while messages flow, and a bad file keeps the last good one. Method: the word file is written over.

use filter::Config;
use proto::v1::Word;

use crate::world::{WordFile, World};

/// Says `text` as somebody new each time, until the verdict on it is `expected`; the file is looked at each second.
fn until_verdict(world: &mut World, text: &str, expected: Word) {
    for n in 0.. {
        let id = world.say("demo", &format!("{text}-{n}"), text);
        if world.answer(id).verdict() == expected {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_word_file_keeps_the_last_good() {
    let file = WordFile::holding(b"fnord\n");
    let mut world = World::new();
    let judge = world.filter(Config { words: Some(file.0.clone()), ..Config::default() }).await;
    until_verdict(&mut world, "a fnord", Word::Blocked);

    file.holds(b"# comment\nblorp\n");
    until_verdict(&mut world, "a blorp", Word::Blocked);
    until_verdict(&mut world, "a fnord", Word::Passed);
    let still = world.say("demo", "version", "a blorp");
    let version = world.answer(still).rules_version;

    file.holds(b"blorp\n\xff\xfe\n");
    // Its successor is taken although this one was not; in between the last good one judges.
    for n in 0..20 {
        let id = world.say("demo", &format!("between-{n}"), "a blorp");
        let output = world.answer(id);
        assert_eq!((output.verdict(), output.rules_version), (Word::Blocked, version));
    }
    file.holds(b"grunk\n");
    until_verdict(&mut world, "a grunk", Word::Blocked);
    until_verdict(&mut world, "a blorp", Word::Passed);
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_words_nothing_is_judged() {
    let world = World::new();
    let judge = world.filter_unready(Config::default());
    let reasons = world.ground.readiness.not_ready();
    assert!(reasons.iter().any(|why| why.condition == "filter rules" && why.reason.contains("--words")), "{reasons:?}");
    judge.leave().await;
}
