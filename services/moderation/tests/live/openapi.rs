//! The document: every answer that these tests see is described. That every status which is described can be seen, for the
//! paths of the live part, is tested here; for the rule book's, beside its own tests.

use std::{collections::BTreeSet, time::Duration};

use bytes::Bytes;
use chassis::tokens::Role;
use hyper::Method;
use moderation::{Config, document};
use serde_json::{Value, json};

use crate::{
    holds::until_held,
    rig::{Asker, Folder, PREFIX, Rig, broker},
    river::River,
    stream::Listener,
};

/// The described path that a request's path is one of.
fn template(path: &str) -> Option<String> {
    let path = match path.strip_prefix('/') {
        Some(path) => format!("/{path}"),
        None => format!("/v1/moderation/{path}"),
    };
    let parts: Vec<&str> = path.split('?').next().unwrap().split('/').collect();
    let fits = |template: &str| {
        let template: Vec<&str> = template.split('/').collect();
        template.len() == parts.len() && template.iter().zip(&parts).all(|(a, b)| a.starts_with('{') || a == b)
    };
    let mut all: Vec<String> = document().paths.paths.keys().filter(|template| fits(template)).cloned().collect();
    // `holds/{id}` fits much; a path without a parameter there fits better.
    all.sort_by_key(|template| template.matches('{').count());
    all.into_iter().next()
}

/// What a test saw has to be in the document, but for paths that are not there at all.
pub(crate) fn assert_described(method: &Method, path: &str, status: u16) {
    let Some(template) = template(path) else { return assert!(matches!(status, 400 | 401 | 404), "{path} {status}") };
    let document = serde_json::to_value(document()).unwrap();
    let operation = &document["paths"][&template][method.as_str().to_lowercase()];
    let is_described = operation["responses"].get(status.to_string()).is_some();
    // What a browser asks before is no operation.
    assert!(
        status == 405 || *method == Method::OPTIONS || is_described,
        "{method} {template} {status} is not in the document"
    );
}

/// Tags of the live part.
const TAGS: [&str; 7] = ["holds", "sanctions", "rooms", "statistics", "stream", "reports", "users"];

/// An operation of the live part.
#[derive(Debug, Clone)]
struct Operation {
    method: Method,
    template: String,
    statuses: Vec<String>,
    has_body: bool,
}

fn operations() -> Vec<Operation> {
    let document = serde_json::to_value(document()).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if TAGS.contains(&operation["tags"][0].as_str().unwrap()) {
                assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{method} {path}");
                all.push(Operation {
                    method: Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                    template: path.clone(),
                    statuses: operation["responses"].as_object().unwrap().keys().cloned().collect(),
                    has_body: operation.get("requestBody").is_some(),
                });
            }
        }
    }
    all
}

impl Operation {
    /// A path of it: in room `demo`, about the message `id`.
    fn path(&self, id: &str) -> String {
        let path = self.template.replace("{room}", "demo").replace("{id}", id).replace("{user}", "ann");
        match (path.as_str(), &self.method) {
            ("/v1/moderation/holds" | "/v1/moderation/refusals", _) => format!("{path}?room=demo"),
            ("/v1/moderation/bans" | "/v1/moderation/rooms/demo/mutes", &Method::DELETE) => {
                format!("{path}?subject=user/ann")
            }
            _ => path,
        }
    }

    /// A path that nobody can read.
    fn unreadable(&self) -> String {
        let stem = self.template.split('{').next().unwrap();
        match self.template.split_once('}') {
            Some((_, rest)) => format!("{stem}%FF{rest}"),
            None => format!("{stem}?colour=red"),
        }
    }

    fn is_stream(&self) -> bool {
        self.template.ends_with("stream")
    }

    fn is_report(&self) -> bool {
        self.template.starts_with("/v1/rooms/")
    }

