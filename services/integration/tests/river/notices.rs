//! Direct notices: to whatever node a user is on, again until he has it, and each once by its id.

use integration::{Redis, Viewer, World};

use chassis::tokens::Role;

use crate::{LATER, SOON, world};

async fn has(viewer: &Viewer, id: &str) {
    viewer.until(id, SOON, |seen| seen.notices.iter().any(|notice| notice.id == id)).await;
}

/// Waits until a mailbox is empty.
async fn until_empty(redis: &Redis, world: &World, user: &str) {
    let key = format!("{}danmaku:mailbox:{user}", world.prefix);
    integration::until("an empty mailbox", SOON, async || (redis.ask::<u64>(&["XLEN", &key]).await == 0).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notice_comes_again_until_it_is_acknowledged_and_then_never() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("notices").await;
    let url = redis.url();
    let flags = ["--redis", &url];
    let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
    let ann = world.viewer_named(&one, "a", "ann").await;
    let body = r#"{"id":"n1","text":"恭喜","data":{"empty":[],"big":12345678901234567890}}"#;
    assert_eq!(world.notify(&two, "ann", body).await, (202, r#"{"id":"n1"}"#.to_owned()));
    ann.until("the same again, unasked", SOON, |seen| seen.notices.len() >= 2).await;
    let seen = ann.seen();
    assert_eq!((seen.notices[0].text.as_str(), &seen.notices[0]), ("恭喜", &seen.notices[1]));
    let data: serde_json::Value = serde_json::from_str(&seen.notices[0].data).unwrap();
    assert_eq!(data, serde_json::json!({ "empty": [], "big": 12_345_678_901_234_567_890_u64 }));
    ann.ack("n1").await.unwrap();
    until_empty(&redis, &world, "ann").await;

    // The caller did not hear our first answer, and sends it again: nobody is told twice.
    let told = ann.seen().notices.len();
    assert_eq!(world.notify(&one, "ann", body).await.0, 202);
    assert_eq!(world.notify(&one, "ann", r#"{"id":"n2","text":"and this"}"#).await.0, 202);
    has(&ann, "n2").await;
    assert_eq!(ann.seen().notices.iter().filter(|notice| notice.id == "n1").count(), told);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_devices_each_is_told_and_one_or_all_must_answer() {
    let Some(redis) = Redis::start().await else { return };
    for (who, is_enough) in [("one", true), ("all", false)] {
        let world = world(&format!("devices_{who}")).await;
        let url = redis.url();
        let flags = ["--redis", &url, "--places", "2", "--notice-ack", who];
        let (one, two) = tokio::join!(world.fanout(&flags), world.fanout(&flags));
        let phone = world.viewer_named(&one, "a", "ann").await;
        let desk = world.viewer_named(&two, "a", "ann").await;
        assert_eq!(world.notify(&one, "ann", r#"{"id":"n1","text":"hello"}"#).await.0, 202);
        has(&phone, "n1").await;
        has(&desk, "n1").await;
        phone.ack("n1").await.unwrap();
        if !is_enough {
            let key = format!("{}danmaku:acked:n1:ann", world.prefix);
            integration::until("the phone's answer", SOON, async || {
                (redis.ask::<u64>(&["SCARD", &key]).await == 1).then_some(())
            })
            .await;
            let mailbox = format!("{}danmaku:mailbox:ann", world.prefix);
            assert_eq!(redis.ask::<u64>(&["XLEN", &mailbox]).await, 1, "one of two is not enough");
            let (told, phone_told) = (desk.seen().notices.len(), phone.seen().notices.len());
            desk.until("the desk is told again", LATER, |seen| seen.notices.len() > told).await;
            assert_eq!(phone.seen().notices.len(), phone_told, "and the phone is not");
            desk.ack("n1").await.unwrap();
        }
        until_empty(&redis, &world, "ann").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_notice_is_refused() {
    let Some(redis) = Redis::start().await else { return };
    let world = world("notices_refused").await;
    let hall = world.fanout(&["--redis", &redis.url()]).await;
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(3_000));
    for (user, body, status, code) in [
        ("ann", "{", 400, "malformed"),
        ("ann", r#"{"text":"a","id":"no id"}"#, 400, "malformed"),
        ("", r#"{"text":"a"}"#, 400, "malformed"),
        ("%ff", r#"{"text":"a"}"#, 400, "malformed"),
        ("ann", r#"{"text":"  "}"#, 422, "empty"),
        ("ann", &long, 413, "too_long"),
    ] {
        let (found, text) = world.notify(&hall, user, body).await;
        assert_eq!((found, text.contains(code)), (status, true), "{user} {body}: {text}");
    }
    for (token, status) in [("a.b.c".to_owned(), 401), (world.token("bob", &[Role::Sender, Role::Moderator]), 403)] {
        assert_eq!(world.notify_as(&hall, "ann", r#"{"text":"a"}"#, &token).await.0, status);
    }
    assert_eq!(world.get(&hall, "/v1/users/ann/notices").await.0, 405);
}
