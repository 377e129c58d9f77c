//! The order of judgement as tables of who says what when; and that learning remembers as judging does.

mod control;
mod muted;
mod moded;
mod ruled;
mod room;
mod replay;

use proptest::prelude::*;
use proto::{
    MessageId,
    v1::{self, Role, Word, input::Body},
};

use super::*;
use crate::Limits;

const START_MS: i64 = 1_700_000_000_000;

fn book() -> Book {
    versioned(5, b"# invented\nblorp\n")
}

fn versioned(version: u64, words: &[u8]) -> Book {
    let mut book = Book::of_words(words).unwrap();
    book.version = version;
    book
}

/// A judge who is told record after record.
struct World {
    judge: Judge,
    book: Book,
    desk: Desk,
    offset: u64,
    lag_ms: u32,
}

impl World {
    fn new(limits: Limits) -> Self {
        Self { judge: Judge::new(limits), book: book(), desk: Desk::default(), offset: 0, lag_ms: 0 }
    }

    fn hear(&mut self, at_ms: i64, input: v1::Input) -> Judgement {
        let heard = heard_at(self.offset, at_ms, input);
        self.offset += 1;
        self.judge.judge(&mut self.desk, &self.book, heard, self.lag_ms)
    }

    fn told(&mut self, at_ms: i64, input: v1::Input) -> String {
        told(&self.hear(at_ms, input))
    }

    /// Hears a sender's text, and gives the verdict on it.
    fn says(&mut self, at_ms: i64, user: &'static str, text: &str) -> String {
        self.told(at_ms, input(&said(at_ms, user, text)))
    }
}

fn heard_at(offset: u64, at_ms: i64, input: v1::Input) -> Heard {
    Heard::new(MessageId { generation: 1, partition: 3, offset }, START_MS + at_ms, input).unwrap()
}

/// What somebody who runs the room brings.
fn brought(role: Role, body: Body) -> v1::Input {
    let user = Some(v1::User { id: "mod".into(), ..Default::default() });
    v1::Input { generation: 1, room: "demo".into(), user, role: role as i32, body: Some(body), ..Default::default() }
}

#[derive(Debug, Clone)]
struct Said {
    at_ms: i64,
    role: Role,
    room: &'static str,
    user: &'static str,
    client_id: String,
    text: String,
}

fn said(at_ms: i64, user: &'static str, text: &str) -> Said {
    Said { at_ms, role: Role::Sender, room: "demo", user, client_id: String::new(), text: text.to_owned() }
}

fn hear(offset: u64, said: &Said) -> Heard {
    heard_at(offset, said.at_ms, input(said))
}

fn input(said: &Said) -> v1::Input {
    v1::Input {
        generation: 1,
        room: said.room.to_owned(),
        user: Some(v1::User { id: said.user.to_owned(), ..Default::default() }),
        role: said.role as i32,
        client_id: said.client_id.clone(),
        body: Some(Body::Say(v1::Say { text: said.text.clone(), ..Default::default() })),
        ..Default::default()
    }
}

/// Each message's verdict as `word code rule of retry|until`, short; times count from the start.
fn judged(limits: Limits, all: &[Said]) -> Vec<String> {
    let (mut judge, book) = (Judge::new(limits), book());
    (0..)
        .zip(all)
        .map(|(offset, said)| told(&judge.judge(&mut Desk::default(), &book, hear(offset, said), 0)))
        .collect()
}

