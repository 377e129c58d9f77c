//! A person is forgotten: what the moderators' service knew of him is gone, the log still holds together, and it is said what
//! Kafka keeps, and for how long. Who may not erase does not.

use chassis::tokens::Role;
use integration::{Moderator, moderator::in_force, until};
use serde_json::json;

use crate::{SOON, by_the_book};

const ROOM: &str = "erase";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erase_user() {
    let world = by_the_book("erase_user").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    // Longer than a slow machine takes to look.
    ann.put(&format!("rooms/{ROOM}/holding"), &json!({ "hold_ms": 600_000 })).await;
    ann.block("house", "blorp").await;
    let number = ann.add("house", json!({ "text": "gruntle", "action": "hold" })).await;
    let (ingest, filter) = tokio::join!(world.ingest(&[]), world.filter(&[]));
    in_force(&[&filter], number).await;
    for user in ["eve", "bob"] {
        for text in ["blorp", "gruntle"] {
            world.sender(&ingest, user).say(ROOM, text).await.accepted();
        }
    }
    ann.post(&format!("rooms/{ROOM}/mutes"), &json!({ "subject": "user/eve", "seconds": 600, "reason": "eve again" }))
        .await;
    until("both are known", SOON, async || {
        (known(&ann).await == (vec!["bob", "eve"], vec!["bob", "eve"])).then_some(())
    })
    .await;

    let path = "users/eve/erase";
    let said = json!({ "keep_sanctions": false, "reason": "asked for it" });
    assert_eq!(ann.tries(path, &said).await, (403, "forbidden".to_owned()), "that is an owner's");
    let owner = world.moderator(&desk, "olga", &[Role::Owner]);
    let done = owner.post(path, &said).await;
    assert_eq!((&done["erased"]["holds"], &done["erased"]["sanctions_lifted"]), (&json!(1), &json!(1)), "{done}");
    let kept: Vec<_> =
        done["still_kept"].as_array().into_iter().flatten().map(|kept| kept["topic"].as_str().unwrap()).collect();
    for topic in ["danmaku-input", "danmaku-output", "danmaku-verdicts"] {
        assert!(kept.iter().any(|kept| kept.ends_with(topic)), "{topic} is told: {kept:?}");
    }
    assert_eq!(known(&ann).await, (vec!["bob"], vec!["bob"]));
    // Her mute may still be on its way to the rule book, which then is told too, until it has forgotten her as well.
    until("her mute is gone", SOON, async || {
        let mutes = ann.get(&format!("rooms/{ROOM}/mutes")).await;
        (mutes["sanctions"] == json!([])).then_some(())
    })
    .await;
    let log = ann.get("audit?limit=1000").await.to_string();
    let names_her = |part: &str| part.split(|char: char| !char.is_alphanumeric()).any(|word| word == "eve");
    assert!(!names_her(&log), "the log does not name her: {log}");
    assert_eq!(ann.get("audit/verify").await["whole"], true, "and holds together");
}

/// Whose held and whose refused messages are known, each once, in order.
async fn known(ann: &Moderator) -> (Vec<&'static str>, Vec<&'static str>) {
    let users = |said: &serde_json::Value, what: &str| {
        let users: Vec<_> = said[what].as_array().into_iter().flatten().map(|one| one["user"].clone()).collect();
        ["bob", "eve"].into_iter().filter(|user| users.contains(&json!(user))).collect()
    };
    let holds = ann.get(&format!("holds?room={ROOM}")).await;
    let refusals = ann.get(&format!("refusals?room={ROOM}")).await;
    (users(&holds, "holds"), users(&refusals, "refusals"))
}
