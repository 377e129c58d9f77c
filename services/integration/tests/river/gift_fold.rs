//! Gifts that come too fast for an eye become fewer messages with the same sums; a trickle stays as it is.
//!
//! How fast they come is not left to the machine: the hall is stopped while they are given, and then has them all at once.

use std::collections::BTreeMap;

use integration::viewer::{Heard, Seen};
use proto::v1::Kind;
use serde_json::Value;

use crate::{LATER, SOON, together, world};

const ROOM: &str = "gifts";
const GIFTS: usize = 300;

/// Count, value and number of gifts, for each giver and gift.
type Sums = BTreeMap<(String, String), (u64, u64, u64)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gift_fold_sums_are_exact_and_a_trickle_does_not_fold() {
    let world = world("gift_fold").await;
    let (ingest, _filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    let mut fanout = world.fanout(&[]).await;
    let (viewer, platform) = (world.viewer(&fanout, ROOM).await, world.service(&ingest));
    let before = viewer.seen().cursor;

    // Two at a time, as alike as can be, and in all not more than a second may bring.
    let give = |user: String, gift: String, count, value| {
        let platform = platform.clone();
        async move { platform.gift(ROOM, &user, &gift, count, value).await.accepted() }
    };
    for pair in 1..=20 {
        together(2, (0..2).map(|_| give("slow".into(), "rose".into(), 1, 10))).await;
        viewer.until("both", SOON, |seen| seen.all.len() == 2 * pair).await;
    }
    assert!(viewer.seen().all.iter().all(|gift| folded(gift).is_none()), "a trickle");

    fanout.pause();
    let mut given = Sums::new();
    given.insert(("slow".into(), "rose".into()), (40, 400, 40));
    let many = (0..GIFTS as u64).map(|number| {
        let (user, gift) = (format!("u{}", number % 5), ["rose", "rocket"][number as usize % 2].to_owned());
        add(&mut given, &user, &gift, (number, 100 * number, 1));
        give(user, gift, number, 100 * number)
    });
    let ids = together(20, many.collect::<Vec<_>>()).await;
    world.until_judged(&ids.into_iter().collect(), LATER).await;
    fanout.go_on();

    let total = GIFTS as u64 + 40;
    viewer.until("all gifts", LATER, |seen| seen.closed.is_some() || gifts(seen) >= total).await;
    let seen = viewer.seen();
    assert_eq!(sums(&seen), given);
    assert!(seen.all.len() < GIFTS, "{} messages are not fewer than {GIFTS} gifts", seen.all.len());
    assert!(seen.all.iter().any(|gift| folded(gift).is_some_and(|number| number > 1)));
    assert_eq!(seen.gaps.len(), 0);

    // Who was away has the same sums, however they are told.
    let back = world.viewer_since(&fanout, ROOM, &before).await;
    back.until("all gifts again", LATER, |seen| gifts(seen) >= total).await;
    assert_eq!(sums(&back.seen()), given);
}

fn sums(seen: &Seen) -> Sums {
    let mut sums = Sums::new();
    for heard in seen.all.iter().filter(|heard| heard.kind == Kind::Gift) {
        let data: Value = serde_json::from_str(&heard.data).expect("a gift's data is JSON");
        let number = |name: &str| data[name].as_u64().expect("a whole number");
        let gift = data["gift"].as_str().expect("a gift's name");
        add(&mut sums, &heard.user, gift, (number("count"), number("value"), folded(heard).unwrap_or(1)));
    }
    sums
}

fn add(sums: &mut Sums, user: &str, gift: &str, (count, value, folded): (u64, u64, u64)) {
    let sum = sums.entry((user.to_owned(), gift.to_owned())).or_default();
    *sum = (sum.0 + count, sum.1 + value, sum.2 + folded);
}

/// How many gifts a message stands for, if it says so.
fn folded(heard: &Heard) -> Option<u64> {
    serde_json::from_str::<Value>(&heard.data).ok()?["folded"].as_u64()
}

/// How many gifts were heard of.
fn gifts(seen: &Seen) -> u64 {
    seen.all.iter().map(|heard| folded(heard).unwrap_or(1)).sum()
}