    /// A body that it understands.
    fn body(&self, id: &str) -> Value {
        match self.template.rsplit('/').next().unwrap() {
            "mutes" | "bans" => json!({ "subject": "user/ann", "seconds": 5 }),
            "holding" => json!({ "hold_ms": 600_000 }),
            "mode" => json!({ "mode": {} }),
            "broadcast" => json!({ "state": "ended" }),
            "recall" => json!({ "ids": [id] }),
            "back-test" => json!({ "minutes": 5, "entries": [{ "text": "fnord" }] }),
            "reports" => json!({ "id": id }),
            "erase" => json!({ "keep_sanctions": true }),
            _ => json!({}),
        }
    }
}

struct Tour {
    seen: BTreeSet<String>,
}

impl Tour {
    fn saw(&mut self, operation: &Operation, status: u16) {
        self.seen.insert(format!("{} {} {status}", operation.method, operation.template));
    }

    async fn ask(&mut self, asker: &Asker<'_>, operation: &Operation, path: &str, body: Value) -> u16 {
        let kind = operation.has_body.then_some("application/json");
        let answer = asker.ask(operation.method.clone(), path, kind, &[], body.to_string().into()).await;
        self.saw(operation, answer.status);
        answer.status
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_described_of_the_live_part_is_seen() {
    let (folder, broker) = (Folder::new(), broker());
    let config = Config {
        database: folder.database(),
        moderation_body_timeout: Duration::from_millis(300),
        ..Config::default()
    };
    let rig = Rig::open(&broker.cluster(), PREFIX, config).await;
    let (river, owner) = (River::of(&broker.cluster()), rig.as_("ow", Role::Owner));
    // Longer than this tour takes.
    owner.put("rooms/demo/holding", json!({ "hold_ms": 600_000 })).await.ok();
    let ids: Vec<String> =
        (0..3).map(|number| river.hold("demo", &format!("v{number}"), "blorp").to_string()).collect();
    until_held(&owner, "demo", &ids[2]).await;
    let mut tour = Tour { seen: BTreeSet::new() };
    common(&rig, &mut tour, &ids[0]).await;
    particular(&rig, &mut tour, &ids).await;
    rig.house.leave().await;
    for operation in operations() {
        let status = tour.ask(&owner, &operation, &operation.path(&ids[0]), operation.body(&ids[0])).await;
        assert_eq!(status, 503, "{operation:?}");
    }
    let described = operations().into_iter().flat_map(|operation| {
        let Operation { method, template, statuses, .. } = operation;
        statuses.into_iter().map(move |status| format!("{method} {template} {status}"))
    });
    let missing: Vec<_> = described.filter(|one| !tour.seen.contains(one)).collect();
    assert!(missing.is_empty(), "described, and not seen: {missing:#?}");
}

/// What every operation refuses in the same way.
async fn common(rig: &Rig, tour: &mut Tour, id: &str) {
    let (nobody, owner) = (rig.with_token(None), rig.as_("ow", Role::Owner));
    let (viewer, elsewhere) =
        (rig.as_("eve", Role::Viewer), rig.with_token(Some(rig.token_for("eve", Role::Viewer, Some(&["other"])))));
    for operation in operations() {
        let (path, body) = (operation.path(id), operation.body(id));
        assert_eq!(tour.ask(&nobody, &operation, &path, body.clone()).await, 401, "{operation:?}");
        let stranger = if operation.is_report() { &elsewhere } else { &viewer };
        assert_eq!(tour.ask(stranger, &operation, &path, body.clone()).await, 403, "{operation:?}");
        if operation.statuses.iter().any(|status| status == "400") && !operation.has_body {
            assert_eq!(tour.ask(&owner, &operation, &operation.unreadable(), body.clone()).await, 400, "{operation:?}");
        }
        if operation.has_body {
            for (kind, body, expected) in
                [("image/png", body.to_string().into(), 415), ("application/json", Bytes::from_static(b"{\"a"), 400)]
            {
                let answer = owner.ask(operation.method.clone(), &path, Some(kind), &[], body).await;
                assert_eq!(answer.status, expected, "{operation:?}: {}", answer.text);
                tour.saw(&operation, answer.status);
            }
            for (bytes, expected) in [(10, 408), (5 << 20, 413)] {
                let answer = rig.announced(&operation.method, &path, bytes).await;
                assert_eq!(answer.status, expected, "{operation:?}: {}", answer.text);
                tour.saw(&operation, answer.status);
            }
        }
    }
}

/// What each answers besides: in this order, as what is decided on cannot be any more.
async fn particular(rig: &Rig, tour: &mut Tour, ids: &[String]) {
    let owner = rig.as_("ow", Role::Owner);
    let all = operations();
    let the = |method: Method, end: &str| {
        all.iter()
            .find(|one| one.method == method && one.template.ends_with(end))
            .unwrap_or_else(|| panic!("{end}"))
            .clone()
    };
    let (approve, reject, one) =
        (the(Method::POST, "/approve"), the(Method::POST, "/reject"), the(Method::GET, "/holds/{id}"));
    let absent = "3-0-404";
    for (operation, id, body, expected) in [
        (&one, absent, json!({}), 404),
        (&approve, absent, json!({}), 404),
        (&reject, absent, json!({}), 404),
        (&approve, &ids[0], json!({ "text": "" }), 422),
        (&approve, &ids[0], json!({}), 200),
        (&approve, &ids[0], json!({}), 409),
        (&reject, &ids[1], json!({}), 200),
        (&reject, &ids[1], json!({}), 409),
        (&the(Method::DELETE, "/shield"), "", json!({}), 404),
        (&the(Method::POST, "/shield"), "", json!({ "minutes": 0 }), 422),
        (&the(Method::POST, "/shield"), "", json!({}), 200),
        (&the(Method::DELETE, "/shield"), "", json!({}), 200),
        (&the(Method::PUT, "/mode"), "", json!({ "mode": { "slow_ms": 600_001 } }), 422),
        (&the(Method::PUT, "/holding"), "", json!({ "hold_ms": 1 }), 422),
        (&the(Method::POST, "/recall"), "", json!({}), 422),
        (&the(Method::POST, "/back-test"), "", json!({ "minutes": 5, "list": "absent" }), 404),
        (&the(Method::POST, "/back-test"), "", json!({ "minutes": 0 }), 422),
    ] {
        assert_eq!(tour.ask(&owner, operation, &operation.path(id), body).await, expected, "{operation:?}");
    }
    let erase = the(Method::POST, "/erase");
    assert_eq!(tour.ask(&owner, &erase, "/v1/moderation/users/a%01b/erase", erase.body("")).await, 422);
    reported(rig, tour, ids, &the(Method::POST, "/v1/rooms/{room}/reports")).await;
    streamed(rig, tour).await;
    let done = ["/approve", "/reject", "/shield", "/reports", "/erase", "stream"];
    let is_done = |one: &Operation| one.method != Method::GET || one.is_stream();
    let rest = all.iter().filter(|one| !is_done(one) || !done.iter().any(|end| one.template.ends_with(end)));
    for operation in rest.chain([&erase]) {
        let status = tour.ask(&owner, operation, &operation.path(&ids[2]), operation.body(&ids[2])).await;
        assert_eq!(status, 200, "{operation:?}");
    }
}

async fn reported(rig: &Rig, tour: &mut Tour, ids: &[String], report: &Operation) {
    let viewer = rig.as_("vi", Role::Viewer);
    let path = report.path("");
    assert_eq!(tour.ask(&viewer, report, &path, json!({ "id": "x" })).await, 422);
    let stem = ids[0].rsplit_once('-').unwrap().0;
    for offset in 0..5 {
        assert_eq!(tour.ask(&viewer, report, &path, json!({ "id": format!("{stem}-{offset}") })).await, 202);
    }
    assert_eq!(tour.ask(&viewer, report, &path, json!({ "id": format!("{stem}-5") })).await, 429);
}

async fn streamed(rig: &Rig, tour: &mut Tour) {
    let streams: Vec<_> = operations().into_iter().filter(Operation::is_stream).collect();
    let mut open = Vec::new();
    for number in 0..64 {
        let stream = &streams[number % streams.len()];
        let listener = Listener::on(rig, &stream.path(""), Role::Admin, None).await;
        tour.saw(stream, listener.status);
        open.push(listener);
    }
    for stream in &streams {
        tour.saw(stream, Listener::on(rig, &stream.path(""), Role::Admin, None).await.status);
    }
}
