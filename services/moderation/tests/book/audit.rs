//! Who did what: written with what was done, whole, and readable only by those who may.

use chassis::tokens::Role;
use serde_json::json;

use crate::rig::Rig;

#[tokio::test]
async fn every_change_is_a_row_and_a_refusal_is_none() {
    let rig = Rig::start().await;
    let (ann, bob) = (rig.admin(), rig.as_("bob", Role::Moderator));
    ann.put("lists/house?reason=begin", json!({})).await.ok();
    ann.post("lists/house/entries", json!({ "add": ["blorp"], "reason": "seen" })).await.ok();
    ann.post("lists/house/entries", json!({ "add": [""] })).await;
    bob.put("lists/mine?room=demo", json!({})).await.ok();
    ann.post("rollback", json!({ "to": 2, "reason": "oops" })).await.ok();
    let rows = rig.as_("log", Role::LogViewer).get("audit").await.ok();
    let told: Vec<String> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["actor", "act", "scope", "reason"].map(|field| row[field].as_str().unwrap()).join(" "))
        .collect();
    assert_eq!(
        told,
        ["ann put_list global begin", "ann edit global seen", "bob put_list room/demo ", "ann rollback global oops"]
    );
    assert_eq!(rows["rows"][1]["before"], r#"{"number":1,"entries":0}"#);
    let of_room = ann.get("audit?room=demo").await.ok();
    assert_eq!(of_room["rows"].as_array().unwrap().len(), 1);
    let behind = ann.get(&format!("audit?after={}&limit=1", rows["rows"][0]["sequence"])).await.ok();
    assert_eq!(behind["rows"][0]["act"], "edit");
    let export = ann.get("audit/export").await;
    let lines: Vec<serde_json::Value> = export.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json!(lines), rows["rows"]);
}

#[tokio::test]
async fn whoever_changes_the_log_is_found_out() {
    for (sql, broken_at) in [
        ("UPDATE audit SET reason = 'other' WHERE act = 'put_list' AND subject = 'c'", "c"),
        // What is missing shows at the row behind it.
        ("DELETE FROM audit WHERE subject = 'b'", "c"),
        ("DELETE FROM audit WHERE subject = 'a'", "b"),
    ] {
        let (folder, broker) = (crate::rig::Folder::new(), crate::rig::broker());
        let rig = Rig::on(&broker.cluster(), crate::rig::PREFIX, &folder.database()).await;
        let ann = rig.admin();
        for list in ["a", "b", "c", "d"] {
            ann.put(&format!("lists/{list}"), json!({})).await.ok();
        }
        let verified = ann.get("audit/verify").await.ok();
        assert_eq!((&verified["whole"], &verified["rows"]), (&json!(true), &json!(4)));
        let rows = ann.get("audit").await.ok();
        let row = rows["rows"].as_array().unwrap().iter().find(|row| row["subject"] == broken_at).unwrap().clone();
        let pool = sqlx::SqlitePool::connect(&folder.database()).await.unwrap();
        sqlx::query(sql).execute(&pool).await.unwrap();
        pool.close().await;
        let verified = ann.get("audit/verify").await.ok();
        assert_eq!((&verified["whole"], &verified["broken_at"]), (&json!(false), &row["sequence"]), "{sql}");
    }
}
