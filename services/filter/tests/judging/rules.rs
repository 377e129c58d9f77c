//! Goal: rules change while messages flow, and bad ones keep the last good. Method: versions are written to the topic as a
//! publisher writes them, and a word file is written over.

use filter::Config;
use proto::v1::Word;

use crate::world::{WordFile, World};

/// Says `text` as somebody new each time, until the verdict on it is `expected`; the file is looked at each second.
fn until_verdict(world: &mut World, text: &str, expected: Word) {
    until_verdict_in(world, "demo", text, expected);
}

fn until_verdict_in(world: &mut World, room: &str, text: &str, expected: Word) {
    for n in 0.. {
        let id = world.say(room, &format!("{n} {expected:?}"), text);
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
async fn without_rules_nothing_is_judged() {
    let mut world = World::new();
    let judge = world.filter_unready(Config::default());
    world.until_not_ready("filter rules", "--words");
    // A version without entries is none.
    world.publish(1, "global", &[]);
    world.until_not_ready("filter rules", "has no entries");
    world.publish(2, "global", &["blorp"]);
    let id = world.say("demo", "ann", "a blorp");
    let output = world.answer(id);
    assert_eq!((output.verdict(), output.rules_version), (Word::Blocked, 2));
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_acts_and_a_bad_one_keeps_the_last_good() {
    let mut world = World::new();
    world.publish(1, "global", &["fnord"]);
    let judge = world.filter(Config::default()).await;
    until_verdict(&mut world, "a fnord", Word::Blocked);
    world.publish(2, "global", &["blorp"]);
    world.publish(3, "room/demo", &["grunk"]);
    until_verdict(&mut world, "a grunk", Word::Blocked);
    for (room, text, expected) in [
        ("demo", "a blorp", Word::Blocked),
        ("demo", "a fnord", Word::Passed),
        ("other", "a grunk", Word::Passed),
        ("other", "a blorp", Word::Blocked),
    ] {
        let id = world.say(room, "ann", text);
        let output = world.answer(id);
        assert_eq!((output.verdict(), output.rules_version), (expected, 3), "{text} in {room}");
    }
    world.publish(4, "global", &[]);
    world.publish(5, "global", &["!!!"]);
    // An older database's.
    world.publish(1, "global", &["quux"]);
    world.publish(6, "room/other", &["flarn"]);
    until_verdict_in(&mut world, "other", "a flarn", Word::Blocked);
    for (text, expected) in [("a blorp", Word::Blocked), ("a quux", Word::Passed)] {
        let id = world.say("third", "bob", text);
        assert_eq!(world.answer(id).verdict(), expected, "{text}");
    }
    judge.leave().await;
}

/// F9 and the whole before ready: whoever starts while versions are being published judges by the newest from his first message.
#[tokio::test(flavor = "multi_thread")]
async fn a_filter_that_starts_during_edits_judges_by_the_newest() {
    let mut world = World::new();
    for number in 1..=30 {
        world.publish(number, "global", &["blorp", &format!("word{number}")]);
    }
    let judge = world.filter_unready(Config::default());
    for number in 31..=60 {
        world.publish(number, "global", &["blorp", &format!("word{number}")]);
    }
    let first = world.say("demo", "ann", "hello");
    let version = world.answer(first).rules_version;
    assert!(version >= 30, "what stood there before it started: {version}");
    until_verdict(&mut world, "a word60", Word::Blocked);
    judge.leave().await;

    // The next one knows the tail, and all of the topic.
    let world_after = world.beside();
    let judge = filter::Judge::start(&world_after, Config::default()).unwrap();
    let id = world.say("demo", "bob", "word60 again");
    let output = world.answer(id);
    assert_eq!((output.verdict(), output.rules_version), (Word::Blocked, 60));
    judge.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_words_end_with_the_first_list_of_the_topic() {
    let mut world = World::new();
    let judge = world.filter(crate::world::config()).await;
    until_verdict(&mut world, "a blorp", Word::Blocked);
    world.publish(1, "global", &["fnord"]);
    until_verdict(&mut world, "a fnord", Word::Blocked);
    until_verdict(&mut world, "a blorp", Word::Passed);
    judge.leave().await;
}
