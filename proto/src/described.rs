//! docs/asyncapi.yaml says what is here, all of it, and nothing that is not here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    close::{After, Close},
    topics::{OUTPUT_RETENTION_MS, Topic},
};

const PROTO: &str = include_str!("../danmaku.proto");

fn document() -> Value {
    serde_norway::from_str(include_str!("../../docs/asyncapi.yaml")).expect("docs/asyncapi.yaml is YAML")
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The lines of a block of `danmaku.proto`, such as `message Hello`, as type and name.
fn block(head: &str) -> Vec<(&'static str, &'static str)> {
    let start = PROTO.find(&format!("\n{head} {{\n")).unwrap_or_else(|| panic!("there is no {head}"));
    let lines = PROTO[start..].lines().skip(2).take_while(|line| *line != "}");
    lines.filter_map(|line| line.split_once(" = ")?.0.trim().rsplit_once(' ').or(Some(("", line.trim())))).collect()
}

fn fields(message: &str) -> BTreeSet<&'static str> {
    block(&format!("message {message}")).into_iter().map(|(_, name)| name).collect()
}

/// Enum values are one word a line, and words on the JSON wire are theirs in small letters.
fn words(name: &str) -> Vec<String> {
    let start = PROTO.find(&format!("\nenum {name} {{\n")).unwrap_or_else(|| panic!("there is no {name}"));
    let lines = PROTO[start..].lines().skip(2).take_while(|line| *line != "}");
    lines.filter_map(|line| Some(line.split_once(" = ")?.0.trim().to_lowercase())).collect()
}

#[test]
fn every_frame_and_every_field_is_described() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let mut described = BTreeSet::from(["User", "Message"]);
    for (frame, prefix, operation) in [("ServerFrame", "", "tellViewer"), ("ClientFrame", "client.", "hearViewer")] {
        let mut listed = BTreeSet::new();
        for (message, word) in block(&format!("message {frame}")) {
            let name = format!("{prefix}{word}");
            let payload = &document["components"]["messages"][&name]["payload"]["allOf"];
            let refs: Vec<_> =
                payload.as_array().into_iter().flatten().filter_map(|part| part["$ref"].as_str()).collect();
            let wanted = [word, message].map(|schema| format!("#/components/schemas/{schema}"));
            assert_eq!(refs, wanted, "{name}");
            assert_eq!(schemas[word]["properties"]["type"]["const"], word, "{name}");
            described.extend([message]);
            listed.insert(format!("#/channels/room/messages/{name}"));
        }
        let told = &document["operations"][operation]["messages"];
        let told: BTreeSet<_> =
            told.as_array().into_iter().flatten().filter_map(|part| part["$ref"].as_str().map(str::to_owned)).collect();
        assert_eq!(told, listed, "{operation}");
    }
    for message in &described {
        assert_eq!(keys(&schemas[message]["properties"]), fields(message), "{message}");
    }
    let capital: BTreeSet<_> = keys(schemas).into_iter().filter(|name| name.starts_with(char::is_uppercase)).collect();
    assert_eq!(capital, described, "nothing else is described");
}

#[test]
fn every_word_is_described() {
    let document = document();
    for (message, field, name) in [
        ("Message", "kind", "Kind"),
        ("Message", "position", "Position"),
        ("Message", "size", "Size"),
        ("Send", "position", "Position"),
        ("Send", "size", "Size"),
        ("Gap", "reason", "GapReason"),
        ("Told", "verdict", "Word"),
    ] {
        let told = &document["components"]["schemas"][message]["properties"][field]["enum"];
        let told: BTreeSet<_> = told.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut words = words(name);
        // A word of a later release; the other enums have a default that fits.
        words.extend((name == "Word").then(|| "unknown".to_owned()));
        assert_eq!(told, words.iter().map(String::as_str).collect(), "{message}.{field}");
    }
}

#[test]
fn every_close_code_is_described() {
    let document = document();
    let told: BTreeMap<&str, (&str, &str)> = document["channels"]["room"]["x-close-codes"]
        .as_object()
        .expect("an object")
        .iter()
        .map(|(code, row)| {
            (code.as_str(), (row["word"].as_str().expect("a word"), row["after"].as_str().expect("a word")))
        })
        .collect();
    let codes: Vec<String> = Close::ALL.iter().map(|close| close.code().to_string()).collect();
    let row = |close: &Close| {
        let after = match close.after() {
            After::ComeBack => "come-back",
            After::RefreshFirst => "refresh-first",
            After::StayAway => "stay-away",
        };
        (close.word(), after)
    };
    assert_eq!(told, codes.iter().map(String::as_str).zip(Close::ALL.iter().map(row)).collect());
}

#[test]
fn every_topic_is_described() {
    let document = document();
    let channels = document["channels"].as_object().expect("an object");
    let mut told: Vec<&str> =
        channels.values().filter_map(|channel| channel["address"].as_str()).filter(|at| !at.starts_with('/')).collect();
    told.sort_unstable();
    let mut names = Topic::ALL.map(|topic| topic.name(""));
    names.sort_unstable();
    assert_eq!(told, names);
    for topic in Topic::ALL {
        let name = topic.name("");
        let channel = channels.values().find(|channel| channel["address"] == name.as_str()).expect("it is there");
        let kafka = &channel["bindings"]["kafka"];
        assert_eq!(kafka["partitions"], topic.partitions(64), "{name}");
        for setting in topic.config(OUTPUT_RETENTION_MS) {
            let told = match setting.name {
                "cleanup.policy" => &kafka["topicConfiguration"]["cleanup.policy"][0],
                // There is no word for it in that binding.
                "message.timestamp.type" => continue,
                other => &kafka["topicConfiguration"][other],
            };
            let told = told.as_str().map_or_else(|| told.to_string(), str::to_owned);
            assert_eq!(told, setting.value, "{name} {}", setting.name);
        }
        let message = channel["messages"]["record"]["$ref"].as_str().and_then(|at| at.rsplit_once("record."));
        let (_, message) = message.expect("a record");
        assert!(!fields(message).is_empty(), "{name} holds {message}");
    }
}
