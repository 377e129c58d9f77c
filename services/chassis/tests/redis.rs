//! A Redis that is not there, over real sockets: nobody waits for it, and what is told of it.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

use std::time::Duration;

use chassis::admin::Readiness;
use chassis::redis::{Redis, address};
use tokio::net::TcpListener;
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(30);

/// A server that takes connections and says nothing.
async fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    (listener, url)
}

async fn until_noted(readiness: &Readiness, word: &str) {
    let noted = async {
        while !readiness.notes()[0].state.contains(word) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(SOON, noted).await.unwrap_or_else(|_| panic!("{word} not in {:?}", readiness.notes()));
}

#[tokio::test]
async fn nobody_waits_for_one_that_is_away_and_it_is_asked_again_and_again() {
    let (listener, url) = silent().await;
    let readiness = Readiness::new();
    let redis = Redis::open(&address(&url).unwrap(), &readiness);
    assert!(redis.link().is_none(), "at once");
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(timeout(SOON, listener.accept()).await.expect("another attempt").unwrap());
    }
    until_noted(&readiness, "away").await;
    assert!(redis.link().is_none() && readiness.is_ready(), "away, and no reason against anything");
}

#[tokio::test]
async fn nobody_connects_any_more_once_it_is_dropped() {
    let (listener, url) = silent().await;
    let redis = Redis::open(&address(&url).unwrap(), &Readiness::new());
    let (mut connection, _) = timeout(SOON, listener.accept()).await.expect("an attempt").unwrap();
    drop(redis);
    let mut rest = Vec::new();
    let ended = tokio::io::AsyncReadExt::read_to_end(&mut connection, &mut rest);
    timeout(SOON, ended).await.expect("the attempt is given up").unwrap();
}
