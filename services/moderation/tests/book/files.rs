//! Lists as files over the wire: the report, insisting, replacing, and what comes out again.

use std::io::Write as _;

use proto::rules::Scope;
use serde_json::json;

use crate::rig::{Rig, texts};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_doubtful_file_wants_insisting() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let file = "blorp\nＢＬＯＲＰ\n坏\n很坏\n";
    let doubtful = ann.file("lists/house/import", "text/plain", file).await;
    assert_eq!(doubtful.is(), (422, "needs_force"));
    let report = &doubtful.body["report"];
    assert_eq!((&report["duplicates"]["count"], &report["duplicates"]["first"][0]["line"]), (&json!(1), &json!(2)));
    assert_eq!(
        (&report["one_character"]["first"][0]["line"], &report["contained"]["first"][0]["line"]),
        (&json!(3), &json!(4))
    );
    let tried = ann.file("lists/house/import?dry_run=true", "text/plain", file).await.ok();
    assert_eq!((&tried["report"]["entries"], &tried["version"]), (&json!(4), &json!(null)));
    assert_eq!(ann.get("lists/house/entries").await.ok()["total"], 0);
    let made = ann.file("lists/house/import?force=true&category=spam&severity=3", "text/plain", file).await.ok();
    assert_eq!(made["version"]["added"], 3);
    let (_, entries) = rig.in_force(&Scope::Global, 2).await;
    assert_eq!(texts(&entries), ["blorp", "坏", "很坏"]);
    assert!(entries.iter().all(|entry| entry.category == "spam" && entry.severity == 3));
}

#[tokio::test]
async fn who_adds_by_hand_is_told_of_what_is_there_and_need_not_insist() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    let made = ann.post("lists/house/entries", json!({ "add": ["ＢＬＯＲＰ", "blorpish"] })).await.ok();
    assert_eq!((&made["version"]["added"], &made["report"]["duplicates"]["count"]), (&json!(1), &json!(1)));
    assert_eq!(made["report"]["contained"]["first"][0]["text"], "blorpish");
}

#[tokio::test]
async fn clean_texts_show_what_is_too_broad() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let body = json!({ "text": "hello\nblorp\n", "sample": ["hello there", "well hello", "good day"] });
    let doubtful = ann.file("lists/house/import", "application/json", body.to_string()).await;
    assert_eq!(doubtful.is(), (422, "needs_force"));
    assert_eq!(
        doubtful.body["report"]["too_broad"],
        json!({ "count": 1, "first": [{ "line": 1, "text": "hello", "with": "2 of 3" }] })
    );
    let edit = json!({ "add": ["hello"], "sample": ["hello there", "x"], "sample_percent": 60.0 });
    assert_eq!(ann.post("lists/house/entries", edit).await.ok()["version"]["added"], 1);
}

#[tokio::test]
async fn what_goes_out_comes_in_again() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    for list in ["house", "copy"] {
        ann.put(&format!("lists/{list}"), json!({})).await.ok();
    }
    let add = json!({ "add": [
        { "text": "a, phrase", "category": "spam", "severity": 4, "action": "hold", "tags": ["spam", "x"], "comment": "\"so\"" },
        { "text": "坏词语", "also": ["fnord"], "gaps": 0 },
    ] });
    ann.post("lists/house/entries", add).await.ok();
    let table = ann.get("lists/house/export?format=csv").await.text;
    ann.file("lists/copy/import?format=csv", "text/csv", gzip(table.as_bytes())).await.ok();
    assert_eq!(ann.get("lists/copy/export?format=csv").await.text, table);
    let tagged = ann.get("lists/house/export?format=houbb").await.text;
    assert_eq!(tagged, "a, phrase spam,x\n坏词语\n");
    // Replacing is one edit: what was there goes, what comes is there.
    let replaced = ann.file("lists/copy/import?replace=true", "text/plain", "gruntle\n").await.ok();
    assert_eq!((&replaced["version"]["added"], &replaced["version"]["removed"]), (&json!(1), &json!(2)));
    assert_eq!(ann.get("lists/copy/export").await.text, "gruntle\n");
}

#[tokio::test]
async fn a_hundred_thousand_words_are_one_edit() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let file: String = (0..100_000).map(|number| format!("w{number:06}\n")).collect();
    let made = ann.file("lists/house/import", "application/gzip", gzip(file.as_bytes())).await.ok();
    assert_eq!((&made["version"]["added"], &made["version"]["number"]), (&json!(100_000), &json!(2)));
    let (version, entries) = rig.in_force(&Scope::Global, 2).await;
    assert_eq!((version.entries, version.chunks.len(), entries.len()), (100_000, 64, 100_000));
    // One more word is one more chunk, not 64.
    let before = rig.topic().await.count("chunk/");
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    rig.in_force(&Scope::Global, 3).await;
    assert_eq!(rig.topic().await.count("chunk/"), before + 1);
}
