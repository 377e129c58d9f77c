//! Lists and their entries, as moderators edit them, down to what a filter would read.

use chassis::tokens::Role;
use proto::rules::Scope;
use serde_json::json;

use crate::rig::{Rig, room, texts};

#[tokio::test]
async fn an_edit_is_a_version_and_is_published() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    assert_eq!(ann.get("lists").await.ok(), json!({ "lists": [] }));
    let made = ann.put("lists/house", json!({ "comment": "what nobody wants" })).await.ok();
    assert_eq!(made["number"], 1);
    let add = json!({ "add": ["blorp", { "text": "坏词语", "severity": 4, "action": "block" }], "reason": "first" });
    let edited = ann.post("lists/house/entries", add).await.ok();
    assert_eq!((&edited["version"]["number"], &edited["version"]["added"]), (&json!(2), &json!(2)));
    assert_eq!(edited["version"]["author"], "ann");

    let (version, entries) = rig.in_force(&Scope::Global, 2).await;
    assert_eq!((version.number, version.author.as_str(), version.entries), (2, "ann", 2));
    assert_eq!(texts(&entries), ["blorp", "坏词语"]);
    assert_eq!((entries[1].severity, entries[1].action()), (4, proto::v1::Action::Block));

    let told = ann.get("lists/house/entries").await.ok();
    assert_eq!((&told["total"], &told["version"]), (&json!(2), &json!(2)));
    let id = told["entries"].as_array().unwrap().iter().find(|entry| entry["text"] == "blorp").unwrap()["id"].clone();
    let change = json!({ "change": [{ "id": id, "text": "blorpo", "severity": 1 }], "remove": ["坏词语"] });
    let edited = ann.post("lists/house/entries", change).await.ok();
    assert_eq!((&edited["version"]["removed"], &edited["version"]["changed"]), (&json!(1), &json!(1)));
    let (_, entries) = rig.in_force(&Scope::Global, 3).await;
    assert_eq!((texts(&entries), &entries[0].id), (vec!["blorpo"], &id.as_str().unwrap().to_owned()));

    // What is as it is already makes no version.
    let same = ann.put("lists/house", json!({ "comment": "what nobody wants" })).await.ok();
    assert_eq!(same["number"], 3);
    // Filters never put an empty book in force, so none is made.
    for refused in [ann.delete("lists/house").await, ann.post("rollback", json!({ "to": 1 })).await] {
        assert_eq!(refused.is(), (422, "invalid"), "{}", refused.text);
    }
    ann.put("lists/other", json!({})).await.ok();
    ann.post("lists/other/entries", json!({ "add": ["gruntle"] })).await.ok();
    let dropped = ann.delete("lists/house").await.ok();
    assert_eq!((&dropped["number"], &dropped["removed"]), (&json!(6), &json!(1)));
    assert_eq!(texts(&rig.in_force(&Scope::Global, 6).await.1), ["gruntle"]);
}

#[tokio::test]
async fn modes_decide_what_filters_read() {
    let rig = Rig::start().await;
    let ann = rig.admin();
    for (list, mode) in [("acts", "enforce"), ("watches", "observe"), ("waits", "draft")] {
        ann.put(&format!("lists/{list}"), json!({ "mode": mode })).await.ok();
        ann.post(&format!("lists/{list}/entries"), json!({ "add": [format!("blorp {list}")] })).await.ok();
    }
    let (version, entries) = rig.in_force(&Scope::Global, 6).await;
    let told: Vec<_> = entries.iter().map(|entry| (entry.list.as_str(), entry.observe)).collect();
    assert_eq!((told, version.entries), (vec![("acts", false), ("watches", true)], 2));
    ann.put("lists/waits", json!({ "mode": "enforce" })).await.ok();
    ann.put("lists/acts", json!({ "mode": "draft" })).await.ok();
    let (_, entries) = rig.in_force(&Scope::Global, 8).await;
    let told: Vec<_> = entries.iter().map(|entry| (entry.list.as_str(), entry.observe)).collect();
    assert_eq!(told, [("waits", false), ("watches", true)]);
}

