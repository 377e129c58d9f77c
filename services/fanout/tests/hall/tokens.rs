//! Who a viewer is, and what happens when he is not.

use std::time::Duration;

use fanout::Config;
use proto::frame::FromServer;

use crate::{
    client::{Handshake, Viewer},
    world::{World, config, unix_secs},
};

fn bearing(token: &str) -> Handshake {
    Handshake::new("demo").header("sec-websocket-protocol", &format!("danmaku.v1.json, bearer.{token}"))
}

fn auth(token: &str) -> String {
    format!(r#"{{"type":"auth","token":"{token}"}}"#)
}

#[tokio::test]
async fn hello_knows_who_brought_a_token() {
    let world = World::start(config()).await;
    let token = world.token("u7", |claims| {
        claims.name = "小明".into();
        claims.level = 3;
        claims.badges = (0..12).map(|n| n.to_string()).collect();
    });
    let by_header = Handshake::new("demo").header("authorization", &format!("Bearer {token}"));
    for handshake in [bearing(&token), by_header] {
        let viewer = handshake.enter(&world).await;
        let hello = &viewer.hellos[0];
        let user = hello.user.as_ref().unwrap();
        assert_eq!((&*user.id, &*user.name, user.level, user.badges.len()), ("u7", "小明", 3, 8));
        assert!(hello.expires > unix_secs() as i64 * 1000);
        assert!(!hello.can_send, "this node knows no door");
    }
}

#[tokio::test]
async fn a_bad_token_is_told_on_the_socket() {
    let world = World::start(config()).await;
    let expired = world.token_for("u7", Duration::ZERO, |_| {});
    let elsewhere = world.token("u7", |claims| claims.rooms = Some(vec!["other".into()]));
    let nobody = world.token("u\n7", |_| {});
    for (token, code, word) in [
        ("a.b.c", 4501, "unauthorized"),
        (&*expired, 4501, "unauthorized"),
        (&*nobody, 4501, "unauthorized"),
        (&*elsewhere, 4504, "forbidden"),
    ] {
        let mut viewer = bearing(token).open(&world).await;
        assert_eq!(viewer.until_closed().await, code);
        assert!(viewer.hellos.is_empty());
        let FromServer::Error(error) = &viewer.others[0] else { panic!("{:?}", viewer.others) };
        assert_eq!(error.code, word);
    }
}

#[tokio::test]
async fn where_a_token_is_needed_it_may_come_in_the_first_frame() {
    let mut world = World::start(Config { anonymous: false, ..config() }).await;
    world.say("demo", "before");
    let mut viewer = Handshake::new("demo").open(&world).await;
    // Anything else is not heard before.
    viewer.send_text(r#"{"type":"send","client_id":"a1","text":"hi"}"#).await;
    viewer.until("error", |viewer| !viewer.others.is_empty()).await;
    assert!(viewer.hellos.is_empty() && viewer.all.is_empty());
    let token = world.token("u7", |_| {});
    viewer.send_text(&auth(&token)).await;
    viewer.until("hello", |viewer| !viewer.hellos.is_empty()).await;
    assert_eq!(viewer.hellos[0].user.as_ref().unwrap().id, "u7");
    viewer.until_all(1).await;
    assert_eq!(viewer.all, ["before"]);
}

#[tokio::test]
async fn who_brings_none_where_one_is_needed_is_closed() {
    let world = World::start(Config { anonymous: false, ..config() }).await;
    let mut viewer = Handshake::new("demo").open(&world).await;
    assert_eq!(viewer.until_closed().await, 4501);
    assert!(viewer.hellos.is_empty());
    let mut viewer = Handshake::new("demo").open(&world).await;
    viewer.send_text(&auth("a.b.c")).await;
    assert_eq!(viewer.until_closed().await, 4501);
}

#[tokio::test]
async fn who_watches_as_nobody_may_become_somebody() {
    let world = World::start(config()).await;
    let mut viewer = Viewer::enter(&world, "demo").await;
    assert_eq!(viewer.hellos[0].user, None);
    let token = world.token("u7", |_| {});
    viewer.send_text(&auth(&token)).await;
    viewer.until("second hello", |viewer| viewer.hellos.len() == 2).await;
    assert_eq!(viewer.hellos[1].user.as_ref().unwrap().id, "u7");
    assert_eq!(viewer.hellos[1].recovered, None);
}

#[tokio::test]
async fn a_socket_does_not_outlive_its_token_unless_it_is_refreshed() {
    let world = World::start(config()).await;
    let short = world.token_for("u7", Duration::from_secs(2), |_| {});
    let mut forgets = bearing(&short).enter(&world).await;
    let mut refreshes = bearing(&short).enter(&world).await;
    let others = world.token("u8", |_| {});
    refreshes.send_text(&format!(r#"{{"type":"refresh","token":"{others}"}}"#)).await;
    refreshes.until("error", |viewer| !viewer.others.is_empty()).await;
    let elsewhere = world.token("u7", |claims| claims.rooms = Some(vec!["other".into()]));
    refreshes.send_text(&format!(r#"{{"type":"refresh","token":"{elsewhere}"}}"#)).await;
    refreshes.until("second error", |viewer| viewer.others.len() == 2).await;
    let fresh = world.token("u7", |_| {});
    refreshes.send_text(&format!(r#"{{"type":"refresh","token":"{fresh}"}}"#)).await;
    refreshes.until("second hello", |viewer| viewer.hellos.len() == 2).await;
    assert!(refreshes.hellos[1].expires > refreshes.hellos[0].expires);
    assert_eq!(forgets.until_closed().await, 4005);
    assert_eq!(refreshes.ping(1).await.at, 1);
}

#[tokio::test]
async fn who_has_no_token_refreshes_none_and_many_at_once_are_too_many() {
    let world = World::start(config()).await;
    let good = world.token("u7", |_| {});
    let refresh = format!(r#"{{"type":"refresh","token":"{good}"}}"#);
    let mut nobody = Viewer::enter(&world, "demo").await;
    nobody.send_text(&refresh).await;
    nobody.until("error", |viewer| !viewer.others.is_empty()).await;
    let FromServer::Error(error) = &nobody.others[0] else { panic!("{:?}", nobody.others) };
    assert_eq!((&*error.code, nobody.hellos.len()), ("unauthorized", 1));
    let mut hasty = bearing(&good).enter(&world).await;
    for _ in 0..100 {
        hasty.send_text(&refresh).await;
    }
    assert_eq!(hasty.until_closed().await, 4506);
}
