//! What a room was shown comes out as a file: all that its viewers saw and nothing that they did not, until a moderator takes
//! something back. A program that nobody here wrote reads the same rows in it.

use chassis::tokens::Role;
use integration::{moderator::in_force, stranger};
use proto::MessageId;
use serde_json::{Value, json};

use crate::{SOON, by_the_book, logs};

const ROOM: &str = "export";

/// The ids in an export as lines of JSON, and when they were shown.
fn rows(file: &str) -> Vec<(MessageId, i64)> {
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(lines.last(), Some(&json!({ "end": { "rows": lines.len() - 2 } })), "{file}");
    let row = |line: &Value| Some((line["id"].as_str()?.parse().expect("an id"), line["shown"].as_i64()?));
    lines.iter().filter_map(row).collect()
}

fn ids(file: &str) -> Vec<MessageId> {
    rows(file).into_iter().map(|(id, _)| id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export() {
    let world = by_the_book("export").await;
    let desk = world.moderation(&[]).await;
    let ann = world.moderator(&desk, "ann", &[Role::Admin]);
    ann.list("house", "enforce").await;
    let number = ann.block("house", "blorp").await;
    let (ingest, filter, fanout) = tokio::join!(world.ingest(&[]), world.filter(&[]), world.fanout(&[]));
    in_force(&[&filter], number).await;
    let viewer = world.viewer(&fanout, ROOM).await;
    let say = async |user: &str, text: &str| world.sender(&ingest, user).say(ROOM, text).await.accepted();
    let first = say("ann", "a < b & \"c\"").await;
    say("bob", "blorp").await;
    let [gone, last] = [say("cid", "soon gone").await, say("dan", "]]> 🎉 \u{202e}x").await];
    let platform = world.service(&ingest);
    let gift = platform.gift(ROOM, "eve", "rose", 3, 30).await.accepted();
    let elsewhere = world.room_in(world.partition_of(ROOM), "elsewhere");
    world.sender(&ingest, "eve").say(&elsewhere, "not here").await.accepted();
    let all = [first, gone, last, gift];
    viewer.until("all that is shown", SOON, |seen| seen.ids() == all).await;

    let log = world.moderator(&desk, "lo", &[Role::LogViewer]);
    let [ndjson, xml] = [".ndjson", ".xml"].map(|end| format!("/v1/rooms/{ROOM}/export{end}"));
    let whole = rows(&log.read(&ndjson).await);
    assert_eq!(whole.iter().map(|(id, _)| *id).collect::<Vec<_>>(), all, "what viewers saw");
    // Kafka finds the place by the time.
    let from = whole[2].1;
    let part = ids(&log.read(&format!("{ndjson}?from={from}")).await);
    let expected: Vec<_> = whole.iter().filter(|(_, shown)| *shown >= from).map(|(id, _)| *id).collect();
    assert_eq!(part, expected);
    let file = log.read(&xml).await;
    assert_eq!((file.matches("<d ").count(), file.matches("<gift ").count()), (3, 1), "{file}");
    read_by_a_stranger(&world, &file).await;

    let mo = world.moderator(&desk, "mo", &[Role::Moderator]);
    mo.post(&format!("rooms/{ROOM}/recall"), &json!({ "ids": [gone.to_string()] })).await;
    viewer.until("it is taken back", SOON, |seen| seen.recalls.len() == 1).await;
    assert_eq!(ids(&log.read(&ndjson).await), [first, last, gift]);
    let file = log.read(&xml).await;
    assert!(file.matches("<d ").count() == 2 && !file.contains("soon gone"), "{file}");
}

/// A converter from PyPI finds three danmaku, and a gift.
async fn read_by_a_stranger(world: &integration::World, file: &str) {
    let python = match stranger::pip(&logs().join("strangers"), "dmconvert==0.0.5").await {
        Ok(python) => python,
        Err(not_here) => return not_here.tell(),
    };
    let [xml, ass] = ["export.xml", "export.ass"].map(|name| world.folder().join(name));
    std::fs::write(&xml, file).expect("a file in the test's folder");
    let mut converting = tokio::process::Command::new(python.with_file_name("dmconvert"));
    let done = converting.arg("-i").arg(&xml).arg("-o").arg(&ass).output().await.expect("it starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("pool is 3."), "{said}");
    let converted = std::fs::read_to_string(&ass).expect("what it wrote");
    for text in ["a < b & \"c\"", "soon gone", "]]> ", "rose x3"] {
        assert!(converted.contains(text), "{text}: {converted}");
    }
}
