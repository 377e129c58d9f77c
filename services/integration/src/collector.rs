//! An OpenTelemetry collector for tests: an OTLP/HTTP receiver on a port of its own, which keeps what it hears.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chassis::{
    http::{self, Collected, collect},
    listen::{self, Limits},
    shutdown::Shutdown,
    trace::otlp::{Export, Held, KeyValue, Span},
};
use hyper::{Request, StatusCode, body::Incoming};
use prost::Message as _;
use tokio::task::JoinHandle;

use crate::until;

/// A request of 512 spans is 300 kB.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// A span, and whose it is.
#[derive(Debug, Clone)]
pub struct Told {
    /// Such as `filter`.
    pub service: String,
    /// The span.
    pub span: Span,
}

impl Told {
    /// What it says of `key`, as text; empty if nothing.
    pub fn said(&self, key: &str) -> String {
        said(&self.span.attributes, key)
    }

    /// Its service, its name, and why there is a span.
    pub fn what(&self) -> (&str, &str, String) {
        (&self.service, &self.span.name, self.said("danmaku.traced"))
    }
}

fn said(attributes: &[KeyValue], key: &str) -> String {
    let said = attributes.iter().find(|said| said.key == key);
    match said.and_then(|said| said.value.as_ref()?.held.as_ref()) {
        Some(Held::Text(text)) => text.clone(),
        Some(Held::Number(number)) => number.to_string(),
        None => String::new(),
    }
}

/// The collector. It ends with the test.
pub struct Collector {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Told>>>,
    serving: JoinHandle<()>,
}

impl Collector {
    /// Listens.
    ///
    /// # Panics
    /// When no port is free.
    pub fn listen() -> Self {
        let listener = listen::bind((Ipv4Addr::LOCALHOST, 0).into(), "--listen").expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard = Arc::<Mutex<Vec<Told>>>::default();
        let kept = heard.clone();
        let serving = listen::serve(listener, Shutdown::new(), Limits::default(), move |request, _| {
            let kept = kept.clone();
            async move { take(request, &kept).await }
        });
        Self { address, heard, serving: tokio::spawn(serving) }
    }

    /// What services are told, so that they tell it of one danmaku in `one_in`.
    pub fn flags(&self, one_in: u32) -> [String; 4] {
        let endpoint = format!("http://{}", self.address);
        ["--otlp-endpoint".to_owned(), endpoint, "--trace-one-in".to_owned(), one_in.to_string()]
    }

    /// All spans so far.
    pub fn heard(&self) -> Vec<Told> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for `count` spans for which `is_one` holds.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn until(&self, what: &str, count: usize, is_one: impl Fn(&Told) -> bool) -> Vec<Told> {
        let wait = Duration::from_secs(30);
        let found = until(what, wait, async || {
            let found: Vec<_> = self.heard().into_iter().filter(&is_one).collect();
            (found.len() >= count).then_some(found)
        });
        found.await
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.serving.abort();
        if std::thread::panicking() {
            let heard = self.heard();
            eprintln!("──── the collector heard\n{heard:#?}");
        }
    }
}

async fn take(request: Request<Incoming>, kept: &Mutex<Vec<Told>>) -> http::Response {
    let is_ours = request.uri().path() == "/v1/traces"
        && request.headers().get("content-type").is_some_and(|kind| kind == "application/x-protobuf");
    let body = collect(request.into_body(), REQUEST_BYTES_MAX, Duration::from_secs(10)).await;
    let (true, Collected::Whole(body)) = (is_ours, body) else {
        return http::answer(StatusCode::BAD_REQUEST, "text/plain", "no OTLP");
    };
    let Ok(export) = Export::decode(body) else {
        return http::answer(StatusCode::BAD_REQUEST, "text/plain", "no protobuf");
    };
    let told = export.services.into_iter().flat_map(|service| {
        let name = service.resource.map(|resource| said(&resource.attributes, "service.name")).unwrap_or_default();
        let spans = service.scopes.into_iter().flat_map(|scope| scope.spans);
        spans.map(move |span| Told { service: name.clone(), span })
    });
    kept.lock().unwrap_or_else(PoisonError::into_inner).extend(told);
    http::answer(StatusCode::OK, "application/x-protobuf", "")
}
