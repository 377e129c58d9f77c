//! The document: every answer that a test sees is described, and everything that is described is seen.

use std::collections::BTreeSet;

use bytes::Bytes;
use chassis::tokens::Role;
use hyper::Method;
use moderation::{Config, document};
use serde_json::{Value, json};

use crate::rig::{Answer, Asker, Folder, PREFIX, Rig, broker};

/// An operation and a status: `GET /v1/moderation/lists 200`.
type Seen = BTreeSet<String>;

/// Tags of the live part, whose tests make their own tour.
const LIVE: [&str; 8] = ["holds", "sanctions", "rooms", "statistics", "stream", "reports", "users", "export"];

fn described() -> Seen {
    let document = serde_json::to_value(document()).unwrap();
    let mut all = Seen::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if LIVE.contains(&operation["tags"][0].as_str().unwrap()) {
                continue;
            }
            for status in operation["responses"].as_object().unwrap().keys() {
                all.insert(format!("{} {path} {status}", method.to_uppercase()));
            }
        }
    }
    all
}

/// The described path that a request's path is one of.
fn template(path: &str) -> Option<String> {
    let path = format!("/v1/moderation/{}", path.split('?').next().unwrap());
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == parts.len() && template.iter().zip(&parts).all(|(a, b)| a.starts_with('{') || a == b)
    };
    document().paths.paths.keys().find(|template| fits(template)).cloned()
}

/// What a test saw has to be in the document, but for paths and methods that are not there at all.
pub(crate) fn assert_described(method: &Method, path: &str, status: u16) {
    let Some(template) = template(path) else { return assert!(matches!(status, 401 | 404), "{path} {status}") };
    let seen = format!("{method} {template} {status}");
    assert!(status == 405 || described().contains(&seen), "{seen} is not in the document");
}

struct Tour<'a> {
    seen: Seen,
    asker: Asker<'a>,
}

impl Tour<'_> {
    fn saw(&mut self, method: &Method, path: &str, answer: &Answer) {
        if let Some(template) = template(path) {
            self.seen.insert(format!("{method} {template} {}", answer.status));
        }
    }

    async fn ask(&mut self, method: Method, path: &str, body: Value) -> Answer {
        let answer = self.asker.ask(method.clone(), path, Some("application/json"), &[], body.to_string().into()).await;
        self.saw(&method, path, &answer);
        answer
    }
}

/// What makes it OpenAPI, which the types do not see to: a name for each operation, and words for each answer.
#[test]
fn every_operation_has_a_name_and_every_answer_words() {
    let document = serde_json::to_value(document()).unwrap();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no name"));
            assert!(names.insert(name.to_owned()), "{name} is the name of two");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                assert!(answer["description"].as_str().is_some_and(|words| !words.is_empty()), "{name} {status}");
            }
        }
    }
    assert!(names.contains("get_moderation_lists_list_entries"), "{names:?}");
}

/// Every operation, with a path that exists and whether it has a query and a body.
fn operations() -> Vec<(Method, String, bool, bool)> {
    let document = serde_json::to_value(document()).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if LIVE.contains(&operation["tags"][0].as_str().unwrap()) {
                continue;
            }
            let path = path.strip_prefix("/v1/moderation/").unwrap().replace("{list}", "house");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            all.push((method, path, operation.get("parameters").is_some(), operation.get("requestBody").is_some()));
        }
    }
    all
}

#[tokio::test]
async fn what_is_described_is_seen() {
    let (folder, broker) = (Folder::new(), broker());
    let config = Config {
        database: folder.database(),
        moderation_body_timeout: std::time::Duration::from_millis(300),
        ..Config::default()
    };
    let rig = Rig::open(&broker.cluster(), PREFIX, config).await;
    let mut tour = Tour { seen: Seen::new(), asker: rig.admin() };
    successes(&mut tour).await;
    refusals(&mut tour).await;
    common(&rig, &mut tour).await;
    rig.house.leave().await;
    for (method, path, ..) in operations() {
        let body = body_for(&path);
        let path = if path == "diff" { "diff?from=1" } else { &path };
        assert_eq!(tour.ask(method, path, body).await.status, 503, "{path}");
    }
    let missing: Vec<_> = described().difference(&tour.seen).cloned().collect();
    assert!(missing.is_empty(), "described, and not seen: {missing:#?}");
}

/// A body that the path understands.
fn body_for(path: &str) -> Value {
    match path.rsplit('/').next().unwrap().split('?').next().unwrap() {
        "entries" => json!({ "add": ["blorp"] }),
        "import" => json!({ "text": "gruntle\n", "sample": [] }),
        "rollback" => json!({ "to": 3 }),
        "policy" => json!(null),
        "dry-run" => json!({ "text": "blorp" }),
        _ => json!({}),
    }
}

