//! What is alike and what is not, who is asked and who is not, and that nothing grows.

use ahash::RandomState;
use proptest::prelude::*;

use super::*;
use crate::Desk;

const WINDOW_MS: u32 = 60_000;

fn sketch(text: &str) -> Option<Sketch> {
    let mut desk = Desk::default();
    desk.lay(text);
    Sketch::of(desk.key())
}

fn is_like(one: &str, other: &str) -> Option<bool> {
    Some(sketch(one)?.is_like(sketch(other)?))
}

#[test]
fn texts_are_alike_in_two_thirds_of_their_pairs() {
    for (one, other) in [
        ("come and see my new room 17", "come and see my new room 4"),
        ("come and see my new room", "please come and see my new room"),
        ("come and see Ann's room", "come and see Bob's room"),
        ("C o m e and see my room!", "come\u{200b} and seeee my roooom"),
        ("加群领取今天的福利一二三", "加群领取今天的福利四五六"),
        ("新房间七号今晚八点开播", "新房间九号今晚八点开播啦"),
    ] {
        assert_eq!((is_like(one, other), is_like(other, one)), (Some(true), Some(true)), "{one} {other}");
    }
    for (one, other) in [
        ("come and see my new room", "has anybody heard of a fnord"),
        ("加群领取今天的福利", "今天的福利怎么还没有发"),
        ("这个地方我上次也没过去", "这个地方的音乐真的太好听了"),
        ("abcdefgh", "abcdWXYZ"),
    ] {
        assert_eq!((is_like(one, other), is_like(other, one)), (Some(false), Some(false)), "{one} {other}");
    }
}

#[test]
fn a_short_text_is_like_none() {
    for (text, is_long) in [
        ("", false),
        ("草", false),
        ("1234567", false),
        ("12345678", true),
        ("哈哈哈哈哈哈哈哈哈哈哈哈", false),
        ("a b c d e f g", false),
        ("一二三四五六七", false),
        ("一二三四五六七八", true),
        ("！！？？。。，，！！", false),
    ] {
        assert_eq!(sketch(text).is_some(), is_long, "{text}");
    }
}

/// Who says what when, and how long he is told to wait.
fn check(lines: &[(i64, u64, &str, Option<u32>)]) {
    let mut similars = Similars::new(WINDOW_MS);
    for (at_ms, user, text, expected) in lines {
        let (who, sketch) = (Who { room: 1, user: *user }, sketch(text).unwrap());
        let wait_ms = similars.check(who, sketch, *at_ms);
        assert_eq!(wait_ms, *expected, "{text} at {at_ms}");
        if wait_ms.is_none() {
            similars.remember(who, sketch, *at_ms);
        }
    }
}

#[test]
fn the_third_within_a_minute_waits_until_the_first_is_a_minute_old() {
    check(&[
        (0, 1, "come and see my room 1", None),
        (20_000, 1, "come and see my room 2", None),
        (30_000, 1, "come and see my room 3", Some(30_000)),
        // Others, and other texts of his, are not held to it.
        (30_000, 2, "come and see my room 3", None),
        (31_000, 1, "has anybody heard of a fnord", None),
        (59_999, 1, "come and see my room 3", Some(1)),
        // What was refused did not count.
        (60_000, 1, "come and see my room 3", None),
        (79_999, 1, "come and see my room 4", Some(1)),
        (80_000, 1, "come and see my room 4", None),
        (200_000, 1, "come and see my room 5", None),
        (200_000, 1, "come and see my room 6", None),
    ]);
}

#[test]
fn four_are_remembered() {
    let other = ["has anybody heard of a fnord", "一二三四五六七八九", "the quick brown grunk jumps"];
    check(&[
        (0, 1, "come and see my room 1", None),
        (1, 1, other[0], None),
        (2, 1, other[1], None),
        (3, 1, "come and see my room 2", None),
        (4, 1, "come and see my room 3", Some(59_996)),
        (5, 1, other[2], None),
        (6, 1, "come and see my room 3", None),
        (7, 1, "come and see my room 4", Some(59_996)),
    ]);
}

#[test]
fn what_is_remembered_is_bounded() {
    let (mut similars, said) = (Similars::new(WINDOW_MS), sketch("come and see my room").unwrap());
    let who = |user: usize| Who { room: 1, user: user as u64 };
    for at_ms in 0..2 {
        (0..ENTRIES_MAX).for_each(|user| similars.remember(who(user), said, at_ms));
    }
    let mut waits = |user| similars.check(who(user), said, 2).is_some();
    assert!(waits(0) && waits(1) && waits(ENTRIES_MAX - 1));
    // One more, and whoever spoke first is forgiven early; it is counted.
    let before = similars.forgotten();
    similars.remember(who(ENTRIES_MAX), said, 2);
    assert_eq!(similars.forgotten(), before + 1);
    let mut waits = |user| similars.check(who(user), said, 2).is_some();
    assert!(!waits(0) && waits(1));
}

#[test]
fn without_a_window_nothing_is_alike() {
    assert_eq!(Similars::new(0).sketch("come and see my room"), None);
    assert!(Similars::new(1).sketch("come and see my room").is_some());
}

proptest! {
    /// What is the same is alike, whichever way it is asked; and what was drawn by lot from 3,500 characters is not, of any length.
    #[test]
    fn only_what_has_something_in_common_is_alike(one in "[一-嶬]{8,100}", other in "[一-嶬]{8,100}") {
        prop_assert_eq!(is_like(&one, &one), sketch(&one).map(|_| true));
        prop_assert_eq!(is_like(&one, &other), is_like(&other, &one));
        prop_assert_ne!(is_like(&one, &other), Some(true));
    }

    /// Of two users in one room neither is asked what the other said.
    #[test]
    fn users_are_asked_about_themselves(users in prop::collection::vec(0u64..3, 1..40)) {
        let (mut together, mut alone) = (Similars::new(WINDOW_MS), std::array::from_fn::<_, 3, _>(|_| Similars::new(WINDOW_MS)));
        let said = sketch("come and see my room").unwrap();
        for (user, at_ms) in users.into_iter().zip((0..).step_by(7_000)) {
            let who = Who::named(&RandomState::with_seeds(1, 2, 3, 4), "demo", &user.to_string());
            let own = &mut alone[user as usize];
            let (wait_ms, own_ms) = (together.check(who, said, at_ms), own.check(who, said, at_ms));
            prop_assert_eq!(wait_ms, own_ms);
            if wait_ms.is_none() {
                together.remember(who, said, at_ms);
                own.remember(who, said, at_ms);
            }
        }
    }
}
