//! Trying a phrase or a file, before it acts and after.

use chassis::tokens::Role;
use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn a_phrase_is_tried_against_versions_and_drafts() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": [{ "text": "badword", "severity": 4 }] })).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"], "remove": ["badword"] })).await.ok();
    ann.put("lists/idea", json!({ "mode": "draft" })).await.ok();
    ann.post("lists/idea/entries", json!({ "add": [{ "text": "gruntle", "action": "hold" }] })).await.ok();

    let bob = rig.as_("bob", Role::Moderator);
    let tried = bob.post("dry-run", json!({ "text": "ｂ.a.d🙂w0rd", "version": 2 })).await.ok();
    let tried = &tried["tried"][0];
    assert_eq!((&tried["action"], &tried["hits"][0]["text"]), (&json!("block"), &json!("badword")));
    assert_eq!(tried["trace"]["folding"]["clusters"][0]["symbols"], "b");
    assert_eq!(tried["trace"]["candidates"][0]["reading"], "leet");
    assert_eq!(bob.post("dry-run", json!({ "text": "badword" })).await.ok()["tried"][0]["action"], "pass");
    let draft = |drafts: &[&str]| bob.post("dry-run", json!({ "text": "gruntle", "drafts": drafts, "room": "demo" }));
    assert_eq!(draft(&[]).await.ok()["tried"][0]["action"], "pass");
    assert_eq!(draft(&["idea"]).await.ok()["tried"][0]["action"], "hold");
    assert_eq!(draft(&["absent"]).await.is(), (404, "not_found"));
    assert_eq!(bob.post("dry-run", json!({ "text": "x", "texts": ["y"] })).await.is(), (422, "invalid"));
}

#[tokio::test]
async fn a_file_is_tried_line_by_line() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    let outcome = ann.file("dry-run", "text/plain", "hello\nsuch a blorp\nwell\nBLORP\n").await.ok();
    assert_eq!((&outcome["texts"], &outcome["found"]), (&json!(4), &json!(2)));
    let lines: Vec<_> = outcome["tried"].as_array().unwrap().iter().map(|tried| tried["line"].clone()).collect();
    assert_eq!(lines, [2, 4]);
    assert_eq!(ann.file("dry-run?version=99", "text/plain", "x").await.is(), (404, "not_found"));
    assert_eq!(ann.file("dry-run", "text/plain", "").await.is(), (422, "invalid"));
}
