//! The operator's three pages, over a real socket.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod wire;

use std::net::SocketAddr;

use chassis::admin::{Admin, Pages, Query, Readiness};
use chassis::settings::LogFormat;
use chassis::{http, listen, telemetry};
use wire::ask;

fn served(readiness: &Readiness) -> chassis::admin::Served {
    let telemetry = telemetry::install(LogFormat::Text).unwrap();
    let listener = listen::bind(SocketAddr::from(([127, 0, 0, 1], 0)), "--admin").unwrap();
    let pages = Pages::default();
    let served = Admin::new(readiness.clone(), telemetry, pages.clone()).serve(listener).unwrap();
    // Services open after their port.
    pages.add("/seven", |query: Query| async move { http::json(hyper::StatusCode::OK, &(7, query)) });
    served
}

#[tokio::test]
async fn ready_is_told_with_the_reasons_why_not() {
    let readiness = Readiness::new();
    let rules = readiness.condition("rules");
    rules.not_ready("no rule book yet");
    let admin = served(&readiness);

    let answer = ask(admin.address(), "GET", "/readyz").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.body, r#"{"ready":false,"reasons":[{"condition":"rules","reason":"no rule book yet"}]}"#);
    assert_eq!(ask(admin.address(), "GET", "/livez").await.status, 200, "alive all the same");

    rules.ready();
    let answer = ask(admin.address(), "GET", "/readyz").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"ready":true,"reasons":[]}"#));
    let _redis = readiness.note("redis", "away");
    let answer = ask(admin.address(), "GET", "/readyz").await;
    let expected = r#"{"notes":[{"part":"redis","state":"away"}],"ready":true,"reasons":[]}"#;
    assert_eq!((answer.status, answer.body.as_str()), (200, expected));
}

#[tokio::test]
async fn metrics_are_in_prometheus_text() {
    let admin = served(&Readiness::new());
    metrics::counter!("chassis_admin_test_total").increment(3);
    let answer = ask(admin.address(), "GET", "/metrics").await;
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("content-type: text/plain; version=0.0.4"), "{}", answer.head);
    assert!(answer.body.contains("chassis_admin_test_total 3"), "{}", answer.body);
}

#[tokio::test]
async fn a_page_of_the_services_own_is_served_and_others_are_listed() {
    let admin = served(&Readiness::new());
    assert_eq!(ask(admin.address(), "GET", "/seven").await.body, "[7,[]]");
    assert_eq!(ask(admin.address(), "GET", "/seven?a=%E5%BC%B9&b").await.body, r#"[7,[["a","弹"],["b",""]]]"#);
    assert_eq!(ask(admin.address(), "GET", "/seven?a=%ff").await.status, 400);
    let missing = ask(admin.address(), "GET", "/eight").await;
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains("/livez, /readyz, /metrics, /seven"), "{}", missing.body);
    assert_eq!(ask(admin.address(), "POST", "/livez").await.status, 405);
}

#[tokio::test]
async fn dropping_it_ends_it() {
    let admin = served(&Readiness::new());
    let address = admin.address();
    drop(admin);
    // The task is stopped at its next turn of the loop; the port is free again from then on.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