#[tokio::test]
async fn rooms_have_books_of_their_own_and_numbers_count_over_all() {
    let rig = Rig::start().await;
    let token = rig.token_for("bob", Role::Moderator, Some(&["demo"]));
    let (ann, bob) = (rig.admin(), rig.with_token(Some(token)));
    ann.put("lists/house", json!({})).await.ok();
    assert_eq!(bob.put("lists/mine?room=demo", json!({})).await.ok()["number"], 2);
    assert_eq!(
        bob.post("lists/mine/entries?room=demo", json!({ "add": ["gruntle"] })).await.ok()["version"]["number"],
        3
    );
    assert_eq!(texts(&rig.in_force(&room("demo"), 3).await.1), ["gruntle"]);
    assert_eq!(rig.in_force(&Scope::Global, 1).await.1, []);

    for refused in [
        bob.put("lists/mine?room=other", json!({})).await,
        bob.put("lists/house", json!({ "mode": "draft" })).await,
        bob.get("audit").await,
        rig.as_("eve", Role::Sender).get("lists").await,
    ] {
        assert_eq!(refused.is(), (403, "forbidden"), "{}", refused.text);
    }
    assert!(bob.get("lists").await.status == 200, "what holds in his room he may read");
    assert_eq!(rig.with_token(None).get("lists").await.is(), (401, "unauthorized"));
    assert_eq!(rig.with_token(Some("no.such.token".into())).get("lists").await.is(), (401, "unauthorized"));
}

#[tokio::test]
async fn private_texts_are_their_authors_and_the_admins() {
    let rig = Rig::start().await;
    let (bob, eve) = (rig.as_("bob", Role::Moderator), rig.as_("eve", Role::Moderator));
    bob.put("lists/mine?room=demo", json!({})).await.ok();
    let add = json!({ "add": [{ "text": "secretum", "private": true, "comment": "hush" }] });
    let made = bob.post("lists/mine/entries?room=demo", add).await;
    assert!(!made.text.contains("secretum"), "{}", made.text);
    let paths = [
        "lists/mine/entries?room=demo".to_owned(),
        "lists/mine/entries?room=demo&find=secretum".to_owned(),
        "diff?room=demo&from=0".to_owned(),
        "lists/mine/export?room=demo".to_owned(),
        "lists/mine/export?room=demo&format=csv".to_owned(),
    ];
    for path in &paths {
        let hidden = eve.get(path).await;
        assert!(
            hidden.status == 200 && !hidden.text.contains("secretum") && !hidden.text.contains("hush"),
            "{path}: {}",
            hidden.text
        );
        assert!(bob.get(path).await.text.contains("secretum"), "{path}");
        assert!(rig.admin().get(path).await.text.contains("secretum"), "{path}");
    }
    // Not by trying either.
    let (guess, wrong) = (json!({ "remove": ["secretum"] }), json!({ "remove": ["nothing"] }));
    let (guess, wrong) =
        (eve.post("lists/mine/entries?room=demo", guess).await, eve.post("lists/mine/entries?room=demo", wrong).await);
    assert_eq!((guess.is(), &guess.text), ((422, "invalid"), &wrong.text));
    assert!(!rig.as_("log", Role::LogViewer).get("audit").await.text.contains("secretum"));
    assert_eq!(texts(&rig.in_force(&room("demo"), 2).await.1), ["secretum"], "and it acts");
}

#[tokio::test]
async fn a_policy_is_set_and_left_to_the_global_one() {
    let rig = Rig::start().await;
    let bob = rig.as_("bob", Role::Moderator);
    assert_eq!(bob.get("policy?room=demo").await.ok(), json!({}));
    let policy =
        json!({ "rows": [{ "category": "spam", "severity_min": 2, "action": "mute", "mute_s": 30 }], "weak": "hold" });
    bob.put("policy?room=demo", policy).await.ok();
    let (version, _) = rig.in_force(&room("demo"), 1).await;
    let published = version.policy.unwrap();
    assert_eq!((published.rows[0].action(), published.rows[0].mute_s), (proto::v1::Action::Mute, 30));
    assert_eq!(bob.get("policy?room=demo").await.ok()["policy"]["weak"], "hold");
    let refused = bob.put("policy?room=demo", json!({ "rows": [{ "severity_min": 9, "action": "mask" }] })).await;
    assert_eq!((refused.is(), refused.lines()), ((422, "invalid"), vec![1]));
    bob.put("policy?room=demo", json!(null)).await.ok();
    assert_eq!(rig.in_force(&room("demo"), 2).await.0.policy, None);
}
