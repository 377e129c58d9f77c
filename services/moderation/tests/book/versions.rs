//! Versions: what was when, what differs, going back, and two who edit at once.

use chassis::tokens::Role;
use hyper::Method;
use proto::rules::Scope;
use serde_json::json;

use crate::rig::{Rig, texts};

async fn three(rig: &Rig) {
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"], "reason": "seen" })).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["gruntle"], "remove": ["blorp"] })).await.ok();
}

#[tokio::test]
async fn a_rollback_is_a_new_version_with_old_content() {
    let rig = Rig::start().await;
    three(&rig).await;
    let ann = rig.admin();
    let back = ann.post("rollback", json!({ "to": 2, "reason": "oops" })).await.ok();
    assert_eq!((&back["number"], &back["added"], &back["removed"]), (&json!(4), &json!(1), &json!(1)));
    let (_, entries) = rig.in_force(&Scope::Global, 4).await;
    assert_eq!(texts(&entries), ["blorp"]);

    let versions = ann.get("versions").await.ok();
    let numbers: Vec<_> =
        versions["versions"].as_array().unwrap().iter().map(|stamp| stamp["number"].clone()).collect();
    assert_eq!(numbers, [4, 3, 2, 1]);
    assert_eq!(versions["versions"][2]["reason"], "seen");
    let page = ann.get("versions?before=3&limit=1").await.ok();
    assert_eq!(page["versions"][0]["number"], 2);

    let diff = ann.get("diff?from=2&to=3").await.ok();
    assert_eq!((&diff["added"][0]["text"], &diff["removed"][0]["text"]), (&json!("gruntle"), &json!("blorp")));
    assert_eq!(ann.get("diff?from=2").await.ok()["tally"], json!({ "added": 0, "removed": 0, "changed": 0 }));
    assert_eq!(ann.get("diff?from=0&to=1").await.ok()["lists"], json!(["house: none → enforce"]));
}

#[tokio::test]
async fn a_version_that_does_not_exist_is_none() {
    let rig = Rig::start().await;
    three(&rig).await;
    let ann = rig.admin();
    assert_eq!(ann.post("rollback", json!({ "to": 99 })).await.is(), (404, "not_found"));
    assert_eq!(ann.get("diff?from=1&to=99").await.is(), (404, "not_found"));
    assert_eq!(ann.get("lists/house/export?version=99").await.is(), (404, "not_found"));
    // A room's book does not go back to another's.
    assert_eq!(ann.post("rollback?room=demo", json!({ "to": 2 })).await.is(), (404, "not_found"));
    assert_eq!(ann.get("lists/house/export?version=2").await.text, "blorp\n");
}

#[tokio::test]
async fn of_two_editors_the_second_hears_of_the_first() {
    let rig = Rig::start().await;
    three(&rig).await;
    let (ann, bob) = (rig.admin(), rig.as_("bob", Role::Admin));
    ann.post("lists/house/entries", json!({ "add": ["fnord"], "base_version": 3 })).await.ok();
    let late = bob.post("lists/house/entries", json!({ "add": ["xyzzy"], "base_version": 3 })).await;
    assert_eq!((late.is(), &late.body["newest"]["number"]), ((409, "stale_version"), &json!(4)));
    assert_eq!(late.body["newest"]["author"], "ann");
    let body = || json!({ "mode": "observe" }).to_string().into();
    let put = |number| bob.ask(Method::PUT, "lists/house", Some("application/json"), number, body());
    assert_eq!(put(&[("if-match", "\"3\"")]).await.is(), (409, "stale_version"));
    assert_eq!(put(&[("if-match", "three")]).await.is(), (400, "malformed"));
    assert_eq!(put(&[("if-match", "\"4\"")]).await.status, 200);
    for late in [
        bob.delete("lists/house?base_version=3").await,
        bob.post("rollback", json!({ "to": 1, "base_version": 3 })).await,
        bob.put("policy?base_version=3", json!(null)).await,
        bob.file("lists/house/import?base_version=3", "text/plain", "plugh").await,
    ] {
        assert_eq!(late.is(), (409, "stale_version"));
    }
    let told = ann.get("lists/house/entries").await.ok();
    assert_eq!(told["total"], 2, "nothing of the late edits is there");
}

#[tokio::test]
async fn who_did_not_look_edits_what_is_newest() {
    let rig = Rig::start().await;
    three(&rig).await;
    let ann = rig.admin();
    let adds = (0..8).map(|number| json!({ "add": [format!("blorp{number}")] }));
    let edits = adds.map(|add| ann.post("lists/house/entries", add));
    let mut numbers = Vec::new();
    for edited in futures(edits).await {
        numbers.push(edited.ok()["version"]["number"].as_i64().unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (4..12).collect::<Vec<_>>());
    assert_eq!(rig.in_force(&Scope::Global, 11).await.1.len(), 9);
}

/// All of them at once.
async fn futures<F: Future>(all: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|cx| {
        for (one, done) in all.iter_mut().filter(|(_, done)| done.is_none()) {
            if let std::task::Poll::Ready(output) = one.as_mut().poll(cx) {
                *done = Some(output);
            }
        }
        if all.iter().all(|(_, done)| done.is_some()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    all.into_iter().filter_map(|(_, done)| done).collect()
}

#[tokio::test]
async fn an_expired_entry_that_comes_back_stays_expired() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let add = json!({ "add": [{ "text": "blorp", "expires_ms": 1_000 }, { "text": "gruntle", "broadcast": true }] });
    ann.post("lists/house/entries", add).await.ok();
    let ended = ann.post("end-broadcast", json!(null)).await.ok();
    assert_eq!((&ended["number"], &ended["changed"]), (&json!(3), &json!(1)));
    ann.post("lists/house/entries", json!({ "add": ["fnord"], "remove": ["blorp", "gruntle"] })).await.ok();
    ann.post("rollback", json!({ "to": 3 })).await.ok();
    let (_, entries) = rig.in_force(&Scope::Global, 5).await;
    assert_eq!((texts(&entries), entries[0].expires_ms), (vec!["blorp", "gruntle"], 1_000));
    assert!(entries[1].expires_ms > 1_000, "the broadcast it was for is over");
    // And nothing is left to end.
    assert_eq!(ann.post("end-broadcast", json!(null)).await.ok()["number"], 5);
}

#[tokio::test]
async fn to_go_back_behind_the_end_of_a_broadcast_does_not_begin_it_again() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let add = json!({ "add": [{ "text": "blorp", "broadcast": true }, { "text": "gruntle" }] });
    ann.post("lists/house/entries", add).await.ok();
    ann.post("end-broadcast", json!(null)).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["fnord"], "remove": ["gruntle"] })).await.ok();
    let back = ann.post("rollback", json!({ "to": 2 })).await.ok();
    assert_eq!((&back["added"], &back["removed"], &back["changed"]), (&json!(1), &json!(1), &json!(0)));
    let (_, entries) = rig.in_force(&Scope::Global, 5).await;
    assert_eq!(texts(&entries), ["blorp", "gruntle"]);
    assert!(entries[0].expires_ms > 0, "the broadcast it was for is over");
}
