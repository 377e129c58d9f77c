//! docs/openapi.yaml says what the door answers, all of it, and nothing else.

use std::{collections::BTreeSet, time::Duration};

use serde_json::Value;

use super::{answer, route};
use crate::{refusal::Refusal, token::Act};

fn document() -> Value {
    serde_norway::from_str(include_str!("../../../../docs/openapi.yaml")).expect("docs/openapi.yaml is YAML")
}

/// Each no that the door has.
fn refusals() -> [Refusal; 14] {
    let why = String::new;
    [
        Refusal::NotFound,
        Refusal::MethodNotAllowed,
        Refusal::UnsupportedType,
        Refusal::SlowBody,
        Refusal::TooLong(why()),
        Refusal::Malformed(why()),
        Refusal::BadRoom(why()),
        Refusal::Unauthorized(why()),
        Refusal::Forbidden(why()),
        Refusal::Empty,
        Refusal::ClusterTooLong,
        Refusal::RateLimited(Duration::ZERO),
        Refusal::JudgeBehind,
        Refusal::Unavailable { retry_until_ms: 0 },
    ]
}

#[test]
fn the_doors_paths_and_answers_are_described() {
    assert_eq!(refusals().each_ref().map(Refusal::code), Refusal::CODES, "all of them are here");
    let document = document();
    let paths = document["paths"].as_object().expect("an object");
    let doors = paths.iter().filter(|(_, path)| path["post"]["tags"][0] == "door");
    let mut acts = Vec::new();
    for (path, described) in doors {
        acts.extend(route(&path.replace("{room}", "demo")).map(|(act, _)| act));
        let answers = described["post"]["responses"].as_object().expect("answers");
        let told: BTreeSet<String> = answers.keys().filter(|status| status.as_str() != "202").cloned().collect();
        let statuses = refusals().each_ref().map(|refusal| answer::status(refusal).as_u16().to_string());
        assert_eq!(told, BTreeSet::from(statuses), "{path}");
    }
    for act in [Act::Say, Act::Post, Act::Announce] {
        assert_eq!(acts.iter().filter(|found| **found == act).count(), 1, "{act:?}");
    }
}

#[test]
fn every_code_is_described() {
    let document = document();
    let told = &document["components"]["schemas"]["Refusal"]["properties"]["code"]["enum"];
    let told: BTreeSet<_> = told.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // `full` is the hall's.
    assert_eq!(told, Refusal::CODES.into_iter().chain(["full"]).collect());
}
