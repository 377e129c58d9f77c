//! What cannot be done says why, with the line, and does nothing by halves.

use std::time::Duration;

use chassis::tokens::Role;
use hyper::Method;
use moderation::Config;
use serde_json::{Value, json};

use crate::{
    files::gzip,
    rig::{Folder, PREFIX, Rig, broker, room},
};

/// The query, the file, status and code, and the lines that are named.
type Case<'a> = (&'a str, &'a [u8], (u16, &'a str), &'a [u64]);

#[tokio::test]
async fn files_that_are_none() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"] })).await.ok();
    let thousand = format!("fine\n{}\n", "ab".repeat(500));
    let two_million = gzip("a\n".repeat(2_000_000).as_bytes());
    let bomb = gzip(&vec![b'a'; 64 << 20]);
    let large = "ab".repeat(15 << 20);
    let table: [Case<'_>; 14] = [
        ("", &b"a\n".repeat(2_000_000), (413, "too_long"), &[]),
        ("", large.as_bytes(), (422, "invalid"), &[1]),
        ("", b"", (422, "invalid"), &[]),
        ("", b"\xef\xbb\xbf# nothing\r\n\r\n", (422, "invalid"), &[]),
        ("", thousand.as_bytes(), (422, "invalid"), &[2]),
        ("", b"fine\n*.-\n \n***\n", (422, "invalid"), &[2, 4]),
        ("", b"fine\n\xff\n", (422, "invalid"), &[2]),
        ("", &two_million, (413, "too_long"), &[]),
        ("", &bomb, (413, "too_long"), &[]),
        ("", b"\x1f\x8b broken", (400, "malformed"), &[]),
        ("format=csv", b"text,severity\nfine,1\nbad,9\n", (422, "invalid"), &[3]),
        ("format=csv", b"word\nfine\n", (422, "invalid"), &[1]),
        ("format=xml", b"fine\n", (400, "malformed"), &[]),
        ("force=true", b"\n", (422, "invalid"), &[]),
    ];
    for (query, file, expected, lines) in table {
        let refused = ann.file(&format!("lists/house/import?{query}"), "text/plain", file.to_vec()).await;
        assert_eq!((refused.is(), refused.lines().as_slice()), (expected, lines), "{query} {}", refused.text);
    }
    assert_eq!(ann.file("lists/house/import", "image/png", "x").await.is(), (415, "unsupported_type"));
    assert_eq!(ann.file("lists/nowhere/import", "text/plain", "x1").await.is(), (422, "invalid"));
    let told = ann.get("lists/house/entries").await.ok();
    assert_eq!((&told["total"], &told["version"]), (&json!(1), &json!(2)), "nothing is half applied");
}

#[tokio::test]
async fn edits_that_cannot_be() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    ann.put("lists/house", json!({})).await.ok();
    let entries = |edit: Value| ann.post("lists/house/entries", edit);
    for (edit, expected, lines) in [
        (json!({}), (422, "invalid"), vec![]),
        (json!({ "add": [] }), (422, "invalid"), vec![]),
        (json!({ "add": ["fine", "", { "text": "x1", "severity": 7 }] }), (422, "invalid"), vec![2, 3]),
        (json!({ "add": [{ "text": "fine", "starts_ms": 9, "expires_ms": 9 }] }), (422, "invalid"), vec![1]),
        (json!({ "add": ["fine", { "text": "fine", "colour": "red" }, 7] }), (422, "invalid"), vec![2, 3]),
        (json!({ "add": [{ "text": "fine", "expires_ms": u64::MAX }] }), (422, "invalid"), vec![1]),
        (
            json!({ "add": [{ "kind": "regex", "text": "fin+e", "also": ["x".repeat(300)] }] }),
            (422, "invalid"),
            vec![1],
        ),
        (json!({ "add": ["fine"], "reason": "x".repeat(501) }), (400, "malformed"), vec![]),
        (json!({ "add": ["fine"], "reason": "a\u{0}b" }), (400, "malformed"), vec![]),
        (json!({ "add": "fine" }), (400, "malformed"), vec![]),
        (json!({ "remove": ["absent"] }), (422, "invalid"), vec![1]),
        (json!({ "change": [{ "id": "absent", "text": "fine" }] }), (422, "invalid"), vec![1]),
        (json!({ "add": ["fine"], "sample": vec!["x"; 10_001] }), (422, "invalid"), vec![]),
        (json!({ "add": ["x"] }), (422, "needs_force"), vec![]),
    ] {
        let refused = entries(edit.clone()).await;
        assert_eq!((refused.is(), refused.lines()), (expected, lines), "{edit} {}", refused.text);
    }
    let huge = json!({ "add": [" ".repeat(5 << 20)] });
    assert_eq!(entries(huge).await.is(), (413, "too_long"));
    let large = json!({ "add": [" ".repeat(3 << 20)] });
    assert_eq!(entries(large).await.is(), (422, "invalid"), "what is promised is read");
    assert_eq!(ann.file("lists/house/entries", "text/plain", "{}").await.is(), (415, "unsupported_type"));
    assert_eq!(ann.file("lists/house/entries", "application/json", "{").await.is(), (400, "malformed"));
    assert_eq!(ann.put("lists/Bad%20Name", json!({})).await.is(), (422, "invalid"));
    assert_eq!(ann.put("lists/house", json!({ "mode": "sleep" })).await.is(), (400, "malformed"));
    assert_eq!(ann.delete("lists/absent").await.is(), (404, "not_found"));
    assert_eq!(ann.get("lists/absent/entries").await.is(), (404, "not_found"));
    assert_eq!(ann.get("nowhere").await.is(), (404, "not_found"));
    assert_eq!(ann.delete("versions").await.is(), (405, "method_not_allowed"));
}

