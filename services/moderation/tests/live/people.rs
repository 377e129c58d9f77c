//! Mutes and bans: the control record first, then the record that restores it; lifted, listed, and known by device.

use std::time::Instant;

use chassis::tokens::Role;
use proto::{
    MessageId, Source,
    record::decode,
    v1::{BanRule, Input, MuteRule, Rules, Sanction, SanctionKind, input::Body, rules::Record},
};
use serde_json::{Value, json};

use crate::{
    holds::left_in_outbox,
    rig::{Folder, PATIENCE, PREFIX, Rig, broker},
    river::{GENERATION, River},
};

pub(crate) fn sanctions(river: &River, room: &str, least: usize) -> Vec<(MessageId, Sanction)> {
    river.controls(room, least, |body| match body {
        Body::Sanction(sanction) => Some(sanction.clone()),
        _ => None,
    })
}

/// The record under a key of the rule book, once `is_it` says so.
async fn rule(rig: &Rig, key: &str, is_it: impl Fn(&Record) -> bool) -> Record {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let topic = rig.topic().await;
        let record = topic.kept.get(key).and_then(|bytes| decode::<Rules>(bytes).unwrap().record);
        match record {
            Some(record) if is_it(&record) => return record,
            other => assert!(Instant::now() < deadline, "{key}: {other:?}"),
        }
    }
}

pub(crate) async fn mute_rule(rig: &Rig, key: &str, is_it: impl Fn(&MuteRule) -> bool) -> MuteRule {
    match rule(rig, key, |record| matches!(record, Record::Mute(mute) if is_it(mute))).await {
        Record::Mute(mute) => mute,
        other => panic!("{other:?}"),
    }
}

