//! The live part on PostgreSQL, which two processes share: one reads verdicts, both are asked, and what one does the other hears.
//! Skipped, and said so, where it is not installed.

use chassis::{kafka::Cluster, tokens::Role};
use proto::v1::Word;
use serde_json::json;

use crate::{
    holds::until_held,
    rig::{PREFIX, Rig, broker},
    river::{River, hit},
    server::Postgres,
    stream::Listener,
};

#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_does_the_other_hears_and_takes_over() {
    let Some(server) = tokio::task::block_in_place(Postgres::start) else { return };
    let broker = broker();
    // Embedded it would be a broker of one process; here it stands for one that several share.
    let cluster = Cluster { embedded: false, ..broker.cluster() };
    let river = River::of(&cluster);
    let one = Rig::on(&cluster, PREFIX, &server.url()).await;
    let two = Rig::on(&cluster, PREFIX, &server.url()).await;
    let mut listener = Listener::on(&two, "rooms/demo/stream", Role::Moderator, None).await;
    let id = river.hold("demo", "ann", "blorp?").to_string();
    until_held(&two.as_("mo", Role::Moderator), "demo", &id).await;
    let held = listener.events(2).await;
    assert_eq!((held[1].name.as_str(), &held[1].data["id"]), ("held", &json!(id)));
    two.as_("mo", Role::Moderator).post(&format!("holds/{id}/approve"), json!({})).await.ok();
    let second = one.as_("lu", Role::Moderator).post(&format!("holds/{id}/reject"), json!({})).await;
    assert_eq!(second.is(), (409, "conflict"));
    assert_eq!(river.decisions("demo", 1).len(), 1);

    // The one that reads verdicts and publishes goes away: the other does both, from where it was.
    one.leave().await;
    let (at, input) = river.say("demo", "bob", "blorp");
    river.verdict(at, &input, Word::Blocked, vec![hit("e1")]);
    let later = river.hold("demo", "cleo", "blorp!").to_string();
    let moderator = two.as_("mo", Role::Moderator);
    until_held(&moderator, "demo", &later).await;
    let statistics = moderator.get("statistics").await.ok();
    assert_eq!((&statistics["entries"][0]["hits"], &statistics["entries"][0]["held"]), (&json!(3), &json!(2)));
    moderator.post("rooms/demo/mutes", json!({ "subject": "user/cleo", "seconds": 60 })).await.ok();
    moderator.put("rooms/demo/mode", json!({ "mode": { "slow_ms": 1000 }, "lasts_s": 60 })).await.ok();
    moderator.post("rooms/demo/broadcast", json!({ "state": "started" })).await.ok();
    moderator.put("rooms/demo/holding", json!({ "hold_ms": 1000, "on_timeout": "allow" })).await.ok();
    assert_eq!(moderator.get("rooms/demo/mutes").await.ok()["sanctions"][0]["subject"], "user/cleo");
    assert_eq!(moderator.get("refusals?room=demo&user=bob").await.ok()["refusals"][0]["text"], "blorp");
    two.as_("vi", Role::Viewer).post("/v1/rooms/demo/reports", json!({ "id": later })).await;
    assert_eq!(moderator.get("rooms/demo/reports").await.ok()["messages"][0]["reports"], 1);
    let erased = two.as_("ow", Role::Owner).post("users/cleo/erase", json!({ "keep_sanctions": false })).await.ok();
    assert_eq!((&erased["erased"]["holds"], &erased["erased"]["sanctions_lifted"]), (&json!(1), &json!(1)));
    assert_eq!(two.as_("ow", Role::Owner).get("audit/verify").await.ok()["whole"], true);
    assert!(moderator.get("bans").await.status == 200);
}