async fn successes(tour: &mut Tour<'_>) {
    tour.ask(Method::PUT, "lists/spare", json!({})).await;
    // In this order each is a success: what is read or edited was made before.
    for (method, path) in [
        (Method::PUT, "lists/house"),
        (Method::POST, "lists/house/entries"),
        (Method::POST, "lists/house/import"),
        (Method::GET, "lists/house/entries"),
        (Method::GET, "lists/house/export"),
        (Method::GET, "lists"),
        (Method::GET, "versions"),
        (Method::GET, "diff?from=1"),
        (Method::GET, "filters"),
        (Method::POST, "rollback"),
        (Method::POST, "end-broadcast"),
        (Method::GET, "policy"),
        (Method::PUT, "policy"),
        (Method::POST, "dry-run"),
        (Method::GET, "audit"),
        (Method::GET, "audit/export"),
        (Method::GET, "audit/verify"),
        (Method::DELETE, "lists/spare"),
    ] {
        let answer = tour.ask(method.clone(), path, body_for(path)).await;
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
    }
}

async fn refusals(tour: &mut Tour<'_>) {
    for (method, path, body, status) in [
        (Method::POST, "lists/house/entries", json!({}), 422),
        (Method::POST, "lists/house/import", json!({ "text": "", "sample": [] }), 422),
        (Method::PUT, "lists/Bad%20Name", json!({}), 422),
        (Method::PUT, "policy", json!({ "budget_per_s": 1_000_000 }), 422),
        (Method::POST, "dry-run", json!({}), 422),
        (Method::POST, "rollback", json!({ "to": 1 }), 422),
        (Method::DELETE, "lists/house", json!({}), 422),
        (Method::GET, "lists/absent/entries", json!({}), 404),
        (Method::GET, "lists/absent/export", json!({}), 404),
        (Method::DELETE, "lists/absent", json!({}), 404),
        (Method::GET, "diff?from=99", json!({}), 404),
        (Method::POST, "rollback", json!({ "to": 99 }), 404),
        (Method::POST, "end-broadcast?room=nowhere", json!({}), 404),
        (Method::POST, "dry-run", json!({ "text": "x", "version": 99 }), 404),
        (Method::POST, "lists/house/entries", json!({ "add": ["fnord"], "base_version": 1 }), 409),
        (Method::POST, "lists/house/import?base_version=1", json!({ "text": "fnord", "sample": [] }), 409),
        (Method::PUT, "lists/house?base_version=1", json!({}), 409),
        (Method::DELETE, "lists/house?base_version=1", json!({}), 409),
        (Method::POST, "rollback", json!({ "to": 1, "base_version": 1 }), 409),
        (Method::POST, "end-broadcast?base_version=1", json!({}), 409),
        (Method::PUT, "policy?base_version=1", json!(null), 409),
    ] {
        let answer = tour.ask(method.clone(), path, body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
    }
}

/// What every operation refuses in the same way.
async fn common(rig: &Rig, tour: &mut Tour<'_>) {
    let (nobody, viewer) = (rig.with_token(None), rig.as_("eve", Role::Viewer));
    for (method, path, has_query, has_body) in operations() {
        let body: Bytes = body_for(&path).to_string().into();
        let query = if path == "diff" { "diff?from=1" } else { path.as_str() };
        for (asker, status) in [(&nobody, 401), (&viewer, 403)] {
            let answer = asker.ask(method.clone(), query, Some("application/json"), &[], body.clone()).await;
            assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
            tour.saw(&method, &path, &answer);
        }
        if has_query {
            let answer = tour.ask(method.clone(), &format!("{path}?colour=red"), body_for(&path)).await;
            assert_eq!(answer.status, 400, "{method} {path}: {}", answer.text);
        }
        if has_body {
            let most = if path.ends_with("import") || path == "dry-run" { 33 << 20 } else { 5 << 20 };
            for (kind, body, status) in [
                ("image/png", body.clone(), 415),
                ("application/json", Bytes::from_static(b"{\"a"), 400),
                ("application/json", vec![b' '; most].into(), 413),
            ] {
                let answer = tour.asker.ask(method.clone(), &path, Some(kind), &[], body).await;
                assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
                tour.saw(&method, &path, &answer);
            }
            let answer = rig.slow(&method, &path).await;
            assert_eq!(answer.status, 408, "{method} {path}: {}", answer.text);
            tour.saw(&method, &path, &answer);
        }
    }
}

#[tokio::test]
async fn the_document_is_served_and_says_3_1() {
    let rig = Rig::start().await;
    let answer = rig.document().await;
    assert_eq!(answer.status, 200);
    assert!(answer.body["openapi"].as_str().unwrap().starts_with("3.1"), "{}", answer.body["openapi"]);
    assert_eq!(answer.body, serde_json::to_value(document()).unwrap());
    let text = answer.text;
    for reference in text.split("\"$ref\":\"#/components/schemas/").skip(1).map(|rest| rest.split('"').next().unwrap())
    {
        assert!(answer.body["components"]["schemas"].get(reference).is_some(), "{reference} is not described");
    }
}
