//! A ban holds on whatever its subject has open, at the door, and for a token that comes later; until it is lifted.

use std::time::Instant;

use proto::{ban::AddressHash, frame::FromServer};

use crate::{
    client::{Handshake, Viewer},
    world::{PATIENCE, World, config, unix_secs},
};

fn bearing(token: &str) -> Handshake {
    Handshake::new("demo").header("sec-websocket-protocol", &format!("danmaku.v1.json, bearer.{token}"))
}

/// What he was told before he was closed with 4503.
async fn removed(viewer: &mut Viewer) -> String {
    assert_eq!(viewer.until_closed().await, 4503);
    let mut errors = viewer.others.iter().filter_map(|frame| match frame {
        FromServer::Error(error) => Some(error),
        _ => None,
    });
    let error = errors.next_back().expect("an error before the close");
    assert_eq!(error.code, "forbidden");
    error.message.clone()
}

/// Comes until he is let in.
async fn let_in(world: &World, handshake: &Handshake) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut viewer = handshake.open(world).await;
        viewer.until("an answer", |viewer| viewer.closed.is_some() || !viewer.hellos.is_empty()).await;
        if !viewer.hellos.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still {:?}", viewer.closed);
    }
}

#[tokio::test]
async fn a_banned_users_sockets_are_closed_and_his_token_opens_none() {
    let mut world = World::start(config()).await;
    let (troll, other) = (world.token("troll", |_| {}), world.token("other", |_| {}));
    let mut first = bearing(&troll).enter(&world).await;
    let mut second = bearing(&troll).enter(&world).await;
    let mut bystander = bearing(&other).enter(&world).await;
    world.ban("user/troll", 0, 1);
    assert_eq!(removed(&mut first).await, "banned for good");
    removed(&mut second).await;

    let mut again = bearing(&troll).open(&world).await;
    removed(&mut again).await;
    assert!(again.hellos.is_empty());
    let mut nobody = Viewer::enter(&world, "demo").await;
    nobody.send_text(&format!(r#"{{"type":"auth","token":"{troll}"}}"#)).await;
    removed(&mut nobody).await;
    let events = bearing("").header("accept", "text/event-stream").header("authorization", &format!("Bearer {troll}"));
    let (head, ..) = events.header("upgrade", "").send(world.address).await;
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
    assert_eq!(bystander.ping(1).await.at, 1);

    // An older word changes nothing, a newer one does.
    world.ban("user/troll", 1, 0);
    world.ban("user/another", 0, 1);
    world.ban("user/troll", 1, 2);
    let_in(&world, &bearing(&troll)).await;
}

#[tokio::test]
async fn a_device_and_an_address_can_be_banned_for_a_time() {
    let mut world = World::start(config()).await;
    let until = (unix_secs() as i64 + 3600) * 1000;
    let with_device = world.token("ann", |claims| claims.device = Some("d1".into()));
    let mut viewer = bearing(&with_device).enter(&world).await;
    world.ban("device/d1", until, 1);
    assert!(removed(&mut viewer).await.starts_with("banned until "));
    let mut refreshes = bearing(&world.token("ann", |_| {})).enter(&world).await;
    refreshes.send_text(&format!(r#"{{"type":"refresh","token":"{with_device}"}}"#)).await;
    removed(&mut refreshes).await;

    let mut nobody = Viewer::enter(&world, "demo").await;
    let address = AddressHash::of([127, 0, 0, 1].into());
    world.ban(&format!("address/{address}"), until, 1);
    removed(&mut nobody).await;
    removed(&mut Handshake::new("demo").open(&world).await).await;
    // A tombstone, as compaction leaves it.
    world.write_to(proto::Topic::Rules, 0, &format!("ban/address/{address}"), None);
    let_in(&world, &Handshake::new("demo")).await;
}