fn told(judgement: &Judgement) -> String {
    let Some(record) = &judgement.verdict else { return judgement.word.as_word().to_owned() };
    let items = judgement.output.iter().flat_map(|output| &output.items);
    let retry = items.filter_map(|item| match &item.body {
        Some(v1::item::Body::Told(told)) if told.retry_after_ms > 0 => Some(told.retry_after_ms.to_string()),
        Some(v1::item::Body::Told(told)) if told.until > 0 => Some(format!("until {}", told.until - START_MS)),
        _ => None,
    });
    let words = [record.word().as_word(), &record.code, &record.rule, &record.of].map(str::to_owned);
    words.into_iter().chain(retry).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn check(limits: Limits, table: &[(Said, &str)]) {
    let all: Vec<_> = table.iter().map(|(said, _)| said.clone()).collect();
    let expected: Vec<_> = table.iter().map(|(_, expected)| (*expected).to_owned()).collect();
    assert_eq!(judged(limits, &all), expected);
}

#[test]
fn three_at_once_then_one_a_second() {
    check(
        Limits::default(),
        &[
            (said(0, "ann", "one"), "passed"),
            (said(0, "ann", "two"), "passed"),
            (said(0, "ann", "three"), "passed"),
            (said(0, "ann", "four"), "limited rate 1000"),
            (said(400, "ann", "four"), "limited rate 600"),
            // Others, and he himself in another room, are not held to it.
            (said(400, "bob", "four"), "passed"),
            (Said { room: "other", ..said(400, "ann", "four") }, "passed"),
            (said(1_000, "ann", "four"), "passed"),
            (said(1_001, "ann", "five"), "limited rate 999"),
            (said(10_000, "ann", "six"), "passed"),
        ],
    );
}

#[test]
fn a_rate_of_three_a_second_is_three_a_second() {
    let limits = Limits { rate_per_s: 3, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 };
    check(
        limits,
        &[
            (said(0, "ann", "x"), "passed"),
            (said(333, "ann", "x"), "limited rate 1"),
            (said(334, "ann", "x"), "passed"),
            (said(667, "ann", "x"), "limited rate 1"),
            (said(668, "ann", "x"), "passed"),
        ],
    );
}

#[test]
fn zero_is_no_limit() {
    let limits = Limits { rate_per_s: 0, burst: 1, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 };
    let all: Vec<_> = (0..100).map(|_| said(0, "ann", "same")).collect();
    assert!(judged(limits, &all).iter().all(|verdict| verdict == "passed"));
}

#[test]
fn the_same_text_again_is_refused_for_ten_seconds() {
    check(
        Limits::default(),
        &[
            (said(0, "ann", "Wow"), "passed"),
            (said(2_000, "ann", "ＷＯＷ"), "limited duplicate 8000"),
            // What cannot be seen, signs, and letters drawn out make it no other text.
            (said(2_500, "ann", "wow\u{200b}\u{fe0f}\u{e0000}"), "limited duplicate 7500"),
            (said(2_600, "ann", "w o w !"), "limited duplicate 7400"),
            (said(2_700, "ann", "wooooow"), "limited duplicate 7300"),
            (said(3_000, "ann", "wow then"), "passed"),
            (said(3_000, "cid", "10:1"), "passed"),
            (said(3_000, "cid", "10:11"), "passed"),
            (said(3_000, "cid", "10：1"), "limited duplicate 10000"),
            (said(3_000, "dan", "？！"), "passed"),
            (said(3_000, "dan", "！"), "passed"),
            (said(3_000, "dan", "!!!"), "limited duplicate 10000"),
            // A text in between does not help, nor does the refused one start the window anew.
            (said(5_000, "ann", "wow"), "limited duplicate 5000"),
            (said(5_000, "bob", "wow"), "passed"),
            (said(10_000, "ann", "wow"), "passed"),
        ],
    );
}

#[test]
fn a_third_text_that_is_nearly_the_same_is_refused_for_a_minute() {
    check(
        Limits::default(),
        &[
            (said(0, "ann", "come and see my room 1"), "passed"),
            (said(4_000, "ann", "come and see my room 2"), "passed"),
            (said(8_000, "ann", "come and see my room 3!"), "limited duplicate 52000"),
            (said(8_000, "ann", "something else altogether"), "passed"),
            (said(8_000, "bob", "come and see my room 3!"), "passed"),
            (Said { room: "other", ..said(8_000, "ann", "come and see my room 3!") }, "passed"),
            // Short texts are cheers.
            (said(10_000, "ann", "go on 1"), "passed"),
            (said(12_000, "ann", "go on 2"), "passed"),
            (said(14_000, "ann", "go on 3"), "passed"),
            // Those who run the room say what they say.
            (Said { role: Role::Moderator, ..said(15_000, "ann", "come and see my room 3!") }, "passed"),
            // It is one of the limits: who is refused does not pay for it.
            (said(60_000, "ann", "come and see my room 3!"), "passed"),
        ],
    );
}

#[test]
fn a_word_blocks_whatever_its_letters_look_like() {
    check(
        Limits::default(),
        &[
            (said(0, "ann", "hello"), "passed"),
            (said(0, "ann", "what a Ｂlorp"), "blocked words word:2"),
            // Those who run the room are held to what is mandatory only.
            (Said { role: Role::Moderator, ..said(0, "mod", "blorp") }, "passed"),
            // What was blocked counts as said.
            (said(2_000, "ann", "what a blorp"), "limited duplicate 8000"),
        ],
    );
}

#[test]
fn a_retry_is_said_once_and_costs_nothing() {
    let again =
        |at_ms, id: &str| Said { client_id: id.to_owned(), ..said(at_ms, "ann", &format!("text {id} {at_ms}")) };
    check(
        Limits::default(),
        &[
            (again(0, "a"), "passed"),
            (again(1, "a"), "repeated 1-3-0"),
            (again(2, "a"), "repeated 1-3-0"),
            (again(3, "b"), "passed"),
            (again(4, "c"), "passed"),
            // The first verdict stands, a refusal too.
            (again(5, "d"), "limited rate 995"),
            (again(3_000, "d"), "repeated 1-3-5"),
            (Said { user: "bob", ..again(3_000, "a") }, "passed"),
            (Said { room: "other", ..again(3_000, "a") }, "passed"),
            // The window is not renewed by repeats.
            (again(59_999, "a"), "repeated 1-3-0"),
            (again(60_000, "a"), "passed"),
        ],
    );
}

#[test]
fn those_who_run_the_room_are_not_limited() {
    for role in [Role::Moderator, Role::Streamer, Role::Service] {
        let all: Vec<_> = (0..10).map(|_| Said { role, ..said(0, "mod", "same") }).collect();
        assert!(judged(Limits::default(), &all).iter().all(|verdict| verdict == "passed"), "{role:?}");
    }
}

#[test]
fn a_broker_clock_set_back_silences_nobody() {
    check(
        Limits { burst: 1, ..Limits::default() },
        &[
            (said(3_600_000, "ann", "one"), "passed"),
            (said(0, "ann", "two"), "limited rate 1000"),
            (said(1_000, "ann", "three"), "passed"),
        ],
    );
}

const TEXTS: [&str; 9] =
    ["hi", "HI", "so", "blorp", "wow", "！", "see my room now 1", "see my room now 2", "see my room now, blorp"];

fn anything_said() -> impl Strategy<Value = Vec<Said>> {
    let role = prop_oneof![6 => Just(Role::Sender), 1 => Just(Role::Moderator)];
    let one = (0i64..1_500, role, 0usize..2, 0usize..4, 0u8..12, 0u8..9);
    prop::collection::vec(one, 1..150).prop_map(|all| {
        let mut at_ms = 0;
        let say = |(step, role, room, user, client_id, text): (i64, Role, usize, usize, u8, u8)| {
            // Now and then a broker's clock is behind.
            at_ms += if step < 20 { -step } else { step };
            Said {
                at_ms,
                role,
                room: ["demo", "other"][room],
                user: ["ann", "bob", "cid", "dan"][user],
                client_id: if client_id < 6 { client_id.to_string() } else { String::new() },
                text: TEXTS[usize::from(text)].to_owned(),
            }
        };
        all.into_iter().map(say).collect()
    })
}

proptest! {
    /// F8, P16: a judge who learned the first k records answers the rest as one who judged them all, under any book.
    #[test]
    fn p16_learning_remembers_as_judging_does(all in anything_said(), share in 0.0..=1.0f64) {
        let known = (all.len() as f64 * share) as usize;
        let (mut judged, mut learned, book) = (Judge::new(Limits::default()), Judge::new(Limits::default()), book());
        let other_book = versioned(4, b"wow");
        for (offset, said) in (0..).zip(&all) {
            let heard = hear(offset, said);
            if (offset as usize) < known {
                learned.learn(&mut Desk::default(), &book, &heard);
                judged.judge(&mut Desk::default(), &other_book, heard, 0);
            } else {
                prop_assert_eq!(learned.judge(&mut Desk::default(), &book, heard.clone(), 0), judged.judge(&mut Desk::default(), &book, heard, 0));
            }
        }
    }

    /// Nobody is let through faster than his rate and burst, however he times it.
    #[test]
    fn p20_the_rate_holds_over_every_stretch_of_time(steps in prop::collection::vec(0i64..700, 1..200), per_s in 1u32..4, burst in 1u32..5) {
        let limits = Limits { rate_per_s: per_s, burst, duplicate_ms: 0, similar_ms: 0, budget_per_s: 0 };
        let mut at_ms = 0;
        let all: Vec<_> = steps.iter().map(|step| { at_ms += step; said(at_ms, "ann", "x") }).collect();
        let passed: Vec<i64> = judged(limits, &all).iter().zip(&all).filter(|(verdict, _)| *verdict == "passed").map(|(_, said)| said.at_ms).collect();
        for (first, from_ms) in passed.iter().enumerate() {
            for (last, to_ms) in passed.iter().enumerate().skip(first) {
                let most = i64::from(burst) + (to_ms - from_ms) * i64::from(per_s) / 1_000 + 1;
                prop_assert!((last - first + 1) as i64 <= most, "{} in {} ms", last - first + 1, to_ms - from_ms);
            }
        }
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    // Runs are one in what is compared, so digits stand apart.
    let text = |number: u64| number.to_string().chars().map(|digit| format!("{digit}x")).collect::<String>();
    let mut judge = Judge::new(Limits { rate_per_s: 0, similar_ms: 0, budget_per_s: 0, ..Limits::default() });
    let book = book();
    let words =
        |judge: &mut Judge, offset, said: &Said| judge.judge(&mut Desk::default(), &book, hear(offset, said), 0).word;
    let first = Said { client_id: "first".to_owned(), ..said(0, "ann", "first") };
    assert_eq!(words(&mut judge, 0, &first), Word::Passed);
    for offset in 1..=crate::recent::ENTRIES_MAX as u64 {
        let said = Said { client_id: offset.to_string(), ..said(0, "bob", &text(offset)) };
        judge.learn(&mut Desk::default(), &book, &hear(offset, &said));
    }
    // One entry of each memory was forgotten early, the oldest: it was ann's.
    assert_eq!(judge.forgotten(), 2);
    assert_eq!(words(&mut judge, 1 << 20, &first), Word::Passed);
}

#[test]
fn an_announcement_is_shown_once_a_partition_for_a_minute() {
    let (mut judge, book) = (Judge::new(Limits::default()), book());
    let mut announced = |offset: u64, at_ms: i64, client_id: &str| {
        let word = v1::Announcement { id: format!("a-{client_id}"), text: "soon".into(), ..Default::default() };
        let input = v1::Input {
            generation: 1,
            role: Role::Service as i32,
            client_id: client_id.into(),
            body: Some(Body::Announcement(word)),
            ..Default::default()
        };
        let id = MessageId { generation: 1, partition: 3, offset };
        told(&judge.judge(&mut Desk::default(), &book, Heard::new(id, START_MS + at_ms, input).unwrap(), 0))
    };
    assert_eq!(announced(0, 0, "m1"), "passed");
    assert_eq!(announced(1, 59_999, "m1"), "repeated 1-3-0");
    assert_eq!(announced(2, 59_999, "m2"), "passed");
    assert_eq!(announced(3, 60_000, "m1"), "passed");
}