#[tokio::test]
async fn who_may_not_bring_a_body_is_told_before_it_is_read() {
    let rig = Rig::start().await;
    for path in ["lists/house/import", "dry-run", "rollback", "rooms/demo/mutes"] {
        let told = rig.announced_by(Role::Viewer, &Method::POST, path, 1 << 20).await;
        assert_eq!(told.is(), (403, "forbidden"), "{path}");
    }
    let report = rig.announced_by(Role::Viewer, &Method::POST, "/v1/rooms/demo/reports", 5_000).await;
    assert_eq!(report.is(), (413, "too_long"));
}

#[tokio::test]
async fn a_body_that_drips_keeps_nobody_from_bringing_a_list() {
    let (folder, broker) = (Folder::new(), broker());
    // None of those is given up while this runs.
    let config = Config {
        database: folder.database(),
        moderation_body_timeout: Duration::from_secs(3_600),
        ..Config::default()
    };
    let rig = Rig::open(&broker.cluster(), PREFIX, config).await;
    let mut dripping = Vec::new();
    for path in ["/v1/rooms/demo/reports"; 8] {
        dripping.push(rig.dripping(Role::Viewer, path).await);
    }
    // Whoever asks behind them is answered behind them.
    let report = rig.announced_by(Role::Viewer, &Method::POST, "/v1/rooms/demo/reports", 5_000).await;
    assert_eq!(report.is(), (413, "too_long"));
    let large = "ab".repeat(3 << 20);
    assert_eq!(rig.admin().file("lists/house/import", "text/plain", large).await.is(), (422, "invalid"));
}

/// Scopes do not nest: a room is a room, and nothing names a scope in two ways.
#[tokio::test]
async fn scopes_that_are_none() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    let long = "x".repeat(129);
    for name in ["", "a%2Fb", "room%2Fdemo", "a%0A", "..", long.as_str()] {
        let refused = ann.put(&format!("lists/house?room={name}"), json!({})).await;
        assert_eq!(refused.is(), (400, "bad_room"), "{name}");
    }
    for query in ["room=a&room=b", "rooms=a", "scope=global", "room=a%00"] {
        assert_eq!(ann.put(&format!("lists/house?{query}"), json!({})).await.is(), (400, "malformed"), "{query}");
    }
}

#[tokio::test]
async fn a_room_holds_a_thousand_entries() {
    let rig = Rig::start().await;
    let bob = rig.as_("bob", Role::Moderator);
    bob.put("lists/mine?room=demo", json!({})).await.ok();
    let words = |count: usize| (0..count).map(|number| format!("w{number:04}\n")).collect::<String>();
    let refused = bob.file("lists/mine/import?room=demo", "text/plain", words(1_001)).await;
    assert_eq!(refused.is(), (422, "invalid"), "{}", refused.text);
    bob.file("lists/mine/import?room=demo", "text/plain", words(1_000)).await.ok();
    assert_eq!(rig.in_force(&room("demo"), 2).await.1.len(), 1_000);
}