fn subjects(answer: &Value) -> Vec<&str> {
    answer["sanctions"].as_array().unwrap().iter().filter_map(|one| one["subject"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_is_a_control_record_and_what_restores_it_behind_its_offset() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    river.say("demo", "ann", "hello");
    let body = json!({ "subject": "user/ann", "seconds": 600, "reason": "flood" });
    let muted = moderator.post("rooms/demo/mutes", body).await.ok();
    let until = muted["sanctions"][0]["until_ms"].as_i64().unwrap();
    let (at, sanction) = sanctions(&river, "demo", 1).remove(0);
    assert_eq!((sanction.kind(), sanction.subject.as_str(), sanction.until), (SanctionKind::Mute, "user/ann", until));
    let mute = mute_rule(&rig, "mute/demo/user/ann", |_| true).await;
    assert_eq!((mute.src, mute.generation, mute.until), (at.offset, GENERATION, until));
    assert_eq!((mute.sequence, mute.reason.as_str()), (sanction.sequence, "flood"));
    assert_eq!(subjects(&moderator.get("rooms/demo/mutes").await.ok()), ["user/ann"]);
    assert!(subjects(&moderator.get("rooms/other/mutes").await.ok()).is_empty());

    moderator.delete("rooms/demo/mutes?subject=user/ann&reason=calm").await.ok();
    let (_, lifted) = sanctions(&river, "demo", 2).remove(1);
    assert_eq!((lifted.kind(), lifted.subject.as_str()), (SanctionKind::Unmute, "user/ann"));
    assert!(lifted.sequence > sanction.sequence);
    let mute = mute_rule(&rig, "mute/demo/user/ann", |mute| mute.sequence == lifted.sequence).await;
    assert_eq!(mute.until, 1, "long over by any clock, also one that is behind ours");
    assert!(lifted.until < until);
    assert!(subjects(&moderator.get("rooms/demo/mutes").await.ok()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_on_the_same_device_is_not_a_new_person() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    river.say("demo", "ann", "hello");
    river.say("demo", "bob", "hello");
    let body = json!({ "subject": "user/ann", "permanent": true, "also": ["device", "address"] });
    let muted = moderator.post("rooms/demo/mutes", body).await.ok();
    let address = "address/0123456789abcdef0123456789abcdef";
    assert_eq!(subjects(&muted), ["user/ann", "device/ann-phone", address]);
    assert!(muted.get("unknown").is_none());
    let acting: Vec<_> = sanctions(&river, "demo", 3).into_iter().map(|(_, sanction)| sanction.subject).collect();
    assert_eq!(acting, ["user/ann", "device/ann-phone", address]);
    mute_rule(&rig, "mute/demo/device/ann-phone", |mute| mute.until == 0).await;

    // One who is not known by anything else is muted by his name, and that is said.
    let body = json!({ "subject": "user/cleo", "seconds": 3600, "also": ["device"] });
    let muted = moderator.post("rooms/demo/mutes", body).await.ok();
    assert_eq!((subjects(&muted), &muted["unknown"]), (vec!["user/cleo"], &json!(["device"])));

    // Whoever may speak again may by all of it.
    let lifted = moderator.delete("rooms/demo/mutes?subject=user/ann").await.ok();
    assert_eq!(subjects(&lifted).len(), 3, "{lifted}");
    mute_rule(&rig, "mute/demo/device/ann-phone", |mute| mute.until > 0).await;
    assert_eq!(subjects(&moderator.get("rooms/demo/mutes").await.ok()), ["user/cleo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_this_broadcast_ends_with_it() {
    let rig = Rig::start().await;
    let (river, moderator) = (River::of(&rig.ground.cluster), rig.as_("mo", Role::Moderator));
    let mute = |user: &str, how: &str| json!({ "subject": format!("user/{user}"), how: true });
    moderator.post("rooms/demo/mutes", mute("ann", "broadcast")).await.ok();
    moderator.post("rooms/demo/mutes", mute("bob", "permanent")).await.ok();
    moderator.post("rooms/other/mutes", mute("cleo", "broadcast")).await.ok();
    moderator.put("lists/today?room=demo", json!({})).await.ok();
    let entries = json!({ "add": [{ "text": "blorp", "broadcast": true }, "fnord"] });
    moderator.post("lists/today/entries?room=demo", entries).await.ok();

    let ended = moderator.post("rooms/demo/broadcast", json!({ "state": "ended" })).await.ok();
    assert_eq!(ended, json!({ "mutes": 1, "entries": 1 }));
    assert_eq!(subjects(&moderator.get("rooms/demo/mutes").await.ok()), ["user/bob"]);
    assert_eq!(subjects(&moderator.get("rooms/other/mutes").await.ok()), ["user/cleo"]);
    let (_, last) = sanctions(&river, "demo", 3).remove(2);
    assert_eq!((last.kind(), last.subject.as_str()), (SanctionKind::Unmute, "user/ann"));
    // The next one has nothing left to end.
    let started = moderator.post("rooms/demo/broadcast", json!({ "state": "started" })).await.ok();
    assert_eq!(started, json!({ "mutes": 0, "entries": 0 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ban_is_everywhere_and_at_once_where_it_was_pronounced() {
    let rig = Rig::start().await;
    let (river, admin) = (River::of(&rig.ground.cluster), rig.admin());
    river.say("demo", "ann", "hello");
    let body = json!({ "subject": "user/ann", "seconds": 3600, "room": "demo", "also": ["device"] });
    let banned = admin.post("bans", body).await.ok();
    assert_eq!(subjects(&banned), ["user/ann", "device/ann-phone"]);
    let (_, sanction) = sanctions(&river, "demo", 2).remove(0);
    assert_eq!((sanction.kind(), sanction.subject.as_str()), (SanctionKind::Ban, "user/ann"));
    let is_ban = |ban: &BanRule| ban.sequence == sanction.sequence;
    rule(&rig, "ban/device/ann-phone", |record| matches!(record, Record::Ban(ban) if is_ban(ban))).await;
    assert_eq!(subjects(&admin.get("bans").await.ok()), ["device/ann-phone", "user/ann"]);

    admin.delete("bans?subject=user/ann").await.ok();
    let over = |ban: &BanRule| ban.until > 0 && ban.sequence > sanction.sequence;
    rule(&rig, "ban/user/ann", |record| matches!(record, Record::Ban(ban) if over(ban))).await;
    rule(&rig, "ban/device/ann-phone", |record| matches!(record, Record::Ban(ban) if over(ban))).await;
    assert!(subjects(&admin.get("bans").await.ok()).is_empty());
    let kinds: Vec<_> = sanctions(&river, "demo", 4).into_iter().map(|(_, sanction)| sanction.kind()).collect();
    assert_eq!(kinds[2..], [SanctionKind::Unban, SanctionKind::Unban]);
    // One that this database never knew is lifted too.
    admin.delete("bans?subject=user/nobody").await.ok();
    rule(&rig, "ban/user/nobody", |record| matches!(record, Record::Ban(ban) if ban.until > 0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mutes_stand_in_the_book_again_when_the_broker_forgot_them() {
    let folder = Folder::new();
    {
        let broker = broker();
        let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
        let moderator = rig.as_("mo", Role::Moderator);
        moderator.post("rooms/demo/mutes", json!({ "subject": "user/ann", "permanent": true })).await.ok();
        mute_rule(&rig, "mute/demo/user/ann", |_| true).await;
        let mode = json!({ "mode": { "slow_ms": 5000 } });
        moderator.put("rooms/demo/mode", mode).await.ok();
        rig.leave().await;
    }
    let broker = broker();
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let mute = mute_rule(&rig, "mute/demo/user/ann", |_| true).await;
    // Offsets of a former broker mean nothing on this one. Who judges it from its first record on is told of the mute.
    let first = Source { generation: GENERATION, offset: 0 };
    assert!(mute.until == 0 && Source { generation: mute.generation, offset: mute.src } < first, "{mute:?}");
    assert_eq!(subjects(&rig.as_("mo", Role::Moderator).get("rooms/demo/mutes").await.ok()), ["user/ann"]);
    let modes = River::of(&broker.cluster()).controls("demo", 1, |body| match body {
        Body::Mode(mode) => Some(mode.slow_ms),
        _ => None,
    });
    assert_eq!(modes[0].1, 5_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_imposed() {
    let rig = Rig::start().await;
    let (moderator, admin) = (rig.as_("mo", Role::Moderator), rig.admin());
    for (body, expected) in [
        (json!({ "subject": "ann", "seconds": 5 }), (400, "malformed")),
        (json!({ "subject": "address/xyz", "seconds": 5 }), (400, "malformed")),
        (json!({ "subject": "user/ann" }), (400, "malformed")),
        (json!({ "subject": "user/ann", "seconds": 0 }), (400, "malformed")),
        (json!({ "subject": "user/ann", "seconds": 5, "permanent": true }), (400, "malformed")),
        (json!({ "subject": "device/x", "seconds": 5, "also": ["address"] }), (400, "malformed")),
        (json!({ "subject": "user/ann", "seconds": 5, "also": ["shoe"] }), (400, "malformed")),
        (json!({ "subject": "user/ann", "seconds": 5, "reason": "x".repeat(501) }), (400, "malformed")),
        (json!({ "subject": "user/ann", "seconds": 5, "reason": "a\u{0}b" }), (400, "malformed")),
        (json!({ "subject": format!("user/{}", "x".repeat(129)), "seconds": 5 }), (400, "malformed")),
        (json!({ "subject": format!("device/{}", "x".repeat(2 << 20)), "seconds": 5 }), (400, "malformed")),
        (json!({ "subject": "user/a\u{0}b", "seconds": 5 }), (400, "malformed")),
    ] {
        assert_eq!(moderator.post("rooms/demo/mutes", body.clone()).await.is(), expected, "{body}");
    }
    let broadcast = json!({ "subject": "user/ann", "broadcast": true });
    assert_eq!(admin.post("bans", broadcast).await.is(), (400, "malformed"));
    let nowhere = json!({ "subject": "user/ann", "permanent": true, "also": ["device"] });
    assert_eq!(admin.post("bans", nowhere).await.is(), (400, "malformed"));
    let ban = json!({ "subject": "user/ann", "permanent": true });
    assert_eq!(moderator.post("bans", ban).await.is(), (403, "forbidden"));
    assert_eq!(moderator.delete("rooms/demo/mutes?subject=ann").await.is(), (400, "malformed"));
    assert_eq!(moderator.delete("rooms/demo/mutes").await.is(), (400, "malformed"));
    assert_eq!(moderator.get("rooms/demo/mutes?after=%00").await.is(), (400, "malformed"));
    assert_eq!(moderator.get("refusals?room=demo&user=%00").await.is(), (400, "malformed"));
    assert_eq!(rig.as_("m\0", Role::Moderator).get("rooms/demo/mutes").await.is(), (401, "unauthorized"));
}

/// A publisher wrote the control record, noted where, and died before it wrote the rule: whoever comes after it writes both.
#[tokio::test(flavor = "multi_thread")]
async fn a_mute_whose_publisher_died_behind_its_control_record_acts_from_there() {
    let (folder, broker) = (Folder::new(), broker());
    let cluster = chassis::kafka::Cluster { embedded: false, ..broker.cluster() };
    let river = River::of(&cluster);
    Rig::on(&cluster, PREFIX, &folder.database()).await.leave().await;
    let sanction = Sanction { subject: "user/ann".to_owned(), sequence: 1_000, ..Sanction::default() };
    let control = Input {
        generation: GENERATION,
        room: "demo".to_owned(),
        role: proto::v1::Role::Service as i32,
        client_id: "m-1000-u1".to_owned(),
        body: Some(Body::Sanction(sanction.clone())),
        ..Input::default()
    };
    river.say("demo", "ann", "before");
    let written = river.put(&control);
    river.say("demo", "ann", "behind");
    let mute = MuteRule {
        room: "demo".to_owned(),
        subject: sanction.subject.clone(),
        sequence: sanction.sequence,
        src: written.offset,
        generation: GENERATION,
        ..MuteRule::default()
    };
    left_in_outbox(&folder.database(), 1_000, control, Some(mute.clone())).await;
    let rig = Rig::on(&cluster, PREFIX, &folder.database()).await;
    assert_eq!(mute_rule(&rig, "mute/demo/user/ann", |_| true).await, mute);
    // The judge knows the second one by its id, and by its number if it comes late.
    assert_eq!(
        sanctions(&river, "demo", 2).into_iter().map(|(_, sanction)| sanction).collect::<Vec<_>>(),
        [sanction.clone(), sanction]
    );
    let ids: Vec<String> = river.input("demo").into_iter().map(|(_, input)| input.client_id).collect();
    assert_eq!(ids, ["c-ann", "m-1000-u1", "c-ann", "m-1000-u1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ended_long_ago_leaves_the_rule_book() {
    let (folder, broker) = (Folder::new(), broker());
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let moderator = rig.as_("mo", Role::Moderator);
    for user in ["user/ann", "user/bob"] {
        moderator.post("rooms/demo/mutes", json!({ "subject": user, "permanent": true })).await.ok();
    }
    moderator.delete("rooms/demo/mutes?subject=user/ann").await.ok();
    mute_rule(&rig, "mute/demo/user/ann", |mute| mute.until != 0).await;
    rig.leave().await;
    // Whoever publishes next looks for what is over; what was lifted is by any clock.
    let rig = Rig::on(&broker.cluster(), PREFIX, &folder.database()).await;
    let deadline = Instant::now() + PATIENCE;
    while rig.topic().await.kept.contains_key("mute/demo/user/ann") {
        assert!(Instant::now() < deadline, "it stays");
    }
    mute_rule(&rig, "mute/demo/user/bob", |mute| mute.until == 0).await;
}
